/* Begins, retries and accepts windows, and chooses their ends and the number of workers. Thread: serial section. Real-time: yes;
 * wr_engine_place_window(): no. */
#ifndef WR_ENGINE_WINDOW_H
#define WR_ENGINE_WINDOW_H

#include "runtime/relax/engine_parts.h"
#include "runtime/relax/engine_stats.h"

/* Setup: sets the present time, and the number of workers, at most n_worker. Returns 0, or -1 when the arena is exhausted. */
int wr_engine_place_window(wr_engine *engine, wr_arena *arena, int n_worker);

/* Begins a run with its first batch: a window, or a repetition of integrations ahead (wr_ahead_resume()). */
void wr_engine_begin_run(wr_engine *engine);

/* Begins a window and prepares its first batch. Requires records that are reset. */
void wr_engine_begin_window(wr_engine *engine);
/* Begins another try of the window. */
void wr_engine_retry_window(wr_engine *engine);
/* Switches looser tolerances off in the following tries of the window. */
void wr_engine_tighten_window(wr_engine *engine);

/* Moves the start of the window to t_s. */
void wr_engine_move_window(wr_engine *engine, double t_s);
/* Replaces predictions by constants, their start values. */
void wr_engine_hold_predictions(wr_engine *engine);

/* Learns from the window, and advances the time. Begins the next window, unless the run stops, fails or ends at this time. */
void wr_engine_accept_window(wr_engine *engine);

/* Returns whether the run has reached its end. */
int wr_engine_is_end_reached(const wr_engine *engine);

/* Returns the length of a window that only ends the run, or shows the effects of an event at its start, s. */
double wr_engine_least_window(const wr_engine *engine);

/* Returns the window's outcome, for the window rule. */
wr_window_outcome wr_engine_outcome(wr_engine *engine, int is_accepted);

/* Returns the communication point nearest to t_s. */
double wr_engine_grid_at(const wr_engine *engine, double t_s);
/* Returns the last communication point up to end_s. If that point is not after the present time, returns the first point after the
 * present time. */
double wr_engine_down_to_grid(const wr_engine *engine, double end_s);

/* Visit the window, the expected work, and the counters except workers and measured times (base/state_io.h). */
void wr_engine_window_state(wr_engine *engine, wr_state_io *io);
void wr_engine_load_state(wr_engine *engine, wr_state_io *io);
void wr_engine_stats_state(wr_engine_stats *stats, wr_state_io *io);

#endif
