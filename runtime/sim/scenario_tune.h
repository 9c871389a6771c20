/* Scenarios of parameters and states get into the components that have these.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_SCENARIO_TUNE_H
#define WR_SCENARIO_TUNE_H

#include "runtime/sim/scenarios.h"

/* Once components have been made: those that scenarios are about are made anew, of a model around theirs (tuned_model.h).
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
