/* The window loop of a subsystem: step, look for events, land, fire, restart. See subsystem.h.
 *
 * A stop is an instant at which something discontinuous happens: a state event, a time event, or a
 * jump of an input. Everything that happens at one instant is handled together: the left side is
 * published and recorded, inputs pass their jumps, events fire until none is left (DESIGN 2), the
 * integrator starts afresh, the right side is published and recorded.
 *
 * An indicator that has fired keeps its new mode at this instant while it stays within the band by
 * which it moved over the last bracket: the sign of a value that small is rounding. If it is still
 * within the band afterwards and the event turned the motion round (a bounce), it leaves to the
 * other side right after the event; a step that goes there and back again would show no change at
 * its end, so the first step after such an event is looked at once near its beginning, too.
 *
 * Thread: one at a time. Real-time: yes, with models and integrators that are.
 */
#include <math.h>
#include <string.h>

#include "subsystems/subsystem_work.h"

/* Looks after a bounce: the first one a quarter of an event tolerance after it, each 4 times later than
 * the one before. An indicator leaves its band after two or three. Bounces that get ever shorter then
 * end in as many events as there are tolerances, which is chattering: one that is over within a
 * tolerance is seen, and as its end is taken to be the tolerance's, the next one is not shorter. */
enum { MAX_LOOKS = 25 };
static const double first_look = 0.25, look_growth = 4.0;
/* How far past the event a retaken step goes, as a share of its length: enough for the event to lie
 * in it, near its end, where dense output is as good as the step. */
static const double retake_margin = 0.01;
/* An event so near the end of its step need not have it taken again. */
static const double near_end = 0.98;
/* A step is aimed to go this share of itself past the event expected. An event is expected at most
 * so many steps ahead, where a step is the last one, or an earlier longer one, forgotten by this
 * share with every step: events cut steps short. All measured on the engine (docs/NUMERICS.md). */
static const double aim_margin = 0.01, aim_reach = 8.0, reach_decay = 0.7;
/* Where no event has been expected up to a time, it is not asked again before a next step of this
 * length, in units of reach, would come to that time. */
static const double aim_soon = 2.0;
enum { AIM_LEAST = 4 }; /* in event tolerances */
/* What a jump of an output, or a kink over the rest of the window, may come to and yet get no node of its
 * own; share of the solver's tolerance. Of a kink the cubic errs by 4/27 at most. */
static const double kink_share = 0.2;
/* After so many aimed steps in a row whose event did not come, one is not aimed: an indicator that
 * only comes near zero must not shorten all steps. */
enum { AIM_MISSES = 3 };
/* Where a step is to be taken again, the event is located to this share of it first. */
static const double rough_share = 0.01;

/* Indicators at a point; the fault is the group's. */
static wrsim_status indicators_at(wr_subsystem *s, const wr_group_point *point, double *ret_z)
{
    s->stats.n_indicator++;
    return wr_group_indicators(s->group, point, ret_z) != 0 ? wr_subsystem_group_fault(s)
                                                            : WRSIM_OK;
}

/* The same at the current point where start_integrator() may follow. */
static wrsim_status indicators_here(wr_subsystem *s)
{
    const wr_group_point point = wr_subsystem_point(s);
    s->stats.n_indicator++;
    return wr_group_indicators_before_rhs(s->group, &point, s->work->z) != 0
               ? wr_subsystem_group_fault(s)
               : WRSIM_OK;
}

/* State inside the last step; subsystems without states have none. */
static void state_at(wr_subsystem *s, double t_s, double *ret_x, double *ret_dx)
{
    if (s->group->n_x > 0)
        s->ops->dense(s->integrator, t_s, ret_x, ret_dx);
}

/* Point inside the last step, inputs read. */
static wr_group_point point_at(wr_subsystem *s, double t_s)
{
    wr_subsystem_work *const work = s->work;
    state_at(s, t_s, work->x_step, NULL);
    wr_subsystem_read_inputs(s, t_s, work->external_eval, 0);
    return (wr_group_point){
        .t_s = t_s, .x = work->x_step, .d = s->d, .external = work->external_eval, .mode = s->mode};
}

