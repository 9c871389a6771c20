/* Compares the states of a subsystem in two runs: the difference of each state, relative to its range.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_TRAJECTORY_H
#define WR_TRAJECTORY_H

#include "wrsim/config.h"

typedef struct wr_trajectory {
    int n;      /* number of states */
    int n_time; /* number of times */
    double *x;  /* [n_time * n] states at each time */
} wr_trajectory;

/* Runs a config and stores the states of one subsystem at n_time ascending times within the run. The caller calls
 * wr_trajectory_done() also after a failure. Returns errors of the run, or WRSIM_E_MEMORY. */
wrsim_status wr_trajectory_run(const wrsim_config *config, const char *subsystem,
                               const double *time_s, int n_time, wrsim_report_fn report,
                               void *reporter, wr_trajectory *ret_trajectory, wrsim_error *err);
void wr_trajectory_done(wr_trajectory *trajectory);

/* Returns the largest difference of state i, divided by its range in the reference, but at least by a thousandth of
 * nominal[i]. The result is not finite if one of the states is not. */
double wr_trajectory_error(const wr_trajectory *of, const wr_trajectory *reference, int i,
                           const double *nominal);

#endif
