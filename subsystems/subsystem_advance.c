/* The window loop of a subsystem: step to the next stop, handle it, restart. See subsystem.h.
 *
 * A stop is an instant at which something discontinuous happens: a state event, a time event, or a
 * jump of an input. Everything that happens at one instant is handled together: the left side is
 * published and recorded, inputs pass their jumps, events fire until none is left (DESIGN 2), the
 * integrator starts afresh, the right side is published and recorded.
 *
 * Thread: one at a time. Real-time: yes, with models and integrators that are.
 */
#include <math.h>
#include <string.h>

#include "subsystems/subsystem_work.h"

/* What a jump of an output, or a kink over the rest of the window, may come to and yet get no node of its
 * own; share of the solver's tolerance. Of a kink the cubic errs by 4/27 at most. */
static const double kink_share = 0.2;
/* What is left of the longest step after each shorter one: events cut steps short. */
static const double reach_decay = 0.7;

/* Indicators, if there are any, have just been evaluated here. */
static wrsim_status start_integrator(wr_subsystem *s)
{
    if (s->group->n_x == 0)
        return WRSIM_OK;
    wr_subsystem_work *const work = s->work;
    const wr_group_point point = wr_subsystem_point(s);
    s->group->fault.status = WRSIM_OK;
    const int rc_f = s->group->n_z > 0 ? wr_group_rhs_after_indicators(s->group, &point, work->dx)
                                       : wr_group_rhs(s->group, &point, work->dx);
    if (rc_f != 0)
        return wr_subsystem_group_fault(s);
    work->clock->is_dx_exact = 1;
    const int rc = s->ops->start(s->integrator, s->t_s, s->x, work->dx);
    if (rc == 0)
        return WRSIM_OK;
    if (s->group->fault.status < 0)
        return wr_subsystem_group_fault(s);
    return wr_subsystem_fault(s, rc < 0 ? (wrsim_status)rc : WRSIM_E_SOLVER, s->t_s,
                              "its integrator cannot start here");
}

/* The wave's node at the current point. */
static wrsim_status publish_here(wr_subsystem *s)
{
    const wr_group_point point = wr_subsystem_point(s);
    return s->work->n_published > 0 ? wr_subsystem_publish(s, &point, s->work->dx) : WRSIM_OK;
}

/* The wave's first node, once the first step has shown the slope there. The step's own modes and
 * discrete states are still the current ones. */
static wrsim_status append_first_node(wr_subsystem *s)
{
    wr_subsystem_work *const work = s->work;
    if (!work->is_node_pending)
        return WRSIM_OK;
    work->is_node_pending = 0;
    /* The state is the current one: dense output there may differ by rounding. */
    wr_group_point point = wr_subsystem_point(s);
    wr_subsystem_state_at(s, s->t_s, NULL, work->dx_step);
    if (work->n_published_computed > 0) {
        wr_subsystem_read_inputs(s, s->t_s, work->external_eval, 1);
        point.external = work->external_eval;
    }
    return wr_subsystem_publish(s, &point, work->dx_step);
}

/* Are communication points looked for? Without states they are where steps end. */
static int follows_grid(const wr_subsystem *s) { return s->n_recorded > 0 || s->group->n_x == 0; }

/* Communication points strictly inside the step, or a node in its middle. */
static wrsim_status record_inside(wr_subsystem *s, double end_s)
{
    wr_subsystem_work *const work = s->work;
    if (work->n_published > 0 && s->group->n_x > 0 &&
        wr_integrator_current(s->ops, s->integrator)->dense_order > 3) {
        const double middle_s = s->t_s + 0.5 * (end_s - s->t_s);
        if (middle_s > s->t_s && middle_s < end_s) {
            const wr_group_point point = wr_subsystem_point_at(s, middle_s, 1);
            WR_TRY(wr_subsystem_publish(s, &point, work->dx_step));
        }
    }
    if (!follows_grid(s))
        return WRSIM_OK;
    for (;; work->clock->i_grid++) {
        const double t_s = wr_subsystem_grid(s, work->clock->i_grid);
        if (t_s >= end_s || wr_time_close(t_s, end_s))
            return WRSIM_OK;
        if (s->n_recorded == 0)
            continue;
        const wr_group_point point = wr_subsystem_point_at(s, wr_max(t_s, s->t_s), 0);
        WR_TRY(wr_subsystem_append_row(s, &point, WR_ROW_COMMUNICATION, t_s));
    }
}

