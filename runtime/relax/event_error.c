/* Propagation of errors across an event. See event_error.h. Thread: as in event_error.h. Real-time: yes after placing. */
#include "runtime/relax/event_error.h"

#include <math.h>
#include <string.h>

/* Numbers of evaluations of the model: for one round, for the delay of a state event, and for the delay of a time event. */
enum { EVENTS = 2, INDICATORS = 3, ANNOUNCED_TIMES = 2 };

int wr_event_error_place(wr_event_error *e, wr_arena *arena, wr_subsystem *s)
{
    e->subsystem = s;
    return WR_NEW_DOUBLES(arena, s->n_x, &e->x_change, &e->x_before, &e->x_later, &e->x_missed) |
           WR_NEW_DOUBLES(arena, s->n_d, &e->error, &e->d_before, &e->d_later, &e->d_missed) |
           WR_NEW_DOUBLES(arena, s->n_external, &e->u_change);
}

static int is_same(double a, double b) { return a <= b && a >= b; }

/* Limits of a test whether an event's result and its results at two points, equally far on either side, lie on a line. Their second
 * difference must be at most CURVED times the difference of the two results, or ROUNDING times the value (both assumed). */
static const double CURVED = 0.5, ROUNDING = 1e-13;

/* Returns half of the difference of the results `later` and `before`; 0 if the three results do not lie on a line. If the second difference
 * then exceeds the tolerance rtol * size, sets *is_unknown. */
static double half_difference(double before, double here, double later, double size, double rtol,
                              int *is_unknown)
{
    const double difference = later - before, bend = fabs(later + before - 2.0 * here);
    if (bend <= CURVED * fabs(difference) || bend <= ROUNDING * size)
        return 0.5 * difference;
    *is_unknown |= !(bend <= rtol * size);
    return 0.0;
}

/* Finds the errors after a round of an event that is late_s late. Writes the errors of states to x_change, of discrete states to error.
 * All errors are differences of the split run and the exact run, each at its own event time. Returns 0, or 1 if an error is unknown. */
static int find_after(wr_event_error *e, const wr_event_point *event, const double *x_error,
                      const double *u_error, double late_s)
{
    const wr_subsystem *const s = e->subsystem;
    const double *const change[] = {e->x_change, e->u_change, e->error};
    int is_unknown = 0;
    e->n_rhs += EVENTS;
    for (int i = 0; i < s->n_x; i++)
        e->x_change[i] = x_error[i] + event->left[i] * late_s;
    for (int j = 0; j < s->n_external; j++)
        e->u_change[j] = u_error[j] + event->external_slope[j] * late_s;
    if (wr_subsystem_event_after(e->subsystem, event, change, -1.0, -late_s, e->x_before,
                                 e->d_before) != 0 ||
        wr_subsystem_event_after(e->subsystem, event, change, 1.0, late_s, e->x_later,
                                 e->d_later) != 0) {
        for (int i = 0; i < s->n_x; i++)
            if (!is_same(event->x_after[i], event->x[i]))
                e->x_change[i] = 0.0;
        for (int k = 0; k < s->n_d; k++)
            if (!is_same(event->d_after[k], event->d[k]))
                e->error[k] = 0.0;
        return 1;
    }
    for (int i = 0; i < s->n_x; i++)
        if (!is_same(event->x_after[i], event->x[i]))
            e->x_change[i] = half_difference(e->x_before[i], event->x_after[i], e->x_later[i],
                                             fabs(event->x[i]) + fabs(event->x_after[i]) +
                                                 s->atol_x[i] / s->rtol,
                                             s->rtol, &is_unknown);
    for (int k = 0; k < s->n_d; k++)
        if (!is_same(event->d_after[k], event->d[k]))
            e->error[k] =
                half_difference(e->d_before[k], event->d_after[k], e->d_later[k],
                                fabs(event->d[k]) + fabs(event->d_after[k]), s->rtol, &is_unknown);
    return is_unknown;
}

double wr_event_error_late(wr_event_error *e, const wr_event_point *event, const double *x_error,
                           const double *u_error, double most_s)
{
    e->n_rhs += event->i_z >= 0 ? INDICATORS : event->is_time ? ANNOUNCED_TIMES : 0;
    return wr_subsystem_event_shift(e->subsystem, event, x_error, u_error, e->error, most_s,
                                    &e->margin);
}

