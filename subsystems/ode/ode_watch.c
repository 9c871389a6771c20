/* The points, events and turns of an advance, and evaluations at these points with other inputs. See step_watch.h.
 *
 * Thread: one at a time. Real-time: yes after placing, with rt-safe models.
 */
#include <math.h>
#include <string.h>

#include "subsystems/ode/event_indicators.h"
#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_operations.h"
#include "subsystems/ode/ode_output.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_state.h"
#include "subsystems/ode/ode_window.h"

void wr_ode_watch(wr_subsystem *s, wr_step_point *point)
{
    point->t_s = s->t_s;
    wr_ode_copy(point->x, s->x, s->watch->n_x);
    wr_ode_copy(point->d, s->d, s->watch->n_d);
    wr_ode_copy(point->external, s->external, s->watch->n_external);
    wr_ode_copy_bytes(point->mode, wr_ode_of(s)->mode, (size_t)s->watch->n_mode);
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
    WR_POINTS_FOR(s, ACCOUNT);
    wr_group *const group = wr_ode_of(s)->group;
    const wr_fault fault = group->fault;
    const wr_group_point point = {
        .t_s = at->t_s, .x = at->x, .d = at->d, .external = external, .mode = at->mode};
    return wr_group_has_own(group) ||
           wr_ode_end_trial(s, &fault, wr_group_rhs(group, &point, ret_dx) != 0);
}

int wr_ode_outputs_at(wr_subsystem *s, const wr_step_point *at, const double *external,
                      double *ret_y)
{
    WR_POINTS_FOR(s, ACCOUNT);
    const wr_ode *const work = wr_ode_of(s);
    wr_group *const group = work->group;
    const wr_fault fault = group->fault;
    const wr_group_point point = {
        .t_s = at->t_s, .x = at->x, .d = at->d, .external = external, .mode = at->mode};
    if (wr_group_has_own(group))
        return 1;
    const int rc = wr_ode_plan(s) &&
                   wr_group_evaluate(group, wr_ode_plan(s), &point, wr_scratch(s, WR_Y_MOVED)) != 0;
    for (int i = 0; i < s->n_published; i++) {
        const int y = wr_ode_published(s)[i], x = group->state_of_output[y];
        ret_y[i] = x >= 0 ? at->x[x] : wr_scratch(s, WR_Y_MOVED)[y];
    }
    return wr_ode_end_trial(s, &fault, rc);
}

int wr_ode_row_at(wr_subsystem *s, const wr_step_point *at, const double *external, double *ret_row)
{
    WR_POINTS_FOR(s, ACCOUNT);
    const wr_fault fault = wr_ode_of(s)->group->fault;
    const wr_group_point point = {
        .t_s = at->t_s, .x = at->x, .d = at->d, .external = external, .mode = at->mode};
    return wr_group_has_own(wr_ode_of(s)->group) ||
           wr_ode_end_trial(s, &fault, wr_ode_recorded_at(s, &point, ret_row));
}

/* ---- events ---- */

/* Returns whether an indicator repeats an event of the last window that the new inputs at this window's start undid. */
static int is_again(wr_step_watch *w, const wr_ode *work, int i_z)
{
    const int side = work->instant->fired[i_z] > 0;
    const int is_taken_back = w->mode_taken[i_z] != side;
    w->mode_taken[i_z] = (unsigned char)side;
    return is_taken_back && w->mode_start[i_z] == side && w->mode_before[i_z] != side;
}

/* Copies a point into an event. */
static void keep_point(const wr_subsystem *s, const wr_group_point *point, wr_event_point *event)
{
    const wr_step_watch *const w = s->watch;
    event->t_s = point->t_s;
    wr_ode_copy(event->x, point->x, w->n_x);
    wr_ode_copy(event->d, point->d, w->n_d);
    wr_ode_copy(event->external, point->external, w->n_external);
    wr_ode_copy_bytes(event->mode, point->mode, (size_t)w->n_mode);
}