/* Communication points that are the current time. */
static wrsim_status record_here(wr_subsystem *s)
{
    wr_subsystem_work *const work = s->work;
    if (!follows_grid(s))
        return WRSIM_OK;
    for (;; work->clock->i_grid++) {
        const double t_s = wr_subsystem_grid(s, work->clock->i_grid);
        if (t_s > s->t_s && !wr_time_close(t_s, s->t_s))
            return WRSIM_OK;
        if (s->n_recorded == 0)
            continue;
        const wr_group_point point = wr_subsystem_point(s);
        WR_TRY(wr_subsystem_append_row(s, &point, WR_ROW_COMMUNICATION, t_s));
    }
}

static void find_jump(wr_subsystem *s, int i_source)
{
    wr_source_reader *const reader = &s->work->reader[i_source];
    reader->jump_s = wr_wave_next_jump(s->source[i_source], &reader->cursor, s->t_s, reader->n,
                                       reader->signal, reader->limit);
}

/* Passes the jumps that are due; returns how many sources had one. */
static int pass_jumps(wr_subsystem *s)
{
    wr_subsystem_work *const work = s->work;
    if (!wr_time_is_due(s->t_s, work->jump_s))
        return 0;
    int n = 0;
    work->jump_s = (double)INFINITY;
    for (int i = 0; i < s->n_source; i++) {
        wr_source_reader *const reader = &work->reader[i];
        if (wr_time_is_due(s->t_s, reader->jump_s)) {
            n++;
            wr_cursor_pass(&reader->cursor, s->source[i], wr_max(s->t_s, reader->jump_s));
            wr_subsystem_forget_source(s, i);
            find_jump(s, i);
            if (wr_time_is_due(s->t_s, reader->jump_s)) /* the wave ends with this jump */
                reader->jump_s = (double)INFINITY;
        }
        work->jump_s = wr_min(work->jump_s, reader->jump_s);
    }
    return n;
}

/* Marks the time events that are due; returns how many. */
static int mark_times(wr_subsystem *s)
{
    int n = 0;
    for (int c = 0; c < s->group->n_component; c++) {
        const int is_now = wr_time_is_due(s->t_s, s->work->time_next[c]);
        s->work->due[c] = is_now ? WR_DUE_TIME : 0;
        n += is_now;
    }
    return n;
}

/* Is the wave's last node as good as value and slope on the right of a stop? Slopes are differences of
 * outputs and f was evaluated anew: they are seldom the same bits. */
static int is_smooth(const wr_subsystem *s)
{
    const wr_subsystem_work *const work = s->work;
    const wr_wave *const wave = s->wave;
    const size_t last = (size_t)(wave->n_node - 1) * (size_t)work->n_published;
    const double *const value = wave->value + last, *const slope = wave->slope + last;
    const double part = kink_share * work->rtol, reach_s = work->window_end_s - s->t_s;
    for (int i = 0; i < work->n_published; i++) {
        const double moved = fabs(work->value[i] - value[i]);
        const double turned = reach_s * fabs(work->slope[i] - slope[i]);
        const double nominal = s->group->nominal_y[work->published[i]];
        if (!(moved + turned <= part * (fabs(value[i]) + work->atol_factor * nominal)))
            return 0;
    }
    return 1;
}