int wr_event_error_pass(wr_event_error *e, const wr_event_point *event, double *x_error,
                        const double *u_error, double late_s)
{
    const int is_unknown = find_after(e, event, x_error, u_error, late_s);
    for (int i = 0; i < e->subsystem->n_x; i++)
        x_error[i] = e->x_change[i] - event->right[i] * late_s;
    return is_unknown;
}

void wr_event_error_add(wr_event_error *e, const wr_event_point *event, double *x_error)
{
    for (int i = 0; i < e->subsystem->n_x; i++)
        x_error[i] += event->x_after[i] - event->x[i];
    for (int k = 0; k < e->subsystem->n_d; k++)
        e->error[k] += event->d_after[k] - event->d[k];
}

/* Writes to x_before and d_before the states after the event that a turn prevents, in a run without the errors. Returns 1 if the model
 * fails. */
static int fire_missed(wr_event_error *e, wr_event_point *event, const double *x_error,
                       const double *u_error)
{
    const wr_subsystem *const s = e->subsystem;
    const double *const errors[] = {x_error, u_error, e->error};
    e->n_rhs += EVENTS;
    if (wr_subsystem_event_after(e->subsystem, event, errors, -1.0, 0.0, e->x_before,
                                 e->d_before) != 0)
        return 1;
    if (!event->is_twice)
        return 0;
    const double *const change[] = {e->x_change, e->u_change, e->d_later};
    for (int i = 0; i < s->n_x; i++)
        e->x_change[i] = e->x_before[i] - event->x[i];
    for (int j = 0; j < s->n_external; j++)
        e->u_change[j] = -u_error[j];
    for (int k = 0; k < s->n_d; k++)
        e->d_later[k] = e->d_before[k] - event->d[k];
    event->fired[event->i_z] = (signed char)-event->fired[event->i_z];
    const int rc =
        wr_subsystem_event_after(e->subsystem, event, change, 1.0, 0.0, e->x_before, e->d_before);
    event->fired[event->i_z] = (signed char)-event->fired[event->i_z];
    return rc;
}

int wr_event_error_miss(wr_event_error *e, wr_event_point *event, const double *x_error,
                        const double *u_error)
{
    const wr_subsystem *const s = e->subsystem;
    if (fire_missed(e, event, x_error, u_error) != 0)
        return 1;
    const double share = e->margin < 1.0 ? 1.0 : 0.0;
    for (int i = 0; i < s->n_x; i++) {
        const double without = event->x[i] - x_error[i];
        e->has_missed |= !is_same(e->x_before[i], without);
        e->x_missed[i] = share * (without - e->x_before[i]);
    }
    for (int k = 0; k < s->n_d; k++) {
        const double without = event->d[k] - e->error[k];
        e->has_missed |= !is_same(e->d_before[k], without);
        e->d_missed[k] = share * (without - e->d_before[k]);
    }
    e->i_missed = event->i_z;
    e->way_missed = event->fired[event->i_z];
    e->margin_missed = e->margin;
    return 0;
}

int wr_event_error_settle(wr_event_error *e, const wr_event_point *first, double *x_error)
{
    const int is_prevented =
        e->has_missed && !(first && first->fired[e->i_missed] == e->way_missed);
    e->has_missed = 0;
    for (int i = 0; i < e->subsystem->n_x && is_prevented; i++)
        x_error[i] += e->x_missed[i];
    for (int k = 0; k < e->subsystem->n_d && is_prevented; k++)
        e->error[k] += e->d_missed[k];
    return is_prevented;
}

int wr_event_error_cross(wr_event_error *e, const wr_event_point *event, double *x_error,
                         const double *u_error, double most_s)
{
    if (event->round == 0)
        e->late_s = wr_event_error_late(e, event, x_error, u_error, most_s);
    if (!isfinite(e->late_s))
        e->late_s = 0.0;
    return wr_event_error_pass(e, event, x_error, u_error, e->late_s);
}

void wr_event_error_state(wr_event_error *e, wr_state_io *io)
{
    WR_STATE_ARRAY(io, e->error, e->subsystem->n_d);
    WR_STATE(io, e->has_missed);
    WR_STATE(io, e->i_missed);
    WR_STATE(io, e->way_missed);
    WR_STATE(io, e->margin_missed);
    WR_STATE_ARRAY(io, e->x_missed, e->subsystem->n_x);
    WR_STATE_ARRAY(io, e->d_missed, e->subsystem->n_d);
}
