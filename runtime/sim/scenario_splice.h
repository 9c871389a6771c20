/* Adds scenarios of signals as components to the graph, and scenarios of parameters and states as wrappers. Thread: one owner. Real-time:
 * no (setup). */
#ifndef WR_SCENARIO_SPLICE_H
#define WR_SCENARIO_SPLICE_H

#include "runtime/sim/scenarios.h"

/* Inserts a component for each scenario of a signal, and connects the triggers of all scenarios. The new component is between the
 * scenario's inputs and the output, if any, that drives these inputs. Several scenarios on one input form a chain, in the order of the
 * config. The new component belongs to the subsystem of the scenario's inputs, so that its outputs cross no cut. If these inputs are in
 * several subsystems, the new component belongs to the subsystem of the output, which then also publishes the changed signal. If wrsim does
 * not integrate the output, the new component belongs to the subsystem of the first input. Requires that all components are grouped without
 * errors. */
void wr_scenarios_splice(wr_assembly *a, wr_diag *diag);

/* Finds the signals of scenarios that a host triggers. Requires the subsystems. */
void wr_scenarios_place(wr_assembly *a);

/* Changes for a new copy of a component. */
typedef struct wr_remake {
    const wrsim_model *model;
    /* Parameter that gets `value`; NULL: all parameters are as in the config. */
    const char *parameter;
    double value;
    const wr_where *where; /* place of `value` in the config */
} wr_remake;

/* Creates component i_component with the config's parameters, changed by `how`; without how->parameter also with the start values. */
typedef wr_component *(*wr_remake_fn)(const wr_assembly *a, int i_component, const wr_remake *how,
                                      wr_diag *diag);

/* Replaces each component with scenarios of parameters or states by a wrapper (runtime/scenario/tunable_parameters.h) around its model.
 * Requires the components of the config. Errors go to diag. */
void wr_scenarios_tune(wr_assembly *a, wr_remake_fn make, wr_diag *diag);

#endif
