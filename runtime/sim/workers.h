/* Where a simulation's workers run. Filled by workers.c.
 *
 * Thread: as in wrsim/sim.h. Real-time: no (setup only).
 */
#ifndef WR_WORKERS_H
#define WR_WORKERS_H

#include "runtime/sim/simulation.h"

/* Reads the machine and chooses as many workers, on these cores, as the config says. Errors go to diag. */
wrsim_status wr_workers_place(wrsim *sim, wr_diag *diag);

/* Holds these cores against other runs, or chooses others where others hold them: workers without a core are not
 * pinned, and left to itself a run takes no more workers than there are free cores. */
void wr_workers_claim(wrsim *sim, wr_diag *diag);

/* Gives cores and memory back. */
void wr_workers_done(wrsim *sim);

#endif
