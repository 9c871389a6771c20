/* A run of a config that stops at chosen times. Thread: one owner. Real-time: no. */
#ifndef WR_WALK_H
#define WR_WALK_H

#include "wrsim/sim.h"

/* Creates and prepares the simulation, which the caller destroys. Tools disable results and pacing by wr_walk_overrides.
 * Returns the statuses of wrsim_create() and wrsim_prepare(). */
wrsim_status wr_walk_begin(const wrsim_config *config, wrsim_report_fn report, void *reporter,
                           wrsim **ret_sim, wrsim_error *err);

/* Function that receives the number and the time of each point before a tool examines the point. */
typedef void (*wr_walk_progress_fn)(void *user, int i_time, double time_s);

/* Advances to a time, which must not be before the present time. Returns WRSIM_E_STATE for a stopped run, and for a run that an event has
 * ended; else the status of wrsim_advance(). */
wrsim_status wr_walk_to(wrsim *sim, double time_s, wrsim_error *err);

/* Overrides for a run without output files and pacing, ended by NULL. */
extern const char *const wr_walk_overrides[];

/* Checks that times are numbers, ascending, and within the run. Returns WRSIM_OK, or a negative status with err. */
wrsim_status wr_walk_check_times(const wrsim_config *config, const double *time_s, int n_time,
                                 wrsim_error *err);

/* Returns n_time times spread evenly over a run, ends included (one time: the start). The caller frees the array. Returns NULL when out of
 * memory. */
double *wr_walk_times(const wrsim_config *config, int n_time);

#endif
