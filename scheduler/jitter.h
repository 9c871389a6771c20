/* The machine's own wake-up jitter: a thread that does nothing but wait for the next moment, and how late it wakes.
 *
 * What cyclictest (rt-tests) measures, with the waiting that runs use: beside the lateness of a run it shows how much of that
 * is the machine's.
 *
 * Thread: one owner; the histogram belongs to the measuring thread until the stop. Real-time: no (set-up and stop).
 */
#ifndef WR_JITTER_H
#define WR_JITTER_H

#include "base/histogram.h"
#include "scheduler/pacer.h"
#include "scheduler/rt_thread.h"

typedef struct wr_jitter wr_jitter;

typedef struct wr_jitter_options {
    double period_s;        /* >= 1e-5 */
    int64_t spin_ns;        /* as wr_pacer_options */
    int cpu;                /* to pin to; -1 = leave unpinned */
    int priority;           /* SCHED_FIFO, 1 to 99; 0 = leave as it is */
    int64_t timer_slack_ns; /* >= 1; 0 = leave as it is */
    int64_t *
        trace_ns; /* [cap_trace] gets the first values, in their order; outlives it. NULL: nobody wants them */
    int64_t cap_trace;
} wr_jitter_options;

typedef struct wr_jitter_result {
    wr_histogram lateness; /* one value for each period */
    int64_t n_trace;
    wr_rt_answer pin, raise, sharpen; /* zero where nothing was asked */
} wr_jitter_result;

/* Starts measuring; the thread runs when this returns. WRSIM_E_ARG for wrong numbers, WRSIM_E_MEMORY when memory or a thread
 * cannot be had. What the system refuses is no failure. */
wrsim_status wr_jitter_start(wr_jitter **ret_jitter, const wr_jitter_options *options);

/* Ends measuring, within 50 ms, and returns what was measured; it lives as long as jitter. Calling it again gives the same. */
const wr_jitter_result *wr_jitter_stop(wr_jitter *jitter);

/* Stops, if need be, and frees. Accepts NULL. */
void wr_jitter_destroy(wr_jitter **jitter);

#endif
