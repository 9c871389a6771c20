/* Verifies a grouping by a short run with counted work, and measures its error.
 *
 * The counted critical path is the schedule bound without a clock. Every batch of a sweep has the length of its longest-first schedule on k
 * cores. This schedule uses the counted work of each task (runtime/sim/run.h, and nodes of waveforms). The count omits the first warm_s
 * seconds of the run. The error of a run is the largest max|y - ref| / max|ref| of a recorded signal. ref is a tight run in one subsystem.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_VERIFY_H
#define WR_VERIFY_H

#include "offline/grouping/grouping.h"
#include "offline/trial.h"
#include "runtime/record/results.h"

enum { WR_VERIFY_CORES = 4 }; /* number of examined numbers of cores */

typedef struct wr_verify_result {
    int is_right; /* 0: the run of the grouping fails, for the reason in `why` */
    char why[160];
    /* counted instructions of the critical path, by number of cores */
    double work[WR_VERIFY_CORES];
    double error;
    double sweeps;      /* mean number of sweeps per window */
    double contraction; /* mean contraction rate; 0: none measured */
    double group_work[WR_GROUPING_GROUPS], group_events[WR_GROUPING_GROUPS];
    double n_rhs;
} wr_verify_result;

typedef struct wr_verify {
    wr_grouping_of of;
    int core[WR_VERIFY_CORES]; /* numbers of cores of the results; core[0] is 1 */
    double warm_s;
    int is_reference_poor; /* 1: the reference's own error is too large for judging other errors */
    char folder[WR_TRIAL_PATH_BYTES];
    wr_results *reference;
    double reference_error;
    /* Results of one solver with the cheapest method and tolerance that meet the requested error: */
    double monolithic_work, monolithic_error, monolithic_rtol;
    double monolithic_total; /* work of the single solver, warm-up included */
    const char *monolithic_solver;
    int n_run;
} wr_verify;

/* Runs the reference twice, to estimate the error of the reference, and finds the work of one solver for the requested error. Returns
 * WRSIM_OK; WRSIM_E_IO without a temporary folder; WRSIM_E_SOLVER if one solver does not reach the error; or an error of a run. */
wrsim_status wr_verify_open(wr_verify *verify, double error, wrsim_error *err);
void wr_verify_close(wr_verify *verify);

/* Runs a grouping. A failure leaves is_right 0 and the reason in `why`. */
void wr_verify_run(wr_verify *verify, const wr_grouping_set *set, wr_verify_result *ret);

/* Measures groupings (NULL: one tuned solver) in n_round interleaved rounds on one worker. Writes the schedule bounds of each grouping
 * without warm-up, in seconds, to ret_s[n_set][WR_VERIFY_CORES]. A bound uses the shortest time of each task in any round. For one solver
 * the bound is the least CPU time of a run. Returns WRSIM_OK, or errors of runs. */
wrsim_status wr_verify_measure(wr_verify *verify, const wr_grouping_set *const *sets, int n_set,
                               int n_round, double (*ret_s)[WR_VERIFY_CORES], wrsim_error *err);

#endif
