/* Passes event logs and window records of a run to the recorder (docs/reference/event_log.md).
 *
 * All functions except wr_log_recording_place() require sim->log. Thread: as recording.h; wr_log_recording_window(): serial. Real-time: all
 * except wr_log_recording_place(). */
#ifndef WR_LOG_RECORDING_H
#define WR_LOG_RECORDING_H

#include "runtime/sim/simulation.h"

/* Sets sim->log. Returns the names for the recorder, which the assembly's pool owns; NULL when out of memory. */
const wr_log_info *wr_log_recording_place(wrsim *sim);

/* Passes the events of the start of a subsystem to the recorder, before the first advance. */
wrsim_status wr_log_recording_start(wrsim *sim, int i_subsystem);

/* Passes the log of a subsystem's accepted window or period to the recorder. */
wrsim_status wr_log_recording_commit(wrsim *sim, int i_subsystem);

/* Passes a window to the recorder. context: the simulation. A failure of the recorder ends the run with the next rows. */
void wr_log_recording_window(void *context, const wr_window_report *report);

#endif
