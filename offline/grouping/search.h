/* Search for a grouping. Short runs (verify.h) verify the candidates that cuts.h makes from the structure. The search then improves the
 * best candidates by moves. A move puts a part into a neighbour's group or a new group, puts a group on another level, or merges two
 * groups. Between two rounds of moves and at the end, the search tunes solvers, tolerances and windows for the requested error. The cost is
 * the geometric mean of the counted critical paths over the given numbers of cores. An error above the request raises the cost.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SEARCH_H
#define WR_SEARCH_H

#include "offline/grouping/verify.h"

typedef struct wr_search_options {
    int k;                                 /* number of groups; 0: 2 to `most` */
    int most;                              /* largest number of groups if k is 0 */
    int n_run;                             /* approximate number of runs */
    double error;                          /* requested relative error */
    int n_core, core[WR_VERIFY_CORES - 1]; /* [n_core] numbers of cores in the mean cost */
    int n_random;                          /* number of random balanced groupings for comparison */
    void (*progress)(void *user, const char *text);
    void *user;
} wr_search_options;

typedef struct wr_search_row {
    char what[96];
    wr_grouping_set set;
    wr_verify_result result;
    double cost; /* wr_search_cost(); infinite: the run of the grouping fails */
} wr_search_row;

/* Largest numbers of rows and of tuned candidates (assumed). */
enum { WR_SEARCH_ROWS = 64, WR_SEARCH_FINALISTS = 5 };
typedef struct wr_search_result {
    /* best grouping; tuned subsystems of the config; tuned subsystems of the config in one level. An empty `what` means no row. */
    wr_search_row best, given, given_at_once;
    /* number of tuned candidates, with different numbers of groups before the moves; best is a tuned candidate */
    int n_finalist;
    wr_search_row finalist[WR_SEARCH_FINALISTS];
    int n_row;
    /* [n_row] best candidate of each method and number of groups, before tuning */
    wr_search_row row[WR_SEARCH_ROWS];
    wr_search_row random; /* best random grouping, tuned; an empty `what`: none */
    int n_random;         /* number of random groupings that ran */
    int n_run;
} wr_search_result;

/* Searches for a grouping, and tunes the config's own subsystems if has_given is 1. Returns WRSIM_OK, WRSIM_E_SOLVER if no run of a
 * candidate of cuts.h succeeds, or errors of wr_grouping_given(). */
wrsim_status wr_search_run(wr_verify *verify, const wr_search_options *options, int has_given,
                           wr_search_result *ret, wrsim_error *err);

/* Returns the cost of a result: the geometric mean of the critical paths, raised if the error is above the request; infinite after a
 * failure. */
double wr_search_cost(const wr_search_options *options, const wr_verify *verify,
                      const wr_verify_result *result);

#endif
