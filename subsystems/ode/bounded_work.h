/* Bounded work per communication step. Thread: one at a time. Real-time: yes after creation. */
#ifndef WR_BOUNDED_WORK_H
#define WR_BOUNDED_WORK_H

#include "subsystems/ode/ode_config.h"
#include "subsystems/ode/ode_parts.h"

/* Bounds of the work, and the present stretch. Each advance begins a new stretch, so the stretch is not saved. */
typedef struct wr_bound {
    int is_on;
    int n_spare; /* number of spare steps besides the planned steps; for methods of fixed steps */
    int64_t budget; /* largest number of right-hand sides in a stretch; 0: no budget */
    int fails; /* 1: late events and spent budgets are faults; 0: the statistics count late events and spent budgets */
    double step_s;   /* length of fixed steps */
    double end_s;    /* end of the stretch */
    double length_s; /* length of the planned steps in the stretch */
    int n_left, n_spare_left, n_coarse_left;
    int64_t n_rhs_before;
    int is_planned; /* the steps of the stretch are planned */
    int is_coarse;  /* the present step is a coarse step in addition to the planned steps */
    int is_whole;   /* the present step continues to its end despite events */
} wr_bound;

/* Number of evaluations of indicators after which the search for an event ends in a planned step (docs/lab/2026-11-24-bounded-work.md). */
enum { WR_LOCATE_BOUNDED = 20 };

/* Sets the bounds from the config. Setup only. */
void wr_ode_bound_place(wr_subsystem *s, const wr_ode_config *config);
/* Counts the late events of the last step. from_s: start of the step; n_state: number of state events at the step's end. Returns WRSIM_OK,
 * or WRSIM_E_LIMIT if an event is late and late events are faults. */
wrsim_status wr_ode_bound_late(wr_subsystem *s, double from_s, int n_state);
/* Returns whether the event iteration may end at an instant although events or changes of modes remain. If so, counts the instant. */
int wr_ode_may_leave(wr_subsystem *s);

/* Begins an advance. The next step begins a stretch. */
static inline void wr_ode_bound_begin(wr_subsystem *s)
{
    wr_bound *const bound = wr_ode_of(s)->bound;
    if (!bound->is_on)
        return;
    bound->end_s = s->t_s;
    bound->is_planned = bound->is_coarse = bound->is_whole = 0;
}

/* Returns whether steps are planned. The subsystem never repeats planned steps, and searches their inside only right after an event. */
WR_ODE_GET(int, is_planned, bound->is_planned)

/* If steps are planned, sets *stop_s to the end of the next step. This end is later than *stop_s only if the step continues despite events,
 * or if *stop_s is the present time. wr_ode_bound_step() has no effect if the work is not bounded. */
wrsim_status wr_ode_bound_next_step(wr_subsystem *s, double t_end_s, double *stop_s);
static inline wrsim_status wr_ode_bound_step(wr_subsystem *s, double t_end_s, double *stop_s)
{
    return wr_ode_of(s)->bound->is_on ? wr_ode_bound_next_step(s, t_end_s, stop_s) : WRSIM_OK;
}

WR_ODE_GET(int, is_bounded, bound->is_on)
/* Returns whether the work is bounded, and late or unsettled events raise counts instead of faults. */
WR_ODE_GET(int, counts_late, bound->is_on && !wr_ode_of(s)->bound->fails)
/* Returns whether the step is a coarse step in addition to the planned steps. */
WR_ODE_GET(int, is_coarse, bound->is_coarse)
/* Returns whether the step continues to its end despite events. */
WR_ODE_GET(int, goes_to_end, bound->is_whole)

/* Returns whether the current point is inside a stretch of bounded work. A pause must not divide a stretch. */
static inline int wr_ode_is_in_stretch(const wr_subsystem *s)
{
    const wr_bound *const bound = wr_ode_of(s)->bound;
    return bound->is_on && !(s->t_s >= bound->end_s || wr_time_close(s->t_s, bound->end_s));
}

/* Returns the length of fixed steps, s. */
WR_ODE_GET(double, planned_step, bound->step_s)
/* Returns whether planned steps, not a budget, bound the work. */
WR_ODE_GET(int, has_planned_steps, bound->is_on &&wr_ode_of(s)->bound->budget == 0)

#endif
