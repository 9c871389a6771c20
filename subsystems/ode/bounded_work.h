/* Bounded work per communication step.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_BOUNDED_WORK_H
#define WR_BOUNDED_WORK_H

#include "subsystems/ode/ode_parts.h"

/* Bounds of the work, and the stretch under way: begun anew with each advance, so not saved. */
typedef struct wr_bound {
    int is_on;
    int n_spare; /* steps beside those planned, of a method of fixed steps */
    int64_t
        budget; /* right-hand sides of a method with error control; 0: it is one of fixed steps */
    int fails;  /* else it goes on when they are used up */
    double step_s;   /* as planned */
    double end_s;    /* of the stretch */
    double length_s; /* of its steps, as planned */
    int n_left, n_spare_left, n_coarse_left;
    int64_t n_rhs_before;
    int is_planned; /* its steps are, ... */
    int is_coarse;  /* ... this one is a coarse one beside them, ... */
    int is_whole;   /* ... and this one goes to its end, whatever comes in it */
} wr_bound;

/* Evaluations to locate an event. */
enum { WR_LOCATE_BOUNDED = 20 };

/* The step from from_s has ended, with n_state state events: counts what has come in the last one. */
wrsim_status wr_ode_bound_late(wr_subsystem *s, double from_s, int n_state);
/* Events at an instant do not come to rest: may they be left as they are? Counts it. */
int wr_ode_may_leave(wr_subsystem *s);

/* An advance begins. The next step begins a stretch. */
static inline void wr_ode_bound_begin(wr_subsystem *s)
{
    wr_bound *const bound = wr_ode_of(s)->bound;
    if (!bound->is_on)
        return;
    bound->end_s = s->t_s;
    bound->is_planned = bound->is_coarse = bound->is_whole = 0;
}

/* Are steps planned, so that no step is made twice or searched inside? */
static inline int wr_ode_is_planned(const wr_subsystem *s)
{
    return wr_ode_of(s)->bound->is_planned;
}

/* If the work is bounded, sets *stop_s to the end of the next step: at most *stop_s, but for the last step. */
wrsim_status wr_ode_bound_next_step(wr_subsystem *s, double t_end_s, double *stop_s);
static inline wrsim_status wr_ode_bound_step(wr_subsystem *s, double t_end_s, double *stop_s)
{
    return wr_ode_of(s)->bound->is_on ? wr_ode_bound_next_step(s, t_end_s, stop_s) : WRSIM_OK;
}

#endif
