/* The subsystems of an assembly: what each reads, publishes and records, and how it is solved.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_SETUP_H
#define WR_SETUP_H

#include "runtime/sim/assembly.h"

/* Checks what the settings say of solvers and recorded signals. Components that could not be made
 * are NULL, and so is the graph if it is wrong. Errors go to diag. */
void wr_setups_check(wr_assembly *assembly, wr_diag *diag);
/* Fills assembly->setup from its graph and settings, which have been checked. Errors go to diag. */
wrsim_status wr_setups_create(wr_assembly *assembly, wr_diag *diag);
/* Accepts a half-built assembly. */
void wr_setups_destroy(wr_assembly *assembly);

#endif
