/* A run of a config that stops at chosen times, to be looked at there.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_WALK_H
#define WR_WALK_H

#include "wrsim/sim.h"

/* Makes and prepares the simulation; the caller destroys it. Results and summaries are the config's business: tools switch
 * them off by overrides (wr_walk_overrides). Status as wrsim_create() and wrsim_prepare(). */
wrsim_status wr_walk_begin(const wrsim_config *config, wrsim_report_fn report, void *reporter,
                           wrsim **ret_sim, wrsim_error *err);

/* Is told before each point of a run is looked at. */
typedef void (*wr_walk_progress_fn)(void *user, int i_time, double time_s);

/* Goes on to a time, which is not before the present one. A run that was stopped is WRSIM_E_STATE. */
wrsim_status wr_walk_to(wrsim *sim, double time_s, wrsim_error *err);

/* Overrides with which a run writes nothing and waits for nobody, ending with NULL. */
extern const char *const wr_walk_overrides[];

/* Checks chosen times: each a number, ascending, within the run. */
wrsim_status wr_walk_check_times(const wrsim_config *config, const double *time_s, int n_time,
                                 wrsim_error *err);

/* n_time times spread evenly over a run, ends included (one: the start); the caller's, NULL when out of memory. */
double *wr_walk_times(const wrsim_config *config, int n_time);

#endif
