/* Windows: ends, beginning, and acceptance.
 *
 * Thread: serial section. Real-time: yes.
 */
#ifndef WR_ENGINE_WINDOW_H
#define WR_ENGINE_WINDOW_H

#include "runtime/relax/engine_parts.h"

/* Resets all records for a window, or for another try of it. */
void wr_engine_reset(wr_engine *engine, int is_retry);

/* Begins a window and prepares its first batch. The records have been reset. */
void wr_engine_begin_window(wr_engine *engine);

/* Learns from the window, advances the time, and begins the next window unless the run pauses or ends here. */
void wr_engine_accept_window(wr_engine *engine);

/* The run ends after this batch. */
void wr_engine_leave(wr_engine *engine, wrsim_status status);

/* The window's outcome, for the window rule. */
wr_window_outcome wr_engine_outcome(wr_engine *engine, int is_accepted);

/* Communication point nearest to t_s. */
double wr_engine_grid_at(const wr_engine *engine, double t_s);
/* The last communication point up to end_s, or the first after the present time. */
double wr_engine_down_to_grid(const wr_engine *engine, double end_s);

/* Name of the first subsystem with the flag, or "". */
const char *wr_engine_find_flag(const wr_engine *engine, unsigned flag);

#endif
