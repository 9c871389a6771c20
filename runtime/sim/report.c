/* Structure and summary as JSON, and data for the program's tables. See report.h.
 *
 * Thread: the simulation's owner, between runs. Real-time: no.
 */
#include "runtime/sim/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/c_locale.h"
#include "base/check.h"
#include "base/json.h"
#include "runtime/relax/engine.h"
#include "runtime/relax/engine_scheme.h"
#include "runtime/sim/component_process.h"
#include "runtime/sim/driver.h"
#include "runtime/sim/lookup.h"
#include "runtime/sim/ports.h"
#include "runtime/sim/realtime.h"
#include "scheduler/machine.h"
#include "scheduler/placement.h"

/* ---- structure ---- */

int wr_report_is_automatic(const wrsim *sim, int i_subsystem)
{
    return !sim->settings->simulation.monolithic && i_subsystem >= sim->settings->n_subsystems;
}

int *wr_report_workers(const wrsim *sim)
{
    const wr_assembly *const a = sim->assembly;
    const size_t n = (size_t)a->n_subsystem;
    double *const time = calloc(n + (size_t)sim->n_worker, sizeof *time);
    int *const worker = malloc(2 * n * sizeof *worker);
    if (time && worker) {
        for (size_t i = 0; i < n; i++) {
            time[i] = a->setup[i].subsystem->work_per_rhs;
            worker[i] = -1;
        }
        wr_placement_make(&(wr_placement){.n_task = a->n_subsystem,
                                          .n_worker = sim->n_worker,
                                          .expected = time,
                                          .order = worker + n,
                                          .worker = worker,
                                          .busy = time + n});
    }
    free(time);
    return worker;
}

const char *wr_report_phase(const wrsim *sim)
{
    const char *const phase = sim->settings->relaxation.history_phase;
    return phase[0] ? phase : "time";
}

const char *wr_report_result_file(const wrsim *sim) { return sim->settings->output.file; }

int wr_report_history_nodes(const wrsim *sim)
{
    return wr_engine_history_nodes(sim->settings->relaxation.history_nodes,
                                   sim->assembly->cap_node);
}

static void warnings_json(wr_json *j, const wrsim *sim)
{
    const wr_diag *const all[] = {&sim->assembly->warnings, &sim->assembly->length_warnings};
    wr_json_array(j, "warnings");
    for (size_t k = 0; k < WR_COUNT_OF(all); k++)
        for (int i = 0; i < all[k]->n_items; i++) {
            wr_json_object(j, NULL);
            wr_json_string(j, "file", all[k]->items[i].file);
            wr_json_integer(j, "line", all[k]->items[i].line);
            wr_json_string(j, "text", all[k]->items[i].text);
            wr_json_end(j);
        }
    wr_json_end(j);
}

static void open_inputs_json(wr_json *j, const wr_assembly *a)
{
    char text[512];
    wr_json_array(j, "unconnected_inputs");
    for (int i = 0; i < a->n_component; i++) {
        const wr_component *const c = a->component[i];
        for (int k = 0; k < c->n[WRSIM_INPUT]; k++) {
            const wr_variable *const v = &c->variable[WRSIM_INPUT][k];
            if (wr_graph_driver(a->graph, i, k))
                continue;
            snprintf(text, sizeof text, "%s.%s", c->name, v->name);
            wr_json_object(j, NULL);
            wr_json_string(j, "name", text);
            wr_json_number(j, "value", v->start);
            wr_json_string(j, "unit", v->unit);
            wr_json_end(j);
        }
    }
    wr_json_end(j);
}

static void ports_json(wr_json *j, const wrsim *sim)
{
    const int n = wrsim_port_count(sim);
    if (n == 0)
        return;
    wr_json_array(j, "ports");
    for (int i = 0; i < n; i++) {
        const wr_set_port *const set = &sim->settings->ports[i];
        wrsim_port port;
        wrsim_port_info(sim, i, &port);
        wr_json_object(j, NULL);
        wr_json_string(j, "name", port.name);
        wr_json_string(j, "unit", port.unit);
        wr_json_string(j, "direction", port.direction == WRSIM_PORT_INPUT ? "input" : "output");
        if (port.direction == WRSIM_PORT_INPUT) {
            wr_json_number(j, "start", wr_ports_start(sim->assembly, set));
            wr_json_string(j, "mode", set->mode == WR_PORT_RAMP ? "ramp" : "hold");
        }
        wr_json_array(j, "signals");
        for (int k = 0; k < set->n_to; k++)
            wr_json_string(j, NULL, set->to[k].name);
        if (set->n_to == 0)
            wr_json_string(j, NULL, set->from.name);
        wr_json_end(j);
        wr_json_end(j);
    }
    wr_json_end(j);
}

