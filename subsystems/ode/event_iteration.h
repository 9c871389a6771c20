/* Fires the events of an instant, round by round.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_EVENT_ITERATION_H
#define WR_EVENT_ITERATION_H

#include "subsystems/ode/ode_parts.h"

double wr_ode_next_event(const wr_subsystem *s, double *ret_gap_s);
/* Indicators at the current point into z, where f may be wanted next; counted. */
wrsim_status wr_ode_indicators_here(wr_subsystem *s);
/* Makes fired what list holds: indices of indicators, with the signs of z. */
void wr_ode_set_fired(wr_subsystem *s, const int *index, int n, const double *z);
/* The current instant in superdense time (docs/NUMERICS.md): fires what is set in fired, and the times in due,
 * at the current point; in rounds then inputs pass their jumps, what is published is shown, and what has become
 * due fires, until nothing does. moved[n_z] is how far indicators moved over the last bracket, the band around zero in which one
 * that has fired keeps its mode; NULL: rounding only. x, d, mode and z are the new ones afterwards. */
wrsim_status wr_ode_fire(wr_subsystem *s, int is_initial, const double *moved);
/* The parts of it. A round fires what is due, with is_initial the initial events, and returns how many time
 * events are due at once then; looking again gives indicators their modes until none changes, so that all see what
 * others have switched, marks those that have changed, *ret_n_flip modes in all, and returns how many are due;
 * both negative on a fault. Something due after too many rounds is a fault. */
void wr_ode_begin_instant(wr_subsystem *s);
int wr_ode_fire_round(wr_subsystem *s, int is_initial);
int wr_ode_look_again(wr_subsystem *s, const double *moved, int *ret_n_flip);
wrsim_status wr_ode_check_rounds(wr_subsystem *s);
void wr_ode_end_instant(wr_subsystem *s, const double *moved);
/* Counts a stop at state events; a fault if too many are too close together. */
wrsim_status wr_ode_check_streak(wr_subsystem *s);
/* The same of a stop at events of any kind; is_time: at time events, which are marked as due. */
wrsim_status wr_ode_check_dense(wr_subsystem *s, int is_time);

#endif
