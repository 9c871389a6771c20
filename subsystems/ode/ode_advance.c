/* The window loop of a subsystem: step to the next stop, handle it, restart. See subsystem.h.
 *
 * A stop is an instant with a discontinuity: a state event, a time event, or a jump of an input. All discontinuities of one instant are
 * handled together: the left side is published and recorded, inputs pass their jumps, events fire until none is due
 * (docs/METHODS.md, Hybrid models), the integrator restarts, and the right side is published and recorded.
 *
 * Thread: one at a time. Real-time: yes, with models and integrators that are.
 */
#include <math.h>
#include <string.h>

#include "subsystems/model_host/calling.h"
#include "subsystems/ode/algebraic_variables.h"
#include "subsystems/ode/bounded_work.h"
#include "subsystems/ode/event_indicators.h"
#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/event_iteration.h"
#include "subsystems/ode/event_order.h"
#include "subsystems/ode/indicator_turns.h"
#include "subsystems/ode/input_jumps.h"
#include "subsystems/ode/input_resolution.h"
#include "subsystems/ode/jump_causes.h"
#include "subsystems/ode/ode_advance.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_fault.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_output.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_points.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_settings.h"
#include "subsystems/ode/ode_solver.h"
#include "subsystems/ode/ode_step.h"
#include "subsystems/ode/ode_tolerances.h"
#include "subsystems/ode/ode_watch.h"
#include "subsystems/ode/ode_window.h"
#include "subsystems/ode/pulse_search.h"
#include "subsystems/ode/stall_diagnosis.h"
#include "subsystems/ode/wave_refinement.h"

/* Change of a state over the whole window, in tolerances, by the change of slopes at an event. Below it a small shift of the event does
 * not matter. */
static const double TURN_LIMIT = 10.0;
/* The same limit if the owner stores only events (step_watch.h): the time of an event may then err by up to a window. */
static const double WATCHED_TURN = 0.1;
/* Other inputs may move an event from this last share of a window beyond the window's end. */
static const double LATE_SHARE = 0.1;
/* Factor on reach_s after each shorter step: events cut steps short. */
static const double REACH_DECAY = 0.7;

/* Starts the integrator at the current point, at which the indicators have just been evaluated. */
static wrsim_status start_integrator(wr_subsystem *s)
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
    work->clock->is_dx_exact = 1;
    const int rc = work->solver->start(work->integrator, s->t_s, s->x, work->dx);
    if (rc == 0)
        return WRSIM_OK;
    if (work->group->fault.status < 0)
        return wr_ode_group_fault(s);
    return wr_ode_fault(s, rc < 0 ? (wrsim_status)rc : WRSIM_E_SOLVER, s->t_s,
                        "its integrator cannot start here");
}

/* Appends the wave's first node after the first step, which gives the slope. Modes and discrete states are still those of the step's
 * start. */
static wrsim_status append_first_node(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    if (!work->window->is_node_pending)
        return WRSIM_OK;
    work->window->is_node_pending = 0;
    /* The state is the current one: dense output there may differ by rounding. */
    wr_group_point point = wr_ode_point(s);
    wr_ode_state_at(s, s->t_s, NULL, work->scratch->dx_step);
    if (work->settings->n_published_computed > 0) {
        wr_ode_read_inputs(s, s->t_s, work->inputs->external_eval, 1);
        point.external = work->inputs->external_eval;
    }
    return wr_ode_publish(s, &point, work->scratch->dx_step);
}

/* Are communication points inside steps? Without states steps end at them. */
static int follows_grid(const wr_subsystem *s)
{
    return s->n_recorded > 0 || wr_ode_of(s)->group->n_x == 0;
}

