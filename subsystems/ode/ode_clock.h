/* Times of a subsystem: communication points, the last steps, the next time event.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_CLOCK_H
#define WR_ODE_CLOCK_H

#include "subsystems/ode/ode_parts.h"

/* Communication points. Constant after creation. */
typedef struct wr_ode_grid {
    double start_s; /* of the simulation */
    double step_s;
} wr_ode_grid;

/* Part of the saved state. */
typedef struct wr_ode_clock {
    double t_s;                /* copy of wr_subsystem.t_s at the last save */
    double step_rhs;           /* copy of wr_subsystem.step_rhs */
    int64_t i_grid;            /* next communication point to be recorded */
    double next_time_s;        /* earliest time event */
    double announced_s;        /* time at which next_time_s was announced */
    double last_step_s;        /* length of the last accepted step */
    double step_before_s;      /* length of the accepted step before */
    double last_tried_s;       /* length of the last step as the integrator made it */
    double reach_s;            /* longest recent step; it decays */
    unsigned char is_dx_exact; /* dx is f at t_s, not only a slope of the dense output */
    unsigned char is_paused;   /* the last advance has not come to its end */
} wr_ode_clock;

static inline double wr_ode_start(const wr_subsystem *s) { return wr_ode_of(s)->grid->start_s; }

static inline double wr_ode_communication_step(const wr_subsystem *s)
{
    return wr_ode_of(s)->grid->step_s;
}

/* Time of communication point i. */
static inline double wr_ode_grid_time(const wr_subsystem *s, int64_t i)
{
    return wr_ode_of(s)->grid->start_s + (double)i * wr_ode_of(s)->grid->step_s;
}

static inline double wr_ode_last_step(const wr_subsystem *s)
{
    return wr_ode_of(s)->clock->last_step_s;
}

static inline double wr_ode_step_before(const wr_subsystem *s)
{
    return wr_ode_of(s)->clock->step_before_s;
}

static inline double wr_ode_last_tried(const wr_subsystem *s)
{
    return wr_ode_of(s)->clock->last_tried_s;
}

static inline double wr_ode_reach(const wr_subsystem *s) { return wr_ode_of(s)->clock->reach_s; }

static inline int wr_ode_is_dx_exact(const wr_subsystem *s)
{
    return wr_ode_of(s)->clock->is_dx_exact;
}

static inline double wr_ode_next_time(const wr_subsystem *s)
{
    return wr_ode_of(s)->clock->next_time_s;
}

/* Time at which the earliest time event was announced, s. */
static inline double wr_ode_announced(const wr_subsystem *s)
{
    return wr_ode_of(s)->clock->announced_s;
}

/* Sets the earliest time event, announced at the present time if it differs. */
static inline void wr_ode_announce(wr_subsystem *s, double next_time_s)
{
    wr_ode_clock *const clock = wr_ode_of(s)->clock;
    if (next_time_s != clock->next_time_s)
        clock->announced_s = s->t_s;
    clock->next_time_s = next_time_s;
}

#endif
