/* See point_cost.h. Thread: one owner. Real-time: no. */
#include "offline/point_cost.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/clock.h"
#include "runtime/sim/run.h"
#include "runtime/sim/simulation.h"

/* Least measured cost that counts, s. Counted work contains right-hand sides of about 1 us (runtime/sim/run.h). The median of cheaper
 * models is below this cost on any machine, so their advice does not depend on the machine. */
static const double LEAST_COST_S = 5e-6;
/* CPU time after which the measuring run ends, ns. */
static const int64_t MEASURE_NS = 1000000000;
/* The measuring run begins with 2^-DOUBLINGS of the simulated time, and doubles the time until every component has its points. */
enum { DOUBLINGS = 14 };

int wr_point_cost_override(const char *text, char ret_override[WR_POINT_COST_BYTES])
{
    static const struct {
        const char *name;
        double s;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}};
    const char *const equals = strchr(text, '=');
    if (!equals || equals == text)
        return -1;
    char *end;
    const double value = strtod(equals + 1, &end);
    for (size_t i = 0; i < WR_COUNT_OF(units); i++)
        if (end > equals + 1 && value >= 0.0 && strcmp(end, units[i].name) == 0)
            return snprintf(ret_override, WR_POINT_COST_BYTES, "component.%.*s.cost=%.12g",
                            (int)(equals - text), text, value * units[i].s) < WR_POINT_COST_BYTES
                       ? 0
                       : -1;
    return -1;
}

/* Writes the measured costs. Returns the number of components without enough points. */
static int take_costs(const wrsim *sim, wr_set_component *components, int n)
{
    int n_open = 0;
    for (int i = 0; i < sim->assembly->n_subsystem; i++) {
        const wr_group *const group = wr_setup_group(&sim->assembly->setup[i]);
        for (int c = 0; group && c < group->n_component; c++) {
            const double cost_s = wr_group_measured_cost(group, c);
            n_open += isnan(cost_s);
            for (int k = 0; k < n && cost_s >= LEAST_COST_S; k++)
                if (strcmp(components[k].name, group->component[c]->name) == 0)
                    components[k].cost_s = cost_s;
        }
    }
    return n_open;
}

static void measure(const wr_settings *settings, wr_set_component *components)
{
    wr_settings set = *settings;
    WR_AUTO(wrsim_destroy) wrsim *sim = NULL;
    const int64_t until_ns = wr_clock_thread_cpu_ns() + MEASURE_NS;
    const double start_s = set.simulation.start_s, length_s = set.simulation.stop_s - start_s;
    wr_run_make_monolithic(&set, 0.0);
    set.simulation.points = WR_POINTS_MEASURE;
    wrsim_status status = wr_run_open_second(&set, NULL, &sim, NULL);
    for (int i = -DOUBLINGS; i <= 0 && status >= 0 && wr_clock_thread_cpu_ns() < until_ns; i++) {
        status = wrsim_advance(sim, start_s + ldexp(length_s, i), NULL);
        if (take_costs(sim, components, set.n_components) == 0)
            break;
    }
}

void wr_point_cost_prepare(wr_settings *settings, int is_measured,
                           wr_set_component **ret_components)
{
    const size_t n = (size_t)settings->n_components;
    wr_set_component *const components = malloc((n + 1) * sizeof *components);
    *ret_components = components;
    if (components && n > 0)
        memcpy(components, settings->components, n * sizeof *components);
    if (is_measured && components)
        measure(settings, components);
    for (size_t i = 0; i < n && components && is_measured; i++)
        if (settings->components[i].cost_s > 0.0)
            components[i].cost_s = settings->components[i].cost_s;
    if (components)
        settings->components = components;
    for (size_t i = 0; i < n; i++)
        if (settings->components[i].cost_s > 0.0)
            settings->simulation.points = WR_POINTS_COUNT;
}
