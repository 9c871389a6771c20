/* Rejected windows: another try, another method, or the end of the run. Thread: serial section. Real-time: yes. */
#ifndef WR_ENGINE_REJECT_H
#define WR_ENGINE_REJECT_H

#include "runtime/relax/engine_parts.h"

/* Rejects the window. i_failed: subsystem whose solver failed; -1: the sweeps do not lead to acceptance. Returns 1 if the caller has to
 * begin another try of the window, 0 if the run ends. */
int wr_engine_reject_window(wr_engine *engine, int i_failed);

/* Ends the run after a fault of subsystem i_failed at the end of an accepted window. Keeps the rows of all subsystems up to the fault_s of
 * i_failed. */
void wr_engine_fail_completed(wr_engine *engine, int i_failed);

/* Rejects a window that ends within an instant. Returns the values of wr_engine_reject_window(). */
int wr_engine_end_earlier(wr_engine *engine);

/* Ends the run, and returns 1, if an event without rollback waits, and another subsystem has an own event at the same instant, and the two
 * read each other. An example is the impact of two masses. Both events need the values from before both events, but one event fires later.
 */
int wr_engine_shares_event(wr_engine *engine);
/* Returns whether the window has the wrong end, or has assumed a wrong last round, for an event of a model without rollback. */
int wr_engine_is_at_event(const wr_engine *engine);
/* Shortens the window to the first such event. The next try begins with the waves of this try. i_failed: as for wr_engine_reject_window().
 * Returns 1 if the caller has to begin another try of the window, 0 if the run ends. */
int wr_engine_end_at_event(wr_engine *engine, int i_failed);

/* If an event of the converged window ends the run, shortens the window to the time of the event. Returns 1 if the caller has to begin
 * another try of the window. Returns 0 without such an event, or if the window needs no cut. In the second case the function has stored
 * the subsystem of the event. */
int wr_engine_end_run(wr_engine *engine);
/* Stores the subsystem of an event without rollback that ends the run, if any. The caller has completed the window. */
void wr_engine_note_held_end(wr_engine *engine);

/* Discards the window because of a requested stop. wr_engine_run() then restores the subsystems. */
void wr_engine_cut_window(wr_engine *engine);

/* Finds the signal with the largest residual in the last sweep: its subsystem, and its index among the published signals. Returns the
 * residual in tolerances; 0: no signal changes, and the indices are -1. */
double wr_engine_worst_coupling(const wr_engine *engine, int *ret_part, int *ret_signal);

#endif
