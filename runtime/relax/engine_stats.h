/* Counters of the relaxation engine.
 *
 * Thread: plain data. Real-time: yes.
 */
#ifndef WR_ENGINE_STATS_H
#define WR_ENGINE_STATS_H

#include <stdint.h>

#include "scheduler/crew.h"
#include "scheduler/schedule_bound.h"
#include "wrsim/stats.h"

typedef struct wr_engine_stats {
    WRSIM_WINDOW_STATS(WRSIM_STATS_KEYED_FIELD)
    double contraction_mean; /* mean of measured ratios of successive differences */
    int64_t n_contraction;
    /* Simulated time from which acceleration was automatic, as sweeps contracted too slowly, s; NaN = never. */
    double fallback_s;
    double bound_wall_s[WR_SCHEDULE_BOUND_CASES]; /* of all batches; measured, not deterministic */
    double accepted_s;      /* wall time of the integrations that accepted windows ended with */
    int64_t n_rhs_accepted; /* their right-hand sides */
    double window_shortest_s, window_longest_s;
    wr_crew_reason crew_reason; /* why no more, when that was last asked */
    double work_per_window;     /* work units, as it was then */
    int64_t n_worker_change;
} wr_engine_stats;

#endif
