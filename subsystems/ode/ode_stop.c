/* Stops: the discontinuities of an instant, and the start of the integrator after a stop. See ode_stop.h. Thread: one at a time. Real-time:
 * yes, with rt-safe models and integrators. */
#include "subsystems/ode/ode_stop.h"

#include <math.h>
#include <string.h>

#include "subsystems/model_host/calling.h"
#include "subsystems/ode/algebraic_variables.h"
#include "subsystems/ode/bounded_work.h"
#include "subsystems/ode/event_indicators.h"
#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/event_order.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_log.h"
#include "subsystems/ode/ode_operations.h"
#include "subsystems/ode/ode_output.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_solver.h"
#include "subsystems/ode/ode_step.h"
#include "subsystems/ode/ode_tolerances.h"
#include "subsystems/ode/ode_window.h"
#include "subsystems/ode/pulse_search.h"

/* Limit of the change of a state over the whole window by the change of slopes at an event, in tolerances (assumed). Below this limit a
 * small shift of the event does not matter. */
static const double TURN_LIMIT = 10.0;
/* Limit instead of TURN_LIMIT if wr_step_watch.has_points is 0 (assumed). The time of an event may then err by up to a window. */
static const double WATCHED_TURN = 0.1;
/* Share of a window at its end in which other inputs may move an event beyond the window's end (assumed). */
static const double LATE_SHARE = 0.1;

wrsim_status wr_ode_start_integrator(wr_subsystem *s)
{
    if (wr_ode_of(s)->group->n_x == 0)
        return WRSIM_OK;
    wr_ode *const work = wr_ode_of(s);
    const wr_group_point point = wr_ode_point(s);
    work->group->fault.status = WRSIM_OK;
    s->stats.n_restart_rhs++;
    if (wr_ode_has_mass(s))
        WR_TRY(wr_ode_settle(s));
    const int rc_f = wr_ode_has_mass(s) ? wr_ode_slope_here(s, work->dx)
                     : work->group->n_z > 0
                         ? wr_group_rhs_after_indicators(work->group, &point, work->dx)
                         : wr_group_rhs(work->group, &point, work->dx);
    if (rc_f != 0)
        return wr_ode_has_mass(s) ? s->fault.status : wr_ode_group_fault(s);
    wr_ode_mark_dx_exact(s);
    return wr_ode_start_solver(s, work->dx);
}

/* Returns the present time for a row before the row of a communication point, s. If the present time and the communication point count as
 * equal, the result is the earlier of the two times. */
static double row_time(const wr_subsystem *s)
{
    const double grid_s = wr_ode_grid_time(s, wr_ode_of(s)->clock->i_grid);
    return wr_time_close(grid_s, s->t_s) ? wr_min(grid_s, s->t_s) : s->t_s;
}

static wrsim_status record_left(wr_subsystem *s, const wr_group_point *point)
{
    return wr_ode_records_events(s) && s->n_recorded > 0
               ? wr_ode_append_row(s, point, WR_ROW_EVENT_LEFT, row_time(s))
               : WRSIM_OK;
}

/* Publishes and records the left side of a stop. At the start of a window whose inputs have jumped, the left side has the inputs and modes of
 * the end of the last window: a model with new inputs and old modes may be in no valid branch. */
static wrsim_status show_left(wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_group_point point = wr_ode_point(s);
    if (!work->window->is_at_start || !work->window->has_jumped) {
        WR_TRY(wr_ode_publish_here(s));
        return record_left(s, &point);
    }
    if (work->group->mass)
        point.x = wr_scratch(s, WR_X_LEFT);
    point.external = wr_scratch(s, WR_EXTERNAL_LEFT);
    point.mode = work->instant->mode_before;
    wr_group_forget(work->group);
    WR_TRY(s->n_published > 0 ? wr_ode_publish(s, &point, work->dx) : WRSIM_OK);
    WR_TRY(record_left(s, &point));
    wr_group_forget(work->group);
    return WRSIM_OK;
}

static wrsim_status show_right(wr_subsystem *s)
{
    WR_TRY(wr_ode_publish_right(s, wr_ode_of(s)->instant->n_round));
    const wr_group_point point = wr_ode_point(s);
    if (wr_ode_records_events(s) && s->n_recorded > 0)
        WR_TRY(wr_ode_append_row(s, &point, WR_ROW_EVENT_RIGHT, row_time(s)));
    return WRSIM_OK;
}

