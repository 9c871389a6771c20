/* Work arrays of a subsystem. A function may use them until it returns, or until it calls a function that uses them.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_SCRATCH_H
#define WR_ODE_SCRATCH_H

/* How often a step may be halved to look for events. */
enum { WR_LOOK_LEVELS = 20 };

typedef struct wr_ode_scratch {
    double *x_step;
    double *dx_step; /* [n_x] */
    double *x_moved;
    double *x_before;
    double *external_moved; /* [n_x], [n_external] for slopes of outputs */
    double *y_moved;
    double *y_back;            /* [n_y] */
    double *d_probe;           /* [n_d] workspace */
    double *z_probe[2];        /* [n_z] each */
    double *z_watch;           /* [n_z] workspace */
    double *z_look;            /* [(WR_LOOK_LEVELS + 4) n_z] a closer look at a step */
    int *event_index;          /* [n_z] workspace */
    unsigned char *mode_watch; /* [n_z] workspace */
    double *time_watch;        /* [n_component] workspace */
    double *look;              /* [4 n_x] work of such a search; NULL if absent */
    double *x_shown;           /* [n_x] work */
} wr_ode_scratch;

#endif
