/* How many steps, points and windows a run has at least, by its lengths of time.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_RUN_LENGTH_H
#define WR_RUN_LENGTH_H

#include "runtime/sim/assembly.h"

/* Warns of each length that divides the run into more than 1e9 parts: such a run takes minutes at best, and mostly days. Subsystems
 * have their solvers. */
void wr_run_length_warn(const wr_assembly *a, wr_diag *warnings);

#endif
