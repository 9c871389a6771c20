/* Finds the time of a fault, and writes its text.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_FAULT_TIME_H
#define WR_FAULT_TIME_H

#include "subsystems/ode/ode_parts.h"

double wr_ode_close_in(wr_subsystem *s, double tolerance_factor);
void wr_ode_fault_text(const wr_subsystem *s, wrsim_error *ret_err);

#endif
