/* Scenarios of signals become components in the graph.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_SCENARIO_SPLICE_H
#define WR_SCENARIO_SPLICE_H

#include "runtime/sim/scenarios.h"

/* Once components have been grouped and nothing is wrong: puts a component for every scenario of a signal between what
 * drives the inputs that it is about and these, one after the other where several are about an input, in the order of
 * the config; and connects what triggers scenarios.
 *
 * It is in the subsystem of the inputs, so that nothing crosses a cut that did not before; where they are in several it
 * is in that of the output, which then shows two signals; and where that is only played, in that of the first input. */
void wr_scenarios_splice(wr_assembly *a, wr_diag *diag);

/* Finds the signals of those that a host triggers, once subsystems have been made. */
void wr_scenarios_place(wr_assembly *a);

/* Once components have been made: those that scenarios are about are made anew, of a model around theirs (tunable_parameters.h).
 * make creates the component of that index with the config's parameters and start values, and with value instead of a parameter's
 * where that is named. What is wrong goes to diag. */
typedef struct wr_remake {
    const wrsim_model *model;
    const char *parameter; /* NULL: all as in the config */
    double value;
    const wr_where *where; /* of that value */
} wr_remake;

typedef wr_component *(*wr_remake_fn)(const wr_assembly *a, int i_component, const wr_remake *how,
                                      wr_diag *diag);

void wr_scenarios_tune(wr_assembly *a, wr_remake_fn make, wr_diag *diag);

#endif
