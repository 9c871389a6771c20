/* The present instant: what fires, and what it has changed.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_EVENT_INSTANT_H
#define WR_EVENT_INSTANT_H

typedef struct wr_ode_instant {
    double *time_next;  /* [n_component] announced time events */
    unsigned char *due; /* [n_component] as in wr_group_event() */
    int n_fired;
    int *fired_index;   /* [n_z] where fired is not 0 */
    signed char *fired; /* [n_z] */
    int n_has_fired;
    int *has_fired_index;          /* [n_z] where has_fired is 1 */
    unsigned char *has_fired;      /* [n_z] at the present instant */
    unsigned char *has_ever_fired; /* [n_z] in any integration */
    unsigned char *mode_before;    /* [n_z] modes before the present round */
    double *d_before;              /* [n_x], [n_d] before an event */
    int n_flip_now;                /* indicators fired at the present instant */
    int is_found;                  /* state events begin it that no jump of an input has made */
    int has_changed;
    int is_state_changed; /* at the present instant: x or d; x */
    int has_stored;       /* at the present instant d took over values that others act on */
    int n_round;          /* rounds at the last instant, */
    double instant_s;     /* and its time */
    double
        found_s; /* when the event of the last step was found, or INFINITY; it may come later, at a jump of its instant */
    double
        bend; /* second derivative of the indicator that fired first in the last step; 0: unknown */
    int *streak_flips; /* [n_z] since the streak began; not rolled back */
    int *fault_flips;  /* [n_z] those of the last chattering fault */
} wr_ode_instant;

#endif
