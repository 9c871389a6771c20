/* See the .c file.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_HYBRID_FAULT_H
#define WR_HYBRID_FAULT_H

#include "subsystems/hybrid_parts.h"

/* Records a fault that is the subsystem's own; returns its status. */
wrsim_status wr_hybrid_fault(wr_subsystem *s, wrsim_status status, double t_s, const char *message);
/* Takes the group's fault over; returns its status. */
wrsim_status wr_hybrid_group_fault(wr_subsystem *s);

#endif
