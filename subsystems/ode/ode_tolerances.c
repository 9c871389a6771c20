/* Tolerances of the times of events. See ode_tolerances.h.
 *
 * Thread: any. Real-time: yes.
 */
#include "subsystems/ode/ode_tolerances.h"
#include "subsystems/ode/ode_parts.h"

/* A state event is located to RTOL_SHARE * rtol of the part of a step in which its indicator
 * changes sign, and to ROUNDING_SHARE of it at least. So the errors of all events' times together
 * are less than RTOL_SHARE * rtol of the simulated time. Root finding converges superlinearly: two
 * digits more take 0.2 % more instructions on the engine (docs/lab/2026-11-26-time-scales.md). */
static const double RTOL_SHARE = 1e-4, ROUNDING_SHARE = 16.0 * DBL_EPSILON;

double wr_ode_event_share(double rtol) { return wr_max(RTOL_SHARE * rtol, ROUNDING_SHARE); }
