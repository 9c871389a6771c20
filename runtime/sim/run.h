/* Second runs and counted work. A second run takes its settings from another run, works on the caller's thread and writes no
 * files. Counted work compares runs without a clock. wrsim_run() uses second runs and counted work to end an endless
 * run.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_RUN_H
#define WR_RUN_H

#include "runtime/sim/simulation.h"
#include "wrsim/stats.h"

/* Largest model of a second run (assumed). Preparing a larger model takes too long for a check. */
enum { WR_SECOND_RUN_SUBSYSTEMS = 256, WR_SECOND_RUN_STATES = 2000 };

/* Creates and prepares a simulation, which the caller owns. `like`: see wr_build_simulation_create(). *ret_sim may be set on failure. */
wrsim_status wr_run_open_second(const wr_settings *settings, const wrsim *like, wrsim **ret_sim,
                                wrsim_error *err);

/* Returns 1 if the simulation has several subsystems, and is small enough for a second run. */
int wr_run_is_small(const wrsim *sim);

/* Returns the tightest relative tolerance of the solvers; 0: no solver has a tolerance. */
double wr_run_tightest_rtol(const wrsim *sim);

/* Changes the settings to a run in one subsystem. If rtol > 0, rtol becomes the solver's tolerance. */
void wr_run_make_monolithic(wr_settings *settings, double rtol);

/* Returns the counted work of all subsystems since the start without the cost of points, in instructions. */
double wr_run_own_work(const wrsim *sim);

/* Counted work of a second of component.cost. The number corresponds to 1.5e5 instructions in 50 us (offline/split_probe.c). */
#define WR_RUN_PER_SECOND 3e9
/* Returns the counted work of a subsystem, in instructions as callgrind counts them. docs/lab/2026-11-29-counted-work.md has its accuracy. If
 * the run counts points, a point of a component with a cost counts by its time. ret_coupling (or NULL): the part for windows, nodes of
 * waves and published outputs. */
double wr_run_work(const wrsim_subsystem_stats *s, double *ret_coupling);

#endif
