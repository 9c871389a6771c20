/* The error along the points of a period. See delay_path.h. Thread: as in delay_path.h. Real-time: yes after placing. */
#include "runtime/slack/delay_path.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"

/* share of the errors in the second attempt, if the model fails with the full errors (assumed) */
static const double NEAR_SHARE = 1e-3;

int wr_delay_path_place(wr_delay_path *p, wr_arena *arena, wr_subsystem *s, wr_propagation *carry)
{
    *p = (wr_delay_path){.subsystem = s, .carry = carry};
    if (WR_NEW_DOUBLES(arena, s->n_x, &p->base, &p->base_next, &p->k1, &p->k2, &p->error,
                       &p->moved_x, &p->other) != 0 ||
        WR_NEW_DOUBLES(arena, s->n_external, &p->u_error, &p->moved_u, &p->inside, &p->u_start,
                       &p->u_end) != 0 ||
        WR_NEW_DOUBLES(arena, s->n_d, &p->moved_d) != 0 ||
        WR_NEW_DOUBLES(arena, s->n_published, &p->output) != 0)
        return -1;
    return wr_event_error_place(&p->events, arena, s);
}

void wr_delay_path_begin(wr_delay_path *p, double start_s)
{
    p->point = NULL;
    p->t_s = start_s;
}

/* Returns a point less a share of all errors, and its inputs in moved_u. */
static wr_step_point move(wr_delay_path *p, const wr_step_point *at, const double *error,
                          const double *u_error, double share)
{
    const wr_subsystem *const s = p->subsystem;
    wr_step_point moved = *at;
    for (int k = 0; k < s->n_x; k++)
        p->moved_x[k] = at->x[k] - share * error[k];
    for (int j = 0; j < s->n_external; j++)
        p->moved_u[j] = at->external[j] - share * u_error[j];
    for (int k = 0; k < s->n_d; k++)
        p->moved_d[k] = at->d[k] - share * p->events.error[k];
    moved.x = p->moved_x;
    moved.d = p->moved_d;
    return moved;
}

/* Writes (base - f(z - share * e)) / share to ret, where z = (x, u, d) is the point, e the errors of z, and base = f(z). Returns 0, or 1 if
 * the model fails. */
static int differ(wr_delay_path *p, const wr_step_point *at, const double *base,
                  const double *error, const double *u_error, double share, double *ret)
{
    const wr_subsystem *const s = p->subsystem;
    const wr_step_point moved = move(p, at, error, u_error, share);
    p->n_rhs++;
    if (wr_subsystem_rhs_at(p->subsystem, &moved, p->moved_u, p->other) != 0)
        return 1;
    for (int k = 0; k < s->n_x; k++)
        ret[k] = (base[k] - p->other[k]) / share;
    return wr_has_bad(ret, s->n_x);
}

/* Writes E'. If the model fails with the full errors, a share of NEAR_SHARE gives E'. If the model fails again, E' is 0. */
static void find_slope(wr_delay_path *p, const wr_step_point *at, const double *base,
                       const double *error, const double *u_error, double *ret)
{
    if (differ(p, at, base, error, u_error, 1.0, ret) != 0 &&
        differ(p, at, base, error, u_error, NEAR_SHARE, ret) != 0)
        memset(ret, 0, (size_t)p->subsystem->n_x * sizeof *ret);
}

/* Performs a step of ROS2 from a to b. */
static void step(wr_delay_path *p, double h, const wr_step_point *a, const double *base_a,
                 const double *u_error_a, const wr_step_point *b, const double *base_b,
                 const double *u_error_b)
{
    const int n = p->subsystem->n_x;
    double *const error = wr_propagation_error(p->carry);
    wr_propagation_factor(p->carry, h);
    find_slope(p, a, base_a, error, u_error_a, p->k1);
    wr_propagation_solve(p->carry, p->k1);
    for (int k = 0; k < n; k++)
        p->error[k] = error[k] + h * p->k1[k];
    wr_propagation_limit_states(p->carry, p->error);
    find_slope(p, b, base_b, p->error, u_error_b, p->k2);
    for (int k = 0; k < n; k++)
        p->k2[k] -= 2.0 * p->k1[k];
    wr_propagation_solve(p->carry, p->k2);
    for (int k = 0; k < n; k++)
        error[k] += h * (1.5 * p->k1[k] + 0.5 * p->k2[k]);
    wr_propagation_limit_states(p->carry, error);
}

