/* Builds the subsystems of an assembly: their inputs, published signals, recorded variables and solvers.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_BUILD_SUBSYSTEMS_H
#define WR_BUILD_SUBSYSTEMS_H

#include "runtime/sim/assembly.h"

/* Checks the settings of kinds, solvers, recorded signals and levels. Components and graph may be NULL after errors. Errors go to diag. */
void wr_build_subsystems_check(wr_assembly *assembly, wr_diag *diag);

/* Fills assembly->setup from the checked graph and settings. Errors go to diag. */
wrsim_status wr_build_subsystems_create(wr_assembly *assembly, wr_diag *diag);

/* Receives a variable. Returns 1. */
typedef int wr_signal_fn(void *user, int i_component, wrsim_kind kind, int index);
/* Passes the variables of output.signals to found(), also if the run has no result file. A variable may come several times. */
void wr_build_subsystems_each_signal(const wr_assembly *assembly, wr_signal_fn *found, void *user);

/* Frees the subsystems. Accepts a half-built assembly. */
void wr_build_subsystems_destroy(wr_assembly *assembly);

#endif