/* Records the communication points strictly inside the step. */
static wrsim_status record_inside(wr_subsystem *s, double end_s)
{
    wr_ode *const work = wr_ode_of(s);
    if (!follows_grid(s))
        return WRSIM_OK;
    for (;; work->clock->i_grid++) {
        const double t_s = wr_ode_grid(s, work->clock->i_grid);
        if (t_s >= end_s || wr_time_close(t_s, end_s))
            return WRSIM_OK;
        if (s->n_recorded == 0)
            continue;
        const wr_group_point point = wr_ode_point_at(s, wr_max(t_s, s->t_s), 0);
        WR_TRY(wr_ode_append_row(s, &point, WR_ROW_COMMUNICATION, t_s));
    }
}

/* Records the communication points at the current time. */
static wrsim_status record_here(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    if (!follows_grid(s))
        return WRSIM_OK;
    for (;; work->clock->i_grid++) {
        const double t_s = wr_ode_grid(s, work->clock->i_grid);
        if (t_s > s->t_s && !wr_time_close(t_s, s->t_s))
            return WRSIM_OK;
        if (s->n_recorded == 0)
            continue;
        const wr_group_point point = wr_ode_point(s);
        WR_TRY(wr_ode_append_row(s, &point, WR_ROW_COMMUNICATION, t_s));
    }
}

/* Marks the time events that are due; returns how many. */
static int mark_times(wr_subsystem *s)
{
    int n = 0;
    for (int c = 0; c < wr_ode_of(s)->group->n_component; c++) {
        const int is_now = wr_time_is_due(s->t_s, wr_ode_of(s)->instant->time_next[c]);
        wr_ode_of(s)->instant->due[c] = is_now ? WR_DUE_TIME : 0;
        n += is_now;
    }
    return n;
}

/* The present time for a row before the row of a communication point; not later than it if both are one instant. */
static double row_time(const wr_subsystem *s)
{
    const double grid_s = wr_ode_grid(s, wr_ode_of(s)->clock->i_grid);
    return wr_time_close(grid_s, s->t_s) ? wr_min(grid_s, s->t_s) : s->t_s;
}

/* Publishes and records one side of a stop. */
static wrsim_status show_left(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    WR_TRY(wr_ode_publish_here(s));
    if (work->settings->record_events && s->n_recorded > 0) {
        const wr_group_point point = wr_ode_point(s);
        WR_TRY(wr_ode_append_row(s, &point, WR_ROW_EVENT_LEFT, row_time(s)));
    }
    return WRSIM_OK;
}

/* Publishes a second node only at a jump of a value or a slope. */
static wrsim_status show_right(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    const size_t n = (size_t)work->settings->n_published;
    const wr_group_point point = wr_ode_point(s);
    WR_TRY(wr_ode_published_at(s, &point, work->dx, work->publication->value,
                               work->publication->slope));
    const int has_moved = !wr_ode_is_shown(s, work->publication->value, NULL);
    work->publication->has_shown = has_moved || work->publication->n_round_shown > 0;
    if (!has_moved && work->publication->n_round_shown > 0)
        memcpy(s->wave->slope + (size_t)(s->wave->n_node - 1) * n, work->publication->slope,
               n * sizeof *work->publication->slope);
    else if (has_moved || !wr_ode_is_shown(s, work->publication->value, work->publication->slope))
        WR_TRY(wr_ode_show_round(s, has_moved ? work->instant->n_round : 1,
                                 work->publication->value, work->publication->slope));
    if (work->settings->record_events && s->n_recorded > 0)
        WR_TRY(wr_ode_append_row(s, &point, WR_ROW_EVENT_RIGHT, row_time(s)));
    return WRSIM_OK;
}

/* Keeps the indicators on the left of the stop for keep_course(). */
static void keep_left(wr_subsystem *s)
{
    if (wr_ode_of(s)->group->n_z > 0)
        memcpy(wr_ode_of(s)->indicators->z_step, wr_ode_of(s)->indicators->z,
               (size_t)wr_ode_of(s)->group->n_z * sizeof *wr_ode_of(s)->indicators->z);
}

/* Shifts earlier values of indicators that have jumped with modes and inputs, so that extrapolations remain valid. z_step: values on the
 * left. */
