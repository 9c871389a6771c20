/* Records faults.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_FAULT_H
#define WR_ODE_FAULT_H

#include "subsystems/ode/ode_parts.h"

/* Records a fault that is the subsystem's own; returns its status. */
wrsim_status wr_ode_fault(wr_subsystem *s, wrsim_status status, double t_s, const char *message);
/* Takes the group's fault over; returns its status. */
wrsim_status wr_ode_group_fault(wr_subsystem *s);

#endif
