/* Stores points where indicators turn back before zero, for the error estimate.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_INDICATOR_TURNS_H
#define WR_INDICATOR_TURNS_H

#include "subsystems/ode/ode_parts.h"

/* Stores in s->watch the turns of indicators in the step to end_s. Sets the second derivative (bend) of the indicator that fires. */
void wr_ode_watch_course(wr_subsystem *s, double end_s);

#endif