static void keep_course(wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    const double *restrict const z = work->indicators->z, *restrict const z_left =
                                                              work->indicators->z_step;
    double *restrict const z_before = work->indicators->z_before, *restrict const z_earlier =
                                                                      work->indicators->z_earlier;
    if (work->clock->n_before == 0)
        return;
    for (int i = 0; i < work->group->n_z; i++) {
        const double jump = z[i] - z_left[i];
        z_before[i] += jump;
        z_earlier[i] += jump;
    }
}

/* The largest change of a state over the window, in tolerances, that the change of the slopes from left[n_x] causes. */
static double turn_of(const wr_subsystem *s, const double *left)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_group *const group = work->group;
    const double length_s = wr_ode_window_length(s);
    double largest = 0.0;
    for (int i = 0; i < group->n_x; i++) {
        const double tolerance =
            work->settings->coupling_rtol *
            (fabs(s->x[i]) + work->settings->atol_factor * group->nominal_x[i]);
        largest = wr_max(largest, length_s * fabs(work->dx[i] - left[i]) / tolerance);
    }
    return largest;
}

static int is_watched(const wr_subsystem *s, const double *left)
{
    return turn_of(s, left) > (s->watch->has_points ? TURN_LIMIT : WATCHED_TURN);
}

/* Do the changes at this instant depend on inputs, or on its time? Counters and flags that cause no jump elsewhere do not, unless other
 * inputs might have moved their change to the next window. */
static int is_sensitive(const wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    const double length_s = wr_ode_window_length(s);
    const int is_late = work->window->window_end_s - s->t_s <= LATE_SHARE * length_s;
    return work->instant->is_state_changed || work->instant->has_stored ||
           (work->instant->has_changed && (work->publication->has_shown || is_late));
}

/* Handles all discontinuities of the current instant. fired marks the n_state state events located in the step; moved: as in
 * wr_ode_fire(); z_step holds the indicators on the left. */
static wrsim_status handle_stop(wr_subsystem *s, int n_state, const double *moved)
{
    wr_ode *const work = wr_ode_of(s);
    WR_TRY(show_left(s));
    const int n_time = mark_times(s);
    const double span_s =
        n_state > 0 ? wr_ode_event_span(s) + wr_max(s->t_s - work->instant->found_s, 0.0) : 0.0;
    const int n_jump = wr_ode_open_jumps(s);
    work->instant->is_found = n_state > 0 && (moved || n_jump == 0);
    s->stats.n_time_event += n_time > 0;
    work->inputs->n_jump = n_jump;
    s->stats.n_input_jump += n_jump > 0;
    if (n_state > 0)
        WR_TRY(wr_ode_check_streak(s));
    if (n_time + n_state > 0)
        WR_TRY(wr_ode_check_dense(s, n_time > 0));
    if (n_time > 0)
        wr_ode_note_time_event(s);
    const double from_s = wr_min(s->t_s, work->inputs->jump_s);
    WR_TRY(wr_ode_fire(s, 0, moved));
    s->stats.n_state_event += work->instant->n_flip_now > 0;
    wr_subsystem_observe_event(s, s->t_s,
                               (work->instant->n_flip_now > 0 ? WRSIM_CAUSE_STATE : 0U) |
                                   (n_time > 0 ? WRSIM_CAUSE_TIME : 0U) |
                                   (n_jump > 0 ? WRSIM_CAUSE_INPUT_JUMP : 0U));
    keep_course(s);
    work->clock->clear_s = s->t_s;
    if (work->group->n_x > 0)
        memcpy(work->scratch->dx_step, work->dx, (size_t)work->group->n_x * sizeof *work->dx);
    WR_TRY(start_integrator(s));
    const int is_turned = turn_of(s, work->scratch->dx_step) > TURN_LIMIT;
    if (s->watch) {
        const double *const left =
            work->window->is_at_start ? work->window->dx_left : work->scratch->dx_step;
        wr_ode_watch_instant(s, is_watched(s, left) || work->instant->has_changed, left);
    }
    WR_TRY(show_right(s));
    s->stats.n_turn += is_turned || is_sensitive(s);
    if (n_time > 0 || work->instant->n_flip_now > 0 || (n_jump > 0 && work->publication->has_shown))
        WR_TRY(wr_ode_note_instant(s, from_s, span_s, n_state, n_time > 0));
    wr_group_keep_loops(work->group);
    return WRSIM_OK;
}

