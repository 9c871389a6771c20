/* Checkpoints in memory, and the claim of a checkpoint file for a program that writes checkpoints during the run.
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

/* Writes the bytes of a checkpoint to *ret_bytes, which the caller frees. name: of the checkpoint in messages. The caller has checked the
 * simulation by wr_simulation_state_check(). Returns WRSIM_OK, WRSIM_E_MEMORY, or WRSIM_E_CALLBACK (a model fails to write its state). */
wrsim_status wr_checkpoint_compose(wrsim *sim, const char *name, unsigned char **ret_bytes,
                                   size_t *ret_n_bytes, wrsim_error *err);

/* Checks all bytes of a checkpoint, then reads the state. The caller has checked the simulation as above. Returns a status as
 * wrsim_checkpoint_read() does. */
wrsim_status wr_checkpoint_take_over(wrsim *sim, const char *name, const unsigned char *bytes,
                                     size_t n_bytes, wrsim_error *err);

#endif