/* The same with all slopes that published_at wants: of the states in dx_step, of the inputs. */
static wr_group_point point_with_slope_at(wr_subsystem *s, double t_s)
{
    wr_subsystem_work *const work = s->work;
    state_at(s, t_s, work->x_step, work->dx_step);
    wr_subsystem_read_inputs(s, t_s, work->external_eval, work->n_published_computed > 0);
    return (wr_group_point){
        .t_s = t_s, .x = work->x_step, .d = s->d, .external = work->external_eval, .mode = s->mode};
}

/* With many components it is cheaper to evaluate all together than one after the other. */
enum { MAX_SINGLE = 4 };

/* Evaluates the listed indicators' components, or all. */
static int probe_indicators(void *self, double t_s, const int *index, int n_index, double *ret_z)
{
    wr_subsystem *const s = self;
    wr_subsystem_work *const work = s->work;
    const wr_group_point point = point_at(s, t_s);
    int component[MAX_SINGLE], n = 0, is_all = !index;
    for (int k = 0; k < n_index && !is_all; k++) {
        const int c = work->owner_z[index[k]]; /* indices ascend, so owners do */
        if (n > 0 && component[n - 1] == c)
            continue;
        is_all = n == MAX_SINGLE;
        if (!is_all)
            component[n++] = c;
    }
    s->stats.n_locate++;
    if (is_all)
        return indicators_at(s, &point, ret_z) < 0 ? -1 : 0;
    for (int k = 0; k < n; k++)
        if (wr_group_indicators_of(s->group, &point, component[k], ret_z) != 0) {
            wr_subsystem_group_fault(s);
            return -1;
        }
    return 0;
}

void wr_subsystem_set_fired(wr_subsystem *s, const int *index, int n, const double *z)
{
    wr_subsystem_work *const work = s->work;
    for (int k = 0; k < work->n_fired; k++)
        work->fired[work->fired_index[k]] = 0;
    for (int k = 0; k < n; k++) {
        work->fired[index[k]] = z[index[k]] > 0.0 ? 1 : -1;
        work->fired_index[k] = index[k];
    }
    work->n_fired = n;
}

/* Remembers who fired, for the text of a chattering fault. */
static void count_flips(wr_subsystem *s, int is_new_streak)
{
    wr_subsystem_work *const work = s->work;
    if (is_new_streak)
        memset(work->streak_flips, 0, (size_t)s->group->n_z * sizeof *work->streak_flips);
    for (int k = 0; k < work->n_fired; k++)
        work->streak_flips[work->fired_index[k]]++;
}

static wrsim_status chatter_fault(wr_subsystem *s, const char *message)
{
    const wr_group *const group = s->group;
    int worst = 0;
    for (int i = 1; i < group->n_z; i++)
        if (s->work->streak_flips[i] > s->work->streak_flips[worst])
            worst = i;
    int c = 0;
    while (c + 1 < group->n_component && group->z_start[c + 1] <= worst)
        c++;
    s->fault = (wr_fault){.status = WRSIM_E_CHATTER,
                          .t_s = s->t_s,
                          .i_component = c,
                          .kind = WRSIM_INDICATOR,
                          .i_variable = worst - group->z_start[c],
                          .message = message};
    memcpy(s->work->fault_flips, s->work->streak_flips,
           (size_t)group->n_z * sizeof *s->work->fault_flips);
    return WRSIM_E_CHATTER;
}