/* Rotates the indicators: z_step becomes z, z becomes z_before, z_before becomes z_earlier. */
static void move_indicators(wr_subsystem *s, double last_step_s)
{
    wr_ode_clock *const clock = wr_ode_of(s)->clock;
    clock->step_before_s = last_step_s;
    clock->n_before = clock->n_before > 0 ? 2 : 1;
    clock->z_turn = (clock->z_turn + 3) % 4;
    wr_ode_place_z(s);
    memcpy(wr_ode_of(s)->mode, wr_ode_of(s)->indicators->sense, (size_t)wr_ode_of(s)->group->n_z);
}

/* Makes the step's end, or the event in it, the current point. */
static wrsim_status accept(wr_subsystem *s, double end_s)
{
    wr_ode *const work = wr_ode_of(s);
    const double last_step_s = work->clock->last_step_s;
    wr_ode_state_at(s, end_s, s->x, work->dx);
    /* Slopes from the dense output of implicit methods are not f. */
    work->clock->is_dx_exact =
        work->group->n_x > 0 && !wr_ode_is_coarse(s) &&
        !(wr_integrator_current(work->solver, work->integrator)->flags & WR_INTEG_STIFF);
    work->clock->last_step_s = end_s - s->t_s;
    work->clock->reach_s = wr_max(work->clock->last_step_s, REACH_DECAY * work->clock->reach_s);
    wr_ode_grow_limit(s, work->clock->last_step_s);
    work->clock->has_band = 0;
    s->t_s = end_s;
    wr_ode_read_inputs(s, end_s, s->external, work->settings->n_published_computed > 0);
    if (work->group->n_z > 0)
        move_indicators(s, last_step_s);
    if (wr_group_check_state(work->group, s->t_s, s->x) != 0)
        return wr_ode_group_fault(s);
    const wr_group_point point = wr_ode_point(s);
    return wr_group_step_completed(work->group, &point) != 0 ? wr_ode_group_fault(s) : WRSIM_OK;
}

/* Reports the accepted step from from_s to the observer. */
static void observe_step(const wr_subsystem *s, double from_s)
{
    if (!s->observer || !s->observer->step || wr_ode_of(s)->group->n_x == 0)
        return;
    const wr_integ_stats *const stats = wr_integrator_stats(wr_ode_of(s)->integrator);
    const wrsim_step_record step = {.i_subsystem = s->i_observed,
                                    .start_s = from_s,
                                    .end_s = s->t_s,
                                    .n_step = stats->n_step,
                                    .n_rejected = stats->n_rejected};
    s->observer->step(s->observer->user, &step);
}

/* Counts the accepted step; stop_s: its latest allowed end. */
static void count_step(wr_subsystem *s, double stop_s, int n_state)
{
    wr_ode *const work = wr_ode_of(s);
    wr_step_end end = WR_STEP_CHOSEN;
    if (work->group->n_x == 0)
        return;
    if (n_state > 0)
        end = WR_STEP_EVENT;
    else if (wr_time_is_due(s->t_s, work->clock->next_time_s) ||
             wr_time_is_due(s->t_s, work->inputs->jump_s))
        end = WR_STEP_KNOWN;
    else if (wr_time_close(s->t_s, stop_s))
        end = WR_STEP_LIMIT;
    wr_step_lengths_add(&s->stats.step_length, end, work->clock->last_step_s);
}

/* Latest allowed end of a step from here. A step of a subsystem that is alone has at most as many communication points as the recorded
 * rows have room for; a window has no more. */
