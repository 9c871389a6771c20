/* Passes the rows and waves of a run to the recorder.
 *
 * Thread: the simulation's owner; wr_recording_commit() on the worker of the subsystem's task, or serial;
 * wr_recording_flush() on any thread. Real-time: wr_recording_commit().
 */
#ifndef WR_RECORDING_H
#define WR_RECORDING_H

#include "runtime/sim/simulation.h"

/* Returns the number of streams of a run: rows and nodes of waves of each subsystem, event logs of each subsystem, window records. */
static inline int wr_recording_n_stream(const wrsim *sim)
{
    return 3 * sim->assembly->n_subsystem + 1;
}

/* Opens the result file. Returns NULL with errors in diag. */
wr_recorder *wr_recording_open(wrsim *sim, wr_diag *diag);

/* If waves are recorded, stores the published values of a subsystem in a round of the start. context: the simulation. Returns WRSIM_OK
 * or WRSIM_E_MEMORY. */
wrsim_status wr_recording_keep_start(void *context, int i_subsystem, const double *value);

/* Passes the stored start values to the recorder. A second call does nothing. */
wrsim_status wr_recording_push_start(wrsim *sim);

/* Passes the rows of a subsystem's accepted window or period to the recorder, and the wave if waves are recorded. context: the
 * simulation. */
wrsim_status wr_recording_commit(void *context, int i_subsystem);

typedef enum wr_crash_flush {
    WR_FLUSH_NO_FILE, /* The run writes no result file. */
    WR_FLUSH_LATE,    /* The recorder failed, or needs longer than wait_ns. */
    WR_FLUSH_DONE     /* The file has all pushed rows, except rows that wait for other streams. */
} wr_crash_flush;

/* Makes the recorder's thread write and flush its rows, and waits at most wait_ns. Requires a call between wrsim_prepare() and
 * wrsim_finish(). A signal handler may call the function. */
wr_crash_flush wr_recording_flush(wrsim *sim, int64_t wait_ns);

#endif
