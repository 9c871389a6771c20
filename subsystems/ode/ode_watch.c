/* The points of an advance, and f there with other inputs. See step_watch.h.
 *
 * Thread: one at a time. Real-time: yes, with models that are.
 */
#include <math.h>
#include <string.h>

#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_output.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_points.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_settings.h"
#include "subsystems/ode/ode_state.h"
#include "subsystems/ode/ode_watch.h"
#include "subsystems/ode/ode_window.h"

static void copy(double *to, const double *from, int n)
{
    if (n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
}

void wr_ode_watch(wr_subsystem *s, wr_step_point *point)
{
    point->t_s = s->t_s;
    copy(point->x, s->x, s->watch->n_x);
    copy(point->d, s->d, s->watch->n_d);
    copy(point->external, s->external, s->watch->n_external);
    if (s->watch->n_mode > 0)
        memcpy(point->mode, wr_ode_of(s)->mode, (size_t)s->watch->n_mode);
}

void wr_ode_watch_step(wr_subsystem *s, double step_s)
{
    wr_step_watch *const w = s->watch;
    wr_step_watch_made(w, step_s);
    for (int j = 0; j < w->n_external; j++) {
        wr_cursor cursor = wr_cursor_start();
        w->point[w->n - 1].inside[j] = wr_wave_eval(s->source[s->external_source[j]], &cursor,
                                                    s->t_s - 0.5 * step_s, s->external_signal[j]);
    }
}

int wr_ode_place_watch(const wr_subsystem *s, wr_arena *arena, int has_points, int cap_event,
                       wr_step_watch *watch)
{
    const wr_group *const group = wr_ode_of(s)->group;
    *watch = (wr_step_watch){.n_x = s->n_x,
                             .n_d = s->n_d,
                             .n_external = s->n_external,
                             .n_mode = group->n_z,
                             .n_component = group->n_component,
                             .has_points = has_points,
                             .cap_event = cap_event};
    return wr_step_watch_place(watch, arena);
}

int wr_ode_rhs_at(wr_subsystem *s, const wr_step_point *at, const double *external, double *ret_dx)
{
    wr_group *const group = wr_ode_of(s)->group;
    const wr_fault fault = group->fault;
    const wr_group_point point = {
        .t_s = at->t_s, .x = at->x, .d = at->d, .external = external, .mode = at->mode};
    const int rc = wr_group_rhs(group, &point, ret_dx) != 0;
    wr_group_forget(group);
    group->fault = fault;
    return rc;
}

int wr_ode_outputs_at(wr_subsystem *s, const wr_step_point *at, const double *external,
                      double *ret_y)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_group *const group = work->group;
    const wr_fault fault = group->fault;
    const wr_group_point point = {
        .t_s = at->t_s, .x = at->x, .d = at->d, .external = external, .mode = at->mode};
    const int rc =
        work->settings->plan_published && wr_group_evaluate(group, work->settings->plan_published,
                                                            &point, work->scratch->y_moved) != 0;
    for (int i = 0; i < work->settings->n_published; i++) {
        const int y = work->settings->published[i], x = group->state_of_output[y];
        ret_y[i] = x >= 0 ? at->x[x] : work->scratch->y_moved[y];
    }
    wr_group_forget(group);
    group->fault = fault;
    return rc;
}

int wr_ode_row_at(wr_subsystem *s, const wr_step_point *at, const double *external, double *ret_row)
{
    wr_group *const group = wr_ode_of(s)->group;
    const wr_fault fault = group->fault;
    const wr_group_point point = {
        .t_s = at->t_s, .x = at->x, .d = at->d, .external = external, .mode = at->mode};
    const int rc = wr_ode_recorded_at(s, &point, ret_row);
    wr_group_forget(group);
    group->fault = fault;
    return rc;
}

/* ---- events ---- */

/* Does an indicator fire again to the side on which the last window ended, after new inputs have moved it back? */
static int is_again(wr_step_watch *w, const wr_ode *work, int i_z)
{
    const int side = work->instant->fired[i_z] > 0;
    const int is_taken_back = w->mode_taken[i_z] != side;
    w->mode_taken[i_z] = (unsigned char)side;
    return is_taken_back && w->mode_start[i_z] == side && w->mode_before[i_z] != side;
}

void wr_ode_watch_at(const wr_subsystem *s, const wr_group_point *point, wr_event_point *event)
{
    const wr_step_watch *const w = s->watch;
    event->t_s = point->t_s;
    copy(event->x, point->x, w->n_x);
    copy(event->d, point->d, w->n_d);
    copy(event->external, point->external, w->n_external);
    if (w->n_mode > 0)
        memcpy(event->mode, point->mode, (size_t)w->n_mode);
}

