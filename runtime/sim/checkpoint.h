/* Claims a checkpoint file for one run, for a program that writes checkpoints during the run.
 *
 * Thread: the simulation's owner. Real-time: no.
 */
#ifndef WR_CHECKPOINT_H
#define WR_CHECKPOINT_H

#include "wrsim/sim.h"

/* Holds the file for this simulation until wrsim_finish(). The simulation is prepared; call this once. Returns WRSIM_OK;
 * WRSIM_E_IO if another run holds the file, or if wrsim did not write it; WRSIM_E_ARG if the file is another output of the run; or
 * WRSIM_E_MEMORY. */
wrsim_status wr_checkpoint_claim(wrsim *sim, const char *file, wrsim_error *err);

#endif