/* One event() pass over what is in fired and the times in due. */
static wrsim_status fire_once(wr_subsystem *s, int is_initial)
{
    wr_subsystem_work *const work = s->work;
    wr_group *const group = s->group;
    for (int k = 0; k < work->n_fired; k++) {
        const int i = work->fired_index[k];
        s->mode[i] = work->fired[i] > 0;
        if (!work->has_fired[i])
            work->has_fired_index[work->n_has_fired++] = i;
        work->has_fired[i] = 1;
        work->due[work->owner_z[i]] |= WR_DUE_STATE;
        work->n_flip_now++;
    }
    if (group->n_x > 0)
        memcpy(work->x_before, s->x, (size_t)group->n_x * sizeof *s->x);
    if (group->n_d > 0)
        memcpy(work->d_before, s->d, (size_t)group->n_d * sizeof *s->d);
    const wr_group_point point = {.t_s = s->t_s,
                                  .x = work->x_before,
                                  .d = work->d_before,
                                  .external = s->external,
                                  .mode = s->mode};
    if (wr_group_event(group, &point, work->fired, work->due, is_initial, s->x, s->d) != 0)
        return wr_subsystem_group_fault(s);
    memset(work->due, 0, (size_t)group->n_component);
    return WRSIM_OK;
}

/* Band around zero in which an indicator that has fired keeps its mode. */
static double band_of(const wr_subsystem *s, const double *moved, int i)
{
    /* What fires in a later pass has no bracket: its band is rounding. */
    return 1e-12 * s->work->nominal_z[i] + (moved ? 2.0 * moved[i] : 0.0);
}

/* Lists in event_index the events that z shows against the modes; the others' modes follow, with
 * which nothing that was evaluated here stands any more. Returns how many events. */
static int take_modes(wr_subsystem *s)
{
    wr_subsystem_work *const work = s->work;
    int n_silent;
    const int n = wr_events_take(work->events, work->z, s->mode, work->event_index, &n_silent);
    if (n_silent > 0)
        wr_group_forget(s->group);
    return n;
}

/* Fills fired with the indicators whose sign is not their mode, but for those that have fired at
 * this instant and are still within their band. Silent ones follow. */
static int mark_again(wr_subsystem *s, const double *moved)
{
    wr_subsystem_work *const work = s->work;
    int *const index = work->event_index;
    const int n_due = take_modes(s);
    int n = 0;
    for (int k = 0; k < n_due; k++)
        if (!work->has_fired[index[k]] || fabs(work->z[index[k]]) > band_of(s, moved, index[k]))
            index[n++] = index[k];
    wr_subsystem_set_fired(s, index, n, work->z);
    return n;
}

static void clear_bands(wr_subsystem *s)
{
    wr_subsystem_work *const work = s->work;
    if (work->clock->n_band > WR_BAND_LISTED)
        memset(work->band, 0, (size_t)s->group->n_z * sizeof *work->band);
    else
        for (int k = 0; k < work->clock->n_band; k++)
            work->band[work->band_index[k]] = 0.0;
    work->clock->n_band = 0;
}

/* Keeps the bands of indicators that have just fired and are still within. Does the next step need
 * a look at its beginning? Only where such an indicator may come back: its event is one-sided, or
 * the event changed the state. */
static int find_probe(wr_subsystem *s, const double *moved, int is_state_changed)
{
    wr_subsystem_work *const work = s->work;
    int n = 0;
    clear_bands(s);
    for (int k = 0; k < work->n_has_fired; k++) {
        const int i = work->has_fired_index[k];
        const double band = band_of(s, moved, i);
        if (fabs(work->z[i]) > band)
            continue;
        work->band[i] = band;
        if (work->clock->n_band < WR_BAND_LISTED)
            work->band_index[work->clock->n_band] = i;
        work->clock->n_band++;
        n += is_state_changed || work->events->direction[i];
    }
    work->clock->has_band = 1;
    return n > 0;
}