void wr_ode_watch_round(wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_step_watch *const w = s->watch;
    const int has_room = wr_step_watch_make_room(w, 0.0);
    const int i = w->n_event + w->n_open++;
    if (!has_room)
        return;
    wr_event_point *const event = &w->event[i];
    const wr_group_point here = wr_ode_point(s);
    wr_ode_watch_at(s, &here, event);
    event->is_turn = 0;
    event->round = work->instant->n_round;
    event->i_z = event->round == 0 && work->instant->is_found && work->instant->n_fired > 0
                     ? work->instant->fired_index[0]
                     : -1;
    const int is_known = event->i_z >= 0 && w->is_accepted;
    event->is_back = is_known && work->window->is_at_start &&
                     w->mode_before[event->i_z] == (work->instant->fired[event->i_z] > 0);
    event->is_again = is_known && !work->window->is_at_start && is_again(w, work, event->i_z);
    event->bend = event->i_z >= 0 && !work->window->is_at_start ? work->instant->bend : 0.0;
    event->is_time = 0;
    for (int c = 0; c < w->n_component && event->round == 0; c++)
        event->is_time |= (work->instant->due[c] & WR_DUE_TIME) != 0;
    if (w->n_mode > 0)
        memcpy(event->fired, work->instant->fired, (size_t)w->n_mode);
    memcpy(event->due, work->instant->due, (size_t)w->n_component);
    for (int k = 0; k < work->instant->n_fired; k++)
        event->due[work->group->owner_z[work->instant->fired_index[k]]] |= WR_DUE_STATE;
    if (!w->has_points) /* the owner finds the slopes itself */
        return;
    wr_ode_read_inputs(s, s->t_s, work->inputs->external_eval, 1);
    copy(event->external_slope, work->inputs->external_slope, w->n_external);
}

void wr_ode_watch_fired(wr_subsystem *s)
{
    wr_step_watch *const w = s->watch;
    const int i = w->n_event + w->n_open - 1;
    if (i >= w->cap_event)
        return;
    copy(w->event[i].x_after, s->x, w->n_x);
    copy(w->event[i].d_after, s->d, w->n_d);
}

void wr_ode_watch_instant(wr_subsystem *s, int has_changed, const double *left)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_step_watch *const w = s->watch;
    const int n_free = w->cap_event - w->n_event;
    const int n = !has_changed ? 0 : w->n_open < n_free ? w->n_open : n_free;
    for (int i = w->n_event; i < w->n_event + n; i++) {
        copy(w->event[i].left, i == w->n_event ? left : work->dx, w->n_x);
        copy(w->event[i].right, work->dx, w->n_x);
    }
    w->n_lost += has_changed ? w->n_open - n : 0;
    w->n_event += n;
    w->n_open = 0;
}

/* The event's point moved by `by` times the changes of states, inputs and discrete states (may be NULL), by_s later. */
static wr_group_point moved_point(wr_subsystem *s, const wr_event_point *event,
                                  const double *const change[3], double by, double by_s)
{
    wr_ode *const work = wr_ode_of(s);
    for (int k = 0; k < s->n_x; k++)
        work->scratch->x_moved[k] = event->x[k] + by * change[0][k];
    for (int j = 0; j < s->n_external; j++)
        work->scratch->external_moved[j] = event->external[j] + by * change[1][j];
    for (int k = 0; k < s->n_d; k++)
        work->scratch->d_probe[k] = event->d[k] + (change[2] ? by * change[2][k] : 0.0);
    return (wr_group_point){.t_s = event->t_s + by_s,
                            .x = work->scratch->x_moved,
                            .d = work->scratch->d_probe,
                            .external = work->scratch->external_moved,
                            .mode = event->mode};
}

static int indicator_at(wr_subsystem *s, const wr_event_point *event, const double *const change[3],
                        double by, double by_s, double *ret_z)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_group_point point = moved_point(s, event, change, by, by_s);
    if (wr_group_indicators(work->group, &point, work->scratch->z_watch) != 0)
        return 1;
    *ret_z = work->scratch->z_watch[event->i_z];
    return 0;
}

/* Shift for a turn: NaN if the indicator without the errors is beyond zero there, else 0. */
static double turn_shift(wr_subsystem *s, const wr_event_point *event,
                         const double *const errors[3], double *ret_margin)
{
    double here, there;
    if (indicator_at(s, event, errors, 0.0, 0.0, &here) ||
        indicator_at(s, event, errors, -1.0, 0.0, &there))
        return 0.0;
    const double margin = here / (here - there);
    if (margin > 0.0)
        *ret_margin = margin;
    return *ret_margin < 1.0 ? (double)NAN : 0.0;
}

