/* Work arrays of a subsystem. A function may use them until it returns, or until it calls a function that uses them.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_SCRATCH_H
#define WR_ODE_SCRATCH_H

/* Most halvings of a step in the search for events. */
enum { WR_LOOK_LEVELS = 20 };

typedef struct wr_ode_scratch {
    double *x_step;            /* [n_x] states at wr_ode_point_at() */
    double *dx_step;           /* [n_x] slopes there */
    double *x_moved;           /* [n_x] */
    double *x_before;          /* [n_x] states before an event */
    double *external_moved;    /* [n_external] */
    double *y_moved;           /* [n_y] */
    double *y_back;            /* [n_y] */
    double *d_probe;           /* [n_d] */
    double *z_probe[2];        /* [n_z] each */
    double *z_watch;           /* [n_z] */
    double *z_look;            /* [(WR_LOOK_LEVELS + 4) n_z] */
    int *event_index;          /* [n_z] */
    unsigned char *mode_watch; /* [n_z] */
    double *time_watch;        /* [n_component] */
    double *look;              /* [4 n_x]; NULL: steps are not searched for pulses */
    double *x_shown;           /* [n_x]; NULL without mass matrix */
} wr_ode_scratch;

#endif