static void scenarios_json(wr_json *j, const wrsim *sim)
{
    const int n = wrsim_scenario_count(sim);
    if (n == 0)
        return;
    wr_json_array(j, "scenarios");
    for (int i = 0; i < n; i++) {
        const wr_set_scenario *const set = &sim->settings->scenarios[i];
        wrsim_scenario scenario;
        wrsim_scenario_info(sim, i, &scenario);
        wr_json_object(j, NULL);
        wr_json_string(j, "name", scenario.name);
        wr_json_string(j, "action", scenario.action);
        wr_json_string(j, "target", scenario.target);
        wr_json_string(j, "begins",
                       set->is_api           ? "when the host triggers it"
                       : set->condition.name ? "on a condition"
                                             : "at a time");
        if (!set->is_api && !set->condition.name)
            wr_json_number(j, "at_s", set->at_s);
        wr_json_end(j);
    }
    wr_json_end(j);
}

static void history_json(wr_json *j, const wrsim *sim)
{
    wr_json_object(j, "history");
    wr_json_number(j, "period", sim->settings->relaxation.history_period);
    wr_json_string(j, "phase", wr_report_phase(sim));
    wr_json_integer(j, "n_node", wr_report_history_nodes(sim));
    wr_json_end(j);
}

static void split_probe_json(wr_json *j, const wrsim *sim)
{
    const wrsim_split_probe *const probe = &sim->split;
    if (!probe->has_answer)
        return;
    wr_json_object(j, sim->is_split_chosen ? "choice" : "recommendation");
    wr_json_bool(j, "monolithic", probe->is_monolithic);
    wr_json_bool(j, "undecided", probe->is_undecided);
    wr_json_integer(j, "n_worker", probe->n_worker);
    wr_json_number(j, "start_s", probe->start_s);
    wr_json_number(j, "span_s", probe->span_s);
    wr_json_number(j, "rtol", probe->rtol);
    wr_json_number(j, "error", probe->error);
    wr_json_number(j, "work_ratio", probe->work_ratio);
    wr_json_number(j, "sweeps_per_window", probe->sweeps_per_window);
    wr_json_number(j, "window_share", probe->window_share);
    wr_json_number(j, "shared_by", probe->shared_by);
    wr_json_string(j, "scheme", probe->scheme);
    wr_json_string(j, "text", probe->text);
    wr_json_end(j);
}

