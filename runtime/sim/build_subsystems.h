/* Builds the subsystems of an assembly: what each one reads, publishes and records, and its solver.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_BUILD_SUBSYSTEMS_H
#define WR_BUILD_SUBSYSTEMS_H

#include "runtime/sim/lookup.h"

/* Checks what the settings say of solvers and recorded signals. Components that could not be made
 * are NULL, and so is the graph if it is wrong. Errors go to diag. */
void wr_build_subsystems_check(wr_assembly *assembly, wr_diag *diag);
/* Fills assembly->setup from its graph and settings, which have been checked. Errors go to diag. */
wrsim_status wr_build_subsystems_create(wr_assembly *assembly, wr_diag *diag);
/* Accepts a half-built assembly. */
void wr_build_subsystems_destroy(wr_assembly *assembly);

#endif
