/* What `check` and the end of a run say: structure and summary, as text and as JSON.
 *
 * Thread: the simulation's owner, between runs. Real-time: no.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/check.h"
#include "base/json.h"
#include "runtime/sim/simulation.h"
#include "scheduler/machine.h"
#include "scheduler/placement.h"

static const char *plural(int n) { return n == 1 ? "" : "s"; }

/* ---- structure ---- */

/* Components that no [[subsystem]] names have one each. */
static int is_automatic(const wrsim *sim, int i_member)
{
    return !sim->settings->simulation.monolithic && i_member >= sim->settings->n_subsystems;
}

/* The worker each subsystem is expected to end up on, by states and indicators; NULL when out of memory. */
static int *expected_workers(const wrsim *sim)
{
    const wr_assembly *const a = sim->assembly;
    const size_t n = (size_t)a->n_member;
    double *const time = calloc(n + (size_t)sim->n_worker, sizeof *time);
    int *const worker = malloc(2 * n * sizeof *worker);
    if (time && worker) {
        for (size_t i = 0; i < n; i++) {
            time[i] = a->member[i].subsystem->work_per_rhs;
            worker[i] = -1;
        }
        wr_placement_make(&(wr_placement){.n_task = a->n_member,
                                          .n_worker = sim->n_worker,
                                          .expected = time,
                                          .order = worker + n,
                                          .worker = worker,
                                          .busy = time + n});
    }
    free(time);
    return worker;
}

static int count_loops(const wr_assembly *a)
{
    int n = 0;
    for (int i = 0; i < a->n_member; i++)
        n += wr_hybrid_group(a->member[i].subsystem)->n_loop;
    return n;
}

static int count_crossing(const wr_assembly *a)
{
    int n = 0;
    for (int i = 0; i < a->graph->n_edge; i++)
        n += a->graph->node[a->graph->edge[i].from].i_subsystem !=
             a->graph->node[a->graph->edge[i].to].i_subsystem;
    return n;
}

static void print_subsystems(FILE *out, const wrsim *sim, const int *worker)
{
    const wr_assembly *const a = sim->assembly;
    fprintf(out, "\n%-16s %-12s %10s %7s %10s %7s %8s %7s\n", "subsystem", "solver", "components",
            "states", "indicators", "inputs", "outputs", "worker");
    for (int i = 0; i < a->n_member; i++) {
        const wr_member *const m = &a->member[i];
        const wr_group *const g = wr_hybrid_group(m->subsystem);
        fprintf(out, "%-16s %-12s %10d %7d %10d %7d %8d %7d\n", m->name, m->integrator->name,
                m->n_component, g->n_x, g->n_z, m->n_external, m->n_published,
                worker ? worker[i] : 0);
    }
}

static void print_automatic(FILE *out, const wrsim *sim)
{
    int n = 0;
    for (int i = 0; i < sim->assembly->n_member; i++)
        if (is_automatic(sim, i))
            fprintf(out, "%s %s",
                    n++ ? "" : "made automatically, for components in no [[subsystem]]:",
                    sim->assembly->member[i].name);
    if (n > 0)
        fputc('\n', out);
}

static void print_components(FILE *out, const wr_assembly *a)
{
    fprintf(out, "\n%-16s %-28s %-16s %7s %10s\n", "component", "model", "subsystem", "states",
            "indicators");
    for (int i = 0; i < a->n_component; i++) {
        const wr_component *const c = a->component[i];
        fprintf(out, "%-16s %-28s %-16s %7d %10d\n", c->name, c->model->name,
                a->member[a->graph->node[i].i_subsystem].name, c->n[WRSIM_STATE],
                c->n[WRSIM_INDICATOR]);
    }
}

static void print_crossings(FILE *out, const wr_assembly *a)
{
    fprintf(out, "\nacross subsystems (producer -> consumer: signals)\n");
    for (int i = 0; i < a->n_member; i++) {
        const wr_member *const m = &a->member[i];
        for (int s = 0; s < m->n_source; s++) {
            const wr_member *const p = &a->member[m->producer[s]];
            fprintf(out, "  %s -> %s:", p->name, m->name);
            for (int e = 0; e < m->n_external; e++)
                if (m->external_source[e] == s)
                    fprintf(out, " %s", p->signal_name[m->external_signal[e]]);
            fputc('\n', out);
        }
    }
}