/* Publishes and records one side of a stop. */
static wrsim_status show_left(wr_subsystem *s)
{
    wr_subsystem_work *const work = s->work;
    WR_TRY(publish_here(s));
    if (work->record_events && s->n_recorded > 0) {
        const wr_group_point point = wr_subsystem_point(s);
        WR_TRY(wr_subsystem_append_row(s, &point, WR_ROW_EVENT_LEFT, s->t_s));
    }
    return WRSIM_OK;
}

static wrsim_status show_right(wr_subsystem *s)
{
    wr_subsystem_work *const work = s->work;
    const size_t bytes = (size_t)work->n_published * sizeof *work->value;
    const wr_group_point point = wr_subsystem_point(s);
    WR_TRY(wr_subsystem_published_at(s, &point, work->dx, work->value, work->slope));
    if (!is_smooth(s)) { /* a node twice only where there is a jump or a kink */
        double *value, *slope;
        WR_TRY(wr_subsystem_add_node(s, s->t_s, &value, &slope));
        memcpy(value, work->value, bytes);
        memcpy(slope, work->slope, bytes);
    }
    if (work->record_events && s->n_recorded > 0)
        WR_TRY(wr_subsystem_append_row(s, &point, WR_ROW_EVENT_RIGHT, s->t_s));
    return WRSIM_OK;
}

/* Adds to fired what the indicators in z show against the modes, silent ones follow; returns how many
 * those are. */
static int add_fired(wr_subsystem *s)
{
    wr_subsystem_work *const work = s->work;
    const int n = wr_subsystem_take_modes(s);
    for (int k = 0; k < n; k++) {
        const int i = work->event_index[k];
        if (!work->fired[i])
            work->fired_index[work->n_fired++] = i;
        work->fired[i] = work->z[i] > 0.0 ? 1 : -1;
    }
    return n;
}

/* What follows may change the indicators: keep_course() will ask for these. */
static void keep_left(wr_subsystem *s)
{
    if (s->group->n_z > 0)
        memcpy(s->work->z_step, s->work->z, (size_t)s->group->n_z * sizeof *s->work->z);
}

/* Indicators may have jumped with modes and inputs, on the left they are in z_step: earlier values
 * are shifted with them, so that what is known of their course goes on. */
static void keep_course(wr_subsystem *s)
{
    const wr_subsystem_work *const work = s->work;
    const double *restrict const z = work->z, *restrict const z_left = work->z_step;
    double *restrict const z_before = work->z_before, *restrict const z_earlier = work->z_earlier;
    if (work->clock->n_before == 0)
        return;
    for (int i = 0; i < s->group->n_z; i++) {
        const double jump = z[i] - z_left[i];
        z_before[i] += jump;
        z_earlier[i] += jump;
    }
}

/* Handles all that happens at the current instant. fired is marked for state events found in the
 * step (n_state of them; moved as in wr_subsystem_fire()); z_step holds the indicators on the left. */
static wrsim_status handle_stop(wr_subsystem *s, int n_state, const double *moved)
{
    wr_subsystem_work *const work = s->work;
    WR_TRY(show_left(s));
    const int n_time = mark_times(s);
    const int n_jump = pass_jumps(s);
    if (n_jump > 0) {
        wr_subsystem_read_inputs(s, s->t_s, s->external, work->n_published_computed > 0);
        if (s->group->n_z > 0) {
            WR_TRY(wr_subsystem_indicators_here(s));
            /* What was seen in the step stays fired; the jump may add to it. */
            for (int k = 0; k < work->n_fired; k++)
                s->mode[work->fired_index[k]] = work->fired[work->fired_index[k]] > 0;
            n_state += add_fired(s);
        }
    }
    s->stats.n_time_event += n_time > 0;
    s->stats.n_input_jump += n_jump > 0;
    s->stats.n_state_event += n_state > 0;
    if (n_state > 0)
        WR_TRY(wr_subsystem_check_streak(s));
    if (n_state > 0 || n_time > 0)
        WR_TRY(wr_subsystem_fire(s, 0, moved));
    keep_course(s);
    work->clock->clear_s = s->t_s;
    WR_TRY(start_integrator(s));
    WR_TRY(show_right(s));
    wr_group_keep_loops(s->group);
    return WRSIM_OK;
}

