/* Records faults.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_FAULT_H
#define WR_ODE_FAULT_H

#include "subsystems/ode/ode_parts.h"

/* Records a fault of the subsystem, not of a component; returns its status. */
wrsim_status wr_ode_fault(wr_subsystem *s, wrsim_status status, double t_s, const char *message);
/* Copies the group's fault to the subsystem; returns its status. */
wrsim_status wr_ode_group_fault(wr_subsystem *s);

#endif
