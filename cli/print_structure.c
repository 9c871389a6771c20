/* The text of `check`. See print_run.h. Thread: main. Real-time: no. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "cli/print_run.h"
#include "runtime/sim/report.h"
#include "runtime/sim/simulation.h"

static void print_subsystems(FILE *out, const wrsim *sim, const int *worker)
{
    const wr_assembly *const a = sim->assembly;
    fprintf(out, "\n%-16s %-12s %10s %7s %10s %7s %8s %7s\n", "subsystem", "solver", "components",
            "states", "indicators", "inputs", "outputs", "worker");
    for (int i = 0; i < a->n_subsystem; i++) {
        const wr_setup *const m = &a->setup[i];
        const wr_group *const g = wr_setup_group(m);
        fprintf(out, "%-16s %-12s %10d %7d %10d %7d %8d %7d\n", m->name, wr_setup_solver_name(m),
                m->n_component, m->subsystem->n_x, g ? g->n_z : 0, m->n_external, m->n_published,
                worker ? worker[i] : 0);
    }
}

static void print_crossings(FILE *out, const wr_assembly *a)
{
    fprintf(out, "\nacross subsystems (producer -> consumer: signals)\n");
    for (int i = 0; i < a->n_subsystem; i++) {
        const wr_setup *const m = &a->setup[i];
        for (int s = 0; s < m->n_source; s++) {
            const wr_setup *const p = &a->setup[m->link.producer[s]];
            fprintf(out, "  %s -> %s:", p->name, m->name);
            for (int e = 0; e < m->n_external; e++)
                if (m->external_source[e] == s)
                    fprintf(out, " %s", p->link.signal_name[m->external_signal[e]]);
            fputc('\n', out);
        }
    }
}

/* Prints the connections that convert a unit. */
static void print_conversions(FILE *out, const wr_assembly *a)
{
    int n = 0;
    for (int i = 0; i < a->graph->n_edge; i++) {
        const wr_graph_edge *const e = &a->graph->edge[i];
        const wr_component *const from = a->component[e->from], *const to = a->component[e->to];
        const wr_variable *const y = &from->variable[WRSIM_OUTPUT][e->i_output];
        const wr_variable *const u = &to->variable[WRSIM_INPUT][e->i_input];
        if (!wr_unit_is_scaled(e->scale))
            continue;
        if (n++ == 0)
            fprintf(out, "\nconversions of units\n");
        fprintf(out, "  %s.%s [%s] -> %s.%s [%s]: %.9g * value", from->name, y->name, y->unit,
                to->name, u->name, u->unit, e->scale.factor);
        if (e->scale.offset < 0.0 || e->scale.offset > 0.0)
            fprintf(out, " %c %.9g", e->scale.offset < 0.0 ? '-' : '+', fabs(e->scale.offset));
        fputc('\n', out);
    }
}

/* Prints the unconnected inputs and their start values, one line per component. */
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
    int n_loop = 0;
    for (int i = 0; i < a->n_subsystem; i++)
        n_loop += wr_setup_group(&a->setup[i]) ? wr_setup_group(&a->setup[i])->n_loop : 0;
    fprintf(out, "\nalgebraic loops%s: %s\n", a->n_subsystem > 1 ? " within subsystems" : "",
            n_loop ? "" : "none");
    for (int i = 0; i < a->n_subsystem; i++) {
        const wr_group *const g = wr_setup_group(&a->setup[i]);
        for (int k = 0; g && k < g->n_loop; k++) {
            wr_group_loop_text(g, k, text, sizeof text);
            fprintf(out, "  %s: %s\n", a->setup[i].name, text);
        }
    }
}

/* Prints the period and phase of histories, and the subsystems that have a history source. */
static void print_history(FILE *out, const wrsim *sim)
{
    const wr_assembly *const a = sim->assembly;
    const double period = sim->settings->relaxation.history_period;
    if (period > 0.0)
        fprintf(out, "\nhistory: period %.6g of %s, %d node%s per subsystem\n", period,
                wr_report_phase(sim), wr_report_history_nodes(sim),
                wr_plural(wr_report_history_nodes(sim)));
    for (int i = 0; i < a->n_subsystem; i++) {
        const wr_setup *const m = &a->setup[i];
        if (m->link.history_source >= 0)
            fprintf(out, "  %s has the history source %s, lag %.6g%s\n", m->name,
                    a->setup[m->link.history_source].name, m->link.lag,
                    period > 0.0 ? "" : " (not used: relaxation.history.period is 0)");
    }
}

/* Prints the subsystems of each level of a Gauss-Seidel sweep, also with scheme "auto"; nothing for another scheme. */
static void print_levels(FILE *out, const wrsim *sim)
{
    const wr_assembly *const a = sim->assembly;
    int n_level = 0;
    if (!wr_settings_may_have_levels(sim->settings))
        return;
    for (int i = 0; i < a->n_subsystem; i++)
        n_level = a->setup[i].link.level >= n_level ? a->setup[i].link.level + 1 : n_level;
    fprintf(out, "\nlevels of a Gauss-Seidel sweep\n");
    for (int level = 0; level < n_level; level++) {
        fprintf(out, "  %d:", level);
        for (int i = 0; i < a->n_subsystem; i++)
            if (a->setup[i].link.level == level)
                fprintf(out, " %s", a->setup[i].name);
        fputc('\n', out);
    }
}

