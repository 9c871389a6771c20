/* The state of a whole simulation, as bytes (base/state_io.h).
 *
 * Thread: the simulation's owner, between two advances. Real-time: passing over it.
 */
#ifndef WR_SIMULATION_STATE_H
#define WR_SIMULATION_STATE_H

#include "base/state_io.h"
#include "runtime/sim/simulation.h"

/* Passes over all of it, in sections. After reading the simulation is prepared, also one that had failed. */
void wr_simulation_state_pass(wrsim *sim, wr_state_io *io);

/* May a call pass over the state of this simulation? WRSIM_OK; WRSIM_E_ARG or _E_STATE as wr_simulation_check();
 * WRSIM_E_CONFIG: err (or NULL) names the subsystem whose inside cannot be had. States: bits. */
wrsim_status wr_simulation_state_check(const wrsim *sim, unsigned states, const char *call,
                                       wrsim_error *err);

/* Would the result file miss no rows if the simulation went on from that time, s? WRSIM_OK or WRSIM_E_ARG. */
wrsim_status wr_simulation_state_check_rows(const wrsim *sim, double time_s);

#endif