wrsim_status wr_subsystem_fire(wr_subsystem *s, int is_initial, const double *moved)
{
    wr_subsystem_work *const work = s->work;
    const int n_z = s->group->n_z;
    const size_t x_bytes = (size_t)s->group->n_x * sizeof *s->x;
    int is_state_changed = 0;
    work->n_flip_now = 0;
    for (int k = 0; k < work->n_has_fired; k++)
        work->has_fired[work->has_fired_index[k]] = 0;
    work->n_has_fired = 0;
    for (int iteration = 0;; iteration++) {
        const wrsim_status status = fire_once(s, is_initial);
        if (status < 0)
            return status;
        is_state_changed |= x_bytes > 0 && memcmp(work->x_before, s->x, x_bytes) != 0;
        is_initial = 0;
        if (n_z == 0)
            break;
        WR_TRY(indicators_here(s));
        if (mark_again(s, moved) == 0)
            break;
        count_flips(s, iteration == 0);
        if (iteration + 1 >= work->max_event_iterations)
            return chatter_fault(s, "its events set one another off at the same instant and do not "
                                    "come to rest");
    }
    work->clock->has_z = 1;
    if (is_state_changed)
        work->clock->n_before = 0;
    work->clock->needs_probe = find_probe(s, moved, is_state_changed);
    s->stats.n_flip += work->n_flip_now;
    const wr_group_point point = wr_subsystem_point(s);
    const double next_time_s = wr_group_next_time(s->group, &point, work->time_next);
    if (next_time_s != work->clock->next_time_s)
        work->clock->announced_s = s->t_s;
    work->clock->next_time_s = next_time_s;
    if (isnan(next_time_s))
        return wr_subsystem_group_fault(s);
    return WRSIM_OK;
}

double wr_subsystem_next_event(const wr_subsystem *s, double *ret_gap_s)
{
    const wr_subsystem_clock *const clock = s->work->clock;
    *ret_gap_s = clock->next_time_s - clock->announced_s;
    return clock->next_time_s;
}

/* Too many state events too close together. */
static wrsim_status check_streak(wr_subsystem *s)
{
    wr_subsystem_work *const work = s->work;
    wr_subsystem_clock *const clock = work->clock;
    const int is_new = clock->n_streak == 0 || s->t_s - clock->streak_s > work->chatter_time_s;
    count_flips(s, is_new);
    if (is_new) {
        clock->streak_s = s->t_s;
        clock->n_streak = 0;
    }
    if (++clock->n_streak > work->max_stuck_events)
        return chatter_fault(s, "too many events follow one another within the chatter time");
    return WRSIM_OK;
}

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
    state_at(s, s->t_s, NULL, work->dx_step);
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
            const wr_group_point point = point_with_slope_at(s, middle_s);
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
        const wr_group_point point = point_at(s, wr_max(t_s, s->t_s));
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

