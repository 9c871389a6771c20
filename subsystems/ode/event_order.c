/* The order of a subsystem's own events and of the jumps of its inputs.
 *
 * The consequences of an event in other subsystems may return as a jump of an input, at the same instant or a little later. From
 * sweep to sweep both times change: the event's time with the steps around it, the jump's time with the event of the last sweep. The
 * comparison of waves measures a small shift, but a jump on the other side of an event leads to another solution. So each integration
 * stores its instants, and the next integration follows these rules:
 *
 * - An event located a little before its last time fires at the last time. An event located a little after its last time fires a little
 *   after the located time.
 * - A jump waits for an own event whose last time is a little later. A jump also waits for an event within the tolerances of the jump.
 * - An own event within the tolerances of a jump belongs to the same instant. The event reads the values before the jump.
 * - The subsystem integrates again if a jump with a response moves, or has another round or other causes. The subsystem also integrates
 *   again if a jump lies on another side of an own event.
 *
 * "A little" is a time in which states and inputs change by at most a share of their tolerances. The causes of a jump decide whether
 * the integration may pass the jump at all (jump_causes.c).
 *
 * Thread: one at a time. Real-time: yes after placing.
 */
#include <math.h>

#include "subsystems/ode/bounded_work.h"
#include "subsystems/ode/event_indicators.h"
#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/event_order.h"
#include "subsystems/ode/jump_causes.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_output.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_tolerances.h"
#include "subsystems/ode/ode_window.h"
#include "subsystems/ode/pulse_search.h"

/* Share of the tolerances of states and inputs by which an event may come later than located (docs/lab/2026-11-23-instants.md). */
static const double LATE_SHARE = 0.01;
/* Bounds of the largest difference of times at one instant (assumed). The lower bound is LATE_EVENTS event tolerances. The upper bound is
 * the share LATE_WAY of the time to the event, or of the window. */
static const double LATE_EVENTS = 4.0, LATE_WAY = 0.1;
/* Factor on the delay of an event against the last integration. The product is the time that the event waits
 * (docs/lab/2026-11-23-instants.md). */
static const double LATE_MARGIN = 2.0;
/* Largest change of the present values that makes the indicator of an own event zero at a jump of the same instant, in tolerances. If two
 * subsystems locate one event, each subsystem has an error of one tolerance in its states, and of one tolerance in its input wave. The
 * difference of two iterates doubles this sum. */
static const double JOINED_UNITS = 4.0;
/* Largest time between an own event and a jump of the same instant, as a share of the window (assumed). */
static const double JOINED_WAY = 0.1;
/* Time of a further evaluation of the indicators in wr_ode_is_joined(), as a share of the time from the event to the jump (assumed). */
static const double JOINED_LOOK = 0.5;
/* Factor on the expected time to an own event (assumed). A jump waits for the event during the product. */
static const double DUE_MARGIN = 2.0;

/* Evaluates the indicators at a point. Returns 0, or 1 if the model fails. The function drops the model's fault. */
static int indicators_beside(wr_subsystem *s, const wr_group_point *point, double *ret_z)
{
    WR_POINTS_FOR(s, LOCATE);
    wr_group *const group = wr_ode_of(s)->group;
    s->stats.n_indicator_evaluation++;
    if (wr_group_indicators(group, point, ret_z) == 0)
        return 0;
    group->fault.status = WRSIM_OK;
    return 1;
}

/* Returns whether one of n listed indicators changes with the time alone, at fixed states and inputs. Returns 1 also if the model fails. */
static int are_timed(wr_subsystem *s, int n, const int *index, double by_s)
{
    wr_ode *const work = wr_ode_of(s);
    if (!work->order->may_be_timed)
        return 0;
    wr_group_point point = wr_ode_point(s);
    int any = indicators_beside(s, &point, wr_scratch(s, WR_Z_WATCH)) != 0;
    point.t_s += by_s;
    any = any || indicators_beside(s, &point, wr_scratch(s, WR_Z_LOOK)) != 0;
    for (int k = 0; k < n && !any; k++)
        any = wr_scratch(s, WR_Z_WATCH)[index[k]] < wr_scratch(s, WR_Z_LOOK)[index[k]] ||
              wr_scratch(s, WR_Z_WATCH)[index[k]] > wr_scratch(s, WR_Z_LOOK)[index[k]];
    return any;
}

