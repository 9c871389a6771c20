/* Runs of wrsim or of a peer, and a cache of their results. Thread: main. Real-time: no. */
#ifndef WR_BENCH_RUN_H
#define WR_BENCH_RUN_H

#include "bench/bench.h"

/* Names of the baselines, ended by NULL; whether a name is a baseline; and all names as one text. */
extern const char *const wr_bench_baselines[];
int wr_bench_is_baseline(const char *name);
const char *wr_bench_baselines_text(wr_bench *bench);
/* Returns NULL if the peer can run; else the reason. */
const char *wr_bench_peer_missing(wr_bench *bench, const char *name);
/* Performs one run. n_worker applies to wrsim, not to peers. result: file of the results; NULL: a timed run without results. */
void wr_bench_run(wr_bench *bench, const wr_trial_setting *setting, int n_worker,
                  const char *result, wr_trial_sample *ret_sample);
/* Returns the largest error of the signals against the reference, max|y - ref| / max|ref|; NaN if the run fails. Equal
 * settings run once. */
double wr_bench_error(wr_bench *bench, const wr_trial_setting *setting);
/* Returns the error message of the run of wr_bench_error() with this setting; "" if the run succeeded, or did not take place. The bench owns
 * the text. */
const char *wr_bench_failure(wr_bench *bench, const wr_trial_setting *setting);
/* Returns the cost, s, the least of up to three runs: CPU time on one worker, wall time on more workers; NaN if the first run fails. If the
 * case counts costs: the cost of points of one run. *ret_work (may be NULL) receives the sample of the run with the least cost. */
double wr_bench_cost(wr_bench *bench, const wr_trial_setting *setting, int n_worker,
                     wr_trial_sample *ret_work);
/* Returns the cost of one more run, s; after a long run, the least cost so far. Without a cost so far, acts as wr_bench_cost(). */
double wr_bench_cost_again(wr_bench *bench, const wr_trial_setting *setting, int n_worker);
void wr_bench_forget(wr_bench *bench);

/* Returns the cost of points of a run, s: of all points, or their bound on 2, 5 or 16 cores. */
double wr_bench_point_time(const wr_trial_sample *sample, int cores);

#endif
