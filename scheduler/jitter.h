/* Measures the wake-up delay of the machine: a thread without work waits periodically.
 *
 * The measurement works like cyclictest (rt-tests), with the pacer of runs. The result shows how much of a run's lateness the machine
 * causes.
 *
 * Thread: one owner; the histogram belongs to the measuring thread until the stop. Real-time: no (setup and stop).
 */
#ifndef WR_JITTER_H
#define WR_JITTER_H

#include "base/histogram.h"
#include "scheduler/pacer.h"
#include "scheduler/rt_thread.h"

typedef struct wr_jitter wr_jitter;

typedef struct wr_jitter_options {
    double period_s; /* time between two wake-ups, >= 1e-5 s */
    /* length of the spin at the end of each wait, ns */
    int64_t spin_ns;
    int cpu;                /* CPU of the thread; -1: not pinned */
    int priority;           /* SCHED_FIFO priority, 1 to 99; 0: unchanged */
    int64_t timer_slack_ns; /* timer slack, ns, >= 1; 0: unchanged */
    /* [cap_trace] receives the first latenesses in order, ns; must outlive the measurement. NULL: no trace */
    int64_t *trace_ns;
    int64_t cap_trace;
} wr_jitter_options;

typedef struct wr_jitter_result {
    wr_histogram lateness; /* one value per period */
    int64_t n_trace;
    wr_rt_answer pin, raise, sharpen; /* answers of the system; zeros without a request */
} wr_jitter_result;

/* Starts the measurement. The thread runs when the call returns. Returns WRSIM_E_ARG for invalid numbers, and WRSIM_E_MEMORY without memory
 * or thread. A refusal by the system is no failure. */
wrsim_status wr_jitter_start(wr_jitter **ret_jitter, const wr_jitter_options *options);

/* Ends the measurement within 50 ms. Returns the result, which stays valid until wr_jitter_destroy(). Further calls return the same
 * result. */
const wr_jitter_result *wr_jitter_stop(wr_jitter *jitter);

/* Stops a running measurement, frees the object and sets *jitter to NULL. *jitter may be NULL. */
void wr_jitter_destroy(wr_jitter **jitter);

#endif
