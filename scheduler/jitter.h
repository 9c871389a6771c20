/* Measures the wake-up delay of the machine: a thread without work waits periodically.
 *
 * The measurement is that of cyclictest (rt-tests), by the pacer of runs. The result shows which part of the lateness of a
 * run the machine causes.
 *
 * Thread: one owner; the histogram belongs to the measuring thread until the stop. Real-time: no (setup and stop). */
#ifndef WR_JITTER_H
#define WR_JITTER_H

#include "base/histogram.h"
#include "scheduler/pacer.h"
#include "scheduler/rt_thread.h"

typedef struct wr_jitter wr_jitter;

typedef struct wr_jitter_options {
    double period_s;        /* time between two wake-ups, >= 1e-5 s */
    int64_t spin_ns;        /* last part of each wait that is spun, as in wr_pacer_options */
    int cpu;                /* CPU to pin to; -1 = not pinned */
    int priority;           /* SCHED_FIFO priority, 1 to 99; 0 = unchanged */
    int64_t timer_slack_ns; /* timer slack, >= 1; 0 = unchanged */
    /* [cap_trace] gets the first values in order; must outlive the measurement. NULL: not wanted */
    int64_t *trace_ns;
    int64_t cap_trace;
} wr_jitter_options;

typedef struct wr_jitter_result {
    wr_histogram lateness; /* one value per period */
    int64_t n_trace;
    wr_rt_answer pin, raise, sharpen; /* answers of the system; zero if not requested */
} wr_jitter_result;

/* Starts the measurement; the thread runs when this returns. WRSIM_E_ARG for invalid numbers, WRSIM_E_MEMORY without
 * memory or thread. A refusal by the system is no failure. */
wrsim_status wr_jitter_start(wr_jitter **ret_jitter, const wr_jitter_options *options);

/* Ends the measurement within 50 ms. Returns the result, which stays valid as long as jitter. Further calls return
 * the same. */
const wr_jitter_result *wr_jitter_stop(wr_jitter *jitter);

/* Stops the measurement if necessary and frees it. Accepts NULL. */
void wr_jitter_destroy(wr_jitter **jitter);

#endif
