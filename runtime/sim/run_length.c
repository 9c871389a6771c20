/* See run_length.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/sim/run_length.h"

#include <stdio.h>

#include "base/check.h"

/* A run with more parts is announced as long. */
static const double MANY_PARTS = 1e9;
/* The most parts that a core computes in a second: a step of an explicit method with one state takes about 50 ns. */
static const double PARTS_PER_SECOND = 2e7, SECONDS_PER_DAY = 86400.0;

/* A length of time that divides a run. */
typedef struct wr_division {
    const char *name;  /* of the length: a key, or what a model declares */
    const char *parts; /* plural noun for the parts */
    double length_s;   /* 0 or infinite: it divides nothing */
    wr_where where;
} wr_division;

static void warn_of(const wr_assembly *a, const wr_division *by, wr_diag *warnings)
{
    const wr_set_simulation *const s = &a->settings->simulation;
    const double run_s = s->stop_s - s->start_s;
    if (!(by->length_s > 0.0) || !(run_s / by->length_s > MANY_PARTS))
        return;
    const double n = run_s / by->length_s;
    wr_diag_add(warnings, WRSIM_OK, &by->where,
                "%s (%.10g s) divides the run of %.10g s into %.2g %s, which take %.2g days at "
                "least; raise it, or lower simulation.stop",
                by->name, by->length_s, run_s, n, by->parts,
                n / PARTS_PER_SECOND / SECONDS_PER_DAY);
}

/* The subsystem with the shortest of given steps; -1: none has any. */
static int shortest_step(const wr_assembly *a)
{
    int shortest = -1;
    for (int i = 0; i < a->n_subsystem; i++) {
        const double step_s = a->setup[i].options.step_s;
        const wr_group *const group = a->setup[i].subsystem ? wr_setup_group(&a->setup[i]) : NULL;
        if (group && group->n_x > 0 && step_s > 0.0 &&
            (shortest < 0 || step_s < a->setup[shortest].options.step_s))
            shortest = i;
    }
    return shortest;
}

/* The component with the shortest declared time scale, among those whose solver controls its steps and so searches them for pulses
 * (subsystems/ode/pulse_search.c); NULL: none declares any. */
static const wr_component *shortest_scale(const wr_assembly *a)
{
    const wr_component *shortest = NULL;
    for (int i = 0; i < a->n_subsystem; i++) {
        const wr_group *const group = a->setup[i].subsystem ? wr_setup_group(&a->setup[i]) : NULL;
        const int is_searched =
            group && group->n_x > 0 && !(a->setup[i].integrator->flags & WR_INTEG_FIXED_STEP);
        for (int c = 0; is_searched && c < group->n_component; c++) {
            const wr_component *const component = group->component[c];
            if (component->time_scale_s > 0.0 &&
                (!shortest || component->time_scale_s < shortest->time_scale_s))
                shortest = component;
        }
    }
    return shortest;
}

void wr_run_length_warn(const wr_assembly *a, wr_diag *warnings)
{
    const wr_settings *const set = a->settings;
    const int is_slack = set->relaxation.scheme == WR_SCHEME_SLACK;
    const int i = shortest_step(a);
    const int is_own = i >= 0 && !set->simulation.monolithic && i < set->n_subsystems &&
                       set->subsystems[i].where_solver.line > 0;
    const wr_component *const scaled = shortest_scale(a);
    char scale_name[128] = "";
    if (scaled)
        snprintf(scale_name, sizeof scale_name, "half of the time_scale_s that '%.60s' declares",
                 scaled->name);
    const wr_division divisions[] = {
        {"'simulation.communication_step'", "communication points",
         set->simulation.communication_step_s,
         wr_settings_place(set, "simulation.communication_step")},
        {"'relaxation.window.max'", "windows",
         is_slack || a->n_subsystem == 1 ? 0.0 : set->relaxation.window_max_s,
         wr_settings_place(set, "relaxation.window.max")},
        {"'slack.period'", "periods", is_slack ? set->slack.period_s : 0.0,
         wr_settings_place(set, "slack.period")},
        {"'solver.step'", "steps", i >= 0 ? a->setup[i].options.step_s : 0.0,
         is_own ? set->subsystems[i].where_solver : wr_settings_place(set, "solver.step")},
        {scale_name, "searches of steps", scaled ? 0.5 * scaled->time_scale_s : 0.0,
         scaled ? scaled->where : (wr_where){.line = 0}}};
    for (size_t k = 0; k < WR_COUNT_OF(divisions); k++)
        warn_of(a, &divisions[k], warnings);
}
