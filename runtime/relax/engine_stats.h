/* Counters of the relaxation engine.
 *
 * Thread: plain data. Real-time: yes.
 */
#ifndef WR_ENGINE_STATS_H
#define WR_ENGINE_STATS_H

#include <stdint.h>

#include "scheduler/crew.h"
#include "scheduler/placement.h"
#include "wrsim/stats.h"

typedef struct wr_engine_stats {
    WRSIM_WINDOW_STATS(WRSIM_STATS_KEYED_FIELD)
    double contraction_mean; /* mean of measured ratios of successive differences */
    int64_t n_contraction;
    /* Simulated time, s, at which slow contraction started automatic acceleration; NaN: never. */
    double fallback_s;
    double bound_wall_s[WR_PLACEMENT_BOUNDS]; /* of all batches; measured, not deterministic */
    double accepted_s;      /* wall time of the last integrations of accepted windows */
    int64_t n_rhs_accepted; /* right-hand sides of these integrations */
    double window_shortest_s, window_longest_s;
    wr_crew_reason crew_reason; /* limit on the workers in the last choice of their number */
    double work_per_window;     /* work units, at that choice */
    int64_t n_worker_change;
} wr_engine_stats;

#endif
