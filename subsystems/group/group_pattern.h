/* Patterns of a group's derivatives, with algebraic connections substituted.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_GROUP_PATTERN_H
#define WR_GROUP_PATTERN_H

#include "subsystems/group/group_layout.h"

/* Fills group->pattern_xx. *ret_has_path: an x' depends on states through a connection. Returns 0, or -1 when out of memory. */
int wr_group_pattern_xx_place(wr_arena *arena, wr_group *group, int *ret_has_path);

/* Places the pattern of the derivatives of x' and of the listed outputs (rows; no states) by x and external inputs (columns). NULL when
 * out of memory. */
const wr_sparsity *wr_group_pattern_place(wr_arena *arena, const wr_group *group,
                                          const int *outputs, int n_outputs);

#endif