/* Returns the largest |x' - left| of all states times the length of the window, in tolerances. left[n_x]: earlier slopes. */
static double turn_of(const wr_subsystem *s, const double *left)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_group *const group = work->group;
    const double length_s = wr_ode_window_length(s);
    double largest = 0.0;
    for (int i = 0; i < group->n_x; i++) {
        const double tolerance =
            wr_ode_coupling_rtol(s) * wr_ode_size(s, s->x[i], group->nominal_x[i]);
        largest = wr_max(largest, length_s * fabs(work->dx[i] - left[i]) / tolerance);
    }
    return largest;
}

static int is_watched(const wr_subsystem *s, const double *left)
{
    return turn_of(s, left) > (s->watch->has_points ? TURN_LIMIT : WATCHED_TURN);
}

/* Returns 1 if other inputs at the window's end may at once change the sign of an indicator. Otherwise the next window begins with the
 * signs of this window's end, so an event near the end is neither lost nor repeated. Algebraic variables follow inputs at once. At the end
 * of a step step_completed() may store inputs in memory. */
static int may_flip_at_end(const wr_subsystem *s)
{
    int any = wr_ode_has_mass(s) || wr_group_has_step_completed(wr_ode_of(s)->group);
    for (int i = 0; i < s->n_external && !any; i++)
        any = wr_ode_reaches_z(s, i);
    return any;
}

/* Returns whether the changes at the present instant depend on inputs, or on the time of the instant. Counters and flags without a
 * published jump depend on inputs or time only if other inputs might move their change to the next window. */
static int is_sensitive(const wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    const double length_s = wr_ode_window_length(s);
    const int is_late =
        wr_ode_window_end(s) - s->t_s <= LATE_SHARE * length_s && may_flip_at_end(s);
    return work->instant->is_state_changed || work->instant->has_stored ||
           (work->instant->has_changed && (wr_ode_has_shown(s) || is_late));
}

/* Publishes and records the left side of the stop, and marks its events and jumps. */
static wrsim_status begin(wr_subsystem *s, int n_state, int n_ask, const double *moved)
{
    wr_ode *const work = wr_ode_of(s);
    wr_ode_stop *const stop = work->stop;
    WR_TRY(show_left(s));
    wr_ode_log_stop(s);
    stop->n_state = n_state;
    stop->n_ask = n_ask;
    stop->moved = moved;
    stop->is_at_start = work->window->is_at_start;
    stop->n_time = wr_ode_mark_times(s);
    stop->span_s =
        n_state > 0 ? wr_ode_event_span(s) + wr_max(s->t_s - work->instant->found_s, 0.0) : 0.0;
    stop->n_jump = wr_ode_open_jumps(s);
    work->instant->is_found = n_state > 0 && (moved || stop->n_jump == 0);
    if (n_state > 0)
        WR_TRY(wr_ode_check_streak(s));
    if (stop->n_time + n_state > 0)
        WR_TRY(wr_ode_check_dense(s, stop->n_time > 0));
    if (stop->n_time > 0)
        wr_ode_note_time_event(s);
    stop->from_s = wr_min(s->t_s, wr_ode_next_jump(s));
    return WRSIM_OK;
}

/* Counts the stop after its events, starts the integrator, and publishes and records the right side. */
static wrsim_status finish(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_ode_stop *const stop = work->stop;
    /* the time of an event that step_completed() asks for depends on steps and inputs */
    work->instant->has_stored |= stop->n_ask > 0;
    s->stats.n_state_event += work->instant->n_flip_now > 0;
    s->stats.n_time_event += stop->n_time > 0;
    s->stats.n_input_jump += stop->n_jump > 0;
    const unsigned causes = (work->instant->n_flip_now > 0 ? WRSIM_CAUSE_STATE : 0U) |
                            (stop->n_time > 0 ? WRSIM_CAUSE_TIME : 0U) |
                            (stop->n_jump > 0 ? WRSIM_CAUSE_INPUT_JUMP : 0U);
    wr_subsystem_count_stop(s, causes);
    wr_subsystem_observe_event(s, s->t_s, causes);
    wr_ode_keep_course(s);
    wr_ode_aim_again(s);
    wr_ode_copy(wr_scratch(s, WR_DX_STEP), work->dx, work->group->n_x);
    const int is_left_exact = work->clock->is_dx_exact || stop->is_at_start;
    WR_TRY(wr_ode_start_integrator(s));
    const int is_turned = turn_of(s, wr_scratch(s, WR_DX_STEP)) > TURN_LIMIT;
    wr_ode_log_slopes(s, wr_scratch(s, WR_DX_STEP), is_left_exact);
    if (s->watch) {
        const double *const left =
            stop->is_at_start ? work->window->dx_left : wr_scratch(s, WR_DX_STEP);
        wr_ode_watch_instant(s, is_watched(s, left) || work->instant->has_changed, left);
    }
    WR_TRY(show_right(s));
    wr_ode_log_close(s, causes);
    if (is_turned || is_sensitive(s)) {
        s->stats.n_turn++;
        s->turn_s = s->t_s;
    }
    if (stop->n_time > 0 || work->instant->n_flip_now > 0 ||
        (stop->n_jump > 0 && wr_ode_has_shown(s)))
        WR_TRY(wr_ode_note_instant(s, stop->from_s, stop->span_s, stop->n_state, stop->n_time > 0));
    wr_group_keep_loops(work->group);
    return WRSIM_OK;
}