static char *structure_json(const wrsim *sim, const int *worker)
{
    const wr_assembly *const a = sim->assembly;
    const int has_levels = wr_settings_may_have_levels(sim->settings);
    wr_json j = {0};
    wrsim_stats s;
    char text[512];
    wrsim_stats_get(sim, &s);
    wr_json_object(&j, NULL);
    wr_json_string(&j, "config", sim->settings->file);
    wr_json_integer(&j, "n_subsystem", s.n_subsystem);
    wr_json_integer(&j, "n_component", s.n_component);
    wr_json_integer(&j, "n_state", s.n_state);
    wr_json_integer(&j, "n_indicator", s.n_indicator);
    wr_json_integer(&j, "n_connection", s.n_connection);
    wr_json_array(&j, "subsystems");
    for (int i = 0; i < a->n_subsystem; i++) {
        const wr_setup *const m = &a->setup[i];
        wr_json_object(&j, NULL);
        wr_json_string(&j, "name", m->name);
        wr_json_string(&j, "solver", wr_setup_solver_name(m));
        wr_json_string(&j, "kind", m->kind->name);
        if (m->kind->needs_file)
            wr_json_string(&j, "file", sim->settings->subsystems[i].file);
        wr_json_integer(&j, "n_state", m->subsystem->n_x);
        const wr_group *const g = wr_setup_group(m);
        wr_json_integer(&j, "n_indicator", g ? g->n_z : 0);
        wr_json_integer(&j, "worker", worker ? worker[i] : 0);
        wr_json_bool(&j, "is_automatic", wr_report_is_automatic(sim, i));
        if (m->link.history_source >= 0) {
            wr_json_string(&j, "history_source", a->setup[m->link.history_source].name);
            wr_json_number(&j, "lag", m->link.lag);
        }
        if (has_levels)
            wr_json_integer(&j, "level", m->link.level);
        wr_json_array(&j, "components");
        for (int k = 0; k < m->n_component; k++)
            wr_json_string(&j, NULL, a->component[m->component[k]]->name);
        wr_json_end(&j);
        wr_json_array(&j, "algebraic_loops");
        for (int k = 0; g && k < g->n_loop; k++) {
            wr_group_loop_text(g, k, text, sizeof text);
            wr_json_string(&j, NULL, text);
        }
        wr_json_end(&j);
        wr_json_end(&j);
    }
    wr_json_end(&j);
    wr_json_array(&j, "connections");
    for (int i = 0; i < a->graph->n_edge; i++) {
        const wr_graph_edge *const e = &a->graph->edge[i];
        const wr_component *const from = a->component[e->from], *const to = a->component[e->to];
        wr_json_object(&j, NULL);
        snprintf(text, sizeof text, "%s.%s", from->name,
                 from->variable[WRSIM_OUTPUT][e->i_output].name);
        wr_json_string(&j, "from", text);
        snprintf(text, sizeof text, "%s.%s", to->name, to->variable[WRSIM_INPUT][e->i_input].name);
        wr_json_string(&j, "to", text);
        if (wr_unit_is_scaled(e->scale)) {
            wr_json_number(&j, "factor", e->scale.factor);
            wr_json_number(&j, "offset", e->scale.offset);
        }
        wr_json_end(&j);
    }
    wr_json_end(&j);
    open_inputs_json(&j, a);
    ports_json(&j, sim);
    scenarios_json(&j, sim);
    history_json(&j, sim);
    warnings_json(&j, sim);
    split_probe_json(&j, sim);
    wr_json_end(&j);
    return wr_json_take(&j);
}

char *wrsim_structure(const wrsim *sim)
{
    WR_IN_C_LOCALE;
    if (!sim)
        return NULL;
    int *const worker = wr_report_workers(sim);
    char *const text = structure_json(sim, worker);
    free(worker);
    return text;
}

/* ---- summary ---- */

static double per(int64_t a, int64_t b) { return b > 0 ? (double)a / (double)b : 0.0; }

/* Writes the connection of each subsystem that causes most of its error, relative to the worst connection. A slackened run has delay errors
 * instead. */
static void connections_json(wr_json *j, const wrsim *sim)
{
    const wr_engine *const engine = wr_driver_engine(sim);
    char text[WRSIM_CONNECTION_BYTES];
    const double most = engine ? wr_engine_error_get(engine).through : 0.0;
    wr_json_array(j, "connections");
    for (int i = 0; engine && i < sim->assembly->n_subsystem; i++) {
        wr_engine_error e;
        if (!wr_engine_error_input(engine, i, &e))
            continue;
        wr_lookup_connection(sim->assembly, e.i_reader,
                             sim->assembly->setup[e.i_producer].link.signal_name[e.i_signal], text,
                             sizeof text);
        wr_json_object(j, NULL);
        wr_json_string(j, "connection", text);
        wr_json_number(j, "relative", e.through / most);
        wr_json_end(j);
    }
    wr_json_end(j);
}

static void json_account(wr_json *j, const wrsim *sim)
{
    wrsim_error_account a;
    if (wrsim_error_account_get(sim, &a) < 0)
        return;
    wr_json_object(j, "error_account");
    wr_json_number(j, "error", a.error);
    wr_json_number(j, "limit", a.limit);
    wr_json_bool(j, "is_above", a.is_above);
    wr_json_number(j, "waves", a.waves);
    wr_json_number(j, "readers", a.readers);
    wr_json_number(j, "sweeps", a.sweeps);
    wr_json_string(j, "subsystem", a.subsystem);
    wr_json_string(j, "connection", a.connection);
    wr_json_string(j, "not_covered", a.not_covered);
    connections_json(j, sim);
    wr_json_end(j);
}

