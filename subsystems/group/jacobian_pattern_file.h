/* Reads the entries of a subsystem's Jacobian that its solver uses, from a file. The file is a Matrix Market file "coordinate pattern
 * general", n x n, by `wrsim sparse` or a user, with comment lines
 *
 *     %wrsim pattern 1
 *     %wrsim subsystem NAME
 *     %wrsim tau SECONDS
 *     %wrsim state ROW COMPONENT.STATE          (for each state)
 *
 * The names identify the states, so their order may differ from the group's. tau is the step for which the solver is
 * stable with the pattern. A solver step other than tau is an error.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_JACOBIAN_PATTERN_FILE_H
#define WR_JACOBIAN_PATTERN_FILE_H

#include "subsystems/group/group.h"

/* Reads the file into arena, and checks names and size. Entries off the diagonal must be in the pattern of the group's Jacobian J. c L -
 * J must be structurally regular, with the mass matrix L and any factor c. step_s: the solver's step, s; if step_s is 0 or not finite,
 * any tau is valid. Returns NULL on failure. diag then has at most 10 errors, each with the line of the file or with `where`. */
const wr_matrix *wr_jacobian_pattern_file_read(wr_arena *arena, const wr_group *group,
                                               const char *file, double step_s,
                                               const wr_where *where, wr_diag *diag);

#endif
