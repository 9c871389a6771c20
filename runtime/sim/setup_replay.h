/* Subsystems that are played from a result file (kind = "replay").
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_SETUP_REPLAY_H
#define WR_SETUP_REPLAY_H

#include "runtime/sim/assembly.h"

/* Is that one played? */
int wr_setups_is_replay(const wr_assembly *a, int i_subsystem);

/* Makes its subsystem: what others read of it, from the file that its [[subsystem]] names. Where the file has no waves
 * its points are joined, and a warning says what that costs, about. Errors go to diag. */
wrsim_status wr_setups_create_replay(wr_assembly *a, int i_subsystem, int cap_row, wr_diag *diag);

#endif
