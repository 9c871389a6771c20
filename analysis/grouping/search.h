/* The search for a grouping: candidates by structure (cuts.h), each verified by a run (verify.h), the best improved
 * step by step: a part goes to a neighbour's group, a group to another level, two groups become one, then solvers,
 * tolerances and windows are tuned until the error is the one asked for. What counts is the counted critical path on
 * the numbers of cores that are asked for (their geometric mean), at equal error.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_SEARCH_H
#define WR_SEARCH_H

#include "analysis/grouping/verify.h"

typedef struct wr_search_options {
    int k;                                 /* groups; 0: 2 to most */
    int most;                              /* 0: 8 */
    int n_run;                             /* runs to be spent, about */
    double error;                          /* asked for */
    int n_core, core[WR_VERIFY_CORES - 1]; /* that count */
    int n_random;                          /* random balanced groupings to compare with */
    void (*progress)(void *user, const char *text);
    void *user;
} wr_search_options;

typedef struct wr_search_row {
    char what[96];
    wr_grouping_set set;
    wr_verify_result result;
    double cost; /* what counts, at equal error; infinite: it does not run */
} wr_search_row;

enum { WR_SEARCH_ROWS = 64, WR_SEARCH_FINALISTS = 5 };
typedef struct wr_search_result {
    /* given: as the config has it, tuned alike, and the same with all in one level; what "" = it has none */
    wr_search_row best, given, given_at_once;
    int n_finalist; /* tuned, each of another number of groups to begin with; best is one of them */
    wr_search_row finalist[WR_SEARCH_FINALISTS];
    int n_row;
    wr_search_row
        row[WR_SEARCH_ROWS]; /* the best of each way and number of groups, before tuning */
    wr_search_row random;    /* the best of the random ones, tuned alike; what "" = none */
    int n_random;            /* that ran */
    int n_run;
} wr_search_result;

wrsim_status wr_search_run(wr_verify *verify, const wr_search_options *options, int has_given,
                           wr_search_result *ret, wrsim_error *err);

/* What counts of a result: the geometric mean of the critical paths, at the error asked for. */
double wr_search_cost(const wr_search_options *options, const wr_verify *verify,
                      const wr_verify_result *result);

#endif
