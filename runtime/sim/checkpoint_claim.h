/* A checkpoint's file that belongs to one run, for a program that writes it from time to time.
 *
 * Thread: the simulation's owner. Real-time: no.
 */
#ifndef WR_CHECKPOINT_CLAIM_H
#define WR_CHECKPOINT_CLAIM_H

#include "wrsim/sim.h"

/* Holds the file for this simulation, which is prepared, until wrsim_finish. Once. WRSIM_OK; WRSIM_E_IO: another run holds the file, or
 * the file is none of wrsim's; WRSIM_E_ARG: it is another output of the run; WRSIM_E_MEMORY. */
wrsim_status wr_checkpoint_claim(wrsim *sim, const char *file, wrsim_error *err);

#endif