void wr_ode_watch_round(wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_ode_instant *const at = work->instant;
    wr_step_watch *const w = s->watch;
    const int has_room = wr_step_watch_make_room(w, 0.0);
    const int i = w->n_event + w->n_open++;
    if (!has_room)
        return;
    wr_event_point *const event = &w->event[i];
    const wr_group_point here = wr_ode_point(s);
    keep_point(s, &here, event);
    event->is_turn = 0;
    event->round = at->n_round;
    event->i_z = event->round == 0 && at->is_found && at->n_fired > 0 ? at->fired_index[0] : -1;
    const int is_known = event->i_z >= 0 && w->is_accepted;
    event->is_back = is_known && wr_ode_is_at_start(s) &&
                     w->mode_before[event->i_z] == (at->fired[event->i_z] > 0);
    event->is_again = is_known && !wr_ode_is_at_start(s) && is_again(w, work, event->i_z);
    event->bend = event->i_z >= 0 && !wr_ode_is_at_start(s) ? at->bend : 0.0;
    event->is_time = 0;
    for (int c = 0; c < w->n_component && event->round == 0; c++)
        event->is_time |= (at->due[c] & WR_DUE_TIME) != 0;
    wr_ode_copy_bytes(event->fired, at->fired, (size_t)w->n_mode);
    memcpy(event->due, at->due, (size_t)w->n_component);
    for (int k = 0; k < at->n_fired; k++)
        event->due[work->group->owner_z[at->fired_index[k]]] |= WR_DUE_STATE;
    if (!w->has_points) /* the owner finds the slopes */
        return;
    (void)wr_ode_inputs_at(s, s->t_s, 1);
    wr_ode_copy(event->external_slope, wr_ode_input_slopes(s), w->n_external);
}

void wr_ode_watch_fired(wr_subsystem *s)
{
    wr_step_watch *const w = s->watch;
    const int i = w->n_event + w->n_open - 1;
    if (i >= w->cap_event)
        return;
    wr_ode_copy(w->event[i].x_after, s->x, w->n_x);
    wr_ode_copy(w->event[i].d_after, s->d, w->n_d);
}

void wr_ode_watch_instant(wr_subsystem *s, int has_changed, const double *left)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_step_watch *const w = s->watch;
    const int n_free = w->cap_event - w->n_event;
    const int n = !has_changed ? 0 : w->n_open < n_free ? w->n_open : n_free;
    for (int i = w->n_event; i < w->n_event + n; i++) {
        wr_ode_copy(w->event[i].left, i == w->n_event ? left : work->dx, w->n_x);
        wr_ode_copy(w->event[i].right, work->dx, w->n_x);
    }
    w->n_lost += has_changed ? w->n_open - n : 0;
    w->n_event += n;
    w->n_open = 0;
}

/* Returns the event's point moved by `by` times change[] of states, inputs and discrete states, by_s later. change[2] may be NULL. */
static wr_group_point moved_point(wr_subsystem *s, const wr_event_point *event,
                                  const double *const change[3], double by, double by_s)
{
    for (int k = 0; k < s->n_x; k++)
        wr_scratch(s, WR_X_MOVED)[k] = event->x[k] + by * change[0][k];
    for (int j = 0; j < s->n_external; j++)
        wr_scratch(s, WR_EXTERNAL_MOVED)[j] = event->external[j] + by * change[1][j];
    for (int k = 0; k < s->n_d; k++)
        wr_scratch(s, WR_D_PROBE)[k] = event->d[k] + (change[2] ? by * change[2][k] : 0.0);
    return (wr_group_point){.t_s = event->t_s + by_s,
                            .x = wr_scratch(s, WR_X_MOVED),
                            .d = wr_scratch(s, WR_D_PROBE),
                            .external = wr_scratch(s, WR_EXTERNAL_MOVED),
                            .mode = event->mode};
}

static int indicator_at(wr_subsystem *s, const wr_event_point *event, const double *const change[3],
                        double by, double by_s, double *ret_z)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_group_point point = moved_point(s, event, change, by, by_s);
    if (wr_group_indicators(work->group, &point, wr_scratch(s, WR_Z_WATCH)) != 0)
        return 1;
    *ret_z = wr_scratch(s, WR_Z_WATCH)[event->i_z];
    return 0;
}