/* Prints the choice between split and monolithic; if the config makes the choice, prints the recommendation. */
void wr_print_split_probe(FILE *out, const wrsim *sim)
{
    if (sim->split.has_answer)
        fprintf(out, "%s: %s\n", sim->is_split_chosen ? "chosen" : "recommended", sim->split.text);
}

/* Prints up to MOST (assumed) warnings, each with a prefix and, if known, its place in the config. */
static void print_warnings(FILE *out, const char *prefix, const wr_diag *w)
{
    enum { MOST = 10 };
    for (int i = 0; i < w->n_items && i < MOST; i++) {
        const wrsim_error *const item = &w->items[i];
        fprintf(out, "%swarning: ", prefix);
        if (item->file[0] && item->line > 0)
            fprintf(out, "%s:%d: ", item->file, item->line);
        fprintf(out, "%s\n", item->text);
    }
    if (w->n_items > MOST)
        fprintf(out, "%swarning: %d more warning%s not shown; wrsim check --json lists up to %d\n",
                prefix, w->n_items + w->n_dropped - MOST,
                w->n_items + w->n_dropped == MOST + 1 ? " is" : "s are", WR_DIAG_MAX);
}

void wr_print_warnings(FILE *out, const wrsim *sim)
{
    print_warnings(out, "wrsim: ", &sim->assembly->warnings);
}

void wr_print_run_length(FILE *out, const wrsim *sim)
{
    print_warnings(out, "wrsim: ", &sim->assembly->length_warnings);
}

void wr_print_structure(FILE *out, const wrsim *sim)
{
    int *const worker = wr_report_workers(sim);
    wrsim_stats s;
    wrsim_stats_get(sim, &s);
    fprintf(out, "%d subsystem%s, %d component%s, %d continuous state%s, %d event indicator%s\n",
            s.n_subsystem, wr_plural(s.n_subsystem), s.n_component, wr_plural(s.n_component),
            s.n_state, wr_plural(s.n_state), s.n_indicator, wr_plural(s.n_indicator));
    int n_crossing = 0;
    const wr_graph *const graph = sim->assembly->graph;
    for (int i = 0; i < graph->n_edge; i++)
        n_crossing += graph->node[graph->edge[i].from].i_subsystem !=
                      graph->node[graph->edge[i].to].i_subsystem;
    fprintf(out, "%d connection%s, %d of them across subsystems\n", s.n_connection,
            wr_plural(s.n_connection), n_crossing);
    print_subsystems(out, sim, worker);
    int n = 0;
    for (int i = 0; i < sim->assembly->n_subsystem; i++)
        if (wr_report_is_automatic(sim, i))
            fprintf(out, "%s %s",
                    n++ ? "" : "made automatically, for components without a [[subsystem]]:",
                    sim->assembly->setup[i].name);
    if (n > 0)
        fputc('\n', out);
    for (int i = 0; i < sim->assembly->n_subsystem; i++)
        if (sim->assembly->setup[i].kind->needs_file)
            fprintf(out, "%s (%s) reads %s\n", sim->assembly->setup[i].name,
                    sim->assembly->setup[i].kind->name, sim->settings->subsystems[i].file);
    fprintf(out, "\n%-16s %-28s %-16s %7s %10s\n", "component", "model", "subsystem", "states",
            "indicators");
    for (int i = 0; i < sim->assembly->n_component; i++) {
        const wr_component *const c = sim->assembly->component[i];
        fprintf(out, "%-16s %-28s %-16s %7d %10d\n", c->name, c->model->name,
                sim->assembly->setup[sim->assembly->graph->node[i].i_subsystem].name,
                c->n[WRSIM_STATE], c->n[WRSIM_INDICATOR]);
    }
    if (s.n_subsystem > 1)
        print_crossings(out, sim->assembly);
    print_conversions(out, sim->assembly);
    print_open_inputs(out, sim->assembly);
    print_loops(out, sim->assembly);
    if (s.n_subsystem > 1)
        print_history(out, sim);
    if (s.n_subsystem > 1)
        print_levels(out, sim);
    fprintf(out, "\nmachine: %s\n", sim->topology->name);
    for (int i = 0; i < sim->n_worker; i++) {
        const int pu = sim->worker_pu[i];
        if (pu < 0)
            fprintf(out, "  worker %d: any core\n", i);
        else
            fprintf(out, "  worker %d: core %d, cpu %d%s\n", i, sim->topology->pu[pu].core,
                    sim->topology->pu[pu].os_cpu, sim->cpu[i] < 0 ? " (not pinned)" : "");
    }
    if (sim->assembly->warnings.n_items + sim->assembly->length_warnings.n_items > 0)
        fputc('\n', out);
    print_warnings(out, "", &sim->assembly->warnings);
    print_warnings(out, "", &sim->assembly->length_warnings);
    if (sim->split.has_answer)
        fputc('\n', out);
    if (sim->split.has_answer && sim->split.scheme[0])
        fprintf(out, "relaxation.scheme of a run until t = %.9g s: %s\n",
                sim->split.start_s + sim->split.span_s, sim->split.scheme);
    wr_print_split_probe(out, sim);
    free(worker);
}
