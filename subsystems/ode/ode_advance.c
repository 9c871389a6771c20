/* The window loop of a subsystem: steps to the next stop, handles the stop, restarts. See subsystem.h.
 *
 * A stop is an instant with a discontinuity: a state event, a time event, or a jump of an input. For all discontinuities of an instant,
 * wr_ode_handle_stop() first publishes and records the left side. Then wr_ode_fire() fires the due events on the left values (round 0). In
 * each further round wr_ode_fire() passes jumps of inputs and fires events, until no event is due (docs/METHODS.md, Hybrid models). At the
 * end wr_ode_handle_stop() restarts the integrator, and publishes and records the right side.
 *
 * Thread: one at a time. Real-time: yes, with rt-safe models and integrators.
 */
#include <math.h>
#include <string.h>

#include "subsystems/event_log.h"
#include "subsystems/group/deferred_steps.h"
#include "subsystems/model_host/calling.h"
#include "subsystems/ode/algebraic_variables.h"
#include "subsystems/ode/bounded_work.h"
#include "subsystems/ode/event_indicators.h"
#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/event_order.h"
#include "subsystems/ode/input_resolution.h"
#include "subsystems/ode/jump_causes.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_log.h"
#include "subsystems/ode/ode_operations.h"
#include "subsystems/ode/ode_output.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_solver.h"
#include "subsystems/ode/ode_state.h"
#include "subsystems/ode/ode_step.h"
#include "subsystems/ode/ode_stop.h"
#include "subsystems/ode/ode_tolerances.h"
#include "subsystems/ode/ode_window.h"
#include "subsystems/ode/pulse_search.h"
#include "subsystems/ode/stall_diagnosis.h"

/* Factor on reach_s after each shorter step (assumed). Events shorten steps, so reach_s decreases slowly. */
static const double REACH_DECAY = 0.7;

/* Appends the wave's first node after the first step, which gives the slope. Modes and discrete states still have their values at the
 * step's start. */
static wrsim_status append_first_node(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    if (!work->window->is_node_pending)
        return WRSIM_OK;
    work->window->is_node_pending = 0;
    /* The state is the current state, because dense output may differ from the current state by rounding. */
    wr_group_point point = wr_ode_point(s);
    wr_ode_state_at(s, s->t_s, NULL, wr_scratch(s, WR_DX_STEP));
    if (wr_ode_needs_slopes(s))
        point.external = wr_ode_inputs_at(s, s->t_s, 1);
    return wr_ode_publish(s, &point, wr_scratch(s, WR_DX_STEP));
}

/* Returns whether i_grid counts communication points: the run records these points, or steps without states end at these points. */
static int follows_grid(const wr_subsystem *s)
{
    return s->n_recorded > 0 || wr_ode_of(s)->group->n_x == 0;
}