static double latest_end(const wr_subsystem *s, double t_end_s)
{
    if (!s->pause || s->n_recorded == 0)
        return t_end_s;
    return wr_min(t_end_s, wr_ode_grid(s, wr_ode_of(s)->clock->i_grid + s->cap_row / 4));
}

/* Advances to the next stop, communication point, or end of a step. */
static wrsim_status advance_once(wr_subsystem *s, double t_end_s)
{
    wr_ode *const work = wr_ode_of(s);
    double stop_s = latest_end(s, t_end_s);
    if (wr_time_is_due(stop_s, work->clock->next_time_s))
        stop_s = work->clock->next_time_s;
    stop_s = wr_min(stop_s, wr_ode_landing(s));
    if (wr_time_close(stop_s, t_end_s)) /* on either side of it */
        stop_s = t_end_s;
    WR_TRY(wr_ode_bound_step(s, t_end_s, &stop_s));
    const double from_s = s->t_s;
    double end_s = stop_s;
    const int has_points = s->watch && s->watch->has_points;
    if (has_points)
        wr_ode_watch(s, wr_step_watch_next(s->watch));
    const int n_state = wr_ode_step(s, stop_s, &end_s);
    if (n_state < 0)
        return (wrsim_status)n_state;
    if (s->watch && s->watch->has_course)
        wr_ode_watch_course(s, end_s);
    WR_TRY(append_first_node(s));
    WR_TRY(wr_ode_publish_inside(s, end_s));
    WR_TRY(record_inside(s, end_s));
    WR_TRY(accept(s, end_s));
    count_step(s, stop_s, n_state);
    observe_step(s, from_s);
    if (has_points)
        wr_ode_watch_step(s, work->clock->last_step_s);
    const int is_announced = wr_time_is_due(s->t_s, work->clock->next_time_s);
    const int is_at_jump = wr_time_is_due(s->t_s, work->inputs->jump_s);
    const int is_held = is_at_jump && n_state == 0 && !is_announced && wr_ode_lets_event_first(s);
    if (n_state > 0 || is_announced || (is_at_jump && !is_held)) {
        WR_TRY(wr_ode_bound_late(s, from_s, n_state));
        keep_left(s);
        WR_TRY(handle_stop(s, n_state, n_state > 0 ? work->indicators->z_moved : NULL));
        work->clock->n_crawl = 0;
    } else {
        WR_TRY(wr_ode_publish_here(s));
        wr_group_keep_loops(work->group);
        WR_TRY(wr_ode_check_crawl(s));
    }
    if (work->method->ode.computed_error)
        wr_ode_note_sizes(s);
    return record_here(s);
}

/* Reads the inputs of a new window into external. Returns 1 if all have the same bits as before: then indicators and f stay valid, and
 * one-step methods continue with them. */
static int read_new_inputs(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    const size_t bytes = (size_t)s->n_external * sizeof *s->external;
    memcpy(work->inputs->external_eval, s->external, bytes);
    wr_ode_read_inputs(s, s->t_s, s->external, work->settings->n_published_computed > 0);
    const int has_f = work->group->n_x == 0 ||
                      (work->clock->is_dx_exact && (work->solver->flags & WR_INTEG_ROLLBACK));
    return has_f && memcmp(work->inputs->external_eval, s->external, bytes) == 0;
}

/* Continues the integration with new inputs. The indicators have just been evaluated, so f reuses their outputs. */
static void go_on(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_group_point point = wr_ode_point(s);
    const int has_f = work->group->n_z > 0 && (work->solver->flags & WR_INTEG_BEGINS_WITH_F) &&
                      wr_group_rhs_after_indicators(work->group, &point, work->dx) == 0;
    work->clock->is_dx_exact = has_f;
    work->solver->inputs_changed(work->integrator, has_f ? work->dx : NULL);
}

/* Does an input differ from its value at the end of the last window by more than a jump? */
static int has_jumped(const wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    for (int i = 0; i < s->n_external; i++)
        if (fabs(s->external[i] - work->inputs->external_eval[i]) > wr_ode_jump_limit(s, i, 1.0))
            return 1;
    return 0;
}

