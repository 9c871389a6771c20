/* Scenarios of a simulation (wrsim/scenario.h): the scenarios of the config, checked against the components. A scenario of a signal is a
 * component between the inputs of the scenario and the output, if any, that drives these inputs. A scenario of a parameter or state is in a
 * wrapper around the component (scenario_splice.h). Each scenario that a host triggers has two signals of the component of the input ports.
 * So a trigger acts like a value that a host sets on a port.
 *
 * Thread: one owner. Real-time: no (setup). */
#ifndef WR_SCENARIOS_H
#define WR_SCENARIOS_H

#include "runtime/scenario/scenario_model.h"
#include "runtime/sim/assembly.h"

/* The points of a recording's column: [n_point], in the order of time. A scenario with a period has the points of one cycle, from 0 to the
 * period. */
typedef struct wr_recorded_points {
    int n_point;
    const double *point_s, *point;
    double offset_s; /* point_s at the beginning of the scenario */
} wr_recorded_points;

/* Data of a scenario, in addition to its settings. */
typedef struct wr_scenario {
    wr_recorded_points points; /* points of a recording; n_point 0: no recording */
    int i_api; /* index among the scenarios that a host triggers; -1: another trigger */
    /* Indices of the scenario's signals among the signals of input ports; -1: no host, or the subsystems do not exist yet. */
    int i_on, i_level;
} wr_scenario;

typedef struct wr_scenarios {
    int n;
    wr_scenario *scenario; /* [n] in the order of the config */
    /* Subsystem of the input ports; NULL: a host triggers no scenario. */
    struct wr_subsystem *player;
} wr_scenarios;

/* Returns the number of valid scenarios of the config that a host triggers. */
int wr_scenarios_count_api(const wr_settings *settings);

/* Returns 1 if the action of the scenario has a value, which a host may set if the host triggers the scenario. */
int wr_scenarios_has_value(const wr_set_scenario *set);

/* Returns 1 if the scenario changes a signal or ends the run, and 0 for a parameter or state. */
int wr_scenarios_is_spliced(const wr_set_scenario *set);

wr_trigger wr_scenarios_trigger(const wr_set_scenario *set);

/* Creates a->scenarios. Returns 0, or -1 when out of memory. */
int wr_scenarios_create(wr_assembly *a);

/* Loads recordings, and checks that names, signals and recordings exist and fit. Errors go to diag. */
void wr_scenarios_check(wr_assembly *a, wr_diag *diag);

/* Finds an output or input by its name, first among outputs. Returns 0, or -1 if no variable has that name. */
int wr_scenarios_find(const wr_assembly *a, const char *name, int *ret_component,
                      wrsim_kind *ret_kind, int *ret_index);

/* Finds the output with the values of a watched signal: the output itself, the output that drives an input, or the output equal to a
 * state. Returns 0, or -1 if no such output exists. */
int wr_scenarios_watched(const wr_assembly *a, const char *name, int *ret_component,
                         int *ret_output);

#endif