void wr_ode_find_timed(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    work->order->may_be_timed = wr_ode_is_searched(s);
    if (work->order->may_be_timed || work->order->instants.cap == 0) /* cap 0: no instants */
        return;
    for (int i = 0; i < work->group->n_z; i++)
        wr_scratch_index(s)[i] = i;
    work->order->may_be_timed = 1;
    work->order->may_be_timed =
        are_timed(s, work->group->n_z, wr_scratch_index(s), wr_ode_communication_step(s));
}

/* Returns the tolerance for times of events that depend on time alone, s. The tolerance is relative to a step, because a window may be as
 * long as the run. */
static double time_tolerance(const wr_subsystem *s)
{
    const double step_s = wr_max(wr_ode_reach(s), wr_ode_last_tried(s));
    return wr_ode_coupling_rtol(s) * wr_min(step_s, wr_ode_window_length(s));
}

/* Returns the time, s, in which the present states and the inputs on the left of t_s change by at most `units` tolerances. If an indicator
 * in index[n] depends on time, `units` tolerances of the time also limit the result. The result is at most most_s, but at least LATE_EVENTS
 * event tolerances. */
static double time_within(wr_subsystem *s, double t_s, double units, double most_s, int n,
                          const int *index)
{
    const wr_ode *const work = wr_ode_of(s);
    double rate = 0.0; /* tolerances per second */
    for (int i = 0; i < work->group->n_x; i++)
        rate = wr_max(rate, fabs(work->dx[i]) / wr_ode_state_tolerance(s, i, s->x[i]));
    const double *const external = wr_ode_inputs_at(s, t_s, 1);
    for (int i = 0; i < s->n_external; i++)
        rate = wr_max(rate,
                      fabs(wr_ode_input_slopes(s)[i]) / wr_ode_input_tolerance(s, i, external[i]));
    double within_s = rate * most_s > units ? units / rate : most_s;
    if (within_s > units * time_tolerance(s) && are_timed(s, n, index, within_s))
        within_s = units * time_tolerance(s);
    return wr_max(LATE_EVENTS * wr_ode_event_tolerance(s), within_s);
}

/* Returns the largest difference, s, between the times of jumps at one instant. */
static double jump_span(const wr_subsystem *s)
{
    return wr_max(LATE_EVENTS * wr_ode_event_tolerance(s),
                  JOINED_UNITS * wr_ode_coupling_rtol(s) * wr_ode_window_length(s));
}

double wr_ode_event_span(wr_subsystem *s)
{
    int n_fired;
    const int *const fired = wr_ode_fired(s, &n_fired);
    const double most_s = LATE_WAY * wr_ode_window_length(s);
    return wr_ode_is_in_ring(s)
               ? wr_max(jump_span(s), time_within(s, s->t_s, JOINED_UNITS, most_s, n_fired, fired))
               : 0.0;
}

double wr_ode_checked_span(const wr_subsystem *s)
{
    const wr_instants *const in = &wr_ode_of(s)->order->instants;
    double longest_s = 0.0;
    for (int k = 0; k < in->n; k++)
        longest_s = wr_max(longest_s, in->at[k].span_s);
    return longest_s;
}

/* Returns the time until which a check withholds the next jump, s, for an own event of the last integration at the jump's instant. Without
 * such an event the function returns the time of the jump. */
static double withheld_until(const wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    int n_come = 0; /* number of own state events of the present integration */
    for (int k = 0; k < work->order->instants.n; k++)
        n_come += work->order->instants.at[k].i_z >= 0;
    for (int k = 0; k < work->order->last.n; k++) {
        const wr_instant *const at = &work->order->last.at[k];
        if (at->i_z >= 0 && n_come-- > 0)
            continue;
        if (at->i_z >= 0 && wr_ode_next_jump(s) >= at->from_s - at->span_s &&
            wr_ode_next_jump(s) <= at->t_s + at->span_s)
            return wr_min(at->t_s + at->span_s, wr_ode_window_end(s));
    }
    return wr_ode_next_jump(s);
}

