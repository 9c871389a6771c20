/* Passes the jumps of inputs at an instant.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_INPUT_JUMPS_H
#define WR_INPUT_JUMPS_H

#include "subsystems/ode/ode_parts.h"

/* Begins an instant at the current time: finds the sources that jump and their rounds. Returns the number of these sources. */
int wr_ode_open_jumps(wr_subsystem *s);
/* Reads the values of jumping sources in a round, from 1 on. After its last round a source stays on the right of its jump. Returns
 * the number of sources with further rounds; *ret_n_moved: sources that changed in this round. */
int wr_ode_pass_jumps(wr_subsystem *s, int round, int *ret_n_moved);
int wr_ode_follows_at_end(const wr_subsystem *s, int i_external);
int wr_ode_has_jump_at_end(const wr_subsystem *s);

#endif
