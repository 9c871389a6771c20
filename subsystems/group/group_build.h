/* Builds a group, and reads or writes its state.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_GROUP_BUILD_H
#define WR_GROUP_BUILD_H

#include "base/state_io.h"
#include "subsystems/group/group_layout.h"

/* Builds a group in arena. Errors go to diag. NULL on failure. */
wr_group *wr_group_place(wr_arena *arena, wr_component *const *components, int n_components,
                         const wr_group_edge *edges, int n_edges, int n_external, wr_diag *diag);

/* Reports that these components need too much memory, and names a large one that declares no pattern of its Jacobian. */
void wr_group_report_memory(wr_component *const *components, int n_components, wr_diag *diag);

/* Memory of all instances as one block, saved and restored with the states; NULL and 0: none. */
void *wr_group_memory(const wr_group *group, size_t *ret_bytes);
/* The part of this block that belongs to component c. */
void *wr_group_memory_of(const wr_group *group, int c, size_t *ret_bytes);

/* Reads or writes the memory of instances, the solutions of algebraic loops, and the inputs and outputs of the last evaluation. A model
 * that is called before all its inputs are known reads these old inputs. Reading clears the fault and the prepared results. */
void wr_group_state(wr_group *group, wr_state_io *io);

#endif