/* Returns whether the wave jumps within span_s of t_s. */
static int has_jump_at(const wr_wave *wave, double t_s, double span_s)
{
    int any = 0;
    for (int i = 0; wave->n_jump > 0 && i + 1 < wave->n_node && !any; i++)
        any = wave->t_s[i + 1] <= wave->t_s[i] && fabs(wave->t_s[i] - t_s) <= span_s;
    return any;
}

wr_instant_kind wr_ode_instant_at(const wr_subsystem *s, double t_s)
{
    const wr_instants *const in = &wr_ode_of(s)->order->instants;
    const double span_s = jump_span(s);
    wr_instant_kind kind = WR_INSTANT_NONE;
    if (s->n_source ==
        0) /* the subsystem stores no instants, and only own events make the wave jump */
        return has_jump_at(s->wave, t_s, span_s) ? WR_INSTANT_GROUNDED : WR_INSTANT_NONE;
    for (int k = 0; k < in->n && kind != WR_INSTANT_GROUNDED; k++)
        if (t_s >= in->at[k].from_s - span_s && t_s <= in->at[k].t_s + span_s)
            kind = in->at[k].is_grounded ? WR_INSTANT_GROUNDED : WR_INSTANT_ANSWERED;
    return kind;
}

int wr_ode_next_answer(const wr_subsystem *s, int i_instant, double *ret_t_s)
{
    const wr_instants *const in = &wr_ode_of(s)->order->instants;
    while (i_instant < in->n && (in->at[i_instant].is_grounded || !in->at[i_instant].has_fired))
        i_instant++;
    if (i_instant == in->n)
        return -1;
    *ret_t_s = in->at[i_instant].t_s;
    return i_instant + 1;
}

int wr_ode_confirms(const wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_instants *const now = &work->order->instants, *const last = &work->order->last;
    int i = 0, j = 0;
    for (;; i++, j++) {
        while (i < now->n && now->at[i].i_z < 0)
            i++;
        while (j < last->n && last->at[j].i_z < 0)
            j++;
        if (i == now->n || j == last->n)
            return i == now->n && j == last->n;
        if (now->at[i].i_z != last->at[j].i_z ||
            !(fabs(now->at[i].t_s - last->at[j].t_s) <= last->at[j].span_s))
            return 0;
    }
}

double wr_ode_landing(wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    const double jump_s = wr_ode_next_jump(s);
    if (s->is_check)
        return jump_s < wr_ode_window_end(s) ? wr_min(withheld_until(s), wr_ode_second_jump(s))
                                             : jump_s;
    if (work->order->held_jump_s >= jump_s && work->order->held_until_s > s->t_s)
        return work->order->held_until_s;
    if (work->order->last.n == 0 || !(jump_s < wr_ode_window_end(s)))
        return jump_s;
    const wr_instants *const instants = &wr_ode_of(s)->order->last;
    const wr_instant *last = NULL;
    for (int k = 0; k < instants->n; k++)
        if (instants->at[k].i_z >= 0 && instants->at[k].t_s > jump_s &&
            (!last || instants->at[k].t_s < last->t_s))
            last = &instants->at[k];
    const double latest_s = wr_min(wr_ode_window_end(s), wr_ode_second_jump(s));
    return last && last->t_s < latest_s &&
                   last->t_s <= jump_s + time_within(s, jump_s, LATE_SHARE,
                                                     LATE_WAY * (jump_s - s->t_s), 1, &last->i_z)
               ? last->t_s
               : jump_s;
}

/* Adds to reach[n_z] the change of the indicators from z[n_z] if *value changes by `by`. Restores *value. Returns 0, or 1 if the model
 * fails. */
static int add_reach(wr_subsystem *s, const wr_group_point *point, const double *z, double *value,
                     double by, double *ret_z, double *reach)
{
    const wr_ode *const work = wr_ode_of(s);
    const double before = *value;
    *value += by;
    const int has_failed = indicators_beside(s, point, ret_z);
    for (int i = 0; i < work->group->n_z && !has_failed; i++)
        reach[i] += fabs(ret_z[i] - z[i]);
    *value = before;
    return has_failed;
}

