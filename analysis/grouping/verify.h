/* Verifying a grouping: a short relaxed run of it, counted, and its error.
 *
 * Counted critical path: every batch of a sweep takes what its longest-first schedule on k cores takes, with the work of
 * each task counted (runtime/sim/run.h, and nodes of waves): the schedule bound without a clock. What is before warm_s is left
 * out. Errors are max|y - ref| / max|ref| over the recorded signals against a tight run in one subsystem.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_VERIFY_H
#define WR_VERIFY_H

#include "analysis/grouping/grouping.h"
#include "runtime/record/results.h"

enum { WR_VERIFY_CORES = 4 };

typedef struct wr_verify_result {
    int is_right; /* 0: it did not run; why says so */
    char why[160];
    double work[WR_VERIFY_CORES]; /* counted instructions on so many cores */
    double error;
    double sweeps;      /* per window */
    double contraction; /* mean of measured ratios; 0: none */
    double group_work[WR_GROUPING_GROUPS], group_events[WR_GROUPING_GROUPS];
    double n_rhs;
} wr_verify_result;

typedef struct wr_verify {
    wr_grouping_of of;
    int core[WR_VERIFY_CORES]; /* of the results; core[0] is 1 */
    double warm_s;
    int is_reference_poor; /* 1: the reference's own error is too large to judge */
    char folder[64];
    wr_results *reference;
    double reference_error;
    /* Of one solver, with the loosest tolerance and the method that have the error asked for at least work. */
    double monolithic_work, monolithic_error, monolithic_rtol;
    double monolithic_total; /* its work with the warm-up */
    const char *monolithic_solver;
    int n_run;
} wr_verify;

/* Runs the reference twice (the looser one says how good it is), and finds what one solver takes for that error. */
wrsim_status wr_verify_open(wr_verify *verify, double error, wrsim_error *err);
void wr_verify_close(wr_verify *verify);

void wr_verify_run(wr_verify *verify, const wr_grouping_set *set, wr_verify_result *ret);

/* Measures groupings (NULL: one solver, tuned) in turn, so many rounds, on one worker: the schedule bounds of each, of the shortest time
 * that each task took in any round; of one solver the least CPU time of a run. ret_s[n_set], s after the warm-up. What running reports. */
wrsim_status wr_verify_measure(wr_verify *verify, const wr_grouping_set *const *sets, int n_set,
                               int n_round, double (*ret_s)[WR_VERIFY_CORES], wrsim_error *err);

#endif
