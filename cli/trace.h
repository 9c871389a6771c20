/* Traces of a run: an observer (wrsim/observer.h) stores its records in memory, and a file in the trace-event format of Chrome and Perfetto
 * shows the records on a timeline.
 *
 * Memory and file are bounded. Each worker has a buffer for its records, and one more buffer has the windows. A full buffer replaces its
 * oldest record, so the trace has the newest part of a long run. The file says from which time on the trace is complete.
 * docs/reference/trace.md describes the file.
 *
 * Thread: one owner, which calls no function while the run advances. The observer's functions: as in wrsim/observer.h. Real-time: the
 * observer's functions neither allocate, lock, read the clock nor call the system. All other functions: no. */
#ifndef WR_TRACE_H
#define WR_TRACE_H

#include "wrsim/wrsim.h"

/* Number of records of all buffers together (assumed): 16 MiB of memory, and files of at most about 80 MB. */
enum { WR_TRACE_RECORDS = 1 << 18 };

typedef enum wr_trace_kind {
    WR_TRACE_TASK,
    WR_TRACE_WAIT,
    WR_TRACE_COMMIT,
    WR_TRACE_DECISION,
    WR_TRACE_PERIOD,
    WR_TRACE_SWEEP,
    WR_TRACE_WINDOW,
    WR_TRACE_REJECTION
} wr_trace_kind;

/* A record of one cache line. Members without meaning for a kind are 0. */
typedef struct wr_trace_record {
    int64_t start_ns, end_ns; /* wall time; sweep, window and rejection: only end_ns */
    double from_s, to_s;      /* simulated time */
    union {
        double change;            /* sweep, window, rejection: largest change, tolerance units */
        int64_t over_ns;          /* period: time after the deadline */
        wrsim_status status;      /* task, commit */
        wrsim_wait_reason reason; /* wait */
    } as;
    int i_subsystem;    /* rejection: the subsystem that failed, or -1 */
    int i_window;       /* number of finished windows, with rejected windows, before this record */
    int n_step;         /* task: steps; sweep, window, rejection: integrations */
    int n_event;        /* task: events */
    int i_sweep;        /* task: sweep; window, rejection, period: number of sweeps */
    unsigned char kind; /* wr_trace_kind */
    unsigned char is_unchanged, is_ahead, has_deadline;
} wr_trace_record;

typedef struct wr_trace_buffer {
    wr_trace_record *record; /* [cap] record number n is at n % cap */
    int64_t n;               /* number of records since the start */
} wr_trace_buffer;

typedef struct wr_trace wr_trace;

/* Allocates the buffers for a prepared simulation, and writes to all their pages. n_record: number of records of all buffers together.
 * Returns NULL when memory is exhausted. */
wr_trace *wr_trace_create(const wrsim *sim, int n_record);
void wr_trace_destroy(wr_trace **trace);

/* Returns the observer, which the trace owns. */
const wrsim_observer *wr_trace_observer(const wr_trace *trace);

int wr_trace_workers(const wr_trace *trace);
/* Returns the buffer of a worker, or with i = wr_trace_workers() the buffer of windows. */
const wr_trace_buffer *wr_trace_buffer_of(const wr_trace *trace, int i);
int wr_trace_cap(const wr_trace *trace);
/* Returns the sum of all waits of a worker since the start, ns, also of waits that are no longer in the buffer. */
int64_t wr_trace_wait_ns(const wr_trace *trace, int i_worker);

#endif
