/* Windows that are rejected: another try, another method, or the end of the run.
 *
 * Thread: serial section. Real-time: yes.
 */
#ifndef WR_ENGINE_REJECT_H
#define WR_ENGINE_REJECT_H

#include "runtime/relax/engine_parts.h"

/* i_failed: subsystem whose solver failed; -1: the window did not contract. Returns 1 if the window is tried again (the caller
 * begins it), 0 if the run ends. */
int wr_engine_reject_window(wr_engine *engine, int i_failed);

/* The window ends within an instant: a shorter window is tried, or the run ends with an error. Returns as above. */
int wr_engine_end_earlier(wr_engine *engine);

/* A stop was requested within the window: undoes the window. */
void wr_engine_cut_window(wr_engine *engine);

/* The connection whose wave has the largest residual in the last sweep: the subsystem that drives it and the index among
 * its published signals. Returns the residual in tolerances; 0: no signal changes, and the indices are -1. */
double wr_engine_worst_coupling(const wr_engine *engine, int *ret_part, int *ret_signal);

#endif
