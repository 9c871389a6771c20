/* Second runs: of the same settings, on the caller's thread, which write nothing. What they take is counted.
 *
 * Thread: one owner. Real-time: no (setup, and runs that have no deadline).
 */
#ifndef WR_PROBE_H
#define WR_PROBE_H

#include "runtime/sim/simulation.h"

/* Preparing more takes longer than a check should. */
enum { WR_PROBE_SUBSYSTEMS = 256, WR_PROBE_STATES = 2000 };

/* A prepared simulation, the caller's. Where it fails *ret_sim may be set, too. */
wrsim_status wr_probe_open(const wr_settings *settings, const wr_memory *memory, wrsim **ret_sim,
                           wrsim_error *err);

/* Is it split, and little enough to be probed? */
int wr_probe_is_fit(const wrsim *sim);

/* The tightest of its solvers' tolerances; 0: none has one. */
double wr_probe_rtol(const wrsim *sim);

/* Settings of the same run in one subsystem, with a solver of that tolerance where it is > 0. */
void wr_probe_merge(wr_settings *settings, double rtol);

/* Counted work of all subsystems since the start, in instructions (run_work.h), but what windows cost no more than
 * the shortest do: at least so much was done. */
double wr_probe_least_work(const wrsim *sim);

#endif
