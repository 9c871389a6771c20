/* Trajectories of a subsystem's states, of runs that are to be compared: how far one is from another, state by state, in parts of
 * what the state does.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_TRAJECTORY_H
#define WR_TRAJECTORY_H

#include "wrsim/config.h"

typedef struct wr_trajectory {
    int n, n_time;
    double *x; /* [n_time * n] */
} wr_trajectory;

/* Runs a config and takes the states of one of its subsystems at times (ascending, within the run). The caller's also on failure.
 * Returns what running does, or WRSIM_E_MEMORY. */
wrsim_status wr_trajectory_run(const wrsim_config *config, const char *subsystem,
                               const double *time_s, int n_time, wrsim_report_fn report,
                               void *reporter, wr_trajectory *ret_trajectory, wrsim_error *err);
void wr_trajectory_done(wr_trajectory *trajectory);

/* The largest difference of state i in parts of its range in the reference; of a state that moves by less than a thousandth of
 * nominal[i], in parts of that thousandth. Not finite where one of them is not. */
double wr_trajectory_error(const wr_trajectory *of, const wr_trajectory *reference, int i,
                           const double *nominal);

#endif