void wr_delay_path_go(wr_delay_path *p, const wr_step_point *point, const double *base,
                      const double *u_error)
{
    const wr_subsystem *const s = p->subsystem;
    const double h = point->t_s - p->t_s;
    if (base)
        memcpy(p->base_next, base, (size_t)s->n_x * sizeof *base);
    else {
        p->n_rhs++;
        if (wr_subsystem_rhs_at(p->subsystem, point, point->external, p->base_next) != 0)
            return; /* the model fails: the errors stay unchanged */
    }
    if (h > 0.0 && p->point) {
        /* The mean input error is half the sum of the input errors at the two ends. If the errors in the middle of the solver's step are
         * known, Simpson's rule gives the mean. */
        const int is_step =
            p->has_inside && wr_time_close(p->point->t_s + p->point->step_s, point->t_s);
        for (int j = 0; j < s->n_external; j++) {
            const double mean = 0.5 * (p->u_error[j] + u_error[j]);
            const double more = is_step ? (2.0 / 3.0) * (p->inside[j] - mean) : 0.0;
            p->u_start[j] = p->u_error[j] + more;
            p->u_end[j] = u_error[j] + more;
        }
        step(p, h, p->point, p->base, p->u_start, point, p->base_next, p->u_end);
    } else if (h > 0.0)
        step(p, h, point, p->base_next, u_error, point, p->base_next, u_error);
    double *const passed = p->base;
    p->base = p->base_next;
    p->base_next = passed;
    memcpy(p->u_error, u_error, (size_t)s->n_external * sizeof *u_error);
    p->point = point;
    p->t_s = point->t_s;
    p->has_inside = 0;
}

void wr_delay_path_look_inside(wr_delay_path *p, const double *u_error)
{
    if (!p->point)
        return;
    memcpy(p->inside, u_error, (size_t)p->subsystem->n_external * sizeof *u_error);
    p->has_inside = 1;
}

void wr_delay_path_cross(wr_delay_path *p, const wr_event_point *event, const double *u_error,
                         double most_s)
{
    const wr_step_point before = {.t_s = event->t_s,
                                  .x = event->x,
                                  .d = event->d,
                                  .external = event->external,
                                  .mode = event->mode};
    if (event->t_s > p->t_s)
        wr_delay_path_go(p, &before, NULL, u_error);
    (void)wr_event_error_cross(&p->events, event, wr_propagation_error(p->carry), u_error, most_s);
    wr_propagation_limit_states(p->carry, wr_propagation_error(p->carry));
    p->point = NULL; /* the slopes change at the event */
}

static int differ_outputs(wr_delay_path *p, double share, double *ret)
{
    const wr_subsystem *const s = p->subsystem;
    const wr_step_point moved =
        move(p, p->point, wr_propagation_error(p->carry), p->u_error, share);
    if (wr_subsystem_outputs_at(p->subsystem, p->point, p->point->external, ret) != 0 ||
        wr_subsystem_outputs_at(p->subsystem, &moved, p->moved_u, p->output) != 0)
        return 1;
    for (int i = 0; i < s->n_published; i++)
        ret[i] = (ret[i] - p->output[i]) / share;
    return wr_has_bad(ret, s->n_published);
}

int wr_delay_path_outputs(wr_delay_path *p, double *ret)
{
    return !p->point ||
           (differ_outputs(p, 1.0, ret) != 0 && differ_outputs(p, NEAR_SHARE, ret) != 0);
}

void wr_delay_path_state(wr_delay_path *p, wr_state_io *io)
{
    wr_event_error_state(&p->events, io);
}