/* Lists in event_index the indicators whose sign in z is an event against their mode, and returns their number. Sign changes without an
 * event update the mode, which invalidates evaluations at this point. */
static int take_modes(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    int n_silent;
    const int n = wr_events_take(work->indicators->events, work->indicators->z, work->mode,
                                 work->scratch->event_index, &n_silent);
    if (n_silent > 0)
        wr_group_forget(work->group);
    return n;
}

/* Has indicator i just fired and stayed within its band? */
static int is_in_band(const wr_ode *work, int i, const double *z)
{
    return work->clock->has_band && work->indicators->band[i] > 0.0 &&
           fabs(z[i]) <= work->indicators->band[i];
}

/* Finds and sets in fired the events due because inputs at the left of a new window's start differ by a jump from those at the end of
 * the last window (is_other). Otherwise no event is due: the error of the last window's inputs may carry an indicator that has just
 * passed zero back over it, which would be a spurious event. Modes then stay, and the first step is searched near its beginning: the
 * event is due if the indicator moves on, and not if it returns over zero. */
static wrsim_status find_due(wr_subsystem *s, int is_other, int *ret_n_state)
{
    wr_ode *const work = wr_ode_of(s);
    *ret_n_state = 0;
    wr_ode_set_fired(s, NULL, 0, NULL);
    if (work->group->n_z == 0)
        return WRSIM_OK;
    keep_left(s);
    WR_TRY(wr_ode_indicators_here(s));
    if (!is_other) {
        wr_ode_probe_carried(s);
        return WRSIM_OK;
    }
    int *const index = work->scratch->event_index;
    const int n_due = take_modes(s);
    int n_state = 0;
    /* An indicator that fired at the end of the last window keeps its mode within its band. */
    for (int k = 0; k < n_due; k++)
        if (!is_in_band(work, index[k], work->indicators->z))
            index[n_state++] = index[k];
    wr_ode_set_fired(s, index, n_state, work->indicators->z);
    *ret_n_state = n_state;
    return WRSIM_OK;
}

/* If the change exceeds a jump, the next window handles it (has_jumped()) and fires the events that it makes due. */
int wr_ode_is_event_due(wr_subsystem *s, const double *change)
{
    wr_ode *const work = wr_ode_of(s);
    int any = 0;
    for (int i = 0; i < s->n_external && !any; i++)
        any = work->settings->reaches_z[i] && fabs(change[i]) > wr_ode_jump_limit(s, i, 1.0);
    if (!any)
        return 0;
    for (int i = 0; i < s->n_external; i++)
        work->scratch->external_moved[i] = s->external[i] + change[i];
    wr_group_point point = wr_ode_point(s);
    point.external = work->scratch->external_moved;
    s->stats.n_indicator_evaluation++;
    if (wr_group_indicators(work->group, &point, work->scratch->z_watch) != 0) {
        work->group->fault.status = WRSIM_OK;
        return 1;
    }
    const int n = wr_events_list(work->indicators->events, work->scratch->z_watch, work->mode,
                                 work->scratch->event_index);
    int n_due = 0;
    for (int k = 0; k < n; k++)
        n_due += !is_in_band(work, work->scratch->event_index[k], work->scratch->z_watch);
    return n_due > 0;
}

/* The inputs differ from those at the end of the last window: the splitting error estimate treats the window's start as an instant. */
static wrsim_status start_with_others(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    if (!s->watch)
        return start_integrator(s);
    work->instant->is_found = 0;
    wr_ode_watch_round(s);
    wr_ode_watch_fired(s);
    if (work->group->n_x > 0)
        memcpy(work->scratch->dx_step, work->dx, (size_t)work->group->n_x * sizeof *work->dx);
    WR_TRY(start_integrator(s));
    wr_ode_watch_instant(s, is_watched(s, work->scratch->dx_step), work->scratch->dx_step);
    return WRSIM_OK;
}

