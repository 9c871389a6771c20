/* The state of a whole simulation, as bytes (base/state_io.h).
 *
 * Thread: the simulation's owner, between two advances. Real-time: wr_simulation_state_pass().
 */
#ifndef WR_SIMULATION_STATE_H
#define WR_SIMULATION_STATE_H

#include "base/state_io.h"
#include "runtime/sim/simulation.h"

/* Measures, writes, checks or reads the state, in sections (base/state_io.h). Reading changes a failed simulation to prepared. */
void wr_simulation_state_pass(wrsim *sim, wr_state_io *io);

/* Checks that a call may use this simulation's state. states: bits. Returns WRSIM_OK; WRSIM_E_ARG or _E_STATE as wr_simulation_check(), or
 * _E_STATE without start values; WRSIM_E_CONFIG: err (may be NULL) names the subsystem whose state cannot be saved. */
wrsim_status wr_simulation_state_check(const wrsim *sim, unsigned states, const char *call,
                                       wrsim_error *err);

/* Writes the error of a visit with the fault WR_STATE_REFUSED, and returns WRSIM_E_CALLBACK. */
wrsim_status wr_simulation_state_refused(const wr_state_io *io, wrsim_error *err);

/* Returns WRSIM_OK if the result file stays complete when the simulation continues from time_s, else WRSIM_E_ARG. */
wrsim_status wr_simulation_state_check_rows(const wrsim *sim, double time_s);

#endif
