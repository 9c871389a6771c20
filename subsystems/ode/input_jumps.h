/* Passes the jumps of inputs at an instant.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_INPUT_JUMPS_H
#define WR_INPUT_JUMPS_H

#include "subsystems/ode/ode_parts.h"

/* Begins an instant, the current time: which sources jump, and in how many rounds. Returns how many do. */
int wr_ode_open_jumps(wr_subsystem *s);
/* Takes what those that jump are in that round, from 1 on; from its last round on each is on the right of its
 * jump. Returns how many have more rounds, *ret_n_moved: how many have moved in this one. */
int wr_ode_pass_jumps(wr_subsystem *s, int round, int *ret_n_moved);
int wr_ode_follows_at_end(const wr_subsystem *s, int i_external);
int wr_ode_has_jump_at_end(const wr_subsystem *s);

#endif
