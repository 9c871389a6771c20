/* Split or monolithic? A short probe of both, judged by counted work.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_RECOMMEND_H
#define WR_RECOMMEND_H

/* At most this many subsystems are probed: preparing more takes longer than a check should. */
enum { WR_RECOMMEND_SUBSYSTEMS = 256, WR_RECOMMEND_BYTES = 512 };

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

/* Simulates the beginning of the config twice, on one worker and without output. The result depends
 * on counted work alone. Returns 0, 1 when there is nothing to choose (one subsystem, or too many),
 * or -1 when either run fails; then *ret is untouched. */
int wr_recommend(const char *path, const char *const *overrides, int n_overrides, int n_worker,
                 wr_recommendation *ret);

#endif