/* Begins a window's inputs: finds their jumps, and handles immediate changes by new inputs. */
static wrsim_status begin_inputs(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    work->inputs->is_frozen = 0;
    work->inputs->jump_s = (double)INFINITY;
    for (int i = 0; i < s->n_source; i++) {
        wr_source_reader *const reader = &work->inputs->reader[i];
        reader->cursor = wr_cursor_start();
        reader->jump_s = (double)INFINITY;
        wr_ode_forget_source(s, i);
        if (s->source[i]->n_jump == 0)
            continue;
        wr_ode_set_limits(s, i);
        wr_ode_find_jump(s, i);
        work->inputs->jump_s = wr_min(work->inputs->jump_s, reader->jump_s);
    }
    work->inputs->jump_s = wr_ode_end_of_instant(s, work->inputs->jump_s);
    const int has_jump = wr_time_is_due(s->t_s, work->inputs->jump_s);
    if (read_new_inputs(s) && !has_jump)
        return WRSIM_OK;
    int n_state;
    const int is_other = has_jumped(s);
    if (is_other || has_jump)
        WR_TRY(wr_ode_settle(s));
    WR_TRY(find_due(s, is_other, &n_state));
    if (n_state == 0 && !has_jump) {
        if (is_other) {
            keep_course(s);
            return start_with_others(s);
        }
        if (work->group->n_x > 0)
            go_on(s);
        return WRSIM_OK;
    }
    s->stats.n_restart_rhs += work->group->n_x > 0;
    if (work->group->n_x > 0) {
        if (s->watch) /* the inputs may differ from those at the end of the last window */
            memcpy(work->window->dx_left, work->dx, (size_t)work->group->n_x * sizeof *work->dx);
        WR_TRY(wr_ode_slope_here(s, work->dx));
    }
    work->window->is_node_pending = 0;
    work->window->is_at_start = 1;
    const wrsim_status status = handle_stop(s, n_state, NULL);
    work->window->is_at_start = 0;
    return status;
}

/* Checks a changed floating-point mode: a model has changed it, or the caller. */
__attribute__((noinline, cold)) static int is_mode_ours(wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_group_point here = wr_ode_point(s);
    return wr_group_keeps_mode(work->group, &here, work->scratch->x_moved, work->scratch->z_watch);
}

/* After this many event rounds a subsystem that is alone pauses, because millions more may follow. */
enum { MANY_EVENTS = 100 };

static int is_cut_short(const wr_subsystem *s, int64_t n_pass_before)
{
    return s->stop && !s->pause && s->stats.n_event_pass - n_pass_before > MANY_EVENTS &&
           atomic_load_explicit(s->stop, memory_order_relaxed);
}

/* Begins an advance, or its next part after a pause. */
static void begin_advance(wr_subsystem *s, double t_end_s)
{
    wr_ode *const work = wr_ode_of(s);
    wr_ode_window *const window = work->window;
    wr_ode_instant *const instant = work->instant;
    wr_ode_event_order *const order = work->order;
    s->n_row = window->n_row_kept;
    window->n_made = 0;
    if (s->has_unseen)
        memset(s->unseen, 0, (size_t)work->group->n_x * sizeof *s->unseen);
    s->has_unseen = s->has_effect = 0;
    s->fault.status = WRSIM_OK;
    work->group->fault.status = WRSIM_OK;
    wr_wave_clear(s->wave);
    if (s->watch)
        wr_step_watch_clear(s->watch);
    window->is_node_pending = 1;
    work->publication->known_s = (double)NAN;
    window->is_wave_open = 1;
    window->window_end_s = t_end_s;
    if (work->clock->is_paused)
        return;
    s->stats.n_integration++;
    window->window_start_s = s->t_s;
    if (s->watch && s->watch->n_mode > 0)
        memcpy(s->watch->mode_start, work->mode, (size_t)s->watch->n_mode);
    wr_group_forget_indicators(work->group); /* so that a run after a restart has the same bits */
    wr_ode_turn_instants(s);
    wr_ode_begin_causes(s);
    work->inputs->n_jump = instant->n_round = 0;
    instant->found_s = (double)INFINITY;
    order->held_jump_s = order->held_until_s = -(double)INFINITY;
    instant->instant_s = (double)NAN;
}

