/* Makes a step, and finds the first event in it.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_STEP_H
#define WR_ODE_STEP_H

#include "subsystems/ode/ode_parts.h"

/* One step towards a stop, aimed at the first event to be expected before it, and taken again where one
 * is found far from its end. Returns how many indicators fire at *ret_end_s, negative on a fault. They
 * are set in fired, with their bands in z_moved; z_step has all indicators there, sense the modes. */
int wr_ode_step(wr_subsystem *s, double stop_s, double *ret_end_s);

#endif
