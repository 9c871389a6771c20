/* Integrates a window from stop to stop.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_ADVANCE_H
#define WR_ODE_ADVANCE_H

#include "subsystems/ode/ode_parts.h"

wrsim_status wr_ode_advance(wr_subsystem *s, double t_end_s, double tolerance_factor);
int wr_ode_is_event_due(wr_subsystem *s, const double *change);

#endif
