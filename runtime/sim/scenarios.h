/* Scenarios of a simulation (wrsim/scenario.h): what the config says of them, held against the components.
 *
 * Those of signals are components of their own between who drives an input and who reads it (scenario_splice.h), those of
 * parameters and states are in the component that has these (scenario_splice.h). What a host says comes in by the
 * component of the input ports, as two signals for each scenario that waits for it: so it acts as what is set on a port does.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_SCENARIOS_H
#define WR_SCENARIOS_H

#include "runtime/scenario/scenario_model.h"
#include "runtime/sim/lookup.h"

/* A recording's column: [n_point], growing in time. */
typedef struct wr_recorded_points {
    int n_point;
    const double *point_s, *point;
} wr_recorded_points;

/* Beside what the config says of it. */
typedef struct wr_scenario {
    wr_recorded_points points; /* of a recording */
    int i_api;                 /* which of those that a host triggers; -1: it does not */
    int i_on,
        i_level; /* its signals among the input ports'; -1: none, and before subsystems are there */
} wr_scenario;

typedef struct wr_scenarios {
    int n;
    wr_scenario *scenario;       /* [n] as the config has them */
    struct wr_subsystem *player; /* NULL: no host is asked */
} wr_scenarios;

/* How many wait for a host, as far as the config could be read. */
int wr_scenarios_count_api(const wr_settings *settings);

/* Has it a value that a host may set? */
int wr_scenarios_has_value(const wr_set_scenario *set);

/* Does it change a signal on its way, and not what a component keeps? */
int wr_scenarios_is_spliced(const wr_set_scenario *set);

wr_trigger wr_scenarios_trigger(const wr_set_scenario *set);

/* Makes a->scenarios. 0, or -1 when out of memory. */
int wr_scenarios_create(wr_assembly *a);

/* Do names, signals and recordings exist, and fit? Loads the recordings. Errors go to diag. */
void wr_scenarios_check(wr_assembly *a, wr_diag *diag);

/* An output or input by its name; an output where both have it. Returns 0, or -1. */
int wr_scenarios_find(const wr_assembly *a, const char *name, int *ret_component,
                      wrsim_kind *ret_kind, int *ret_index);

/* The output that shows a signal which is watched: an output, what drives an input, a state's. Returns 0, or -1. */
int wr_scenarios_watched(const wr_assembly *a, const char *name, int *ret_component,
                         int *ret_output);

#endif