/* Inputs that keep their start values, one line per component. */
static void print_open_inputs(FILE *out, const wr_assembly *a)
{
    int n = 0;
    for (int i = 0; i < a->n_component; i++) {
        const wr_component *const c = a->component[i];
        int n_of_component = 0;
        for (int k = 0; k < c->n[WRSIM_INPUT]; k++) {
            const wr_variable *const v = &c->variable[WRSIM_INPUT][k];
            if (wr_graph_driver(a->graph, i, k))
                continue;
            if (n++ == 0)
                fprintf(out, "\nunconnected inputs and their values\n");
            if (n_of_component++ == 0)
                fprintf(out, "  %s:", c->name);
            fprintf(out, "%s %s = %.6g", n_of_component > 1 ? "," : "", v->name, v->start);
            if (v->unit[0] && strcmp(v->unit, "1") != 0)
                fprintf(out, " %s", v->unit);
        }
        if (n_of_component > 0)
            fputc('\n', out);
    }
}

static void print_loops(FILE *out, const wr_assembly *a)
{
    char text[512];
    fprintf(out, "\nalgebraic loops%s: %s\n", a->n_member > 1 ? " within subsystems" : "",
            count_loops(a) ? "" : "none");
    for (int i = 0; i < a->n_member; i++) {
        const wr_group *const g = wr_hybrid_group(a->member[i].subsystem);
        for (int k = 0; k < g->n_loop; k++) {
            wr_group_loop_text(g, k, text, sizeof text);
            fprintf(out, "  %s: %s\n", a->member[i].name, text);
        }
    }
}

static const char *phase_of(const wrsim *sim)
{
    const char *const phase = sim->settings->relaxation.history_phase;
    return phase[0] ? phase : "time";
}

static int history_nodes(const wrsim *sim)
{
    return wr_engine_history_nodes(sim->settings->relaxation.history_nodes,
                                   sim->assembly->cap_node);
}

/* What waveforms are predicted from beside their latest course. */
static void print_history(FILE *out, const wrsim *sim)
{
    const wr_assembly *const a = sim->assembly;
    const double period = sim->settings->relaxation.history_period;
    if (period > 0.0)
        fprintf(out, "\nhistory: period %.6g of %s, %d nodes per subsystem\n", period,
                phase_of(sim), history_nodes(sim));
    for (int i = 0; i < a->n_member; i++) {
        const wr_member *const m = &a->member[i];
        if (m->sibling >= 0)
            fprintf(out, "  %s follows %s, lag %.6g%s\n", m->name, a->member[m->sibling].name,
                    m->lag, period > 0.0 ? "" : " (not used: relaxation.history.period is 0)");
    }
}

static void print_workers(FILE *out, const wrsim *sim)
{
    fprintf(out, "\nmachine: %s\n", sim->topology->name);
    for (int i = 0; i < sim->n_worker; i++) {
        const int pu = sim->worker_pu[i];
        if (pu < 0)
            fprintf(out, "  worker %d: any core\n", i);
        else
            fprintf(out, "  worker %d: core %d, cpu %d%s\n", i, sim->topology->pu[pu].core,
                    sim->topology->pu[pu].os_cpu, sim->cpu[i] < 0 ? " (not pinned)" : "");
    }
}

/* What is said of a choice that was made, or that nobody asked for. */
static void print_split_probe(FILE *out, const wrsim *sim)
{
    if (sim->split.has_answer)
        fprintf(out, "%s: %s\n", sim->is_split_chosen ? "chosen" : "recommended", sim->split.text);
}