wrsim_status wr_ode_handle_stop(wr_subsystem *s, int n_state, int n_ask, const double *moved)
{
    WR_POINTS_FOR(s, STOP);
    WR_TRY(begin(s, n_state, n_ask, moved));
    const wrsim_status status = wr_ode_fire(s, moved);
    wr_ode_of(s)->stop->is_held = status == WRSIM_STOPPED;
    return status == WRSIM_OK ? finish(s) : status;
}

/* ---- events that wait until the run accepts the window ---- */

/* Longest delay of a waiting event, in communication steps (assumed), if the tolerance of event times is shorter. */
static const double LEAST_DELAY = 2e-9;

/* Appends a node with the values of the wave's last node. */
static wrsim_status repeat_node(wr_subsystem *s, double t_s)
{
    const size_t n = (size_t)s->n_published;
    double *to_value, *to_slope;
    WR_TRY(wr_ode_add_node(s, t_s, &to_value, &to_slope));
    memcpy(to_value, to_value - n, n * sizeof *to_value);
    memset(to_slope, 0, n * sizeof *to_slope);
    return WRSIM_OK;
}

wrsim_status wr_ode_hold_stop(wr_subsystem *s, double t_end_s)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_ode_stop *const stop = work->stop;
    /* Other subsystems locate a state event of the same instant with an error of their own. */
    const int is_own = stop->n_state > 0 && !stop->is_at_start && wr_ode_n_round(s) == 0;
    const double after_s = is_own && stop->n_jump == 0 ? wr_ode_event_tolerance(s) : 0.0;
    const double located_s = wr_max(wr_ode_located_to(s), 2.0 * after_s);
    s->held = (wr_held_event){.t_s = s->t_s,
                              .after_s = after_s,
                              .span_s = wr_max(located_s, LEAST_DELAY * work->grid->step_s),
                              .round = wr_ode_n_round(s),
                              .is_own = is_own};
    stop->has_rest = t_end_s > s->t_s && !wr_time_close(t_end_s, s->t_s);
    return stop->has_rest && s->n_published > 0 ? repeat_node(s, t_end_s) : WRSIM_OK;
}

/* Moves from the event to the window's end, which is at most held.span_s later. The inputs stay as at the event. So the next window finds a
 * jump between the event and the end as a jump at its start. */
static wrsim_status go_to_end(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    const double end_s = work->window->end_s, by_s = end_s - s->t_s;
    for (int i = 0; i < work->group->n_x; i++)
        s->x[i] += by_s * work->dx[i];
    s->t_s = end_s;
    wr_group_forget(work->group);
    if (work->group->n_z > 0)
        WR_TRY(wr_ode_indicators_here(s));
    WR_TRY(wr_ode_start_integrator(s));
    if (wr_time_is_due(end_s, wr_ode_next_time(s)))
        wr_ode_leave_events(s); /* the next window begins with this time event */
    return wr_ode_publish_here(s);
}

wrsim_status wr_ode_fire_held(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    wr_ode_stop *const stop = work->stop;
    if (stop->is_held) {
        WR_POINTS_FOR(s, STOP);
        stop->is_held = 0;
        s->wave->n_node -= stop->has_rest && s->n_published > 0;
        wr_group_hold_events(work->group, 0);
        wr_ode_set_firing_held(s, 1);
        const wrsim_status status = wr_ode_fire_rounds(s, stop->moved);
        wr_ode_set_firing_held(s, 0);
        WR_TRY(status);
        WR_TRY(finish(s));
        if (stop->has_rest)
            WR_TRY(go_to_end(s));
    }
    return WRSIM_OK;
}

wrsim_status wr_ode_start_with_others(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    if (!s->watch)
        return wr_ode_start_integrator(s);
    work->instant->is_found = 0;
    wr_ode_watch_round(s);
    wr_ode_watch_fired(s);
    wr_ode_copy(wr_scratch(s, WR_DX_STEP), work->dx, work->group->n_x);
    WR_TRY(wr_ode_start_integrator(s));
    wr_ode_watch_instant(s, is_watched(s, wr_scratch(s, WR_DX_STEP)), wr_scratch(s, WR_DX_STEP));
    return WRSIM_OK;
}
