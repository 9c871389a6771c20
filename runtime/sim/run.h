/* Second runs and counted work. A second run has the settings of another one, works on the caller's thread and writes no
 * files. Counted work compares runs without a clock. wrsim_run() uses both to give up an endless run.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_RUN_H
#define WR_RUN_H

#include "runtime/sim/simulation.h"
#include "wrsim/stats.h"

/* Preparing more takes longer than a check should. */
enum { WR_SECOND_RUN_SUBSYSTEMS = 256, WR_SECOND_RUN_STATES = 2000 };

/* A prepared simulation, the caller's. Where it fails *ret_sim may be set, too. */
wrsim_status wr_run_open_second(const wr_settings *settings, const wr_memory *memory,
                                wrsim **ret_sim, wrsim_error *err);

/* Is it split, and little enough to be probed? */
int wr_run_is_small(const wrsim *sim);

/* The tightest of its solvers' tolerances; 0: none has one. */
double wr_run_tightest_rtol(const wrsim *sim);

/* Settings of the same run in one subsystem, with a solver of that tolerance where it is > 0. */
void wr_run_make_monolithic(wr_settings *settings, double rtol);

/* Counted work of all subsystems since the start, in instructions (run.h), but what windows cost no more than
 * the shortest do: at least so much was done. */
double wr_run_least_work(const wrsim *sim);

/* Instructions of one of n_subsystem subsystems, as callgrind counts them in the models that ship; of
 * a whole run the sum is right to within a third. ret_window (or NULL): the part that windows cost. */
double wr_run_work(const wrsim_subsystem_stats *s, int n_subsystem, double *ret_window);

#endif