/* Not wrong, but seldom meant. */
static void print_warnings(FILE *out, const wrsim *sim)
{
    enum { MOST = 10 };
    const wr_diag *const w = &sim->assembly->warnings;
    for (int i = 0; i < w->n_items && i < MOST; i++) {
        const wrsim_error *const item = &w->items[i];
        fprintf(out, "warning: ");
        if (item->file[0] && item->line > 0)
            fprintf(out, "%s:%d: ", item->file, item->line);
        fprintf(out, "%s\n", item->text);
    }
    if (w->n_items > MOST)
        fprintf(out, "warning: %d more of this kind; the JSON lists them\n",
                w->n_items + w->n_dropped - MOST);
}

static void warnings_json(wr_json *j, const wrsim *sim)
{
    const wr_diag *const w = &sim->assembly->warnings;
    wr_json_array(j, "warnings");
    for (int i = 0; i < w->n_items; i++) {
        wr_json_object(j, NULL);
        wr_json_string(j, "file", w->items[i].file);
        wr_json_integer(j, "line", w->items[i].line);
        wr_json_string(j, "text", w->items[i].text);
        wr_json_end(j);
    }
    wr_json_end(j);
}

static char *structure_text(const wrsim *sim, const int *worker)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    wrsim_stats s;
    wrsim_stats_get(sim, &s);
    fprintf(out, "%d subsystem%s, %d component%s, %d continuous state%s, %d event indicator%s\n",
            s.n_subsystem, plural(s.n_subsystem), s.n_component, plural(s.n_component), s.n_state,
            plural(s.n_state), s.n_indicator, plural(s.n_indicator));
    fprintf(out, "%d connection%s, %d of them across subsystems\n", s.n_connection,
            plural(s.n_connection), count_crossing(sim->assembly));
    print_subsystems(out, sim, worker);
    print_automatic(out, sim);
    print_components(out, sim->assembly);
    if (s.n_subsystem > 1)
        print_crossings(out, sim->assembly);
    print_open_inputs(out, sim->assembly);
    print_loops(out, sim->assembly);
    if (s.n_subsystem > 1)
        print_history(out, sim);
    print_workers(out, sim);
    if (sim->assembly->warnings.n_items > 0)
        fputc('\n', out);
    print_warnings(out, sim);
    if (sim->split.has_answer)
        fputc('\n', out);
    print_split_probe(out, sim);
    return fclose(out) == 0 ? text : (free(text), NULL);
}