/* due_s may be INFINITY, which wr_time_close is not made for. */
static int is_due(double t_s, double due_s)
{
    return due_s <= t_s || (due_s < (double)INFINITY && wr_time_close(t_s, due_s));
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
    if (!is_due(s->t_s, work->jump_s))
        return 0;
    int n = 0;
    work->jump_s = (double)INFINITY;
    for (int i = 0; i < s->n_source; i++) {
        wr_source_reader *const reader = &work->reader[i];
        if (is_due(s->t_s, reader->jump_s)) {
            n++;
            wr_cursor_pass(&reader->cursor, s->source[i], wr_max(s->t_s, reader->jump_s));
            wr_subsystem_forget_source(s, i);
            find_jump(s, i);
            if (is_due(s->t_s, reader->jump_s)) /* the wave ends with this jump */
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
        const int is_now = is_due(s->t_s, s->work->time_next[c]);
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
    const int n = take_modes(s);
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
 * step (n_state of them, with their bands in z_moved); z_step holds the indicators on the left. */
static wrsim_status handle_stop(wr_subsystem *s, int n_state)
{
    wr_subsystem_work *const work = s->work;
    WR_TRY(show_left(s));
    const int n_time = mark_times(s);
    const int n_jump = pass_jumps(s);
    const double *moved = n_state > 0 ? work->z_moved : NULL;
    if (n_jump > 0) {
        wr_subsystem_read_inputs(s, s->t_s, s->external, work->n_published_computed > 0);
        if (s->group->n_z > 0) {
            WR_TRY(indicators_here(s));
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
        WR_TRY(check_streak(s));
    if (n_state > 0 || n_time > 0)
        WR_TRY(wr_subsystem_fire(s, 0, moved));
    keep_course(s);
    work->clock->clear_s = s->t_s;
    WR_TRY(start_integrator(s));
    WR_TRY(show_right(s));
    wr_group_keep_loops(s->group);
    return WRSIM_OK;
}

/* How thoroughly to look for events. */
typedef enum wr_look {
    WR_LOOK_ROUGH, /* the step will be taken again if the event is not near its end */
    WR_LOOK_FINAL
} wr_look;

/* A stretch of the step to be searched. */
typedef struct wr_stretch {
    double left_s, right_s;
    const double *z_left, *z_right;
} wr_stretch;

/* Modes within the step follow the signs of z where that is no event. */
static void follow_silently(wr_subsystem *s, const double *z)
{
    wr_subsystem_work *const work = s->work;
    int n_silent;
    if (work->events->n_silent > 0)
        wr_events_take(work->events, z, work->sense, work->event_index, &n_silent);
}

/* Nothing that was found before counts any more. */
static void clear_moved(wr_subsystem *s)
{
    const wr_events *const events = s->work->events;
    for (int k = 0; k < events->n_found; k++)
        s->work->z_moved[events->found[k]] = 0.0;
}

/* Finds the earliest event in a stretch. Returns how many indicators fire, with *ret_t_s and z_step
 * at that time and fired set; 0 if none; negative on a fault. Where the step is to be taken again,
 * *ret_t_s is a time a little past the event, and nothing else is set but *ret_is_rough. */
static int find_events(wr_subsystem *s, wr_look look, const wr_stretch *stretch, double *ret_t_s,
                       int *ret_is_rough)
{
    wr_subsystem_work *const work = s->work;
    const double before_s = s->t_s - work->clock->last_step_s;
    const wr_events_span span = {.mode = work->sense,
                                 .left_s = stretch->left_s,
                                 .right_s = stretch->right_s,
                                 .z_left = stretch->z_left,
                                 .z_right = stretch->z_right,
                                 .tolerance_s = work->event_tolerance_s,
                                 .n_before = stretch->z_left == work->z ? work->clock->n_before : 0,
                                 .before_s = {before_s, before_s - work->clock->step_before_s},
                                 .z_before = {work->z_before, work->z_earlier},
                                 .probes_all = s->group->n_component == 1,
                                 .probe = probe_indicators,
                                 .self = s};
    const int n = wr_events_open(work->events, &span);
    if (n == 0) {
        follow_silently(s, stretch->z_right);
        return 0;
    }
    const double step_s = work->clock->last_tried_s;
    const double near_s = look == WR_LOOK_ROUGH ? s->t_s + near_end * step_s : s->t_s;
    if (wr_events_guess(work->events) < near_s &&
        wr_events_approach(work->events, rough_share * step_s) != 0)
        return s->fault.status;
    if (work->events->right_s >= near_s) {
        clear_moved(s);
        if (wr_events_land(work->events, ret_t_s, work->z_step, work->z_moved) != 0)
            return s->fault.status;
    }
    if (work->events->right_s < near_s) {
        *ret_is_rough = 1;
        *ret_t_s = work->events->right_s;
        return n;
    }
    follow_silently(s, work->z_step);
    wr_subsystem_set_fired(s, work->events->found, work->events->n_found, work->z_step);
    return work->events->n_found;
}

static int is_in_band(const wr_subsystem *s, const double *z)
{
    for (int i = 0; i < s->group->n_z; i++)
        if (s->work->band[i] > 0 && fabs(z[i]) <= s->work->band[i])
            return 1;
    return 0;
}

/* Looks at the beginning of a step after a bounce. Moves the left end of the stretch to what is
 * left to be searched. Returns as find_events. */
static int look_after_bounce(wr_subsystem *s, wr_look look, wr_stretch *stretch, double *end_s,
                             int *ret_is_rough)
{
    wr_subsystem_work *const work = s->work;
    const double start_s = s->t_s;
    double delay_s = first_look * work->event_tolerance_s;
    work->clock->needs_probe = 0;
    for (int k = 0; k < MAX_LOOKS && start_s + delay_s < *end_s; k++, delay_s *= look_growth) {
        const double look_s = start_s + delay_s;
        double *const z = work->z_probe[k % 2];
        if (look_s <= stretch->left_s)
            continue;
        if (probe_indicators(s, look_s, NULL, 0, z) != 0)
            return s->fault.status;
        stretch->right_s = look_s;
        stretch->z_right = z;
        const int n = find_events(s, look, stretch, end_s, ret_is_rough);
        if (n != 0)
            return n;
        stretch->left_s = look_s;
        stretch->z_left = z;
        if (!is_in_band(s, z))
            break;
    }
    return 0;
}

/* Indicators where the step ends into z_step. Where the integrator has left f there, what they need
 * is there, too. */
static wrsim_status indicators_at_end(wr_subsystem *s, double end_s, int is_just_made)
{
    wr_subsystem_work *const work = s->work;
    if (is_just_made && s->group->n_x > 0 && (s->ops->flags & WR_INTEG_ENDS_WITH_F) &&
        wr_group_can_follow(s->group, end_s)) {
        s->stats.n_indicator++;
        return wr_group_indicators_after_rhs(s->group, work->z_step) != 0
                   ? wr_subsystem_group_fault(s)
                   : WRSIM_OK;
    }
    const wr_group_point point = point_at(s, end_s);
    return indicators_at(s, &point, work->z_step);
}

/* Looks for state events in the step from t_s to *end_s; shortens it to the first one found. */
static int look_for_events(wr_subsystem *s, wr_look look, double *end_s, int *ret_is_rough)
{
    wr_subsystem_work *const work = s->work;
    const size_t n_z = (size_t)s->group->n_z;
    *ret_is_rough = 0;
    if (n_z == 0)
        return 0;
    wr_stretch stretch = {.left_s = s->t_s, .z_left = work->z};
    wr_subsystem_set_fired(s, NULL, 0, NULL);
    memcpy(work->sense, s->mode, n_z);
    const int is_just_made = !work->clock->needs_probe && *end_s > s->t_s;
    if (work->clock->needs_probe) {
        const int n = look_after_bounce(s, look, &stretch, end_s, ret_is_rough);
        if (n != 0)
            return n;
    }
    WR_TRY(indicators_at_end(s, *end_s, is_just_made));
    stretch.right_s = *end_s;
    stretch.z_right = work->z_step;
    return find_events(s, look, &stretch, end_s, ret_is_rough);
}

/* One integrator step, or for subsystems without states a step to the next communication point. */
static wrsim_status step(wr_subsystem *s, double stop_s, double *ret_end_s)
{
    if (s->group->n_x == 0) {
        int64_t i = s->work->clock->i_grid;
        while (is_due(s->t_s, wr_subsystem_grid(s, i)))
            i++;
        const double grid_s = wr_subsystem_grid(s, i);
        *ret_end_s = grid_s < stop_s && !wr_time_close(grid_s, stop_s) ? grid_s : stop_s;
        return WRSIM_OK;
    }
    s->group->fault.status = WRSIM_OK;
    const int rc = s->ops->step(s->integrator, stop_s, ret_end_s);
    if (rc == 0)
        return WRSIM_OK;
    if (s->group->fault.status < 0)
        return wr_subsystem_group_fault(s);
    return wr_subsystem_fault(s, rc < 0 ? (wrsim_status)rc : WRSIM_E_SOLVER, s->t_s,
                              "the step size fell below its minimum; loosen rtol, choose another "
                              "solver, or look for a singularity");
}

/* Takes the indicators in z_step as the current ones, the current ones as those before, and so on. */
static void move_indicators(wr_subsystem *s, double last_step_s)
{
    wr_subsystem_clock *const clock = s->work->clock;
    if (clock->has_z) {
        clock->step_before_s = last_step_s;
        clock->n_before = clock->n_before > 0 ? 2 : 1;
    }
    clock->z_turn = (clock->z_turn + 3) % 4;
    wr_subsystem_place_z(s);
    memcpy(s->mode, s->work->sense, (size_t)s->group->n_z);
    clock->has_z = 1;
}

/* Takes the step's end, or the event in it, as the current point. */
static wrsim_status accept(wr_subsystem *s, double end_s)
{
    wr_subsystem_work *const work = s->work;
    const double last_step_s = work->clock->last_step_s;
    state_at(s, end_s, s->x, work->dx);
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

/* Whether a step may be taken again from its start: one-step methods with step control. */
static int can_retake(const wr_subsystem *s)
{
    return s->group->n_x > 0 && (s->ops->flags & WR_INTEG_ROLLBACK) &&
           !(s->ops->flags & WR_INTEG_FIXED_STEP);
}

/* When indicator i is expected to be zero: first zero of z + w (slope + curve (w + last step)), the
 * Newton form of the parabola through its last three values. At most ahead_s. */
static double expected_wait(const wr_subsystem *s, int i, double ahead_s)
{
    const wr_subsystem_work *const work = s->work;
    const double h_s = work->clock->last_step_s, h_before_s = work->clock->step_before_s;
    const double slope = (work->z[i] - work->z_before[i]) / h_s;
    const double a =
        work->clock->n_before > 1
            ? (slope - (work->z_before[i] - work->z_earlier[i]) / h_before_s) / (h_s + h_before_s)
            : 0.0;
    const double b = slope + a * h_s;
    const double c = work->z[i];
    const double discriminant = b * b - 4.0 * a * c;
    if (!(discriminant >= 0.0))
        return ahead_s;
    /* Without cancellation: the zero of smaller size, or if that has passed the other one. */
    const double q = b + copysign(sqrt(discriminant), b);
    const double wait_s = -2.0 * c / q >= 0.0 ? -2.0 * c / q : -0.5 * q / a;
    return wait_s >= 0.0 && wait_s < ahead_s ? wait_s : ahead_s;
}

/* The indicators ahead_s from now by the same parabola, or the line through the last two values. */
static wr_events_sum extrapolate(const wr_subsystem *s, double ahead_s)
{
    const wr_subsystem_work *const work = s->work;
    const double h_s = work->clock->last_step_s, both_s = h_s + work->clock->step_before_s;
    if (work->clock->n_before < 2)
        return (wr_events_sum){.weight = {1.0 + ahead_s / h_s, -ahead_s / h_s, 0.0},
                               .z = {work->z, work->z_before, work->z_before}};
    const double to_before_s = ahead_s + h_s, to_earlier_s = ahead_s + both_s; /* Lagrange's form */
    return (wr_events_sum){.weight = {to_before_s * to_earlier_s / (h_s * both_s),
                                      -ahead_s * to_earlier_s / (h_s * (both_s - h_s)),
                                      ahead_s * to_before_s / (both_s * (both_s - h_s))},
                           .z = {work->z, work->z_before, work->z_earlier}};
}

/* Where to aim the next step at: just past the first event to be expected from the course of the
 * indicators, or stop_s. An event found near the end of its step saves taking the step again. */
static double aim(wr_subsystem *s, double stop_s)
{
    const wr_subsystem_work *const work = s->work;
    const wr_subsystem_clock *const clock = work->clock;
    if (clock->n_before == 0 || !clock->has_z || clock->n_missed == AIM_MISSES || !can_retake(s))
        return stop_s;
    if (s->t_s + wr_min(stop_s - s->t_s, aim_soon * clock->reach_s) <= clock->clear_s)
        return stop_s;
    const double ahead_s = wr_min(stop_s - s->t_s, aim_reach * clock->reach_s);
    const wr_events_sum z_ahead = extrapolate(s, ahead_s);
    const int n = wr_events_list_sum(work->events, &z_ahead, s->mode, work->event_index);
    double wait_s = ahead_s;
    if (n == 0)
        work->clock->clear_s = s->t_s + ahead_s;
    for (int k = 0; k < n; k++)
        wait_s = wr_min(wait_s, expected_wait(s, work->event_index[k], ahead_s));
    if (!(wait_s < ahead_s))
        return stop_s;
    const double least_s = AIM_LEAST * work->event_tolerance_s;
    const double aimed_s = s->t_s + wr_max((1.0 + aim_margin) * wait_s, least_s);
    return aimed_s < stop_s && !wr_time_close(aimed_s, s->t_s) && !wr_time_close(aimed_s, stop_s)
               ? aimed_s
               : stop_s;
}

/* Takes the step in which an event was found again, ending just past the event, and looks again.
 * The error estimate speaks for the end of a step only: inside long steps, above all where
 * stability limits them, dense output is worse by one to two orders of magnitude, and a state taken
 * from it at every event is what the whole run's error would consist of (docs/NUMERICS.md has the
 * figures). */
static int retake(wr_subsystem *s, double *end_s)
{
    wr_subsystem_work *const work = s->work;
    const double step_end_s = s->t_s + work->clock->last_tried_s;
    const double beyond_s = retake_margin * (*end_s - s->t_s);
    const double stop_s = wr_min(*end_s + beyond_s, step_end_s);
    if (wr_time_close(stop_s,
                      s->t_s)) { /* too short to be taken again: the rough time is as good */
        int is_rough;
        return look_for_events(s, WR_LOOK_FINAL, end_s, &is_rough);
    }
    s->group->fault.status = WRSIM_OK;
    const int rc =
        s->ops->start(s->integrator, s->t_s, s->x, work->clock->is_dx_exact ? work->dx : NULL);
    if (rc != 0)
        return s->group->fault.status < 0 ? (int)wr_subsystem_group_fault(s)
                                          : (int)wr_subsystem_fault(s, WRSIM_E_SOLVER, s->t_s,
                                                                    "its integrator cannot start");
    WR_TRY(step(s, stop_s, end_s));
    int is_rough;
    return look_for_events(s, WR_LOOK_FINAL, end_s, &is_rough);
}

/* From the current point to the next stop, communication point, or end of a step. */
static wrsim_status advance_once(wr_subsystem *s, double t_end_s)
{
    wr_subsystem_work *const work = s->work;
    double stop_s = t_end_s;
    if (is_due(stop_s, work->clock->next_time_s))
        stop_s = work->clock->next_time_s;
    stop_s = wr_min(stop_s, work->jump_s);
    if (wr_time_close(stop_s, t_end_s)) /* on either side of it */
        stop_s = t_end_s;
    const double aimed_s = aim(s, stop_s);
    double end_s = aimed_s;
    WR_TRY(step(s, aimed_s, &end_s));
    const int has_reached = aimed_s < stop_s && end_s >= aimed_s;
    work->clock->last_tried_s = end_s - s->t_s;
    const int needs_probe = work->clock->needs_probe;
    int is_rough;
    int n_state =
        look_for_events(s, can_retake(s) ? WR_LOOK_ROUGH : WR_LOOK_FINAL, &end_s, &is_rough);
    if (n_state > 0 && is_rough) {
        work->clock->needs_probe = needs_probe;
        n_state = retake(s, &end_s);
    }
    if (n_state < 0)
        return (wrsim_status)n_state;
    work->clock->n_missed = has_reached && n_state == 0 ? work->clock->n_missed + 1 : 0;
    WR_TRY(append_first_node(s));
    WR_TRY(record_inside(s, end_s));
    WR_TRY(accept(s, end_s));
    if (n_state > 0 || is_due(s->t_s, work->clock->next_time_s) || is_due(s->t_s, work->jump_s)) {
        keep_left(s);
        WR_TRY(handle_stop(s, n_state));
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
    return has_f && work->clock->has_z && memcmp(work->external_eval, s->external, bytes) == 0;
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
            reader->limit[k] = work->jump_limit * work->rtol * tolerance_factor *
                               (fabs(s->external[reader->external[k]]) +
                                work->nominal_external[reader->external[k]]);
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
        WR_TRY(indicators_here(s));
        int *const index = work->event_index;
        const int n_due = take_modes(s);
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
    clear_moved(s);
    const wr_group_point point = wr_subsystem_point(s);
    if (s->group->n_x > 0 && wr_group_rhs(s->group, &point, work->dx) != 0)
        return wr_subsystem_group_fault(s);
    work->is_node_pending = 0;
    return handle_stop(s, n_state);
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
