/* Claims a checkpoint file for one run, for a program that writes checkpoints during the run.
 *
 * Thread: the simulation's owner. Real-time: no.
 */
#ifndef WR_CHECKPOINT_H
#define WR_CHECKPOINT_H

#include "wrsim/sim.h"

/* Claims the file for this prepared simulation until wrsim_finish() or wrsim_destroy(). One call per simulation. Returns WRSIM_OK;
 * WRSIM_E_IO: another run has claimed the file, or the file has other content than a checkpoint of wrsim; WRSIM_E_ARG: the file is the
 * run's result file or summary; WRSIM_E_MEMORY. */
wrsim_status wr_checkpoint_claim(wrsim *sim, const char *file, wrsim_error *err);

#endif
