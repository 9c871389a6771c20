/* Adds scenarios of signals as components to the graph.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_SCENARIO_SPLICE_H
#define WR_SCENARIO_SPLICE_H

#include "runtime/sim/scenarios.h"

/* After components have been grouped without errors: inserts a component for each scenario of a signal between the scenario's
 * inputs and the output that drives them. Several scenarios on one input form a chain, in the order of the config. Also
 * connects the triggers of all scenarios.
 *
 * The component belongs to the subsystem of its inputs, so that no new connection crosses a cut. If the inputs are in several
 * subsystems, it belongs to the subsystem of the output, which then publishes two signals; if that output is played, to
 * the subsystem of the first input. */
void wr_scenarios_splice(wr_assembly *a, wr_diag *diag);

/* After subsystems have been created: finds the signals of scenarios that a host triggers. */
void wr_scenarios_place(wr_assembly *a);

/* A change of a component that is created anew. */
typedef struct wr_remake {
    const wrsim_model *model;
    const char *parameter; /* gets `value`; NULL: all parameters are as in the config */
    double value;
    const wr_where *where; /* place of `value` in the config */
} wr_remake;

/* Creates component i_component with the parameters and start values of the config and the change `how`. */
typedef wr_component *(*wr_remake_fn)(const wr_assembly *a, int i_component, const wr_remake *how,
                                      wr_diag *diag);

/* After components have been created: replaces each component with scenarios of parameters or states by a wrapper model
 * (tunable_parameters.h) around its model. Errors go to diag. */
void wr_scenarios_tune(wr_assembly *a, wr_remake_fn make, wr_diag *diag);

#endif
