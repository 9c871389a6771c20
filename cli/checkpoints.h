/* Runs that start from a checkpoint or write checkpoints.
 *
 * A checkpoint is due at the first end of a window, period or step at or after its time. The run stops, writes the checkpoint,
 * and continues. Checkpoints do not change results.
 *
 * Thread: main, except wr_checkpoints_update (the worker that ends the window). Real-time: no.
 */
#ifndef WR_CHECKPOINTS_H
#define WR_CHECKPOINTS_H

#include <signal.h>

#include "cli/print.h"
#include "wrsim/wrsim.h"

typedef struct wr_checkpoints {
    const char *file, *restart; /* checkpoint to write, checkpoint to start from; NULL: none */
    double every_s;             /* simulated s; 0: checkpoints only at the start and at a stop */
    wrsim *sim;
    wr_progress *progress; /* progress line, drawn between windows; NULL: none */
    const volatile sig_atomic_t *is_signalled;
    double next_s; /* time of the next checkpoint, simulated s; set by the run */
    int is_due;
} wr_checkpoints;

/* Refuses a restart that would overwrite a non-empty result file, which may contain the results before the checkpoint. The call must
 * precede wrsim_prepare(), which empties the file. restart: the checkpoint; NULL: the run is no restart. Returns 0 or, after a message, an
 * exit code. */
int wr_checkpoints_refuse(const wrsim *sim, const char *restart);

/* Removes the empty result file of a restarted run that failed before its first row, because the file would prevent the next attempt. The
 * call must follow wrsim_finish(). */
void wr_checkpoints_remove_empty(const wrsim *sim, const char *restart);

/* Updates the progress line and stops the run if a checkpoint is due. Has the type wrsim_progress_fn, for calls between two windows. */
void wr_checkpoints_update(void *checkpoints, const wrsim_progress *now);

/* Runs a prepared simulation to its end or until a signal stops it. Returns the status of wrsim_run(), of the
 * checkpoint that failed, or WRSIM_E_CONFIG for a checkpoint after simulation.stop. */
wrsim_status wr_checkpoints_run(wr_checkpoints *checkpoints, wrsim_error *err);

#endif
