/* Builds a group, and passes over what changes in it.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_GROUP_BUILD_H
#define WR_GROUP_BUILD_H

#include "base/state_io.h"
#include "subsystems/group/group_layout.h"

/* Builds a group. Errors go to diag. Everything is placed in arena. */
wr_group *wr_group_place(wr_arena *arena, wr_component *const *components, int n_components,
                         const wr_group_edge *edges, int n_edges, int n_external, wr_diag *diag);

/* These components take more memory than there is: says so, and why where one declares no pattern of its Jacobian. */
void wr_group_report_memory(wr_component *const *components, int n_components, wr_diag *diag);

/* Passes over that, the solutions of algebraic loops, and the inputs and outputs as the last evaluation left them: of a
 * model that is called before all its inputs are known some are what they were. After reading no fault is set, and
 * what comes next is evaluated anew. */
void wr_group_state(wr_group *group, wr_state_io *io);

#endif