static int is_at(const wr_subsystem *s, double t_s)
{
    return s->t_s >= t_s || wr_time_close(s->t_s, t_s);
}

/* Does the advance of a subsystem that is alone pause here? Not within a stretch of bounded work. */
static int is_pause_due(const wr_subsystem *s)
{
    const wr_pause *const pause = s->pause;
    if (!pause || pause->n_step == 0 || wr_ode_is_in_stretch(s))
        return 0;
    return wr_ode_of(s)->window->n_made >= pause->n_step || 2 * s->n_row >= s->cap_row ||
           2 * s->wave->n_node >= s->wave->cap_node ||
           (pause->is_wanted && atomic_load_explicit(pause->is_wanted, memory_order_relaxed));
}

/* Right-hand sides per step since `before` if a Jacobian was evaluated, else the last such value. A solver that chooses its method
 * evaluates no Jacobian in very short windows, which then would not appear dearer than long ones. */
static double step_rhs(const wr_subsystem *s, const wr_integ_stats *before)
{
    const wr_ode *const work = wr_ode_of(s);
    if (!work->integrator || work->window->n_made == 0 || s->pause) /* pauses depend on the clock */
        return work->clock->step_rhs;
    const wr_integ_stats *const now = wr_integrator_stats(work->integrator);
    return now->n_jacobian > before->n_jacobian
               ? (double)(now->n_rhs - before->n_rhs) / work->window->n_made
               : work->clock->step_rhs;
}

wrsim_status wr_ode_advance(wr_subsystem *s, double t_end_s, double tolerance_factor)
{
    wr_ode *const work = wr_ode_of(s);
    if (!(t_end_s > s->t_s) || wr_time_close(t_end_s, s->t_s))
        return wr_ode_fault(s, WRSIM_E_SOLVER, s->t_s,
                            "a window is too short for what numbers are apart there; raise "
                            "relaxation.window.min, or let simulation.start be nearer to 0");
    const int64_t n_pass_before = s->stats.n_event_pass;
    const wr_integ_stats before =
        work->integrator ? *wr_integrator_stats(work->integrator) : (wr_integ_stats){.n_step = 0};
    wr_calling_enter(work->group);
    begin_advance(s, t_end_s);
    work->window->loosened = wr_max(tolerance_factor, 1.0);
    wr_ode_bound_begin(s);
    work->clock->is_paused = 0;
    if (work->group->n_x > 0)
        work->solver->loosen(work->integrator, tolerance_factor);
    if (s->n_external > 0)
        WR_TRY(begin_inputs(s));
    if (s->watch && s->watch->n_mode > 0)
        memcpy(s->watch->mode_taken, work->mode, (size_t)s->watch->n_mode);
    WR_TRY(record_here(s));
    do {
        const wrsim_status status = advance_once(s, t_end_s);
        if (wr_fp_mode_differs(work->group->fp_mode) && !is_mode_ours(s))
            return wr_ode_group_fault(s);
        WR_TRY(status);
        if (is_cut_short(s, n_pass_before))
            return WRSIM_STOPPED;
        work->window->n_made++;
        work->clock->is_paused = !is_at(s, t_end_s) && is_pause_due(s);
    } while (!is_at(s, t_end_s) && !work->clock->is_paused);
    s->step_rhs = work->clock->step_rhs = step_rhs(s, &before);
    if (s->watch && s->watch->has_points)
        wr_ode_watch(s, &s->watch->end);
    /* A subsystem without published outputs still publishes its time. */
    double *value, *slope;
    return work->settings->n_published > 0 ? WRSIM_OK : wr_ode_add_node(s, s->t_s, &value, &slope);
}
