/* Counters of the relaxation engine. Thread: plain data. Real-time: yes. */
#ifndef WR_ENGINE_STATS_H
#define WR_ENGINE_STATS_H

#include <stdint.h>

#include "scheduler/placement.h"
#include "scheduler/worker_count.h"
#include "wrsim/stats.h"

typedef struct wr_engine_stats {
    WRSIM_WINDOW_STATS(WRSIM_STATS_KEYED_FIELD)
    double contraction_mean; /* sum of measured ratios of successive residuals */
    int64_t n_contraction;   /* number of measured ratios */
    /* Simulated time, s, at which slow contraction started acceleration by itself; NaN: never. */
    double fallback_s;
    double bound_wall_s[WR_PLACEMENT_BOUNDS]; /* lower bounds on the wall time of all batches */
    /* lower bounds on the time of all batches by the cost of points, s */
    double bound_point_s[WR_PLACEMENT_BOUNDS];
    /* wall time, s, of the last integrations of accepted windows, summed over subsystems */
    double accepted_s;
    int64_t n_rhs_accepted; /* right-hand sides of the last integrations of accepted windows */
    double window_shortest_s, window_longest_s;
    wr_worker_count_reason
        worker_reason;      /* limit on the workers in the last choice of their number */
    double work_per_window; /* work per window at that choice, work units */
    /* measured wall time, s, of a window with work_per_window: [0] with several workers, [1] with one worker; 0: not measured */
    double measured_s[2];
    int64_t n_worker_change;
} wr_engine_stats;

#endif
