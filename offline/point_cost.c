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

/* Upper limit of component.cost (WR_KEY_LARGEST_COST of runtime/config/keys.h), s. */
static const double LARGEST_COST_S = 1000.0;
/* Least measured cost that counts, s (assumed). Counted work already contains cheap right-hand sides (wr_run_work()). So the advice for
 * cheaper models does not depend on the speed of the machine. */
static const double LEAST_COST_S = 5e-6;
/* Wall time after which the measuring run begins no further advance, ns (assumed). A model that waits takes no CPU time. */
static const int64_t MEASURE_NS = 1000000000;
/* The measuring run begins with 2^-DOUBLINGS (assumed) of the simulated time. Each further advance doubles the time. */
enum { DOUBLINGS = 14 };

const char *wr_point_cost_override(const char *text, char ret_override[WR_POINT_COST_BYTES])
{
    static const char form[] =
        "is not PATTERN=TIME; write a pattern of component names and a time, "
        "such as 'cyl*=100us'";
    static const struct {
        const char *name;
        double s;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}};
    const size_t name_bytes = strcspn(text, "=");
    const char *const time = text + name_bytes + (text[name_bytes] == '=');
    if (name_bytes == 0 || memchr(text, '.', name_bytes) || !strchr("0123456789.", *time))
        return form;
    char *end;
    double value = strtod(time, &end);
    size_t u = 0;
    while (u < WR_COUNT_OF(units) && strcmp(end, units[u].name) != 0)
        u++;
    if (end == time || u == WR_COUNT_OF(units) ||
        strspn(time, "0123456789.eE+-") < (size_t)(end - time)) /* strtod() also reads 0x10 */
        return form;
    value *= units[u].s;
    if (!(value <= LARGEST_COST_S))
        return "has a time above 1000 s; lower the time";
    return snprintf(ret_override, WR_POINT_COST_BYTES, "component.%.*s.cost=%.12g", (int)name_bytes,
                    text, value) < WR_POINT_COST_BYTES
               ? NULL
               : "has too many characters; shorten the pattern";
}

/* Writes measured costs of at least LEAST_COST_S to components[n], and adds the number of measured components to *n_measured. Returns the
 * number of components without enough points. */
static int take_costs(const wrsim *sim, wr_set_component *components, int n, int *n_measured)
{
    int n_open = 0;
    for (int i = 0; i < sim->assembly->n_subsystem; i++) {
        const wr_group *const group = wr_setup_group(&sim->assembly->setup[i]);
        for (int c = 0; group && c < group->n_component; c++) {
            const double cost_s = wr_group_measured_cost(group, c);
            n_open += isnan(cost_s);
            *n_measured += !isnan(cost_s);
            for (int k = 0; k < n && cost_s >= LEAST_COST_S; k++)
                if (strcmp(components[k].name, group->component[c]->name) == 0)
                    components[k].cost_s = cost_s;
        }
    }
    return n_open;
}

/* Measures costs by a run of one solver, until all components have enough points, an advance fails, or MEASURE_NS has passed. The run
 * also ends if some components have enough points, and two further advances, each to twice the time, add no such component. The
 * remaining components may have no callbacks. */
static void measure(const wr_settings *settings, wr_set_component *components)
{
    wr_settings set = *settings;
    WR_AUTO(wrsim_destroy) wrsim *sim = NULL;
    const int64_t until_ns = wr_clock_monotonic_ns() + MEASURE_NS;
    const double start_s = set.simulation.start_s, length_s = set.simulation.stop_s - start_s;
    wr_run_make_monolithic(&set, 0.0);
    set.simulation.points = WR_POINTS_MEASURE;
    wrsim_status status = wr_run_open_second(&set, NULL, &sim, NULL);
    int n_last = -1, n_idle = 0;
    for (int i = -DOUBLINGS;
         i <= 0 && status >= 0 && n_idle < 2 && wr_clock_monotonic_ns() < until_ns; i++) {
        int n_measured = 0;
        status = wrsim_advance(sim, start_s + ldexp(length_s, i), NULL);
        const int n_open = take_costs(sim, components, set.n_components, &n_measured);
        n_idle = n_measured > 0 && n_measured == n_last ? n_idle + 1 : 0;
        n_last = n_measured;
        if (n_open == 0)
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
    int n_undeclared = 0;
    for (size_t i = 0; i < n; i++)
        n_undeclared += !(settings->components[i].cost_s > 0.0);
    if (is_measured && components && n_undeclared > 0)
        measure(settings, components);
    for (size_t i = 0; i < n && components && is_measured; i++)
        if (settings->components[i].cost_s > 0.0)
            components[i].cost_s = settings->components[i].cost_s;
        else
            components[i].is_cost_measured = 1;
    if (components)
        settings->components = components;
    for (size_t i = 0; i < n; i++)
        if (settings->components[i].cost_s > 0.0)
            settings->simulation.points = WR_POINTS_COUNT;
}