/* Finds the largest change, reach[n_z], of each indicator within JOINED_UNITS tolerances of states, inputs and the time of a jump
 * (wr_wave_distance.jump_time_s). The point consists of WR_X_MOVED and WR_EXTERNAL_MOVED. z[n_z]: indicators at the point; z_ahead[n_z]:
 * indicators after ahead_s. Returns the number of points at which the model fails. These points do not count. */
static int find_reach(wr_subsystem *s, const wr_group_point *point, const double *z,
                      const double *z_ahead, double ahead_s, double *ret_z, double *reach)
{
    int n_failed = 0;
    wr_ode *const work = wr_ode_of(s);
    double *const x = wr_scratch(s, WR_X_MOVED), *const external = wr_scratch(s, WR_EXTERNAL_MOVED);
    const double late_s = wr_max(wr_ode_event_tolerance(s), JOINED_UNITS * time_tolerance(s));
    for (int i = 0; i < work->group->n_z; i++)
        reach[i] = fabs(z_ahead[i] - z[i]) * wr_min(late_s / fabs(ahead_s), 1.0);
    for (int i = 0; i < work->group->n_x; i++)
        n_failed += add_reach(s, point, z, &x[i], JOINED_UNITS * wr_ode_state_tolerance(s, i, x[i]),
                              ret_z, reach);
    for (int i = 0; i < s->n_external; i++)
        if (wr_ode_reaches_z(s, i))
            n_failed +=
                add_reach(s, point, z, &external[i],
                          JOINED_UNITS * wr_ode_input_tolerance(s, i, external[i]), ret_z, reach);
    return n_failed;
}

static const double *reach_here(wr_subsystem *s, int *ret_n_failed)
{
    wr_ode *const work = wr_ode_of(s);
    double *const reach = wr_scratch(s, WR_Z_LOOK) + work->group->n_z;
    wr_ode_copy(wr_scratch(s, WR_X_MOVED), s->x, work->group->n_x);
    wr_ode_copy(wr_scratch(s, WR_EXTERNAL_MOVED), s->external, s->n_external);
    const wr_group_point point =
        wr_ode_point_of(s, s->t_s, wr_scratch(s, WR_X_MOVED), wr_scratch(s, WR_EXTERNAL_MOVED));
    *ret_n_failed =
        find_reach(s, &point, wr_ode_z(s), wr_ode_z(s), 1.0, wr_scratch(s, WR_Z_WATCH), reach);
    wr_group_forget(work->group);
    return reach;
}

const double *wr_ode_reach_here(wr_subsystem *s) { return reach_here(s, &(int){0}); }

int wr_ode_is_within_reach(wr_subsystem *s, int i_z)
{
    return fabs(wr_ode_z(s)[i_z]) <= wr_ode_reach_here(s)[i_z];
}

int wr_ode_is_event_near(wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    if (work->group->n_z == 0)
        return 0;
    int n_failed;
    const double *const reach = reach_here(s, &n_failed);
    double *const sign = wr_scratch(s, WR_Z_WATCH);
    for (int i = 0; i < work->group->n_z; i++) {
        const int may_change = n_failed > 0 || fabs(wr_ode_z(s)[i]) <= reach[i];
        sign[i] = work->mode[i] == may_change ? -1.0 : 1.0;
    }
    return wr_ode_list_events(s, sign, wr_scratch_index(s)) > 0;
}

/* Returns the expected time from the present to an own event on the left of the due jump, s; INFINITY: none. The event lies within the
 * tolerances of the present instant. A jump and the values of its source have the same error of time. So these values move against the jump
 * by at most the event tolerance. */