/* Writes delay errors, if subsystems are watched. */
static void json_delay(wr_json *j, const wrsim *sim)
{
    wrsim_delay_subsystem s;
    if (wrsim_delay_subsystem_get(sim, 0, &s) != WRSIM_OK)
        return;
    wr_json_array(j, "delay_errors");
    for (int i = 0; wrsim_delay_subsystem_get(sim, i, &s) == WRSIM_OK; i++) {
        wr_json_object(j, NULL);
        wr_json_string(j, "name", s.name);
        wr_json_integer(j, "n_period", s.n_period);
        wr_json_integer(j, "n_lost", s.n_lost);
        wr_json_integer(j, "n_failed", s.n_failed);
        wr_json_bool(j, "is_partial", s.is_partial);
        wr_json_integer(j, "n_rhs", s.n_rhs);
        wr_json_number(j, "current", s.current);
        wr_json_number(j, "current_s", s.current_s);
        wr_json_string(j, "current_state", s.current_state);
        wr_json_number(j, "estimate", s.estimate);
        wr_json_number(j, "estimate_s", s.estimate_s);
        wr_json_string(j, "estimate_state", s.estimate_state);
        wr_json_integer(j, "n_above_loc", s.n_above_loc);
        wr_json_integer(j, "n_above_glo", s.n_above_glo);
        wr_json_integer(j, "n_sweep", s.n_sweep);
        wr_json_array(j, "connections");
        for (int k = 0; k < s.n_connection; k++) {
            wrsim_delay_connection c;
            wrsim_delay_connection_get(sim, i, k, &c);
            wr_json_object(j, NULL);
            wr_json_string(j, "producer", c.producer);
            wr_json_number(j, "current", c.current);
            wr_json_number(j, "current_s", c.current_s);
            wr_json_number(j, "sum", c.sum);
            wr_json_bool(j, "is_awaited", c.is_awaited);
            wr_json_number(j, "period_s", c.period_s);
            wr_json_end(j);
        }
        wr_json_end(j);
        wr_json_end(j);
    }
    wr_json_end(j);
}

/* Writes the waits, and the ages of inputs, of a slackened run. */
static void json_ages(wr_json *j, const wrsim *sim, const wrsim_stats *s)
{
    wr_json_integer(j, "n_wait", s->n_wait);
    wr_json_integer(j, "n_stale", s->n_stale);
    wr_json_array(j, "ages");
    for (int i = 0, n = wrsim_age_count(sim); i < n; i++) {
        wrsim_age age;
        wrsim_stats_age(sim, i, &age);
        wr_json_object(j, NULL);
        wr_json_string(j, "reader", age.reader);
        wr_json_string(j, "producer", age.producer);
        wr_json_string(j, "connection", age.connection);
        wr_json_integer(j, "n_read", age.n_read);
        wr_json_number(j, "mean_s", age.mean_s);
        wr_json_number(j, "most_s", age.most_s);
        wr_json_end(j);
    }
    wr_json_end(j);
}

/* Writes counts of steps by length: an array for each reason of a step's end (wr_step_end). All arrays reach from the first to the last bin
 * that any of them fills. from_s is the lower limit of the first bin. Each bin is twice as long as the bin before. */
static void json_step_lengths(wr_json *j, const wr_step_lengths *lengths)
{
    int first = WR_STEP_BINS, last = -1;
    for (int end = 0; end < WR_STEP_END_COUNT; end++)
        for (int i = 0; i < WR_STEP_BINS; i++)
            if (lengths->n[end][i] > 0) {
                first = i < first ? i : first;
                last = i > last ? i : last;
            }
    wr_json_object(j, "step_length");
    wr_json_number(j, "from_s", last < 0 ? 0 : ldexp(1.0, WR_STEP_FIRST_POWER + first));
    for (int end = 0; end < WR_STEP_END_COUNT; end++) {
        wr_json_array(j, wr_step_end_name((wr_step_end)end));
        for (int i = first; i <= last; i++)
            wr_json_integer(j, NULL, lengths->n[end][i]);
        wr_json_end(j);
    }
    wr_json_end(j);
}

