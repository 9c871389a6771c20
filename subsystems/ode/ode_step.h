/* Makes a step, and finds the first event in it.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_STEP_H
#define WR_ODE_STEP_H

#include "subsystems/ode/ode_parts.h"

/* Makes one step towards stop_s. The step aims at the first event expected before stop_s; if an event lies far from the step's end, the
 * step is repeated. Returns the number of indicators that fire at *ret_end_s, negative on a fault. Sets fired, z_moved (bands of the
 * fired indicators), and z_step and sense, the indicators and modes at *ret_end_s. */
int wr_ode_step(wr_subsystem *s, double stop_s, double *ret_end_s);

#endif
