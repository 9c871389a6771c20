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
    e->u_change = WR_NEW_ARRAY(arena, double, s->n_external);
    e->d_before = WR_NEW_ARRAY(arena, double, s->n_d);
    e->d_later = WR_NEW_ARRAY(arena, double, s->n_d);
    e->x_change = WR_NEW_ARRAY(arena, double, s->n_x);
    e->x_before = WR_NEW_ARRAY(arena, double, s->n_x);
    e->x_later = WR_NEW_ARRAY(arena, double, s->n_x);
    return e->error && e->u_change && e->d_before && e->d_later && e->x_change && e->x_before &&
                   e->x_later
               ? 0
               : -1;
}

static int is_same(double a, double b) { return a <= b && a >= b; }

/* Half of what values after the event differ by at two points that lie as far on either side of it. 0 where these say
 * nothing of an error: the event has gone another way at one of them, or left something else in its first pass. */
static double half_difference(double before, double here, double later)
{
    static const double CURVED =
        0.5; /* more than that of the difference is no error but another way */
    const double difference = later - before, bend = later + before - 2.0 * here;
    return fabs(bend) <= CURVED * fabs(difference) ? 0.5 * difference : 0.0;
}

/* By what states and discrete states err after the event if it comes late_s late, at its own time in either run. Returns 0, or 1
 * where it cannot be told. */
static int find_after(wr_delay_events *e, const wr_event_point *event, const double *x_error,
                      const double *u_error, double late_s)
{
    const wr_subsystem *const s = e->subsystem;
    const double *const change[] = {e->x_change, e->u_change, e->error};
    for (int i = 0; i < s->n_x; i++)
        e->x_change[i] = x_error[i] + event->left[i] * late_s;
    for (int j = 0; j < s->n_external; j++)
        e->u_change[j] = u_error[j] + event->external_slope[j] * late_s;
    if (wr_subsystem_event_after(e->subsystem, event, change, -1.0, -late_s, e->x_before,
                                 e->d_before) != 0 ||
        wr_subsystem_event_after(e->subsystem, event, change, 1.0, late_s, e->x_later,
                                 e->d_later) != 0)
        return 1;
    for (int i = 0; i < s->n_x; i++)
        e->x_change[i] = half_difference(e->x_before[i], event->x_after[i], e->x_later[i]);
    for (int k = 0; k < s->n_d; k++)
        if (!is_same(event->d_after[k], event->d[k]))
            e->error[k] = half_difference(e->d_before[k], event->d_after[k], e->d_later[k]);
    return 0;
}

void wr_delay_events_pass(wr_delay_events *e, const wr_event_point *event, double *x_error,
                          const double *u_error, double most_s)
{
    const wr_subsystem *const s = e->subsystem;
    const double late_s = event->i_z < 0 ? 0.0
                                         : wr_subsystem_event_shift(e->subsystem, event, x_error,
                                                                    u_error, e->error, most_s);
    const int is_unknown = find_after(e, event, x_error, u_error, late_s);
    for (int k = 0; k < s->n_d && is_unknown; k++)
        if (!is_same(event->d_after[k], event->d[k]))
            e->error[k] = 0.0;
    for (int i = 0; i < s->n_x; i++) {
        const double left = x_error[i] + event->left[i] * late_s;
        const int has_jumped = !is_same(event->x_after[i], event->x[i]);
        x_error[i] = (!has_jumped  ? left
                      : is_unknown ? 0.0
                                   : e->x_change[i]) -
                     event->right[i] * late_s;
    }
}

void wr_delay_events_state(wr_delay_events *e, wr_state_io *io)
{
    WR_STATE_ARRAY(io, e->error, e->subsystem->n_d);
}
