/* The present instant: the events that fire, and the variables that they have changed.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_EVENT_INSTANT_H
#define WR_EVENT_INSTANT_H

typedef struct wr_ode_instant {
    double *time_next;             /* [n_component] announced time events; saved */
    unsigned char *due;            /* [n_component] as in wr_group_event() */
    int n_fired;                   /* indicators that fire in the present round */
    int *fired_index;              /* [n_z] their indices */
    signed char *fired;            /* [n_z] 1 rising, -1 falling, 0 otherwise */
    int n_has_fired;               /* indicators that have fired at the present instant */
    int *has_fired_index;          /* [n_z] their indices */
    unsigned char *has_fired;      /* [n_z] */
    unsigned char *has_ever_fired; /* [n_z] in any integration */
    unsigned char *mode_before;    /* [n_z] modes before the present round */
    double *d_before;              /* [n_d] discrete states before an event */
    int n_flip_now;                /* sign changes fired at the present instant */
    int is_found;                  /* state events begin the instant, not jumps of inputs */
    int has_changed;               /* an event has changed states, discrete states or memory */
    int is_state_changed;          /* an event has changed states */
    int has_stored;                /* an event has stored values of inputs, states or time */
    int n_round;                   /* rounds of the last instant */
    double instant_s;              /* time of the last instant */
    double
        found_s; /* located time of the last step's event, which may fire later; INFINITY: none */
    double bend; /* second derivative of the last step's first indicator to fire; 0: unknown */
    int *streak_flips; /* [n_z] sign changes since the streak began; not rolled back */
    int *fault_flips;  /* [n_z] sign changes of the last chattering fault */
} wr_ode_instant;

#endif
