/* Tolerances of states, inputs and times of events.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_TOLERANCES_H
#define WR_ODE_TOLERANCES_H

#include <float.h>
#include <math.h>

#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_settings.h"

/* Two integrations, or two subsystems, locate one event at times that differ by up to this multiple
 * of its location error. The product with 1e-4 rtol of a step is a tenth of rtol; errors of the states move
 * the event by as much. */
#define WR_SAME_EVENT 1e3
/* Share of a value: a smaller change of a signal at one instant counts as rounding. A larger change may carry an indicator through
 * zero, so its producer publishes it as a jump. */
static const double WR_LEAST_JUMP = 1e-12;

/* Largest error in time of a state event, as a share of the part of a step in which it is found. */
double wr_ode_event_share(double rtol);

/* Shortest time difference at t_s that exceeds rounding, s; also the shortest step of the solvers (step_control.c). A quarter of
 * it (ode_step.c) exceeds the distance at which times count as equal (wr_time_close()). */
static inline double wr_ode_least_time(double t_s) { return 64.0 * DBL_EPSILON * fabs(t_s); }

/* Largest error in time, s, of a state event located just after the current point. */
static inline double wr_ode_located_to(const wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    return wr_max(wr_max(work->settings->event_tolerance_s,
                         work->settings->event_share * work->clock->last_step_s),
                  wr_ode_least_time(s->t_s));
}

/* State events near the current point may be one event if they are at most this far apart, s. */
static inline double wr_ode_event_tolerance(const wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    return wr_max(WR_SAME_EVENT * work->settings->event_share * work->clock->last_step_s,
                  wr_ode_located_to(s));
}

/* Jumps above this height end a step. If only derivatives depend on the input, steps pass smaller jumps. */
static inline double wr_ode_jump_limit(const wr_subsystem *s, int i_external,
                                       double tolerance_factor)
{
    const wr_ode *const work = wr_ode_of(s);
    return work->settings->jump_limit * work->settings->rtol * tolerance_factor *
           (fabs(s->external[i_external]) + work->settings->nominal_external[i_external]);
}

/* Tolerance of state i at size |x| for one step, in the state's unit. */
static inline double wr_ode_state_tolerance(const wr_subsystem *s, int i, double x)
{
    return wr_ode_of(s)->settings->rtol * wr_ode_of(s)->group->tolerance_factor[i] *
           (fabs(x) + wr_ode_of(s)->settings->atol_factor * wr_ode_of(s)->group->nominal_x[i]);
}

/* Tolerance of an input at size |u|, in the input's unit. */
static inline double wr_ode_input_tolerance(const wr_subsystem *s, int i_external, double u)
{
    return wr_ode_of(s)->settings->coupling_rtol *
           (fabs(u) + wr_ode_of(s)->settings->atol_factor *
                          wr_ode_of(s)->settings->nominal_external[i_external]);
}

#endif
