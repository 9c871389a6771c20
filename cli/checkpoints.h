/* A run that begins from a checkpoint, and writes some.
 *
 * A checkpoint is due at the first end of a window at or after its time: the run is stopped there, written, and gone on with.
 * That changes nothing of the results.
 *
 * Thread: main, but for what is called between windows. Real-time: no.
 */
#ifndef WR_CHECKPOINTS_H
#define WR_CHECKPOINTS_H

#include <signal.h>

#include "cli/print.h"
#include "wrsim/wrsim.h"

typedef struct wr_checkpoints {
    const char *file, *restart; /* to write to, and to begin from; NULL = none */
    double every_s;             /* simulated; 0: only at the start and where the run is stopped */
    wrsim *sim;
    wr_progress *progress; /* told between windows; NULL = nobody */
    const volatile sig_atomic_t *is_signalled;
    double next_s; /* when the next one is due; 0 and is_due are set by the run */
    int is_due;
} wr_checkpoints;

/* Before wrsim_prepare, which empties the result file: 0, or an exit code after saying that a restarted run would overwrite
 * what may be the results up to the checkpoint. restart: NULL = it is none. */
int wr_checkpoints_refuse(const wrsim *sim, const char *restart);

/* After wrsim_finish, of a run that has failed: a restarted one that has recorded nothing leaves no result file, which would be in
 * the way of the next try. */
void wr_checkpoints_remove_empty(const wrsim *sim, const char *restart);

/* Between two windows; fits wrsim_progress_fn. */
void wr_checkpoints_update(void *checkpoints, const wrsim_progress *now);

/* A prepared simulation to its end, or to where a signal stops it. Returns as wrsim_run, or what a checkpoint met. */
wrsim_status wr_checkpoints_run(wr_checkpoints *checkpoints, wrsim_error *err);

#endif