/* Takes the indicators in z_step as the current ones, the current ones as those before, and so on. */
static void move_indicators(wr_subsystem *s, double last_step_s)
{
    wr_subsystem_clock *const clock = s->work->clock;
    clock->step_before_s = last_step_s;
    clock->n_before = clock->n_before > 0 ? 2 : 1;
    clock->z_turn = (clock->z_turn + 3) % 4;
    wr_subsystem_place_z(s);
    memcpy(s->mode, s->work->sense, (size_t)s->group->n_z);
}

/* Takes the step's end, or the event in it, as the current point. */
static wrsim_status accept(wr_subsystem *s, double end_s)
{
    wr_subsystem_work *const work = s->work;
    const double last_step_s = work->clock->last_step_s;
    wr_subsystem_state_at(s, end_s, s->x, work->dx);
    /* Slopes from the dense output of implicit methods are not f. */
    work->clock->is_dx_exact =
        s->group->n_x > 0 &&
        !(wr_integrator_current(s->ops, s->integrator)->flags & WR_INTEG_STIFF);
    work->clock->last_step_s = end_s - s->t_s;
    work->clock->reach_s = wr_max(work->clock->last_step_s, reach_decay * work->clock->reach_s);
    work->clock->has_band = 0;
    s->t_s = end_s;
    wr_subsystem_read_inputs(s, end_s, s->external, work->n_published_computed > 0);
    if (s->group->n_z > 0)
        move_indicators(s, last_step_s);
    return wr_group_check_state(s->group, s->t_s, s->x) != 0 ? wr_subsystem_group_fault(s)
                                                             : WRSIM_OK;
}

/* From the current point to the next stop, communication point, or end of a step. */
static wrsim_status advance_once(wr_subsystem *s, double t_end_s)
{
    wr_subsystem_work *const work = s->work;
    double stop_s = t_end_s;
    if (wr_time_is_due(stop_s, work->clock->next_time_s))
        stop_s = work->clock->next_time_s;
    stop_s = wr_min(stop_s, work->jump_s);
    if (wr_time_close(stop_s, t_end_s)) /* on either side of it */
        stop_s = t_end_s;
    double end_s = stop_s;
    const int n_state = wr_subsystem_step(s, stop_s, &end_s);
    if (n_state < 0)
        return (wrsim_status)n_state;
    WR_TRY(append_first_node(s));
    WR_TRY(record_inside(s, end_s));
    WR_TRY(accept(s, end_s));
    if (n_state > 0 || wr_time_is_due(s->t_s, work->clock->next_time_s) ||
        wr_time_is_due(s->t_s, work->jump_s)) {
        keep_left(s);
        WR_TRY(handle_stop(s, n_state, n_state > 0 ? work->z_moved : NULL));
    } else {
        WR_TRY(publish_here(s));
        wr_group_keep_loops(s->group);
    }
    return record_here(s);
}

/* Reads the inputs of a new window into external. Returns 1 if all is as it was to the last bit:
 * then so are the indicators and f, which one-step methods go on with. */
static int read_new_inputs(wr_subsystem *s)
{
    wr_subsystem_work *const work = s->work;
    const size_t bytes = (size_t)s->n_external * sizeof *s->external;
    memcpy(work->external_eval, s->external, bytes);
    wr_subsystem_read_inputs(s, s->t_s, s->external, work->n_published_computed > 0);
    const int has_f =
        s->group->n_x == 0 || (work->clock->is_dx_exact && (s->ops->flags & WR_INTEG_ROLLBACK));
    return has_f && memcmp(work->external_eval, s->external, bytes) == 0;
}

/* Goes on with inputs that are new. Indicators have just been evaluated where there are any: what f
 * shares with them is there. */