static double expect_event(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    const size_t n_z = (size_t)work->group->n_z;
    const double ahead_s = JOINED_WAY * wr_ode_window_length(s);
    (void)wr_ode_inputs_at(s, s->t_s, 1);
    for (int i = 0; i < work->group->n_x; i++)
        wr_scratch(s, WR_X_MOVED)[i] = s->x[i] + ahead_s * work->dx[i];
    for (int i = 0; i < s->n_external; i++)
        wr_scratch(s, WR_EXTERNAL_MOVED)[i] = s->external[i] + ahead_s * wr_ode_input_slopes(s)[i];
    double *const z_ahead = wr_scratch(s, WR_Z_LOOK), *const reach = z_ahead + n_z,
                  *const z_held = reach + n_z;
    wr_group_point point = wr_ode_point_of(s, s->t_s + ahead_s, wr_scratch(s, WR_X_MOVED),
                                           wr_scratch(s, WR_EXTERNAL_MOVED));
    if (indicators_beside(s, &point, z_ahead) != 0)
        return (double)INFINITY;
    const int n = wr_ode_list_events(s, z_ahead, wr_scratch_index(s));
    if (n == 0)
        return (double)INFINITY;
    wr_ode_hold_jumping(s, wr_scratch(s, WR_EXTERNAL_MOVED));
    if (indicators_beside(s, &point, z_held) != 0)
        return (double)INFINITY;
    point.t_s = s->t_s;
    wr_ode_copy(wr_scratch(s, WR_X_MOVED), s->x, work->group->n_x);
    wr_ode_copy(wr_scratch(s, WR_EXTERNAL_MOVED), s->external, s->n_external);
    const double *const z = wr_ode_z(s);
    find_reach(s, &point, z, z_held, ahead_s, wr_scratch(s, WR_Z_WATCH), reach);
    const double share = wr_min(wr_ode_event_tolerance(s) / ahead_s, 1.0);
    for (int k = 0; k < n; k++) {
        const int i = wr_scratch_index(s)[k];
        reach[i] += share * fabs(z_ahead[i] - z[i]);
    }
    double first_s = (double)INFINITY;
    for (int k = 0; k < n; k++) {
        const int i = wr_scratch_index(s)[k];
        const double now = wr_ode_z(s)[i];
        if (fabs(now) <= reach[i])
            first_s = wr_min(first_s, ahead_s * fabs(now) / fabs(z_ahead[i] - now));
    }
    return first_s;
}

/* Returns whether the due jump still waits for an own event. If the wait ends at the window's end, sets parts_instant. */
static int is_held(wr_subsystem *s)
{
    const double until_s = wr_ode_of(s)->order->held_until_s;
    if (until_s > s->t_s && !wr_time_close(until_s, s->t_s))
        return 1;
    s->parts_instant |= wr_time_close(s->t_s, wr_ode_window_end(s));
    return 0;
}

int wr_ode_lets_event_first(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    if (work->group->n_z == 0 || wr_ode_is_bounded(s) || s->is_check)
        return 0;
    if (work->order->held_jump_s >= wr_ode_next_jump(s))
        return is_held(s);
    if (!wr_ode_is_jump_located(s))
        return 0;
    const double due_s = expect_event(s);
    if (!(due_s < (double)INFINITY))
        return 0;
    work->order->held_jump_s = wr_ode_next_jump(s);
    work->order->held_until_s =
        wr_min(wr_min(s->t_s + DUE_MARGIN * due_s + LATE_EVENTS * wr_ode_event_tolerance(s),
                      wr_ode_window_end(s)),
               wr_ode_second_jump(s));
    return is_held(s);
}

double wr_ode_joined_time(const wr_subsystem *s, double t_s)
{
    const double jump_s = wr_ode_next_jump(s);
    if (wr_ode_i_member(s) < 0 || wr_ode_is_bounded(s) || !(jump_s > t_s) ||
        wr_time_close(jump_s, t_s) || jump_s - t_s > JOINED_WAY * wr_ode_window_length(s) ||
        wr_ode_is_own_answer(s))
        return (double)NAN;
    const double found_s = wr_ode_located_cause(s);
    return found_s > -(double)INFINITY ? wr_clamp(found_s, t_s, jump_s) : (double)NAN;
}

/* Writes the indicators at t_s into ret_z, with states along their slopes from an event at event_s. Returns 0, or 1 if the model fails. */
static int indicators_ahead(wr_subsystem *s, double event_s, double t_s, double *ret_z)
{
    wr_ode *const work = wr_ode_of(s);
    for (int i = 0; i < work->group->n_x; i++)
        wr_scratch(s, WR_X_MOVED)[i] =
            wr_scratch(s, WR_X_STEP)[i] + (t_s - event_s) * wr_scratch(s, WR_DX_STEP)[i];
    wr_ode_read_inputs(s, t_s, wr_scratch(s, WR_EXTERNAL_MOVED), 0);
    wr_group_point point =
        wr_ode_point_of(s, t_s, wr_scratch(s, WR_X_MOVED), wr_scratch(s, WR_EXTERNAL_MOVED));
    point.mode = wr_ode_sense(s);
    return indicators_beside(s, &point, ret_z);
}