void wr_report_points_json(wr_json *j, const wrsim_points points[WRSIM_PURPOSE_COUNT])
{
    static const char *const names[] = {WRSIM_PURPOSES(WRSIM_PURPOSE_KEY)};
    wr_json_object(j, "points");
    for (int k = 0; k < WRSIM_PURPOSE_COUNT; k++) {
        wr_json_object(j, names[k]);
        wr_json_integer(j, "n", points[k].n);
        wr_json_integer(j, "n_repeated", points[k].n_repeated);
        wr_json_number(j, "cost_s", points[k].cost_s);
        wr_json_number(j, "repeated_s", points[k].repeated_s);
        wr_json_end(j);
    }
    wr_json_end(j);
}

#define JSON_MEMBER(type, name, text) wr_json_value(j, #name, s.name);

static void json_subsystems(wr_json *j, const wrsim *sim)
{
    wr_json_array(j, "subsystems");
    for (int i = 0; i < sim->assembly->n_subsystem; i++) {
        wrsim_subsystem_stats s;
        wrsim_stats_subsystem(sim, i, &s);
        wr_json_object(j, NULL);
        WRSIM_SUBSYSTEM_STATS(JSON_MEMBER, JSON_MEMBER, JSON_MEMBER)
        wrsim_points points[WRSIM_PURPOSE_COUNT];
        if (s.n_point > 0 && wrsim_stats_points(sim, i, points) == WRSIM_OK)
            wr_report_points_json(j, points);
        json_step_lengths(j, &sim->assembly->setup[i].subsystem->stats.step_length);
        wr_json_end(j);
    }
    wr_json_end(j);
}

/* Writes the components with a process of their own, if any. */
static void json_processes(wr_json *j, const wrsim *sim)
{
    wr_component_process_stats p;
    if (wr_component_process_stats_get(sim, 0, &p) < 0)
        return;
    wr_json_array(j, "processes");
    for (int i = 0; wr_component_process_stats_get(sim, i, &p) == 0; i++) {
        wr_json_object(j, NULL);
        wr_json_string(j, "component", p.component);
        wr_json_bool(j, "is_needed", p.is_needed);
        wr_json_integer(j, "n_call", p.n_call);
        wr_json_number(j, "call_cost_us", p.call_cost_us);
        wr_json_end(j);
    }
    wr_json_end(j);
}

static void json_workers(wr_json *j, const wrsim *sim)
{
    wr_json_array(j, "workers");
    for (int i = 0; i < sim->n_worker; i++) {
        wrsim_worker_stats w;
        wrsim_stats_worker(sim, i, &w);
        wr_json_object(j, NULL);
        wr_json_integer(j, "cpu", w.cpu);
        wr_json_bool(j, "is_pinned", w.is_pinned);
        wr_json_integer(j, "busy_ns", w.busy_ns);
        wr_json_integer(j, "wait_ns", w.wait_ns);
        wr_json_integer(j, "n_task", w.n_task);
        wr_json_integer(j, "n_sleep", w.n_sleep);
        wr_json_end(j);
    }
    wr_json_end(j);
}

int wr_report_end(const wrsim *sim, char *ret_text, size_t n)
{
    int i;
    const wr_engine *const engine = wr_driver_engine(sim);
    const wr_run_end *const end = engine ? wr_engine_run_end(engine, &i) : NULL;
    if (n > 0)
        ret_text[0] = '\0';
    if (!end)
        return 0;
    /* A checkpoint contains no event, only the fact that the run has ended. */
    const int is_known = isfinite(end->t_s), has_message = end->message && end->message[0];
    const char *const name =
        is_known ? wr_setup_group(&sim->assembly->setup[i])->component[end->i_component]->name
                 : sim->assembly->setup[i].name;
    snprintf(ret_text, n, "%s '%s' ended the run at t = %.9g s%s%s",
             is_known ? "component" : "subsystem", name, wrsim_time(sim), has_message ? ": " : "",
             has_message ? end->message : "");
    return 1;
}

