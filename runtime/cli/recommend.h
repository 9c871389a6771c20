/* Split or monolithic? A short probe of both, judged by counted work.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_RECOMMEND_H
#define WR_RECOMMEND_H

#include "wrsim/stats.h"

enum { WR_RECOMMEND_BYTES = 1024 };

typedef struct wr_recommendation {
    int is_monolithic;
    int n_worker;             /* that the split would be run on */
    double span_s;            /* simulated time of the probe */
    double work_ratio;        /* work of the split run over that of the monolithic one */
    double sweeps_per_window; /* of the split run */
    double window_share;      /* part of the split run's work that is wrsim's own, per window */
    double shared_by;         /* workers that the split run can keep busy, 1 .. n_worker */
    char text[WR_RECOMMEND_BYTES]; /* one sentence, with the numbers */
} wr_recommendation;

/* Is there something to choose, and little enough to be probed? */
int wr_recommend_applies(const wrsim_stats *stats);

/* Simulates the beginning of the config twice, on one worker and without output. The result depends
 * on counted work alone; work and sweeps are infinite where the split fails and one solver does not.
 * Returns 0, or -1 when both fail or cannot be prepared; then *ret is untouched. */
int wr_recommend(const char *path, const char *const *overrides, int n_overrides, int n_worker,
                 wr_recommendation *ret);

#endif