int wr_ode_is_joined(wr_subsystem *s, double t_s, const double *z)
{
    wr_ode *const work = wr_ode_of(s);
    double *const z_ahead = wr_scratch(s, WR_Z_LOOK), *const reach = z_ahead + work->group->n_z;
    const double ahead_s = wr_ode_next_jump(s) - t_s;
    wr_ode_state_at(s, t_s, wr_scratch(s, WR_X_STEP), wr_scratch(s, WR_DX_STEP));
    /* An indicator that passes zero and returns may cause the jump at its second zero. */
    if (indicators_ahead(s, t_s, t_s + JOINED_LOOK * ahead_s, wr_scratch(s, WR_Z_WATCH)) != 0 ||
        indicators_ahead(s, t_s, wr_ode_next_jump(s), z_ahead) != 0)
        return 0;
    for (int i = 0; i < work->group->n_z; i++)
        if (fabs(wr_scratch(s, WR_Z_WATCH)[i] - z[i]) > fabs(z_ahead[i] - z[i]))
            z_ahead[i] = wr_scratch(s, WR_Z_WATCH)[i];
    wr_group_point point =
        wr_ode_point_of(s, t_s, wr_scratch(s, WR_X_MOVED), wr_scratch(s, WR_EXTERNAL_MOVED));
    point.mode = wr_ode_sense(s);
    wr_ode_copy(wr_scratch(s, WR_X_MOVED), wr_scratch(s, WR_X_STEP), work->group->n_x);
    wr_ode_read_inputs(s, t_s, wr_scratch(s, WR_EXTERNAL_MOVED), 0);
    find_reach(s, &point, z, z_ahead, ahead_s, wr_scratch(s, WR_Z_WATCH), reach);
    int all = 1;
    int n_found;
    const int *const found = wr_ode_found(s, &n_found);
    for (int k = 0; k < n_found; k++) {
        const int i = found[k];
        all = all && fabs(z_ahead[i] - z[i]) <= reach[i];
    }
    return all;
}

/* Returns the largest difference of states and inputs between two times of the last step, in their tolerances. */
static double units_between(wr_subsystem *s, double a_s, double b_s)
{
    wr_ode *const work = wr_ode_of(s);
    double largest = 0.0;
    wr_ode_state_at(s, a_s, wr_scratch(s, WR_X_MOVED), NULL);
    wr_ode_state_at(s, b_s, wr_scratch(s, WR_X_STEP), NULL);
    for (int i = 0; i < work->group->n_x; i++)
        largest = wr_max(largest, fabs(wr_scratch(s, WR_X_STEP)[i] - wr_scratch(s, WR_X_MOVED)[i]) /
                                      wr_ode_state_tolerance(s, i, wr_scratch(s, WR_X_STEP)[i]));
    wr_ode_read_inputs(s, a_s, wr_scratch(s, WR_EXTERNAL_MOVED), 0);
    const double *const external = wr_ode_inputs_at(s, b_s, 0);
    for (int i = 0; i < s->n_external; i++)
        largest = wr_max(largest, fabs(external[i] - wr_scratch(s, WR_EXTERNAL_MOVED)[i]) /
                                      wr_ode_input_tolerance(s, i, external[i]));
    return largest;
}

const wr_instant *wr_ode_last_event(const wr_subsystem *s, int i_z, double t_s)
{
    const wr_instants *const last = &wr_ode_of(s)->order->last;
    const wr_instant *nearest = NULL;
    for (int k = 0; k < last->n && !s->is_check; k++)
        if (last->at[k].i_z == i_z &&
            (!nearest || fabs(last->at[k].t_s - t_s) < fabs(nearest->t_s - t_s)))
            nearest = &last->at[k];
    return nearest;
}