/* Writes the end of the run. The text "reason" is empty for a run up to simulation.stop. */
static void json_end(wr_json *j, const wrsim *sim, const wrsim_stats *s)
{
    const wrsim_status status = sim->failure.status < 0 ? sim->failure.status : sim->ended;
    const int is_finished = wr_simulation_where(sim) == WR_SIM_FINISHED; /* all rows are written */
    char end[512];
    const int is_ended = wr_report_end(sim, end, sizeof end);
    const int is_complete =
        status == WRSIM_OK && is_finished && (is_ended || wr_time_is_due(s->time_s, s->stop_s));
    wrsim_error_account account;
    const int is_above =
        is_complete && wrsim_error_account_get(sim, &account) >= 0 && account.is_above;
    wr_json_bool(j, "is_complete", is_complete);
    wr_json_string(j, "status", wrsim_status_name(is_above ? WRSIM_INACCURATE : status));
    wr_json_string(j, "reason",
                   status < 0     ? sim->failure.text
                   : status > 0   ? wrsim_status_text(status)
                   : is_complete  ? end
                   : !is_finished ? "the run is not finished"
                                  : "ended before simulation.stop");
}

static const char *const order_names[WR_SWEEP_ORDERS] = {
    [WR_SWEEP_JACOBI] = "jacobi", [WR_SWEEP_GAUSS_SEIDEL] = "gauss_seidel"};

/* Returns the scheme if relaxation.scheme = "auto" chooses the order, or cannot choose for the reason `why`; else NULL. */
static const wr_sweep_scheme *scheme_of(const wrsim *sim)
{
    const wr_engine *const engine = wr_driver_engine(sim);
    const wr_sweep_scheme *const s = engine ? wr_engine_scheme_get(engine) : NULL;
    return s && (s->choice.is_on || s->why) ? s : NULL;
}

/* Returns the reason for the order if no comparison chose the order, else NULL. */
static const char *reason_of(const wr_sweep_scheme *s)
{
    return s->why || s->choice.ratio > 0.0 ? s->why : "the run was too short for a comparison";
}

int wr_report_scheme(const wrsim *sim, char *ret_text, size_t n)
{
    const wr_sweep_scheme *const s = scheme_of(sim);
    ret_text[0] = '\0';
    if (!s)
        return 0;
    const wr_scheme_choice *const c = &s->choice;
    const char *const order = order_names[c->chosen], *const plural = c->n_worker == 1 ? "" : "s";
    if (s->why)
        snprintf(ret_text, n, "%s, because %s", order, s->why);
    else if (reason_of(s))
        snprintf(ret_text, n, "%s for %d worker%s, because %s", order, c->n_worker, plural,
                 reason_of(s));
    else
        snprintf(ret_text, n, "%s for %d worker%s (%.3g times the counted work of %s%s)", order,
                 c->n_worker, plural, wr_min(c->ratio, 1.0 / c->ratio),
                 order_names[c->ratio <= 1.0 ? WR_SWEEP_JACOBI : WR_SWEEP_GAUSS_SEIDEL],
                 c->is_assumed ? ", with assumed repetitions of jacobi" : "");
    return !s->why;
}

static void scheme_json(wr_json *j, const wrsim *sim)
{
    const wr_sweep_scheme *const s = scheme_of(sim);
    if (!s)
        return;
    const wr_scheme_choice *const c = &s->choice;
    wr_json_object(j, "scheme_choice");
    wr_json_string(j, "scheme", order_names[c->chosen]);
    wr_json_string(j, "reason", reason_of(s) ? reason_of(s) : "counted work");
    wr_json_integer(j, "n_worker", c->n_worker);
    wr_json_integer(j, "n_comparison", c->n_comparison);
    wr_json_integer(j, "n_change", c->n_change);
    wr_json_number(j, "ratio", c->ratio);
    wr_json_bool(j, "is_assumed", c->is_assumed);
    wr_json_end(j);
}

#define JSON_WINDOW(type, name, key, text) wr_json_value(&j, key, s.name);