/* Returns the shift for a turn: NaN if the indicator without the errors is beyond zero at the turn, else 0. */
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

/* Returns the shift of a state event, s; NaN: no event occurs without the errors. The shift is the zero of a parabola, with the value of
 * the indicator without the errors, and slope and bend with the errors. The result is NaN if the parabola has no zero. The result is also
 * NaN if errors of the last window moved the indicator over zero and new inputs move the indicator back (event->is_back,
 * event->is_again). */
static double indicator_shift(wr_subsystem *s, const wr_event_point *event,
                              const double *const errors[3], double most_s, double *ret_margin)
{
    static const double SHARE = 1e-3; /* span of the slope, as a share of most_s (assumed) */
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

/* Returns the shift of a time event, s: the difference of the announced times with and without the errors, evaluated most_s before the
 * event. Returns INFINITY for an event of WRSIM_ENTER_EVENT, whose time depends on the solver's steps. */
static double announced_shift(wr_subsystem *s, const wr_event_point *event,
                              const double *const errors[3], double most_s)
{
    wr_ode *const work = wr_ode_of(s);
    double *const time_s = wr_scratch(s, WR_TIME_WATCH);
    for (int c = 0; c < work->group->n_component; c++)
        if (event->due[c] & WR_DUE_ASKED)
            return (double)INFINITY;
    const wr_group_point here = moved_point(s, event, errors, 0.0, -most_s);
    wr_group_forget(work->group);
    if (isnan(wr_group_next_time(work->group, &here, time_s)))
        return 0.0;
    int c = 0;
    while (c < work->group->n_component && !(event->due[c] & WR_DUE_TIME))
        c++;
    const double here_s = time_s[c];
    const wr_group_point there = moved_point(s, event, errors, -1.0, -most_s);
    wr_group_forget(work->group); /* both points use the same arrays */
    return isnan(wr_group_next_time(work->group, &there, time_s)) ? 0.0 : here_s - time_s[c];
}

double wr_ode_event_shift(wr_subsystem *s, const wr_event_point *event, const double *x_error,
                          const double *u_error, const double *d_error, double most_s,
                          double *ret_margin)
{
    WR_POINTS_FOR(s, ACCOUNT);
    wr_group *const group = wr_ode_of(s)->group;
    const wr_fault fault = group->fault;
    const double *const errors[] = {x_error, u_error, d_error};
    *ret_margin = (double)INFINITY;
    if (wr_group_has_own(group))
        return (double)INFINITY; /* the own state before the event is gone */
    const double shift_s = event->is_turn    ? turn_shift(s, event, errors, ret_margin)
                           : event->i_z >= 0 ? indicator_shift(s, event, errors, most_s, ret_margin)
                           : event->is_time  ? announced_shift(s, event, errors, most_s)
                                             : 0.0;
    (void)wr_ode_end_trial(s, &fault, 0);
    return isfinite(shift_s) ? wr_clamp(shift_s, -most_s, most_s) : shift_s;
}

int wr_ode_event_after(wr_subsystem *s, const wr_event_point *event, const double *const change[3],
                       double by, double by_s, double *ret_x, double *ret_d)
{
    WR_POINTS_FOR(s, ACCOUNT);
    wr_ode *const work = wr_ode_of(s);
    wr_group *const group = work->group;
    const wr_fault fault = group->fault;
    if (wr_group_has_own(group) || !wr_group_may_probe(group, event->due))
        return 1;
    wr_group_point point = moved_point(s, event, change, by, by_s);
    wr_ode_copy_bytes(wr_scratch_mode(s), event->mode, (size_t)group->n_z);
    for (int i = 0; i < group->n_z; i++)
        if (event->fired[i])
            wr_scratch_mode(s)[i] = event->fired[i] > 0;
    point.mode = wr_scratch_mode(s);
    wr_ode_copy(ret_x, point.x, group->n_x);
    wr_ode_copy(ret_d, point.d, s->n_d);
    wr_ode_keep_memory(s);
    const int rc = wr_group_event(group, &point, event->fired, event->due, 0, ret_x, ret_d) != 0;
    wr_ode_take_back_memory(s);
    return wr_ode_end_trial(s, &fault, rc);
}

/* ---- turns of indicators ----
 *
 * An indicator turns if it comes near zero and goes back. Small errors then decide whether an event occurs. */

/* A quartic interpolates an indicator at NODES equidistant times of a step, both ends included. */
enum { NODES = 5, LAST = NODES - 1 };
/* Largest distance between the step and the turn of a parabola through the ends of two steps, in lengths of the step (assumed). Up to this
 * distance the quartic may turn inside the step. */
static const double BESIDE = 0.5;
/* A difference of values below this share of the values is rounding (assumed). */
static const double ROUNDING = 1e-12;
/* Largest ratio of the second derivatives at two points of a step with smooth inputs (assumed). */
static const double ROUGH = 4.0;

/* Evaluates the indicators at the nodes between the step's ends. Returns 0, or 1 if the model fails. */
static int probe(wr_subsystem *s, double end_s, const double *z[NODES])
{
    WR_POINTS_FOR(s, ACCOUNT);
    wr_ode *const work = wr_ode_of(s);
    wr_group *const group = work->group;
    const wr_fault fault = group->fault;
    int rc = 0;
    z[0] = work->indicators->z;
    z[LAST] = work->indicators->z_step;
    for (int k = 1; k < LAST && rc == 0; k++) {
        double *const z_k = wr_scratch(s, WR_Z_LOOK) + (size_t)(k - 1) * (size_t)group->n_z;
        const double t_s = s->t_s + (end_s - s->t_s) * (double)k / LAST;
        const wr_group_point point = wr_ode_point_at(s, t_s, 0);
        rc = wr_group_indicators(group, &point, z_k) != 0;
        z[k] = z_k;
    }
    s->stats.n_indicator_evaluation += LAST - 1;
    return wr_ode_end_trial(s, &fault, rc);
}

/* Returns the slope of -|z| at the step's beginning, from values before a possible event. */
static double slope_before(const wr_subsystem *s, int i)
{
    double half_bend;
    const double slope = wr_ode_z_slope(s, i, &half_bend);
    return (slope + half_bend * wr_ode_last_step(s)) * (wr_ode_z(s)[i] > 0.0 ? -1.0 : 1.0);
}

/* Returns whether indicator i may turn in the step of length h_s, by the parabola of three values, or at an instant by two slopes. */
static int may_turn(const wr_subsystem *s, int i, double h_s)
{
    const wr_ode *const work = wr_ode_of(s);
    const double here = work->indicators->z[i], end = work->indicators->z_step[i];
    if ((here > 0.0) != (end > 0.0))
        return 0;
    const double way = here > 0.0 ? -1.0 : 1.0, last_s = wr_ode_last_step(s);
    const double later = way * (end - here) / h_s;
    const double before = way * (here - work->indicators->z_before[i]) / last_s;
    if (wr_ode_is_at_instant(s))
        return before > 0.0 || later < 0.0;
    const double bend = (later - before) / (h_s + last_s); /* half of the second derivative */
    const double slope = later - bend * h_s;               /* at the step's beginning */
    return bend < 0.0 && slope > 2.0 * bend * BESIDE * h_s &&
           slope < -2.0 * bend * (1.0 + BESIDE) * h_s;
}

/* Returns the time of the quartic's turn from the step's beginning, in distances of two nodes; NaN: no turn. slope: slope before an event
 * at the step's beginning; NaN: no event. *ret_depth: |z| at the node of the turn. */
static double turning(const double f[NODES], double slope, double *ret_depth)
{
    const double first = -25.0 * f[0] + 48.0 * f[1] - 36.0 * f[2] + 16.0 * f[3] - 3.0 * f[4];
    const double last = 3.0 * f[0] - 16.0 * f[1] + 36.0 * f[2] - 48.0 * f[3] + 25.0 * f[4];
    if (!(slope > 0.0 || (isnan(slope) && first > 0.0)) || !(last < 0.0))
        return (double)NAN;
    *ret_depth = -f[0];
    if (!(first > 0.0))
        return 0.0;
    int k = 1;
    for (int j = 2; j < LAST; j++)
        k = f[j] > f[k] ? j : k;
    *ret_depth = -f[k];
    const double bend = f[k - 1] - 2.0 * f[k] + f[k + 1];
    return k + (bend < 0.0 ? 0.5 * (f[k - 1] - f[k + 1]) / bend : 0.0);
}

/* Returns the second derivative of indicator i at the end of the step of length h_s. The result is at most ROUGH times the difference over
 * the whole step, because inputs may be rough. Returns 0 if the whole step bends the other way, or if the difference is rounding. */
static double bend_at_end(const double *const z[NODES], int i, double h_s, double nominal)
{
    const double part_s = h_s / LAST;
    const double end =
        (35.0 * z[4][i] - 104.0 * z[3][i] + 114.0 * z[2][i] - 56.0 * z[1][i] + 11.0 * z[0][i]) /
        12.0;
    const double whole = (z[4][i] - 2.0 * z[2][i] + z[0][i]) / 4.0;
    const double size = wr_min(fabs(end), ROUGH * fabs(whole));
    const double rounding = ROUNDING * wr_max(nominal, fabs(z[0][i]));
    return end * whole > 0.0 && size > rounding ? copysign(size, end) / (part_s * part_s) : 0.0;
}

/* Stores a turn of indicator i at t_s in s->watch. depth: |z| at the turn, in nominal values. */
static void keep_turn(wr_subsystem *s, int i, double t_s, double depth)
{
    wr_ode *const work = wr_ode_of(s);
    wr_step_watch *const w = s->watch;
    if (!wr_step_watch_make_room(w, depth)) {
        w->lost_depth = wr_min(w->lost_depth, depth);
        return;
    }
    wr_event_point *const event = &w->event[w->n_event++];
    const int direction = work->indicators->events->direction[i],
              way = work->indicators->z[i] > 0.0 ? -1 : 1;
    const wr_group_point point = wr_ode_point_at(s, t_s, 0);
    keep_point(s, &point, event);
    event->round = event->is_time = event->is_back = event->is_again = 0;
    event->is_turn = 1;
    event->depth = depth;
    event->i_z = i;
    for (int k = 0; k < w->n_mode; k++)
        event->fired[k] = 0;
    for (int c = 0; c < w->n_component; c++)
        event->due[c] = 0;
    event->is_twice = direction == 0;
    event->fired[i] = (signed char)(direction == 0 ? way : direction == 1 ? 1 : -1);
    event->due[work->group->owner_z[i]] = WR_DUE_STATE;
}

void wr_ode_watch_course(wr_subsystem *s, double end_s)
{
    wr_ode *const work = wr_ode_of(s);
    const double h_s = end_s - s->t_s;
    const int i_fired = work->instant->n_fired > 0 ? work->instant->fired_index[0] : -1;
    int is_probed = 0;
    const double *z[NODES];
    double depth[NODES];
    work->instant->bend = 0.0;
    if (work->group->n_z == 0 || s->watch->n_open > 0 || !(h_s > 0.0))
        return;
    for (int i = 0; i < work->group->n_z; i++) {
        if (i != i_fired && (work->course->n_before == 0 || !may_turn(s, i, h_s)))
            continue;
        if (!is_probed && probe(s, end_s, z) != 0)
            return;
        is_probed = 1;
        for (int k = 0; k < NODES; k++)
            depth[k] = z[0][i] > 0.0 ? -z[k][i] : z[k][i];
        if (i == i_fired) {
            work->instant->bend = bend_at_end(z, i, h_s, work->indicators->nominal[i]);
            continue;
        }
        double from_zero;
        const double at =
            turning(depth, wr_ode_is_at_instant(s) ? slope_before(s, i) : (double)NAN, &from_zero);
        if (!isnan(at))
            keep_turn(s, i, s->t_s + at * h_s / LAST, from_zero / work->indicators->nominal[i]);
    }
}