/* Shift of a state event, s: the zero of a parabola. Its value is the indicator without the errors, its slope and bend are those with
 * the errors. With the errors the indicator need not be zero: new inputs at a window's start may show that it has crossed before. NaN:
 * without the errors there is no event. The parabola then has no zero, or errors of the window before have carried the indicator to
 * its other side, and new inputs carry it back. In the second case it moves away from that side only now, or fires a second time. */
static double indicator_shift(wr_subsystem *s, const wr_event_point *event,
                              const double *const errors[3], double most_s, double *ret_margin)
{
    static const double SHARE = 1e-3; /* of the longest shift, for the indicator's slope */
    const double *const slopes[] = {event->left, event->external_slope, NULL};
    const double by_s = SHARE * most_s, way = event->fired[event->i_z];
    double here, there, later;
    const int rc = indicator_at(s, event, slopes, 0.0, 0.0, &here) ||
                   indicator_at(s, event, errors, -1.0, 0.0, &there) ||
                   indicator_at(s, event, slopes, by_s, by_s, &later);
    if (rc)
        return 0.0;
    if (event->is_again || (event->is_back && (later - here) * way < 0.0))
        return (double)NAN;
    const double slope = fabs(later - here) / by_s, square = slope * slope;
    const double more = 2.0 * event->bend * there;
    if (more > 0.0)
        *ret_margin = square / more;
    if (*ret_margin < 1.0)
        return (double)NAN;
    const double shift_s = 2.0 * way * there / (slope + sqrt(square - more));
    return isnan(shift_s) ? 0.0 : shift_s;
}

/* Shift of a time event, s: the difference of the announced times with and without the errors. The
 * model is evaluated most_s earlier, as announced times lie ahead. */
static double announced_shift(wr_subsystem *s, const wr_event_point *event,
                              const double *const errors[3], double most_s)
{
    wr_ode *const work = wr_ode_of(s);
    double *const time_s = work->scratch->time_watch;
    const wr_group_point here = moved_point(s, event, errors, 0.0, -most_s);
    wr_group_forget(work->group);
    if (isnan(wr_group_next_time(work->group, &here, time_s)))
        return 0.0;
    int c = 0;
    while (c < work->group->n_component && !(event->due[c] & WR_DUE_TIME))
        c++;
    const double here_s = time_s[c];
    const wr_group_point there = moved_point(s, event, errors, -1.0, -most_s);
    wr_group_forget(work->group); /* it has the same arrays */
    return isnan(wr_group_next_time(work->group, &there, time_s)) ? 0.0 : here_s - time_s[c];
}

double wr_ode_event_shift(wr_subsystem *s, const wr_event_point *event, const double *x_error,
                          const double *u_error, const double *d_error, double most_s,
                          double *ret_margin)
{
    wr_group *const group = wr_ode_of(s)->group;
    const wr_fault fault = group->fault;
    const double *const errors[] = {x_error, u_error, d_error};
    *ret_margin = (double)INFINITY;
    const double shift_s = event->is_turn    ? turn_shift(s, event, errors, ret_margin)
                           : event->i_z >= 0 ? indicator_shift(s, event, errors, most_s, ret_margin)
                           : event->is_time  ? announced_shift(s, event, errors, most_s)
                                             : 0.0;
    wr_group_forget(group);
    group->fault = fault;
    return isfinite(shift_s) ? wr_clamp(shift_s, -most_s, most_s) : shift_s;
}

/* Uses and keeps the present memory. */
int wr_ode_event_after(wr_subsystem *s, const wr_event_point *event, const double *const change[3],
                       double by, double by_s, double *ret_x, double *ret_d)
{
    wr_ode *const work = wr_ode_of(s);
    wr_group *const group = work->group;
    const wr_fault fault = group->fault;
    wr_group_point point = moved_point(s, event, change, by, by_s);
    if (group->n_z > 0)
        memcpy(work->scratch->mode_watch, event->mode, (size_t)group->n_z);
    for (int i = 0; i < group->n_z; i++)
        if (event->fired[i])
            work->scratch->mode_watch[i] = event->fired[i] > 0;
    point.mode = work->scratch->mode_watch;
    copy(ret_x, point.x, group->n_x);
    copy(ret_d, point.d, s->n_d);
    wr_ode_keep_memory(s);
    const int rc = wr_group_event(group, &point, event->fired, event->due, 0, ret_x, ret_d) != 0;
    wr_ode_take_back_memory(s);
    wr_group_forget(group);
    group->fault = fault;
    return rc;
}
