/* The present instant: the events that fire, and the variables that the events change.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_EVENT_INSTANT_H
#define WR_EVENT_INSTANT_H

#include <math.h>
#include <string.h>

#include "subsystems/ode/ode_config.h"
#include "subsystems/ode/ode_parts.h"

typedef struct wr_ode_instant {
    double *time_next;             /* [n_component] times of announced time events; saved */
    unsigned char *due;            /* [n_component] WR_DUE_TIME and WR_DUE_STATE of due events */
    int n_fired;                   /* number of indicators that fire in the present round */
    int *fired_index;              /* [n_z] indices of the n_fired indicators */
    signed char *fired;            /* [n_z] 1 rising, -1 falling, 0 otherwise */
    int n_has_fired;               /* number of indicators that have fired at the present instant */
    int *has_fired_index;          /* [n_z] indices of the n_has_fired indicators */
    unsigned char *has_fired;      /* [n_z] 1: fired at the present instant */
    unsigned char *has_ever_fired; /* [n_z] 1: fired in any integration */
    unsigned char *mode_before;    /* [n_z] modes before the present round */
    unsigned char *asks;           /* [n_component] 1: step_completed() asks for an event */
    double *d_before;              /* [n_d] discrete states before an event */
    int n_flip_now;                /* number of sign changes that fired at the present instant */
    int is_found;                  /* state events, not jumps of inputs, begin the instant */
    int has_changed;               /* an event has changed states, discrete states or memory */
    int is_state_changed;          /* an event has changed states */
    /* an event has stored values of inputs, states or time; 0 also: no test, because a state has changed, or without inputs */
    int has_stored;
    int n_round;        /* number of rounds of the last instant */
    int is_firing_held; /* 1: events fire that have waited for the acceptance of the window */
    double instant_s;   /* time of the last instant */
    double found_s;     /* time of the last step's event, or the step's end; INFINITY: no step */
    double bend;       /* second derivative by time of the indicator that fires first; 0: unknown */
    int *streak_flips; /* [n_z] sign changes, for a chattering fault; rollbacks keep the counts */
    int *fault_flips;  /* [n_z] sign changes of the last chattering fault */
    /* Constant after creation. */
    double chatter_time_s;    /* time span of the limit max_stuck_events; 0: automatic */
    double run_s;             /* length of the run; 0: unknown */
    int max_event_iterations; /* largest number of rounds of one instant */
    int max_stuck_events; /* largest number of stops at state events within chatter_time_s without a fault */
} wr_ode_instant;

/* Part of the saved state. */
typedef struct wr_event_streak {
    double start_s; /* time of the first stop of a streak that may be chattering */
    double dense_s; /* time of the first stop that n_dense counts */
    int n;          /* number of stops at state events in the streak */
    int n_dense;    /* number of stops at state or time events since dense_s */
} wr_event_streak;

/* Places the instant's arrays outside of the saved state. Setup only. Returns 0, or -1 when the arena is exhausted. */
int wr_ode_instant_place(const wr_subsystem *s, wr_arena *arena, const wr_ode_config *config);
void wr_ode_instant_state(const wr_subsystem *s, wr_state_io *io);

/* Sets fired to the signs of z[n_z] for the indicators in index[n], and to 0 for all other indicators. */
void wr_ode_set_fired(wr_subsystem *s, const int *index, int n, const double *z);
/* Clears the marks of due events. */
static inline void wr_ode_clear_due(wr_subsystem *s)
{
    memset(wr_ode_of(s)->instant->due, 0, (size_t)wr_ode_of(s)->group->n_component);
}
/* Returns the largest allowed number of rounds of one instant. */
WR_ODE_GET(int, most_rounds, instant->max_event_iterations)
/* Marks the time events that are due at the current point. Returns the number of marked time events. */
int wr_ode_mark_times(wr_subsystem *s);
/* Clears the last instant at the start of an advance. */
static inline void wr_ode_forget_instant(wr_subsystem *s)
{
    wr_ode_instant *const at = wr_ode_of(s)->instant;
    at->n_round = 0;
    at->found_s = (double)INFINITY;
    at->instant_s = (double)NAN;
}

/* Places the instant's arrays of the saved state in room. */
static inline void wr_ode_instant_take(wr_subsystem *s, wr_ode_room *room)
{
    const wr_group *const group = wr_ode_of(s)->group;
    wr_ode_of(s)->streak = wr_ode_take(room, 1, sizeof(wr_event_streak));
    wr_ode_of(s)->instant->time_next = wr_ode_take(room, group->n_component, sizeof(double));
}

WR_ODE_GET(int, is_firing_held, instant->is_firing_held)
static inline void wr_ode_set_firing_held(wr_subsystem *s, int is_firing)
{
    wr_ode_of(s)->instant->is_firing_held = is_firing;
}

/* Returns the number of rounds of the last instant. */
WR_ODE_GET(int, n_round, instant->n_round)

/* Returns whether the last instant is at the current point. */
static inline int wr_ode_is_at_instant(const wr_subsystem *s)
{
    return wr_time_close(wr_ode_of(s)->instant->instant_s, s->t_s);
}

/* Returns the located time of the last step's event, which may fire later, s. Without an event: the step's end; INFINITY: no step. */
WR_ODE_GET(double, found_time, instant->found_s)

static inline void wr_ode_set_found_time(wr_subsystem *s, double t_s)
{
    wr_ode_of(s)->instant->found_s = t_s;
}

/* Returns whether the event of a component fires in the present round. */
WR_ODE_GET_AT(int, is_due, instant->due)
/* Returns the number of sign changes of an indicator in the last chattering fault. */
WR_ODE_GET_AT(int, fault_flips, instant->fault_flips)
/* Returns nonzero if the indicator fires in the present round. */
WR_ODE_GET_AT(int, is_fired, instant->fired)
/* Returns the indices of the indicators that fire in the present round; *ret_n: number of these indicators. */
static inline const int *wr_ode_fired(const wr_subsystem *s, int *ret_n)
{
    *ret_n = wr_ode_of(s)->instant->n_fired;
    return wr_ode_of(s)->instant->fired_index;
}

/* Returns the indices of the indicators that have fired at the present instant. */
WR_ODE_GET(const int *, has_fired, instant->has_fired_index)
/* Returns whether an indicator has fired at the present instant. */
WR_ODE_GET(int, has_flipped, instant->n_flip_now > 0)

/* Marks the states as changed by an event, after a change of algebraic variables. */
static inline void wr_ode_mark_changed(wr_subsystem *s)
{
    wr_ode_of(s)->instant->has_changed = wr_ode_of(s)->instant->is_state_changed = 1;
}

#endif
