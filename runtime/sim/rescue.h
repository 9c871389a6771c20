/* Saving the rows of a run whose program is about to end without finishing it.
 *
 * Thread: any, also in a signal handler, between wrsim_prepare and wrsim_finish. Real-time: no.
 */
#ifndef WR_RESCUE_H
#define WR_RESCUE_H

#include <stdint.h>

#include "wrsim/sim.h"

/* Does the run write a result file? */
int wr_rescue_has_file(const wrsim *sim);

/* Has the recorder write and flush the rows that it was given, and waits for it, at most wait_ns. Returns whether that is
 * done. */
int wr_rescue_rows(wrsim *sim, int64_t wait_ns);

#endif
