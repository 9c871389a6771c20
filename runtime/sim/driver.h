/* What moves the subsystems of a simulation: relaxation (runtime/relax) or slackened synchronisation (runtime/slack).
 *
 * Thread: the simulation's owner, but for wr_driver_stop(). Real-time: wr_driver_run(), as what it calls.
 */
#ifndef WR_DRIVE_H
#define WR_DRIVE_H

#include "base/state_io.h"
#include "runtime/sim/simulation.h"

/* Places it for the settings; 0, or -1: out of memory. sim->recording and sim->pacing will observe it. */
int wr_driver_place(wrsim *sim);

/* As wr_engine_start(), _check_end(), _run(), _stop(), _time(), _close(). Before place() time is the start, and close()
 * does nothing. */
wrsim_status wr_driver_start(wrsim *sim, wrsim_error *err);
wrsim_status wr_driver_check_end(const wrsim *sim, double time_s, wrsim_error *err);
wrsim_status wr_driver_run(wrsim *sim, double time_s, wrsim_error *err);
void wr_driver_stop(wrsim *sim);
/* Has the last run ended in the midst of a window, by a stop in a storm of events? */
int wr_driver_is_cut(const wrsim *sim);
double wr_driver_time(const wrsim *sim);
void wr_driver_close(wrsim *sim);

/* As wr_engine_opaque(), _state(). */
int wr_driver_opaque(const wrsim *sim);
void wr_driver_state(wrsim *sim, wr_state_io *io);

/* Has it left its start? */
int wr_driver_has_moved(const wrsim *sim);

/* Accepted windows, or periods, and their sweeps. Also in observers. */
int64_t wr_driver_windows(const wrsim *sim);
int64_t wr_driver_sweeps(const wrsim *sim);

/* Is there one? */
static inline int wr_driver_is_placed(const wrsim *sim) { return sim->engine || sim->slack; }

#endif
