/* Which entries of a subsystem's Jacobian its solver is to use, from a file that `wrsim sparse` writes or a person: a Matrix
 * Market file "coordinate pattern general", n x n, with comment lines
 *
 *     %wrsim pattern 1
 *     %wrsim subsystem NAME
 *     %wrsim tau SECONDS
 *     %wrsim state ROW COMPONENT.STATE          (all n of them)
 *
 * Names decide, not numbers: states may stand in another order than in the group. tau is the step for which the pattern was
 * found stable; another one is refused.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_JACOBIAN_PATTERN_FILE_H
#define WR_JACOBIAN_PATTERN_FILE_H

#include "subsystems/group/group.h"

/* Reads and checks it against the group: names, size, that it is a part of the Jacobian's pattern (but for entries on the
 * diagonal, which may stand there anyway), and that c L - J can be factorised with it. step_s: of the solver; not finite or 0:
 * any. NULL with every error in diag, at the file's line where it has one, else at where. The result lies in arena. */
const wr_sparsity *wr_jacobian_pattern_file_read(wr_arena *arena, const wr_group *group,
                                                 const char *file, double step_s,
                                                 const wr_where *where, wr_diag *diag);

#endif
