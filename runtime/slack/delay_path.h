/* Propagates the error of a subsystem along the points of its solver in a period (subsystems/step_watch.h).
 *
 * If states err by E, inputs by e_u and discrete states by E_d, the true course is x - E, so
 *
 *     E' = f(x, u, d) - f(x - E, u - e_u, d - E_d)
 *
 * is exact while neither course passes an event. Between two points the W-method ROS2 integrates E:
 *
 *     (1 - g h J) k1 = E'(a, E),   (1 - g h J) k2 = E'(b, E + h k1) - 2 k1,   E += h (3 k1 + k2) / 2,   g = 1 - sqrt(1/2)
 *
 * (Verwer, Spee, Blom, Hundsdorfer, "A second-order Rosenbrock method applied to photochemical dispersion problems", SIAM J. Sci. Comput.
 * 20(4), 1999: of order 2 with any J, L-stable with the exact J). J is the measured part of df/dx (runtime/relax/propagation.h), or 0 if
 * nothing is stiff over h. runtime/relax/event_error.h propagates the error across events.
 *
 * Thread: as the subsystem. Real-time: yes after placing.
 */
#ifndef WR_DELAY_PATH_H
#define WR_DELAY_PATH_H

#include "runtime/relax/event_error.h"
#include "runtime/relax/propagation.h"

typedef struct wr_delay_path {
    wr_subsystem *subsystem;
    wr_propagation *carry;
    wr_event_error events;
    /* present point; NULL at a period's start and after an event, until the next point */
    const wr_step_point *point;
    double t_s;
    int64_t n_rhs;
    double *base, *base_next; /* [n_x] f at the present point, and at the next point */
    int has_inside;
    double *inside;          /* [n_external] errors of inputs in the middle of the step */
    double *u_start, *u_end; /* [n_external] errors of inputs at the ends of ROS2's step */
    double *u_error;         /* [n_external] errors of inputs at the present point */
    double *k1, *k2, *error; /* [n_x] */
    double *moved_x, *moved_d, *other; /* [n_x], [n_d], [n_x] */
    double *output;                    /* [n_published] */
    double *moved_u;                   /* [n_external] */
} wr_delay_path;

/* Places a path. `carry` contains the errors of states. `carry` and the subsystem outlive the path. Returns 0, or -1 when the arena is
 * exhausted. */
int wr_delay_path_place(wr_delay_path *path, wr_arena *arena, wr_subsystem *subsystem,
                        wr_propagation *carry);

/* Begins a period at start_s. */
void wr_delay_path_begin(wr_delay_path *path, double start_s);

/* Propagates the errors to a later point, whose inputs err by u_error[n_external]. base: f at the point; NULL: the function evaluates f. */
void wr_delay_path_go(wr_delay_path *path, const wr_step_point *point, const double *base,
                      const double *u_error);

/* Sets the input errors in the middle of the step from the present point, u_error[n_external]. Simpson's rule then gives the
 * mean input error of the step. */
void wr_delay_path_look_inside(wr_delay_path *path, const double *u_error);

/* Propagates the errors across an event. Before the event the inputs err by u_error[n_external]. The time of the event errs by at most
 * most_s. */
void wr_delay_path_cross(wr_delay_path *path, const wr_event_point *event, const double *u_error,
                         double most_s);

/* Writes the errors of the published outputs at the present point to ret[n_published]. Returns 0, or 1 if the errors are not known. */
int wr_delay_path_outputs(wr_delay_path *path, double *ret);

/* Reads or writes the state (base/state_io.h), between periods. */
void wr_delay_path_state(wr_delay_path *path, wr_state_io *io);

#endif