static char *finish_json(wr_json *json)
{
    const char *const text = wr_json_text(json);
    char *const copy = text ? strdup(text) : NULL;
    wr_json_done(json);
    return copy;
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

static void history_json(wr_json *j, const wrsim *sim)
{
    wr_json_object(j, "history");
    wr_json_number(j, "period", sim->settings->relaxation.history_period);
    wr_json_string(j, "phase", phase_of(sim));
    wr_json_integer(j, "n_node", history_nodes(sim));
    wr_json_end(j);
}

static void split_probe_json(wr_json *j, const wrsim *sim)
{
    const wrsim_split_probe *const probe = &sim->split;
    if (!probe->has_answer)
        return;
    wr_json_object(j, sim->is_split_chosen ? "choice" : "recommendation");
    wr_json_bool(j, "monolithic", probe->is_monolithic);
    wr_json_integer(j, "n_worker", probe->n_worker);
    wr_json_number(j, "start_s", probe->start_s);
    wr_json_number(j, "span_s", probe->span_s);
    wr_json_number(j, "rtol", probe->rtol);
    wr_json_number(j, "work_ratio", probe->work_ratio);
    wr_json_number(j, "sweeps_per_window", probe->sweeps_per_window);
    wr_json_number(j, "window_share", probe->window_share);
    wr_json_number(j, "shared_by", probe->shared_by);
    wr_json_string(j, "text", probe->text);
    wr_json_end(j);
}

static char *structure_json(const wrsim *sim, const int *worker)
{
    const wr_assembly *const a = sim->assembly;
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
    for (int i = 0; i < a->n_member; i++) {
        const wr_member *const m = &a->member[i];
        wr_json_object(&j, NULL);
        wr_json_string(&j, "name", m->name);
        wr_json_string(&j, "solver", m->integrator->name);
        wr_json_integer(&j, "n_state", wr_hybrid_group(m->subsystem)->n_x);
        wr_json_integer(&j, "n_indicator", wr_hybrid_group(m->subsystem)->n_z);
        wr_json_integer(&j, "worker", worker ? worker[i] : 0);
        wr_json_bool(&j, "is_automatic", is_automatic(sim, i));
        if (m->sibling >= 0) {
            wr_json_string(&j, "follows", a->member[m->sibling].name);
            wr_json_number(&j, "lag", m->lag);
        }
        wr_json_array(&j, "components");
        for (int k = 0; k < m->n_component; k++)
            wr_json_string(&j, NULL, a->component[m->component[k]]->name);
        wr_json_end(&j);
        wr_json_array(&j, "algebraic_loops");
        for (int k = 0; k < wr_hybrid_group(m->subsystem)->n_loop; k++) {
            wr_group_loop_text(wr_hybrid_group(m->subsystem), k, text, sizeof text);
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
        wr_json_end(&j);
    }
    wr_json_end(&j);
    open_inputs_json(&j, a);
    history_json(&j, sim);
    warnings_json(&j, sim);
    split_probe_json(&j, sim);
    wr_json_end(&j);
    return finish_json(&j);
}

char *wrsim_structure(const wrsim *sim, wrsim_format format)
{
    WR_IN_C_LOCALE;
    if (!sim)
        return NULL;
    int *const worker = expected_workers(sim);
    char *const text =
        format == WRSIM_FORMAT_JSON ? structure_json(sim, worker) : structure_text(sim, worker);
    free(worker);
    return text;
}

/* ---- summary ---- */

static double per(int64_t a, int64_t b) { return b > 0 ? (double)a / (double)b : 0.0; }

static void print_work(FILE *out, const wrsim *sim)
{
    fprintf(out, "\nwork, all sweeps counted:");
    fprintf(out, "\n%-16s %-12s %12s %9s %9s %9s %9s %9s %9s\n", "subsystem", "solver",
            "integrations", "steps", "rejected", "f", "jacobians", "events", "jumps");
    for (int i = 0; i < sim->assembly->n_member; i++) {
        wrsim_subsystem_stats s;
        wrsim_stats_subsystem(sim, i, &s);
        fprintf(out,
                "%-16s %-12s %12" PRId64 " %9" PRId64 " %9" PRId64 " %9" PRId64 " %9" PRId64
                " %9" PRId64 " %9" PRId64 "\n",
                s.name, s.solver, s.n_integration, s.n_step, s.n_rejected, s.n_rhs, s.n_jacobian,
                s.n_state_event + s.n_time_event, s.n_input_jump);
    }
}

/* What the solver auto chose, and for how long. */
static void print_choices(FILE *out, const wrsim *sim)
{
    for (int i = 0; i < sim->assembly->n_member; i++) {
        const wr_member *const m = &sim->assembly->member[i];
        wrsim_subsystem_stats s;
        wrsim_stats_subsystem(sim, i, &s);
        if (!m->integrator->current || s.n_state == 0)
            continue;
        fprintf(out, "%s: %s was explicit for %" PRId64 " steps, implicit for %" PRId64, s.name,
                s.solver, s.n_step - s.n_implicit_step, s.n_implicit_step);
        if (s.n_implicit_step > 0)
            fprintf(out, " (%.3g %% of the simulated time, %" PRId64 " change%s)",
                    100.0 * s.implicit_share, s.n_method_change, plural((int)s.n_method_change));
        fputc('\n', out);
    }
}

/* Why not all workers were used, and what to do. */
static void print_idle_workers(FILE *out, const wrsim *sim, int n_active)
{
    const wr_engine_stats *const e = wr_engine_stats_get(sim->engine);
    const double min_work = sim->settings->scheduler.min_work;
    fprintf(out, "%d of %d workers %s used at the end: ", n_active, sim->n_worker,
            n_active == 1 ? "was" : "were");
    if (n_active == sim->assembly->n_member)
        fprintf(out, "there are no more subsystems; set scheduler.workers = %d\n",
                n_active < sim->n_cpu ? n_active : sim->n_cpu);
    else if (n_active == sim->n_cpu)
        fprintf(out, "there are no more CPUs for them; set scheduler.workers = %d\n", n_active);
    else if (e->crew_reason == WR_CREW_TRIAL)
        fprintf(out, "one alone was being tried just then, as it is now and again; nothing is "
                     "to be done\n");
    else if (e->crew_reason == WR_CREW_SLOWER && e->work_per_window < min_work)
        fprintf(out,
                "two together were measured to be no faster than one, as a window has only %.0f "
                "units of work; make windows longer, or set scheduler.workers = 1\n",
                e->work_per_window);
    else if (e->crew_reason == WR_CREW_SLOWER)
        fprintf(out, "several together were measured to be no faster than one; stop other programs "
                     "that compute, or set scheduler.workers = 1\n");
    else if (n_active > 1 && e->work_per_window < min_work)
        fprintf(
            out,
            "a window has %.0f units of work, too little for more (scheduler.min_work is %.10g); "
            "make windows longer, or set scheduler.workers = %d\n",
            e->work_per_window, min_work, n_active);
    else
        fprintf(out,
                "a window has %.0f units of work, and a worker is added for every %.10g "
                "(scheduler.min_work); make windows longer, or set scheduler.workers = %d\n",
                e->work_per_window, min_work, n_active);
}

static int count_taken(const wr_topology *topology)
{
    int n = 0;
    for (int i = 0; i < topology->n_pu; i++)
        n += topology->pu[i].is_taken &&
             (i == 0 || topology->pu[i].core != topology->pu[i - 1].core);
    return n;
}

/* Workers after the last one that had a task share a line. */
static void print_worker_times(FILE *out, const wrsim *sim, int n_active)
{
    int n_idle = 0;
    for (int i = 0; i < sim->n_worker; i++) {
        wrsim_worker_stats w;
        wrsim_stats_worker(sim, i, &w);
        n_idle = w.n_task == 0 ? n_idle + 1 : 0;
    }
    const int n_listed = n_idle > 1 ? sim->n_worker - n_idle : sim->n_worker;
    for (int i = 0; i < n_listed; i++) {
        wrsim_worker_stats w;
        wrsim_stats_worker(sim, i, &w);
        fprintf(out, "worker %d: busy %.3f s, waiting %.3f s, %" PRId64 " tasks, %s\n", i,
                (double)w.busy_ns * 1e-9, (double)w.wait_ns * 1e-9, w.n_task,
                w.is_pinned ? "pinned" : "not pinned");
    }
    if (n_listed < sim->n_worker)
        fprintf(out, "workers %d to %d: no tasks\n", n_listed, sim->n_worker - 1);
    const int n_taken = count_taken(sim->topology);
    if (n_taken > 0)
        fprintf(out, "other runs held %d of %d cores at the start: workers had what was left\n",
                n_taken, sim->topology->n_core);
    if (n_active > 0 && n_active < sim->n_worker)
        print_idle_workers(out, sim, n_active);
}

static void print_predictions(FILE *out, const wrsim *sim, const wrsim_stats *s)
{
    if (!(sim->settings->relaxation.history_period > 0.0) || s->n_subsystem == 1)
        return;
    fprintf(out,
            "predicted from history: %.1f %% from a period ago, %.1f %% from what is followed\n",
            100.0 * per(s->n_predicted_period, s->n_predicted),
            100.0 * per(s->n_predicted_followed, s->n_predicted));
    if (s->n_phase_fall > 0)
        fprintf(out,
                "relaxation.history.phase: %s fell %" PRId64 " time%s, and what was known of the "
                "period was dropped: it must grow all the time\n",
                phase_of(sim), s->n_phase_fall, s->n_phase_fall == 1 ? "" : "s");
}

/* The error of splitting, as the run sees it, and where it comes from. */
static void print_account(FILE *out, const wrsim *sim)
{
    wrsim_error_account a;
    if (sim->assembly->n_member < 2 || wrsim_error_account_get(sim, &a) < 0)
        return;
    const double rtol = sim->settings->simulation.rtol;
    fprintf(out, "error of splitting, estimated: %.2g of the range (%.2g rtol)", a.error,
            a.error / rtol);
    if (a.error > 0.0)
        fprintf(out, ", worst in %s%s%s; waves %.0f %%, readers %.0f %%, sweeps %.0f %%",
                a.subsystem, a.connection[0] ? ", most through " : "", a.connection,
                100.0 * a.waves / a.error, 100.0 * a.readers / a.error, 100.0 * a.sweeps / a.error);
    fputc('\n', out);
    if (a.is_above)
        fprintf(
            out,
            "warning: that is more than relaxation.error_limit = %.10g allows: lower "
            "relaxation.convergence or simulation.rtol, or put what that connection joins into one "
            "subsystem\n",
            sim->settings->relaxation.error_limit);
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
    wr_json_end(j);
}

static char *summary_text(const wrsim *sim)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    wrsim_stats s;
    wrsim_stats_get(sim, &s);
    const double simulated_s = s.time_s - s.start_s;
    fprintf(out, "simulated %.6g s in %.3f s of wall time: %.3g x real time\n", simulated_s,
            s.wall_s, s.wall_s > 0.0 ? simulated_s / s.wall_s : 0.0);
    fprintf(out, "%d subsystem%s, %d continuous state%s, %d event indicator%s, %d worker%s\n",
            s.n_subsystem, plural(s.n_subsystem), s.n_state, plural(s.n_state), s.n_indicator,
            plural(s.n_indicator), s.n_worker, plural(s.n_worker));
    if (sim->is_split_chosen)
        print_split_probe(out, sim);
    print_warnings(out, sim);
    fprintf(out,
            "windows %" PRId64 " (%.3g to %.3g s), rejected %" PRId64 ", accepted after one sweep "
            "%" PRId64 "\n",
            s.n_window, s.window_shortest_s, s.window_longest_s, s.n_rejected, s.n_one_sweep);
    fprintf(out,
            "sweeps %" PRId64 ", %.3f per window; full sweeps per window %.3f; integrations "
            "%" PRId64 ", skipped %" PRId64 ", wasted %" PRId64 "\n",
            s.n_sweep, per(s.n_sweep, s.n_window), per(s.n_integration, s.n_window * s.n_subsystem),
            s.n_integration, s.n_skipped, s.n_wasted);
    if (s.contraction_mean > 0.0)
        fprintf(out, "contraction per sweep %.3g (mean of those measured)\n", s.contraction_mean);
    if (!isnan(s.fallback_s))
        fprintf(out, "acceleration = \"auto\" from t = %.9g s on: sweeps contracted too slowly\n",
                s.fallback_s);
    print_predictions(out, sim, &s);
    print_account(out, sim);
    print_work(out, sim);
    print_choices(out, sim);
    fputc('\n', out);
    print_worker_times(out, sim, s.n_active_worker);
    if (sim->settings->output.file[0])
        fprintf(out,
                "results: %s, %" PRId64 " rows, %" PRId64 " rows at events, %" PRId64 " bytes\n",
                sim->settings->output.file, s.n_row, s.n_event_row, s.file_bytes);
    return fclose(out) == 0 ? text : (free(text), NULL);
}

static void json_subsystems(wr_json *j, const wrsim *sim)
{
    wr_json_array(j, "subsystems");
    for (int i = 0; i < sim->assembly->n_member; i++) {
        wrsim_subsystem_stats s;
        wrsim_stats_subsystem(sim, i, &s);
        wr_json_object(j, NULL);
        wr_json_string(j, "name", s.name);
        wr_json_string(j, "solver", s.solver);
        wr_json_integer(j, "n_state", s.n_state);
        wr_json_integer(j, "n_indicator", s.n_indicator);
        wr_json_integer(j, "n_integration", s.n_integration);
        wr_json_integer(j, "n_step", s.n_step);
        wr_json_integer(j, "n_rejected", s.n_rejected);
        wr_json_integer(j, "n_rhs", s.n_rhs);
        wr_json_integer(j, "n_jacobian", s.n_jacobian);
        wr_json_integer(j, "n_factor", s.n_factor);
        wr_json_integer(j, "n_jacobian_entry", s.n_jacobian_entry);
        wr_json_number(j, "factor_flop", s.factor_flop);
        wr_json_integer(j, "n_newton", s.n_newton);
        wr_json_integer(j, "n_start", s.n_start);
        wr_json_integer(j, "n_implicit_step", s.n_implicit_step);
        wr_json_integer(j, "n_method_change", s.n_method_change);
        wr_json_number(j, "implicit_share", s.implicit_share);
        wr_json_integer(j, "n_state_event", s.n_state_event);
        wr_json_integer(j, "n_time_event", s.n_time_event);
        wr_json_integer(j, "n_input_jump", s.n_input_jump);
        wr_json_integer(j, "n_indicator_evaluation", s.n_indicator_evaluation);
        wr_json_integer(j, "n_flip", s.n_flip);
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

/* How the run ended; reason is for people, "" where it is complete. */
static void json_end(wr_json *j, const wrsim *sim, const wrsim_stats *s)
{
    const wrsim_status status = sim->failure.status < 0 ? sim->failure.status
                                : sim->is_stopped       ? WRSIM_STOPPED
                                                        : WRSIM_OK;
    const int is_finished = sim->state == WR_SIM_FINISHED; /* no row is still to be written */
    const int is_complete =
        status == WRSIM_OK && is_finished && wr_time_is_due(s->time_s, s->stop_s);
    wrsim_error_account account;
    const int is_above =
        is_complete && wrsim_error_account_get(sim, &account) >= 0 && account.is_above;
    wr_json_bool(j, "is_complete", is_complete);
    wr_json_string(j, "status", wrsim_status_name(is_above ? WRSIM_INACCURATE : status));
    wr_json_string(j, "reason",
                   status < 0     ? sim->failure.text
                   : status > 0   ? wrsim_status_text(status)
                   : is_complete  ? ""
                   : !is_finished ? "not finished: results are still being written"
                                  : "ended before simulation.stop");
}

static char *summary_json(const wrsim *sim)
{
    wr_json j = {0};
    wrsim_stats s;
    wrsim_stats_get(sim, &s);
    char *const config = wr_settings_dump(sim->settings, 0);
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
    wr_json_integer(&j, "n_active_worker", s.n_active_worker);
    wr_json_integer(&j, "n_window", s.n_window);
    wr_json_integer(&j, "n_window_rejected", s.n_rejected);
    wr_json_integer(&j, "n_window_one_sweep", s.n_one_sweep);
    wr_json_integer(&j, "n_sweep", s.n_sweep);
    wr_json_integer(&j, "n_integration", s.n_integration);
    wr_json_integer(&j, "n_skipped", s.n_skipped);
    wr_json_integer(&j, "n_wasted", s.n_wasted);
    wr_json_number(&j, "sweeps_per_window", per(s.n_sweep, s.n_window));
    wr_json_number(&j, "full_sweeps_per_window", per(s.n_integration, s.n_window * s.n_subsystem));
    wr_json_number(&j, "contraction_mean", s.contraction_mean);
    if (!isnan(s.fallback_s))
        wr_json_number(&j, "acceleration_fallback_s", s.fallback_s);
    json_account(&j, sim);
    wr_json_integer(&j, "n_predicted", s.n_predicted);
    wr_json_integer(&j, "n_predicted_period", s.n_predicted_period);
    wr_json_integer(&j, "n_predicted_followed", s.n_predicted_followed);
    wr_json_integer(&j, "n_phase_fall", s.n_phase_fall);
    wr_json_array(&j, "schedule_bound_s");
    for (int k = 0; k < WRSIM_BOUND_CASES; k++) {
        wr_json_object(&j, NULL);
        wr_json_integer(&j, "cores", s.bound_core[k]);
        wr_json_number(&j, "wall_s", s.bound_wall_s[k]);
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
    if (sim->is_split_chosen)
        split_probe_json(&j, sim);
    json_subsystems(&j, sim);
    json_workers(&j, sim);
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
    return finish_json(&j);
}

char *wrsim_summary(const wrsim *sim, wrsim_format format)
{
    WR_IN_C_LOCALE;
    if (!sim || !sim->engine)
        return NULL;
    return format == WRSIM_FORMAT_JSON ? summary_json(sim) : summary_text(sim);
}
