/* What events make of errors. See delay_events.h.
 *
 * Thread: as there. Real-time: yes after placing.
 */
#include "runtime/slack/delay_events.h"

#include <math.h>
#include <string.h>

int wr_delay_events_place(wr_delay_events *e, wr_arena *arena, wr_subsystem *s)
{
    e->subsystem = s;
    e->error = WR_NEW_ARRAY(arena, double, s->n_d);
    e->moved_d = WR_NEW_ARRAY(arena, double, s->n_d);
    e->source = WR_NEW_ARRAY(arena, double, s->n_x);
    e->slope = WR_NEW_ARRAY(arena, double, s->n_x);
    return e->error && e->moved_d && e->source && e->slope ? 0 : -1;
}

static int is_same(double a, double b) { return a <= b && a >= b; }

/* By what a value that was taken over at an event errs; late_s is in it. */
static double taken_over(const wr_delay_events *e, const wr_event_point *event, double value,
                         const double *x_error, const double *u_error, double late_s)
{
    const wr_subsystem *const s = e->subsystem;
    if (is_same(value, 0.0)) /* too many are */
        return 0.0;
    if (is_same(value, event->t_s))
        return late_s;
    for (int i = 0; i < s->n_x; i++)
        if (is_same(value, event->x[i]))
            return x_error[i] + event->left[i] * late_s;
    for (int j = 0; j < s->n_external; j++)
        if (is_same(value, event->external[j]))
            return u_error[j] + event->external_slope[j] * late_s;
    return 0.0;
}

void wr_delay_events_pass(wr_delay_events *e, const wr_event_point *event, const double *x_error,
                          const double *u_error, double most_s)
{
    const wr_subsystem *const s = e->subsystem;
    const double late_s = event->i_z < 0 ? 0.0
                                         : wr_subsystem_event_shift(e->subsystem, event, x_error,
                                                                    u_error, e->error, most_s);
    e->has_error = 0;
    for (int k = 0; k < s->n_d; k++) {
        if (!is_same(event->d_after[k], event->d[k]))
            e->error[k] = taken_over(e, event, event->d_after[k], x_error, u_error, late_s);
        e->has_error |= !is_same(e->error[k], 0.0);
    }
    for (int i = 0; i < s->n_x; i++) {
        const int has_jumped = !is_same(event->x_after[i], event->x[i]);
        e->source[i] += has_jumped ? -x_error[i] - event->right[i] * late_s
                                   : (event->left[i] - event->right[i]) * late_s;
    }
}

int wr_delay_events_count(wr_delay_events *e, const wr_step_point *point, const double *slope,
                          double span_s)
{
    const wr_subsystem *const s = e->subsystem;
    if (!e->has_error)
        return 0;
    wr_step_point moved = *point;
    moved.d = e->moved_d;
    for (int k = 0; k < s->n_d; k++)
        e->moved_d[k] = point->d[k] - e->error[k];
    if (wr_subsystem_rhs_at(e->subsystem, &moved, point->external, e->slope) != 0)
        return 1;
    for (int i = 0; i < s->n_x; i++) {
        const double change = span_s * (slope[i] - e->slope[i]);
        e->source[i] += isfinite(change) ? change : 0.0;
    }
    return 1;
}

void wr_delay_events_state(wr_delay_events *e, wr_state_io *io)
{
    WR_STATE(io, e->has_error);
    WR_STATE_ARRAY(io, e->error, e->subsystem->n_d);
    WR_STATE_ARRAY(io, e->source, e->subsystem->n_x);
}