double wr_ode_kept_time(wr_subsystem *s, const wr_instant *was, double t_s, double reach_s)
{
    const double was_s = was->found_s, late_s = t_s - was_s;
    const double kept_s = late_s <= 0.0 ? was_s : t_s + LATE_MARGIN * late_s;
    const double least_s = LATE_EVENTS * wr_ode_event_tolerance(s);
    const double most_s = wr_max(LATE_WAY * (reach_s - s->t_s), least_s);
    if (!(was_s > s->t_s) || kept_s > reach_s || kept_s - t_s > most_s || late_s > most_s)
        return (double)NAN;
    const double from_s = wr_min(was_s, t_s), apart_s = kept_s - from_s;
    int n_found;
    const int *const found = wr_ode_found(s, &n_found);
    if (apart_s > wr_max(least_s, LATE_SHARE * time_tolerance(s)) &&
        are_timed(s, n_found, found, apart_s))
        return (double)NAN;
    return units_between(s, from_s, kept_s) <= LATE_SHARE ? kept_s : (double)NAN;
}

wrsim_status wr_ode_note_instant(wr_subsystem *s, double from_s, double span_s, int n_state,
                                 int is_time)
{
    wr_ode *const work = wr_ode_of(s);
    wr_instants *const in = &work->order->instants;
    const int n = n_state > 0 ? n_state : 1;
    if (in->cap == 0)
        return WRSIM_OK;
    s->has_shared |= n_state > 0 && wr_ode_n_jump(s) > 0 && wr_ode_is_in_ring(s);
    if (in->n + n > in->cap)
        return wr_ode_fault(s, WRSIM_E_LIMIT, s->t_s,
                            "a window has too many events; lower relaxation.window.min and "
                            ".max (or slack.period), or raise relaxation.max_nodes");
    for (int k = 0; k < n; k++)
        in->at[in->n++] = (wr_instant){.from_s = from_s,
                                       .t_s = s->t_s,
                                       .found_s = wr_min(wr_ode_found_time(s), s->t_s),
                                       .span_s = span_s,
                                       .i_source = n_state > 0 || is_time ? -1 : wr_ode_i_jumped(s),
                                       .i_z = n_state > 0 ? wr_ode_has_fired(s)[k] : -1,
                                       .is_shown = wr_ode_has_shown(s),
                                       .is_grounded = n_state > 0 || is_time,
                                       .has_fired = wr_ode_has_flipped(s)};
    return WRSIM_OK;
}

void wr_ode_turn_instants(wr_subsystem *s)
{
    wr_ode_event_order *const order = wr_ode_of(s)->order;
    const wr_instants last = order->last, spare = order->spare;
    if (s->is_after_check) { /* repeats the integration before the check, with the same last instants */
        order->spare = last;
        order->last = spare;
    } else {
        order->last = order->instants;
        order->instants = s->is_check ? spare : last;
        if (s->is_check)
            order->spare = last;
    }
    s->is_after_check = 0;
    order->held_jump_s = order->held_until_s = -(double)INFINITY;
    order->instants.n = 0;
    order->instants.start_s = s->t_s;
    if (order->last.start_s < s->t_s ||
        order->last.start_s > s->t_s) /* the last integration was of another window */
        order->last.n = 0;
}

int wr_ode_place_instants(wr_subsystem *s, wr_arena *arena, int cap_node)
{
    /* Least number of instants, and nodes of the wave per instant (assumed). A subsystem without inputs stores no instants. */
    enum { LEAST = 16, NODES_PER_INSTANT = 4 };
    wr_ode *const work = wr_ode_of(s);
    const int room = cap_node / NODES_PER_INSTANT;
    const int cap = s->n_external == 0 ? 0 : room < LEAST ? LEAST : room;
    wr_arena_cold(arena, 1);
    work->order->instants = (wr_instants){.cap = cap, .at = WR_NEW_ARRAY(arena, wr_instant, cap)};
    work->order->last = (wr_instants){.cap = cap, .at = WR_NEW_ARRAY(arena, wr_instant, cap)};
    work->order->spare = (wr_instants){.cap = cap, .at = WR_NEW_ARRAY(arena, wr_instant, cap)};
    wr_arena_cold(arena, 0);
    return work->order->instants.at && work->order->last.at && work->order->spare.at ? 0 : -1;
}

