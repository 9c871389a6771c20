/* Writes the recorded rows of a run when a crash is about to end the process.
 *
 * Thread: any, also in a signal handler, between wrsim_prepare() and wrsim_finish(). Real-time: no.
 */
#ifndef WR_CRASH_FLUSH_H
#define WR_CRASH_FLUSH_H

#include <stdint.h>

#include "wrsim/sim.h"

typedef enum wr_crash_flush {
    WR_FLUSH_NO_FILE, /* The run writes no result file. */
    WR_FLUSH_LATE,    /* The recorder failed, or needs longer than wait_ns. */
    WR_FLUSH_DONE     /* The file holds all rows of the accepted windows. */
} wr_crash_flush;

/* Asks the recorder's thread to write and flush its rows, and waits at most wait_ns for it. */
wr_crash_flush wr_crash_flush_rows(wrsim *sim, int64_t wait_ns);

#endif