/* Records the communication points strictly inside the step. */
static wrsim_status record_inside(wr_subsystem *s, double end_s)
{
    wr_ode *const work = wr_ode_of(s);
    if (!follows_grid(s) || s->is_instant)
        return WRSIM_OK;
    for (;; work->clock->i_grid++) {
        const double t_s = wr_ode_grid_time(s, work->clock->i_grid);
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
    const int is_end = wr_time_is_due(s->t_s, wr_ode_window_end(s));
    if (!follows_grid(s) || (is_end ? s->last_round >= 0 : s->is_instant))
        return WRSIM_OK;
    for (;; work->clock->i_grid++) {
        const double t_s = wr_ode_grid_time(s, work->clock->i_grid);
        if (t_s > s->t_s && !wr_time_close(t_s, s->t_s))
            return WRSIM_OK;
        if (s->n_recorded == 0)
            continue;
        const wr_group_point point = wr_ode_point(s);
        WR_TRY(wr_ode_append_row(s, &point, WR_ROW_COMMUNICATION, t_s));
    }
}

/* Accepts the step: the step's end, or the event in the step, becomes the current point. *ret_n_ask: number of components whose
 * step_completed() asks for an event. */
static wrsim_status accept(wr_subsystem *s, double end_s, int *ret_n_ask)
{
    wr_ode *const work = wr_ode_of(s);
    const double last_step_s = work->clock->last_step_s;
    wr_ode_state_at(s, end_s, s->x, work->dx);
    /* Slopes from the dense output of implicit methods, and of coarse steps, are not f. */
    work->clock->is_dx_exact =
        work->group->n_x > 0 && !wr_ode_is_coarse(s) &&
        !(wr_integrator_current(work->solver, work->integrator)->flags & WR_INTEG_STIFF);
    work->clock->last_step_s = end_s - s->t_s;
    work->clock->reach_s = wr_max(work->clock->last_step_s, REACH_DECAY * work->clock->reach_s);
    wr_ode_grow_limit(s, work->clock->last_step_s);
    wr_ode_drop_bands(s);
    s->t_s = end_s;
    wr_ode_read_inputs(s, end_s, s->external, wr_ode_needs_slopes(s));
    if (work->group->n_z > 0) {
        work->clock->step_before_s = last_step_s;
        wr_ode_move_indicators(s);
    }
    if (wr_group_check_state(work->group, s->t_s, s->x) != 0)
        return wr_ode_group_fault(s);
    const wr_group_point point = wr_ode_point(s);
    return wr_group_step_completed(work->group, &point, work->instant->asks, ret_n_ask) != 0
               ? wr_ode_group_fault(s)
               : WRSIM_OK;
}

/* Counts the accepted step. stop_s: latest allowed end of the step. */
static void count_step(wr_subsystem *s, double stop_s, int n_state)
{
    wr_ode *const work = wr_ode_of(s);
    wr_step_end end = WR_STEP_CHOSEN;
    if (work->group->n_x == 0)
        return;
    if (n_state > 0)
        end = WR_STEP_EVENT;
    else if (wr_time_is_due(s->t_s, work->clock->next_time_s) ||
             wr_time_is_due(s->t_s, wr_ode_next_jump(s)))
        end = WR_STEP_KNOWN;
    else if (wr_time_close(s->t_s, stop_s))
        end = WR_STEP_LIMIT;
    wr_step_lengths_add(&s->stats.step_length, end, work->clock->last_step_s);
}

/* Makes a step that ends at t_end_s at the latest, and handles a stop at the step's end. */
static wrsim_status advance_once(wr_subsystem *s, double t_end_s)
{
    wr_ode *const work = wr_ode_of(s);
    /* In a run of one subsystem the capacity for recorded rows limits the communication points in a step. In other runs the window limits
     * the communication points. */
    double stop_s = s->pause && s->n_recorded > 0
                        ? wr_min(t_end_s, wr_ode_grid_time(s, work->clock->i_grid + s->cap_row / 4))
                        : t_end_s;
    if (wr_time_is_due(stop_s, work->clock->next_time_s))
        stop_s = work->clock->next_time_s;
    stop_s = wr_min(stop_s, wr_ode_landing(s));
    if (wr_time_close(stop_s, t_end_s))
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
    int n_ask;
    WR_TRY(accept(s, end_s, &n_ask));
    count_step(s, stop_s, n_state);
    if (work->group->n_x > 0) {
        const wr_integ_stats *const stats = wr_integrator_stats(work->integrator);
        wr_subsystem_observe_step(s, from_s, s->t_s, stats->n_step, stats->n_rejected);
    }
    if (has_points)
        wr_ode_watch_step(s, work->clock->last_step_s);
    const int is_announced = n_ask > 0 || wr_time_is_due(s->t_s, work->clock->next_time_s);
    const int is_at_jump = wr_time_is_due(s->t_s, wr_ode_next_jump(s));
    const int is_held = is_at_jump && n_state == 0 && !is_announced && wr_ode_lets_event_first(s);
    if (n_state > 0 || is_announced || (is_at_jump && !is_held)) {
        WR_TRY(wr_ode_bound_late(s, from_s, n_state));
        wr_ode_keep_left(s);
        const wrsim_status status =
            wr_ode_handle_stop(s, n_state, n_ask, n_state > 0 ? wr_ode_z_moved(s) : NULL);
        if (status != WRSIM_OK)
            return status;
        wr_ode_end_crawl(s);
    } else {
        WR_TRY(wr_ode_publish_here(s));
        wr_group_keep_loops(work->group);
        WR_TRY(wr_ode_check_crawl(s));
    }
    if (wr_ode_controls_outputs(s))
        wr_ode_note_sizes(s);
    return record_here(s);
}

/* Continues the integration with new inputs, directly after an evaluation of the indicators. If the solver begins a step with f, f reuses
 * the outputs of this evaluation. */
static void go_on(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_group_point point = wr_ode_point(s);
    const int has_f = work->group->n_z > 0 && (work->solver->flags & WR_INTEG_BEGINS_WITH_F) &&
                      wr_group_rhs_after_indicators(work->group, &point, work->dx) == 0;
    work->clock->is_dx_exact = has_f;
    work->solver->inputs_changed(work->integrator, has_f ? work->dx : NULL);
}

/* Sets in fired the events that are due at the start of a new window; *ret_n_state: number of these events. is_other: the inputs differ by
 * a jump from the inputs at the end of the last window. If is_other is 0, *ret_n_state is 0, because errors of the last window's inputs may
 * cause a sign change. The modes then stay, and the search covers the beginning of the first step. The event fires in this step unless the
 * indicator returns over zero. In runs with short windows this also holds after a jump, for indicators within 4 tolerances of zero. */
static wrsim_status find_due(wr_subsystem *s, int is_other, int *ret_n_state)
{
    *ret_n_state = 0;
    wr_ode_set_fired(s, NULL, 0, NULL);
    if (wr_ode_of(s)->group->n_z == 0)
        return WRSIM_OK;
    wr_ode_keep_left(s);
    if (!is_other || (s->flags & WR_SUBSYSTEM_SHORT_WINDOWS)) {
        WR_TRY(wr_ode_indicators_here(s));
        wr_ode_probe_carried(s, is_other ? wr_ode_reach_here(s) : NULL);
    }
    if (!is_other)
        return WRSIM_OK;
    const int n_state = wr_ode_look_at_start(s);
    *ret_n_state = n_state > 0 ? n_state : 0;
    return n_state < 0 ? (wrsim_status)n_state : WRSIM_OK;
}

/* Returns whether an event becomes due with change[n_external] of the inputs, or the indicators fail. Returns 0 if no input of an indicator
 * changes by more than wr_ode_jump_limit(). Above this limit the next window handles the change as a jump (wr_ode_has_jumped()), and fires
 * the due events. */
int wr_ode_is_event_due(wr_subsystem *s, const double *change)
{
    WR_POINTS_FOR(s, EFFECT);
    wr_ode *const work = wr_ode_of(s);
    int any = 0;
    for (int i = 0; i < s->n_external && !any; i++)
        any = wr_ode_reaches_z(s, i) && fabs(change[i]) > wr_ode_jump_limit(s, i, 1.0);
    if (!any)
        return 0;
    for (int i = 0; i < s->n_external; i++)
        wr_scratch(s, WR_EXTERNAL_MOVED)[i] = s->external[i] + change[i];
    wr_group_point point = wr_ode_point(s);
    point.external = wr_scratch(s, WR_EXTERNAL_MOVED);
    s->stats.n_indicator_evaluation++;
    if (wr_group_indicators(work->group, &point, wr_scratch(s, WR_Z_WATCH)) != 0) {
        work->group->fault.status = WRSIM_OK;
        return 1;
    }
    const int n = wr_ode_list_events(s, wr_scratch(s, WR_Z_WATCH), wr_scratch_index(s));
    int n_due = 0;
    for (int k = 0; k < n; k++)
        n_due += !wr_ode_is_in_band(s, wr_scratch_index(s)[k], wr_scratch(s, WR_Z_WATCH));
    return n_due > 0;
}

/* Begins a window's inputs: finds their jumps, and handles immediate changes by new inputs. */
static wrsim_status begin_inputs(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    wr_ode_forget_carried(s);
    const int is_same = wr_ode_open_inputs(s);
    const int has_jump = wr_time_is_due(s->t_s, wr_ode_next_jump(s));
    const int has_f = work->group->n_x == 0 ||
                      (work->clock->is_dx_exact && (work->solver->flags & WR_INTEG_ROLLBACK));
    /* 1: the last window has left events to this window (wr_subsystem.last_round) */
    const int is_due = work->clock->has_left;
    work->clock->has_left = 0;
    if (is_same && has_f && !has_jump && !is_due) /* indicators and f stay valid */
        return WRSIM_OK;
    WR_POINTS_FOR(s, ENTRY);
    int n_state;
    const int is_other = wr_ode_has_jumped(s);
    work->window->has_jumped = is_other;
    if (is_other)
        wr_ode_keep_last_end(s);
    if (is_other || has_jump || is_due)
        WR_TRY(wr_ode_settle(s));
    WR_TRY(find_due(s, is_other || is_due, &n_state));
    if (n_state == 0 && !has_jump && !is_due) {
        if (is_other) {
            wr_ode_keep_course(s);
            return wr_ode_start_with_others(s);
        }
        if (work->group->n_x > 0)
            go_on(s);
        return WRSIM_OK;
    }
    s->stats.n_restart_rhs += work->group->n_x > 0;
    if (work->group->n_x > 0) {
        if (s->watch) /* inputs may differ from the end of the last window */
            memcpy(work->window->dx_left, work->dx, (size_t)work->group->n_x * sizeof *work->dx);
        WR_TRY(wr_ode_slope_here(s, work->dx));
    }
    work->window->is_node_pending = 0;
    work->window->is_at_start = 1;
    const wrsim_status status = wr_ode_handle_stop(s, n_state, 0, NULL);
    work->window->is_at_start = 0;
    return status;
}

/* Returns whether the caller, not a model, causes a change of the floating-point mode. */
__attribute__((noinline, cold)) static int is_mode_ours(wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_group_point here = wr_ode_point(s);
    return wr_group_keeps_mode(work->group, &here, wr_scratch(s, WR_X_MOVED),
                               wr_scratch(s, WR_Z_WATCH));
}

/* Number of event rounds after which an advance checks s->stop (assumed), because millions of further rounds may follow. */
enum { MANY_EVENTS = 100 };

/* Begins an advance, or continues an advance after a pause. */
static void begin_advance(wr_subsystem *s, double t_end_s)
{
    wr_ode *const work = wr_ode_of(s);
    wr_ode_window *const window = work->window;
    s->n_row = window->n_row_kept;
    if (s->log)
        wr_event_log_clear(s->log);
    window->n_made = 0;
    if (s->has_unseen)
        memset(s->unseen, 0, (size_t)work->group->n_x * sizeof *s->unseen);
    s->has_unseen = s->has_effect = 0;
    s->fault.status = WRSIM_OK;
    s->held.t_s = (double)INFINITY;
    wr_ode_forget_held(s);
    wr_group_hold_events(work->group, 1);
    if (!work->clock->is_paused && !s->end.is_final)
        s->end = (wr_run_end){.t_s = (double)INFINITY};
    memset(work->instant->asks, 0, (size_t)work->group->n_component);
    work->group->fault.status = WRSIM_OK;
    wr_wave_clear(s->wave);
    if (s->watch)
        wr_step_watch_clear(s->watch);
    window->is_node_pending = 1;
    wr_ode_begin_output(s);
    window->is_wave_open = 1;
    window->end_s = t_end_s;
    if (work->clock->is_paused)
        return;
    s->stats.n_integration++;
    window->start_s = s->t_s;
    if (s->watch && s->watch->n_mode > 0)
        memcpy(s->watch->mode_start, work->mode, (size_t)s->watch->n_mode);
    wr_group_forget_indicators(work->group); /* a run after a restart then has the same bits */
    wr_ode_turn_instants(s);
    wr_ode_begin_causes(s);
    wr_ode_forget_instant(s);
    wr_ode_count_jumps(s, 0);
}

/* Returns whether the advance pauses at the current point. Only runs of one subsystem pause. Stretches of bounded work have no pauses. */
static int is_pause_due(const wr_subsystem *s)
{
    const wr_pause *const pause = s->pause;
    if (!pause || pause->n_step == 0 || wr_ode_is_in_stretch(s))
        return 0;
    return wr_ode_of(s)->window->n_made >= pause->n_step || 2 * s->n_row >= s->cap_row ||
           (s->log && 2 * s->log->n >= s->log->cap) || 2 * s->wave->n_node >= s->wave->cap_node ||
           (pause->is_wanted && atomic_load_explicit(pause->is_wanted, memory_order_relaxed));
}

/* Returns the right-hand sides per step since `before` if the solver evaluated a Jacobian, else the last such value. A solver that chooses
 * its method evaluates no Jacobian in very short windows. Steps of very short windows would then appear too cheap. */
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
    WR_POINTS_FOR(s, STAGE);
    wr_ode *const work = wr_ode_of(s);
    if (!(t_end_s > s->t_s) || wr_time_close(t_end_s, s->t_s))
        return wr_ode_fault(
            s, WRSIM_E_SOLVER, s->t_s,
            "a window is shorter than the spacing of floating-point times; raise "
            "relaxation.window.min (or slack.period), or move simulation.start towards 0");
    const int64_t n_pass_before = s->stats.n_event_pass;
    const wr_integ_stats before =
        work->integrator ? *wr_integrator_stats(work->integrator) : (wr_integ_stats){.n_step = 0};
    wr_calling_enter(work->group);
    begin_advance(s, t_end_s);
    if (wr_group_own_check(work->group, s->t_s) < 0)
        return wr_ode_group_fault(s);
    work->window->loosened = wr_max(tolerance_factor, 1.0);
    wr_ode_bound_begin(s);
    work->clock->is_paused = 0;
    if (work->group->n_x > 0)
        work->solver->loosen(work->integrator, tolerance_factor);
    wrsim_status status = s->n_external > 0 || work->clock->has_left ? begin_inputs(s) : WRSIM_OK;
    WR_TRY(status);
    if (s->watch && s->watch->n_mode > 0)
        memcpy(s->watch->mode_taken, work->mode, (size_t)s->watch->n_mode);
    if (status == WRSIM_OK) /* the row follows an event that waits */
        WR_TRY(record_here(s));
    while (status == WRSIM_OK && !wr_time_is_due(s->t_s, t_end_s) && !work->clock->is_paused) {
        status = advance_once(s, t_end_s);
        if (wr_fp_mode_differs(work->group->fp_mode) && !is_mode_ours(s))
            return wr_ode_group_fault(s);
        WR_TRY(status);
        if (s->stop && !s->pause && s->stats.n_event_pass - n_pass_before > MANY_EVENTS &&
            atomic_load_explicit(s->stop, memory_order_relaxed))
            return WRSIM_STOPPED;
        work->window->n_made++;
        work->clock->is_paused = !wr_time_is_due(s->t_s, t_end_s) &&
                                 (is_pause_due(s) || (s->pause && s->end.t_s < (double)INFINITY));
    }
    if (status == WRSIM_STOPPED)
        WR_TRY(wr_ode_hold_stop(s, t_end_s));
    s->step_rhs = work->clock->step_rhs = step_rhs(s, &before);
    if (s->watch && s->watch->has_points)
        wr_ode_watch(s, &s->watch->end);
    /* A subsystem without published outputs publishes its time. */
    double *value, *slope;
    const double end_s = wr_ode_is_holding(s) ? t_end_s : s->t_s;
    return s->n_published > 0 ? WRSIM_OK : wr_ode_add_node(s, end_s, &value, &slope);
}

wrsim_status wr_ode_accept(wr_subsystem *s, double *ret_sound_s)
{
    wr_ode *const work = wr_ode_of(s);
    wr_calling_enter(work->group);
    if (work->group->deferred &&
        wr_deferred_steps_complete(work->group, wr_ode_rtol(s), ret_sound_s) < 0)
        return wr_ode_group_fault(s);
    if (!wr_group_holds_events(work->group))
        return WRSIM_OK;
    const int is_holding = wr_ode_is_holding(s);
    *ret_sound_s = s->t_s;
    WR_TRY(wr_ode_fire_held(s));
    if (!is_holding)
        return WRSIM_OK;
    wr_ode_end_crawl(s);
    if (wr_ode_controls_outputs(s))
        wr_ode_note_sizes(s);
    return record_here(s);
}