static void keep_instants(wr_instants *in, wr_state_io *io)
{
    const int n = (int)wr_state_count(io, in->n, in->cap);
    if (wr_state_reads(io))
        in->n = n;
    WR_STATE(io, in->start_s);
    WR_STATE_ARRAY(io, in->at, n);
}

void wr_ode_keep_instants(wr_subsystem *s, wr_state_io *io)
{
    keep_instants(&wr_ode_of(s)->order->instants, io);
    keep_instants(&wr_ode_of(s)->order->last, io);
}

void wr_ode_forget_instants(wr_subsystem *s)
{
    wr_ode_event_order *const order = wr_ode_of(s)->order;
    order->instants.n = order->last.n = order->spare.n = 0;
    order->instants.start_s = order->last.start_s = order->spare.start_s = (double)NAN;
}

/* Returns a pseudorandom number for i, so that different sets have different sums (splitmix64; Steele, Lea, Flood: "Fast splittable
 * pseudorandom number generators", OOPSLA 2014). */
static uint64_t scramble(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

int wr_ode_may_share_end(const wr_subsystem *s, const wr_wave *wave)
{
    return wr_ode_i_member(s) >= 0 &&
           ((wr_ode_n_jump(s) > 0 && wr_ode_is_at_instant(s)) ||
            wr_causes_is_located(wave->causes, wave->t_s, wr_wave_end(wave)));
}

/* Returns whether the jump after node i of a source's wave is at the wave's end, and the subsystem does not respond at this instant. The
 * next window then begins with the jump. */
static int is_for_next_window(const wr_subsystem *s, int i_source, const wr_wave *wave, int i)
{
    const wr_instants *const in = &wr_ode_of(s)->order->instants;
    if (wave->t_s[i] < wr_wave_end(wave) || wr_ode_may_share_end(s, wave) ||
        wr_ode_is_jump_direct(s, i_source, wave, i))
        return 0;
    int has_instant = wr_ode_n_round(s) > 1 && wr_ode_is_at_instant(s);
    for (int k = 0; k < in->n; k++)
        has_instant |= wave->t_s[i] <= in->at[k].t_s || wr_time_close(wave->t_s[i], in->at[k].t_s);
    return !has_instant;
}

uint64_t wr_ode_order(const wr_subsystem *s, int i_source, const wr_wave *wave)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_instants *const in = &work->order->instants;
    const int i_member = wr_ode_i_member(s);
    uint64_t order = 0;
    int round = 0;
    /* The comparison of waves includes effects on derivatives. Only immediate responses depend on number and order of jumps. */
    if (wave->n_jump == 0 || (in->n == 0 && !wr_ode_is_followed(s, i_source)))
        return 0;
    /* If the last wave has no jumps, the limits are unset. */
    wr_ode_set_limits(s, i_source);
    for (int i = 0; i + 1 < wave->n_node; i++) {
        round = wave->t_s[i + 1] <= wave->t_s[i] ? round + 1 : 0;
        if (!wr_ode_is_jump_node(s, i_source, wave, i))
            continue;
        if (is_for_next_window(s, i_source, wave, i))
            continue;
        const double t_s = wave->t_s[i];
        const int count =
            wave->causes && i_member >= 0 ? wr_causes_count(wave->causes, i + 1, i_member) : 0;
        order += scramble(0); /* number of jumps */
        for (int k = 0; k < in->n; k++) {
            const wr_instant *const at = &in->at[k];
            const int is_now = (t_s >= at->from_s && t_s <= at->t_s) ||
                               wr_time_close(t_s, at->from_s) || wr_time_close(t_s, at->t_s);
            /* The jump of the instant counts only if a published output responds. */
            const int counts =
                at->i_source == i_source ? is_now && at->is_shown : is_now || t_s < at->from_s;
            if (!counts)
                continue;
            order += scramble(1 + 2 * (uint64_t)k + (uint64_t)is_now);
            if (is_now) /* other rounds and causes count as another order */
                order += scramble(scramble(2 + 2 * (uint64_t)k) ^
                                  ((uint64_t)round << 32 | (uint64_t)count));
        }
    }
    return order;
}
