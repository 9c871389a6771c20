/* How the error of one subsystem goes on along the points of a period that its solver has passed (subsystems/step_watch.h).
 *
 * Where states err by E, inputs by e_u and discrete states by E_d the true course is x - E, so
 *
 *     E' = f(x, u, d) - f(x - E, u - e_u, d - E_d)
 *
 * exactly as long as neither passes an event. Between two points it is integrated by the W-method ROS2,
 *
 *     (1 - g h J) k1 = E'(a, E),   (1 - g h J) k2 = E'(b, E + h k1) - 2 k1,   E += h (3 k1 + k2) / 2,   g = 1 - sqrt(1/2)
 *
 * (Verwer, Spee, Blom, Hundsdorfer, SIAM J. Sci. Comput. 20(4), 1999: of order 2 with any J, L-stable with the right one), where J
 * is the measured part of df/dx (relax/carry.h), or 0 if nothing is stiff over h. event_error.h carries the error across events.
 *
 * Thread: as the subsystem. Real-time: yes after placing.
 */
#ifndef WR_DELAY_PATH_H
#define WR_DELAY_PATH_H

#include "runtime/relax/carry.h"
#include "runtime/relax/event_error.h"

typedef struct wr_delay_path {
    wr_subsystem *subsystem;
    wr_carry *carry;
    wr_event_error events;
    /* The point that it stands at: none at the start of a period whose first steps left none, and after an event. */
    const wr_step_point *point;
    double t_s;
    int64_t n_rhs;
    double *base, *base_next; /* [n_x] f at the point, and at the next */
    int has_inside;
    double *inside;                    /* [n_external] errors of inputs in the middle of its step */
    double *u_start, *u_end;           /* [n_external] of a step */
    double *u_error;                   /* [n_external] there */
    double *k1, *k2, *error;           /* [n_x] */
    double *moved_x, *moved_d, *other; /* [n_x], [n_d], [n_x] */
    double *output;                    /* [n_published] */
    double *moved_u;                   /* [n_external] */
} wr_delay_path;

/* 0, or -1 when the arena is exhausted. Errors of states are the carry's. Both outlive it. */
int wr_delay_path_place(wr_delay_path *path, wr_arena *arena, wr_subsystem *subsystem,
                        wr_carry *carry);

/* A period begins. */
void wr_delay_path_begin(wr_delay_path *path, double start_s);

/* On to a point, in the order of time, where inputs err by u_error[n_external]. base: f there, NULL: not known. */
void wr_delay_path_go(wr_delay_path *path, const wr_step_point *point, const double *base,
                      const double *u_error);

/* In the middle of the step from that point inputs err by u_error: what comes in between points where errors of inputs are known
 * goes by Simpson's rule then. */
void wr_delay_path_look_inside(wr_delay_path *path, const double *u_error);

/* Across an event, before which inputs err by u_error; its time errs by most_s at most. */
void wr_delay_path_cross(wr_delay_path *path, const wr_event_point *event, const double *u_error,
                         double most_s);

/* By what the published outputs err where it stands, ret[n_published]. Returns 0, or 1 where that cannot be told. */
int wr_delay_path_outputs(wr_delay_path *path, double *ret);

/* Passes over what changes (base/state_io.h), between periods. */
void wr_delay_path_state(wr_delay_path *path, wr_state_io *io);

#endif
