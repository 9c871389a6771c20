/* Tolerances of states, inputs and times of events. Thread: one at a time. Real-time: yes after creation. */
#ifndef WR_ODE_TOLERANCES_H
#define WR_ODE_TOLERANCES_H

#include <float.h>
#include <math.h>

#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_config.h"
#include "subsystems/ode/ode_parts.h"

/* Largest difference of the times at which two integrations, or two subsystems, locate one event, over event_share times the step. With a
 * location error of 1e-4 rtol of a step, the difference is a tenth of rtol of a step. Errors of the states shift the event as much. */
#define WR_SAME_EVENT 1e3
/* Share of a value (assumed). A smaller change of a signal at one instant counts as rounding. A larger change may move an indicator through
 * zero, so the producer publishes a jump. */
static const double WR_LEAST_JUMP = 1e-12;

/* Constant after creation. */
typedef struct wr_ode_tolerances {
    double rtol;          /* relative tolerance of the solver */
    double atol_factor;   /* tolerance of x: rtol * (|x| + atol_factor * nominal) */
    double coupling_rtol; /* relative tolerance of inputs and published outputs */
    double event_s;       /* error of the time of a state event; 0: event_share counts */
    double event_share;   /* location error as a share of a step; 0: event_s counts */
    double jump_limit; /* a change of an input u above jump_limit rtol (|u| + nominal) is a jump */
    int looks_always;  /* the subsystem searches inside each step for events */
    const double *nominal_u; /* [n_external] */
} wr_ode_tolerances;

/* Returns the largest location error of a state event, as a share of the interval of a step in which the search finds the event. */
double wr_ode_choose_share(double rtol);
/* Sets the tolerances from the config. Setup only. Returns 0, or -1 when the arena is exhausted. */
int wr_ode_tolerances_place(const wr_subsystem *s, wr_arena *arena, const wr_ode_config *config);

WR_ODE_GET(double, rtol, tolerances->rtol)
WR_ODE_GET(double, atol_factor, tolerances->atol_factor)
WR_ODE_GET(double, coupling_rtol, tolerances->coupling_rtol)
/* Returns the error of the time of a state event, s; 0: wr_ode_event_share() counts. */
WR_ODE_GET(double, fixed_tolerance, tolerances->event_s)
WR_ODE_GET(double, event_share, tolerances->event_share)
WR_ODE_GET(int, looks_always, tolerances->looks_always)
/* Returns the nominal values of the inputs, [n_external]. */
WR_ODE_GET(const double *, nominal_u, tolerances->nominal_u)

/* Returns the size of a value for its tolerance, in its unit. */
static inline double wr_ode_size(const wr_subsystem *s, double value, double nominal)
{
    return fabs(value) + wr_ode_atol_factor(s) * nominal;
}

/* Returns the shortest time difference at t_s that exceeds rounding, s. The shortest step of the solvers is about as long, 1e-14 of the
 * time (step_control.c). A quarter of this time difference (ode_step.c) exceeds the distance at which times count as equal
 * (wr_time_close()). */
static inline double wr_ode_least_time(double t_s) { return 64.0 * DBL_EPSILON * fabs(t_s); }

/* Returns the largest error in time, s, of a state event located just after the current point. */
static inline double wr_ode_located_to(const wr_subsystem *s)
{
    return wr_max(wr_max(wr_ode_fixed_tolerance(s), wr_ode_event_share(s) * wr_ode_last_step(s)),
                  wr_ode_least_time(s->t_s));
}

/* Returns the largest distance, s, at which two state events near the current point may be one event. */
static inline double wr_ode_event_tolerance(const wr_subsystem *s)
{
    return wr_max(WR_SAME_EVENT * wr_ode_event_share(s) * wr_ode_last_step(s),
                  wr_ode_located_to(s));
}

/* Returns the height above which a jump ends a step. If only derivatives depend on the input, steps pass smaller jumps. */
static inline double wr_ode_jump_limit(const wr_subsystem *s, int i_external,
                                       double tolerance_factor)
{
    const wr_ode_tolerances *const t = wr_ode_of(s)->tolerances;
    return t->jump_limit * t->rtol * tolerance_factor *
           (fabs(s->external[i_external]) + t->nominal_u[i_external]);
}

/* Returns the tolerance of state i at size |x| for one step, in the state's unit. */
static inline double wr_ode_state_tolerance(const wr_subsystem *s, int i, double x)
{
    const wr_group *const group = wr_ode_of(s)->group;
    return wr_ode_rtol(s) * group->tolerance_factor[i] * wr_ode_size(s, x, group->nominal_x[i]);
}

/* Returns the tolerance of an input at size |u|, in the input's unit. */
static inline double wr_ode_input_tolerance(const wr_subsystem *s, int i_external, double u)
{
    return wr_ode_coupling_rtol(s) * wr_ode_size(s, u, wr_ode_nominal_u(s)[i_external]);
}

#endif
