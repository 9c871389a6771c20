/* Stores points and events of an advance, and evaluates the model there again.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_WATCH_H
#define WR_ODE_WATCH_H

#include "subsystems/ode/ode_parts.h"

/* Copies the present point into a point of s->watch. */
void wr_ode_watch(wr_subsystem *s, wr_step_point *point);
/* Stores the step of length step_s that has just been made. */
void wr_ode_watch_step(wr_subsystem *s, double step_s);
/* Stores in s->watch the turns of indicators in the step to end_s. Sets the second derivative (bend) of the indicator that fires. */
void wr_ode_watch_course(wr_subsystem *s, double end_s);
/* Call these before a round of events fires, and after it. */
void wr_ode_watch_round(wr_subsystem *s);
void wr_ode_watch_fired(wr_subsystem *s);
/* Call this at the end of an instant. left[n_x]: slopes before the instant. */
void wr_ode_watch_instant(wr_subsystem *s, int has_changed, const double *left);
double wr_ode_event_shift(wr_subsystem *s, const wr_event_point *event, const double *x_error,
                          const double *u_error, const double *d_error, double most_s,
                          double *ret_margin);
int wr_ode_outputs_at(wr_subsystem *s, const wr_step_point *at, const double *external,
                      double *ret_y);
int wr_ode_row_at(wr_subsystem *s, const wr_step_point *at, const double *external,
                  double *ret_row);
int wr_ode_event_after(wr_subsystem *s, const wr_event_point *event, const double *const change[3],
                       double by, double by_s, double *ret_x, double *ret_d);
int wr_ode_place_watch(const wr_subsystem *s, wr_arena *arena, int has_points, int cap_event,
                       wr_step_watch *watch);
int wr_ode_rhs_at(wr_subsystem *s, const wr_step_point *at, const double *external, double *ret_dx);

#endif