static void go_on(wr_subsystem *s)
{
    wr_subsystem_work *const work = s->work;
    const wr_group_point point = wr_subsystem_point(s);
    const int has_f = s->group->n_z > 0 && (s->ops->flags & WR_INTEG_BEGINS_WITH_F) &&
                      wr_group_rhs_after_indicators(s->group, &point, work->dx) == 0;
    work->clock->is_dx_exact = has_f;
    s->ops->inputs_changed(s->integrator, has_f ? work->dx : NULL);
}

/* Inputs of a new window: where they jump, and what changes at once because they are new. */
static wrsim_status begin_inputs(wr_subsystem *s, double tolerance_factor)
{
    wr_subsystem_work *const work = s->work;
    work->is_frozen = 0;
    work->jump_s = (double)INFINITY;
    for (int i = 0; i < s->n_source; i++) {
        wr_source_reader *const reader = &work->reader[i];
        reader->cursor = wr_cursor_start();
        reader->jump_s = (double)INFINITY;
        wr_subsystem_forget_source(s, i);
        if (s->source[i]->n_jump == 0)
            continue;
        for (int k = 0; k < reader->n; k++)
            reader->limit[k] = wr_subsystem_jump_limit(s, reader->external[k], tolerance_factor);
        find_jump(s, i);
        work->jump_s = wr_min(work->jump_s, reader->jump_s);
    }
    const int n_jump = pass_jumps(s);
    const int is_same = read_new_inputs(s);
    s->stats.n_input_jump += n_jump > 0;
    if (is_same && n_jump == 0)
        return WRSIM_OK;
    int n_state = 0;
    if (s->group->n_z > 0) {
        keep_left(s);
        WR_TRY(wr_subsystem_indicators_here(s));
        int *const index = work->event_index;
        const int n_due = wr_subsystem_take_modes(s);
        /* What fired at the very end of the last window keeps its mode within its band. */
        for (int k = 0; k < n_due; k++)
            if (!work->clock->has_band || !(fabs(work->z[index[k]]) <= work->band[index[k]]))
                index[n_state++] = index[k];
        wr_subsystem_set_fired(s, index, n_state, work->z);
    }
    if (s->group->n_x > 0 && n_state == 0) {
        if (n_jump > 0) {
            work->clock->n_before = 0;
            return start_integrator(s);
        }
        go_on(s);
    }
    if (n_state == 0)
        return WRSIM_OK;
    const wr_group_point point = wr_subsystem_point(s);
    if (s->group->n_x > 0 && wr_group_rhs(s->group, &point, work->dx) != 0)
        return wr_subsystem_group_fault(s);
    work->is_node_pending = 0;
    return handle_stop(s, n_state, NULL);
}

wrsim_status wr_subsystem_advance(wr_subsystem *s, double t_end_s, double tolerance_factor)
{
    wr_subsystem_work *const work = s->work;
    if (!(t_end_s > s->t_s) || wr_time_close(t_end_s, s->t_s))
        return wr_subsystem_fault(s, WRSIM_E_ARG, s->t_s, "a window must end after its start");
    s->stats.n_advance++;
    work->window_end_s = t_end_s;
    s->n_row = 0;
    s->fault.status = WRSIM_OK;
    s->group->fault.status = WRSIM_OK;
    wr_wave_clear(s->wave);
    work->is_node_pending = 1;
    if (s->group->n_x > 0)
        s->ops->loosen(s->integrator, tolerance_factor);
    if (s->n_external > 0)
        WR_TRY(begin_inputs(s, tolerance_factor));
    WR_TRY(record_here(s));
    do {
        WR_TRY(advance_once(s, t_end_s));
    } while (s->t_s < t_end_s && !wr_time_close(s->t_s, t_end_s));
    /* A subsystem that publishes nothing still says how far it has come. */
    double *value, *slope;
    return work->n_published > 0 ? WRSIM_OK : wr_subsystem_add_node(s, t_end_s, &value, &slope);
}
