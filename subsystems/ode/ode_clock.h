/* Times of a subsystem: communication points, the last steps, the next time event.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_CLOCK_H
#define WR_ODE_CLOCK_H

#include <math.h>

#include "subsystems/ode/ode_parts.h"

/* Communication points. Constant after creation. */
typedef struct wr_ode_grid {
    double start_s; /* start of the simulation */
    double step_s;
} wr_ode_grid;

/* Part of the saved state. */
typedef struct wr_ode_clock {
    double t_s;                /* copy of wr_subsystem.t_s at the last save */
    double step_rhs;           /* copy of wr_subsystem.step_rhs */
    int64_t i_grid;            /* number of the next communication point to record */
    double next_time_s;        /* time of the earliest time event; INFINITY: none */
    double announced_s;        /* time of the announcement of next_time_s */
    double last_step_s;        /* length of the last accepted step */
    double step_before_s;      /* length of the step before the last; set only with indicators */
    double last_tried_s;       /* length of the last step, without shortening by an event */
    double reach_s;            /* length of the longest recent step; decays after shorter steps */
    unsigned char is_dx_exact; /* dx is x' at t_s, not only a slope of the dense output */
    unsigned char is_paused;   /* the last advance ended before its end time */
    unsigned char
        has_left; /* the last window has left events to the next window (wr_subsystem.last_round) */
} wr_ode_clock;

WR_ODE_GET(double, start, grid->start_s)
WR_ODE_GET(double, communication_step, grid->step_s)

/* Returns the time of communication point i, s. */
static inline double wr_ode_grid_time(const wr_subsystem *s, int64_t i)
{
    return wr_time_at(wr_ode_of(s)->grid->start_s, (double)i, wr_ode_of(s)->grid->step_s);
}

WR_ODE_GET(double, last_step, clock->last_step_s)
WR_ODE_GET(double, step_before, clock->step_before_s)
WR_ODE_GET(double, last_tried, clock->last_tried_s)
WR_ODE_GET(double, reach, clock->reach_s)
WR_ODE_GET(int, is_dx_exact, clock->is_dx_exact)
/* Marks dx as x' at t_s. */
static inline void wr_ode_mark_dx_exact(wr_subsystem *s) { wr_ode_of(s)->clock->is_dx_exact = 1; }
/* Leaves events to the next window (wr_subsystem.last_round). */
static inline void wr_ode_leave_events(wr_subsystem *s) { wr_ode_of(s)->clock->has_left = 1; }
WR_ODE_GET(double, next_time, clock->next_time_s)
/* Returns the time of the announcement of the earliest time event, s. */
WR_ODE_GET(double, announced, clock->announced_s)

/* Begins a run: no time event is known, and the last step has the length of a communication step. */
static inline void wr_ode_begin_clock(wr_subsystem *s)
{
    wr_ode_of(s)->clock->last_step_s = wr_ode_of(s)->grid->step_s;
    wr_ode_of(s)->clock->next_time_s = (double)INFINITY;
}

/* Sets the time of the earliest time event. If this time changes, the present time becomes the time of the announcement. */
static inline void wr_ode_announce(wr_subsystem *s, double next_time_s)
{
    wr_ode_clock *const clock = wr_ode_of(s)->clock;
    if (next_time_s != clock->next_time_s)
        clock->announced_s = s->t_s;
    clock->next_time_s = next_time_s;
}

#endif
