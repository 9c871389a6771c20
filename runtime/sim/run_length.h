/* Warnings of long runs: the least number of steps, searches, points and windows, from the lengths of time in the config.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_RUN_LENGTH_H
#define WR_RUN_LENGTH_H

#include "runtime/sim/assembly.h"

/* Warns of each length that divides the run into more than 1e9 parts: such a run takes minutes at best, and mostly days. Phase: setup,
 * once subsystems have solvers. */
void wr_run_length_warn(const wr_assembly *a, wr_diag *warnings);

#endif