static char *summary_json(const wrsim *sim)
{
    wr_json j = {0};
    wrsim_stats s;
    wrsim_stats_get(sim, &s);
    char *const config = wr_settings_dump(sim->settings, WR_DUMP_ALL);
    wr_json_object(&j, NULL);
    wr_json_integer(&j, "schema", 1);
    wr_json_string(&j, "program", "wrsim");
    wr_json_string(&j, "version", WRSIM_VERSION_STRING);
    wr_machine_json(&j, sim->topology);
    wr_json_string(&j, "config_file", sim->settings->file);
    wr_json_string(&j, "config", config);
    json_end(&j, sim, &s);
    wr_json_number(&j, "start_s", s.start_s);
    wr_json_number(&j, "stop_s", s.stop_s);
    wr_json_number(&j, "time_s", s.time_s);
    wr_json_number(&j, "wall_s", s.wall_s);
    wr_json_integer(&j, "n_subsystem", s.n_subsystem);
    wr_json_integer(&j, "n_state", s.n_state);
    wr_json_integer(&j, "n_indicator", s.n_indicator);
    wr_json_integer(&j, "n_worker", s.n_worker);
    WRSIM_WINDOW_STATS(JSON_WINDOW)
    scheme_json(&j, sim);
    wr_json_number(&j, "sweeps_per_window", per(s.n_sweep, s.n_window));
    wr_json_number(&j, "full_sweeps_per_window", per(s.n_integration, s.n_window * s.n_subsystem));
    wr_json_number(&j, "contraction_mean", s.contraction_mean);
    if (!isnan(s.fallback_s))
        wr_json_number(&j, "acceleration_fallback_s", s.fallback_s);
    if (sim->driver->has_error_account || sim->settings->slack.watch > 0)
        json_account(&j, sim);
    json_delay(&j, sim);
    if (sim->driver->age)
        json_ages(&j, sim, &s);
    wr_json_integer(&j, "n_predicted", s.n_predicted);
    wr_json_integer(&j, "n_predicted_period", s.n_predicted_period);
    wr_json_integer(&j, "n_predicted_followed", s.n_predicted_followed);
    wr_json_integer(&j, "n_phase_fall", s.n_phase_fall);
    wr_json_array(&j, "schedule_bound_s");
    for (int k = 0; k < WRSIM_BOUND_CASES; k++) {
        wr_json_object(&j, NULL);
        wr_json_integer(&j, "cores", s.bound_core[k]);
        wr_json_number(&j, "wall_s", s.bound_wall_s[k]);
        wr_json_number(&j, "points_s", s.bound_point_s[k]);
        wr_json_end(&j);
    }
    wr_json_end(&j);
    wr_json_number(&j, "accepted_s", s.accepted_s);
    wr_json_integer(&j, "n_rhs_accepted", s.n_rhs_accepted);
    wr_json_number(&j, "window_shortest_s", s.window_shortest_s);
    wr_json_number(&j, "window_longest_s", s.window_longest_s);
    wr_json_integer(&j, "n_row", s.n_row);
    wr_json_integer(&j, "n_event_row", s.n_event_row);
    wr_json_integer(&j, "n_record_wait", s.n_record_wait);
    wr_json_integer(&j, "file_bytes", s.file_bytes);
    wr_json_integer(&j, "memory_bytes", s.memory_bytes);
    wr_realtime_json(&j, sim);
    if (sim->is_split_chosen)
        split_probe_json(&j, sim);
    json_subsystems(&j, sim);
    json_processes(&j, sim);
    json_workers(&j, sim);
    ports_json(&j, sim);
    scenarios_json(&j, sim);
    warnings_json(&j, sim);
    if (sim->failure.status < 0) {
        wr_json_object(&j, "failure");
        wr_json_string(&j, "status", wrsim_status_name(sim->failure.status));
        wr_json_string(&j, "subsystem", sim->failure.subsystem);
        wr_json_number(&j, "time_s", sim->failure.time_s);
        wr_json_string(&j, "text", sim->failure.text);
        wr_json_end(&j);
    }
    wr_json_end(&j);
    free(config);
    return wr_json_take(&j);
}

char *wrsim_summary(const wrsim *sim)
{
    WR_IN_C_LOCALE;
    return sim && wr_driver_is_placed(sim) ? summary_json(sim) : NULL;
}
