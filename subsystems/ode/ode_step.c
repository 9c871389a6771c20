/* Makes a step, and finds the first event in the step: aims, steps, searches, repeats the step. Thread: one at a time. Real-time: yes, with
 * rt-safe models and integrators. */
#include <math.h>
#include <string.h>

#include "subsystems/ode/bounded_work.h"
#include "subsystems/ode/event_indicators.h"
#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/event_order.h"
#include "subsystems/ode/input_resolution.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_step.h"
#include "subsystems/ode/ode_tolerances.h"
#include "subsystems/ode/ode_window.h"
#include "subsystems/ode/pulse_search.h"

/* Largest number of searches after a bounce (event_iteration.c). The first search is FIRST_LOOK event tolerances after the bounce. Each
 * later search is LOOK_GROWTH times as long after the bounce as the search before (docs/lab/2026-11-22-events.md). An indicator leaves its
 * band after two or three searches. Shorter and shorter bounces end as chattering, with one event per one to four tolerances. If a bounce
 * ends within a tolerance, its event is at the tolerance's end, so the next bounce is not shorter. */
enum { MAX_LOOKS = 25 };
static const double FIRST_LOOK = 0.25, LOOK_GROWTH = 4.0;
/* A repeated step passes the event by this share of its length (docs/lab/2026-11-22-events.md). The event then lies near the step's end,
 * where dense output is as exact as the step. */
static const double RETAKE_MARGIN = 0.01;
/* If an event lies after this share of its step, the subsystem does not repeat the step. The error of cubic dense output is
 * there 13 % of the error in the middle of the step (docs/lab/2026-11-29-fewer-points-per-event.md). */
static const double NEAR_END = 0.9;
/* An aimed step passes the expected event by AIM_MARGIN of its length, as measured on the engine (docs/lab/2026-11-22-events.md). The
 * prediction of events covers at most AIM_REACH * reach_s (assumed). */
static const double AIM_MARGIN = 0.01, AIM_REACH = 8.0;
/* If aim() expects no event up to clear_s, aim() predicts again when clear_s is before the stop and less than AIM_SOON * reach_s ahead
 * (assumed). */
static const double AIM_SOON = 2.0;
enum { AIM_LEAST = 4 }; /* least length of an aimed step, in location errors (assumed) */
/* After this many successive aimed steps without the expected event, aim() skips a step (docs/lab/2026-11-22-events.md). An indicator
 * that only comes near zero must not shorten all steps. */
enum { AIM_MISSES = 3 };
/* LOOK_SHARE: position of a forced search in an interval, as a share of the interval (golden section). MOST_UNLOOKED: largest number of
 * steps from one search to the next (docs/lab/2026-11-23-instants.md). From level MOST_FORCED of the divisions on, a failed prediction
 * forces no further division (assumed). */
static const double LOOK_SHARE = 0.3819660112501051;
enum { MOST_UNLOOKED = 16, MOST_FORCED = 12 };
/* Location error of an event before the subsystem repeats the step, as a share of the step (docs/lab/2026-11-22-events.md). */
static const double ROUGH_SHARE = 0.01;

/* Least distance of an event from the step's start, in DBL_EPSILON times the time. At this distance wr_time_close() returns 0. If the step
 * begins the window, the jump of an event at an equal time would count as an error of the start values. */
static const double ROUNDINGS_APART = 16.0;

/* Evaluates the indicators at a point into ret_z[n_z]. If the model fails, copies the group's fault to the subsystem. */
static wrsim_status indicators_at(wr_subsystem *s, const wr_group_point *point, double *ret_z)
{
    s->stats.n_indicator_evaluation++;
    return wr_group_indicators(wr_ode_of(s)->group, point, ret_z) != 0 ? wr_ode_group_fault(s)
                                                                       : WRSIM_OK;
}

/* Evaluates the listed indicators. If index is NULL, or if the evaluation of all indicators is cheaper, evaluates all indicators. */
static int probe_indicators(void *self, double t_s, const int *index, int n_index, double *ret_z)
{
    wr_subsystem *const s = self;
    const wr_group_point point = wr_ode_point_at(s, t_s, 0);
    int is_all;
    s->stats.n_locate++;
    if (!index)
        return indicators_at(s, &point, ret_z) < 0 ? -1 : 0;
    const int rc =
        wr_group_indicators_listed(wr_ode_of(s)->group, &point, index, n_index, ret_z, &is_all);
    s->stats.n_indicator_evaluation += is_all;
    if (rc != 0)
        wr_ode_group_fault(s);
    return rc != 0 ? -1 : 0;
}

/* Evaluates indicators like probe_indicators(), for the search for an event. If index is NULL, the point is the event's point. The group
 * then stores the indicators, because the next evaluation repeats this point. */
static int probe_for_event(void *self, double t_s, const int *index, int n_index, double *ret_z)
{
    const int rc = probe_indicators(self, t_s, index, n_index, ret_z);
    wr_subsystem *const s = self;
    if (rc != 0 || index)
        return rc;
    const wr_group_point point =
        wr_ode_point_of(s, t_s, wr_scratch(s, WR_X_STEP), wr_ode_last_inputs(s));
    wr_group_keep_indicators(wr_ode_of(s)->group, &point, ret_z);
    return 0;
}

/* Accuracy of the search for events. */
typedef enum wr_look {
    WR_LOOK_ROUGH, /* the subsystem repeats the step if the event is not near the step's end */
    WR_LOOK_FINAL,
    WR_LOOK_AGAIN /* the search repeats a search of the step, whose end has changed */
} wr_look;

/* Sets modes within the step to the signs of z if the sign change is no event. */
static void follow_silently(wr_subsystem *s, double t_s, const double *z)
{
    wr_ode_indicators *const indicators = wr_ode_of(s)->indicators;
    int n_silent;
    if (indicators->events->n_silent > 0)
        wr_ode_take_changes(s, t_s, z, indicators->sense, wr_scratch_index(s), &n_silent);
}

/* Sets z_moved of the last found indicators to 0. */
static void clear_moved(wr_subsystem *s)
{
    const wr_events *const events = wr_ode_of(s)->indicators->events;
    for (int k = 0; k < events->n_found; k++)
        wr_ode_of(s)->indicators->z_moved[events->found[k]] = 0.0;
}

/* Finds the earliest event in the course's interval. Returns the number of indicators that fire, or a negative number on a fault. Sets *ret_t_s,
 * z_step and fired for the time of the event. If the subsystem must repeat the step, *ret_t_s is a time slightly past the event, and
 * *ret_seen_s is the interval's right end. z_step and fired are then invalid. */
static int find_events(wr_subsystem *s, wr_look look, const wr_events_course *course,
                       double *ret_t_s, double *ret_seen_s)
{
    WR_POINTS_FOR(s, LOCATE);
    wr_ode *const work = wr_ode_of(s);
    /* An event within least_s of the step's start may repeat an event at the start, so least_s is the tolerance there. */
    const double least_s = wr_ode_event_tolerance(s);
    const int is_near = course->right_s - s->t_s <= least_s;
    const wr_events_span span = {
        .mode = work->indicators->sense,
        .left_s = course->left_s,
        .right_s = course->right_s,
        .z_left = course->z_left,
        .z_right = course->z_right,
        .band = wr_ode_carried_bands(s),
        .until_s = wr_ode_carried_bands(s) ? wr_ode_carried_until(s) : 0.0,
        .tolerance_s = is_near ? least_s : wr_ode_fixed_tolerance(s),
        .tolerance_share = wr_ode_event_share(s),
        .least_s = course->left_s > s->t_s ? 0.0 : ROUNDINGS_APART * DBL_EPSILON * fabs(s->t_s),
        .n_known = course->n_known,
        .known_s = {course->known_s[0], course->known_s[1]},
        .z_known = {course->z_known[0], course->z_known[1]},
        .probes_all = work->group->n_component == 1,
        .max_probe = wr_ode_is_planned(s) ? WR_LOCATE_BOUNDED : 0,
        .probe = probe_for_event,
        .self = s};
    const int n = wr_events_open(work->indicators->events, &span);
    if (n == 0) {
        follow_silently(s, course->right_s, course->z_right);
        return 0;
    }
    const double step_s = work->clock->last_tried_s;
    const double near_s = look == WR_LOOK_ROUGH ? s->t_s + NEAR_END * step_s : s->t_s;
    if (wr_events_guess(work->indicators->events) < near_s &&
        wr_events_approach(work->indicators->events, ROUGH_SHARE * step_s) != 0)
        return s->fault.status;
    if (work->indicators->events->right_s >= near_s) {
        clear_moved(s);
        if (wr_events_land(work->indicators->events, ret_t_s, work->indicators->z_step,
                           work->indicators->z_moved) != 0)
            return s->fault.status;
    }
    if (work->indicators->events->right_s < near_s) {
        *ret_seen_s = course->right_s;
        *ret_t_s = work->indicators->events->right_s;
        return n;
    }
    follow_silently(s, *ret_t_s, work->indicators->z_step);
    wr_ode_set_fired(s, work->indicators->events->found, work->indicators->events->n_found,
                     work->indicators->z_step);
    return work->indicators->events->n_found;
}

static int is_in_band(const wr_subsystem *s, const double *z)
{
    for (int i = 0; i < wr_ode_of(s)->group->n_z; i++)
        if (fabs(wr_ode_of(s)->indicators->band[i]) > 0.0 &&
            fabs(z[i]) <= fabs(wr_ode_of(s)->indicators->band[i]))
            return 1;
    return 0;
}

/* Searches the beginning of a step if a fired or carried indicator is near zero. Moves the left end of the interval past the beginning.
 * Returns as find_events(). */
static int look_after_bounce(wr_subsystem *s, wr_look look, wr_events_course *course, double *end_s,
                             double *ret_seen_s)
{
    WR_POINTS_FOR(s, LOOK);
    wr_ode *const work = wr_ode_of(s);
    const double start_s = s->t_s;
    double delay_s = FIRST_LOOK * wr_ode_event_tolerance(s);
    work->course->needs_probe = 0;
    for (int k = 0; k < MAX_LOOKS && start_s + delay_s < *end_s; k++, delay_s *= LOOK_GROWTH) {
        const double look_s = start_s + delay_s;
        double *const z = wr_scratch(s, k % 2 ? WR_Z_PROBE_1 : WR_Z_PROBE_0);
        if (look_s <= course->left_s)
            continue;
        if (probe_indicators(s, look_s, NULL, 0, z) != 0)
            return s->fault.status;
        course->right_s = look_s;
        course->z_right = z;
        const int n = find_events(s, look, course, end_s, ret_seen_s);
        if (n != 0)
            return n;
        course->left_s = look_s;
        course->z_left = z;
        course->n_known = 0;
        if (!is_in_band(s, z))
            break;
    }
    return 0;
}

/* Evaluates the indicators at the step's end into z_step. Reuses the outputs if the integrator evaluated f at this point last. */
static wrsim_status indicators_at_end(wr_subsystem *s, double end_s, int is_just_made)
{
    wr_ode *const work = wr_ode_of(s);
    if (is_just_made && !wr_ode_is_coarse(s) && work->group->n_x > 0 &&
        (work->solver->flags & WR_INTEG_ENDS_WITH_F) && wr_group_can_follow(work->group, end_s)) {
        s->stats.n_indicator_evaluation++;
        return wr_group_indicators_after_rhs(work->group, work->indicators->z_step) != 0
                   ? wr_ode_group_fault(s)
                   : WRSIM_OK;
    }
    const wr_group_point point = wr_ode_point_at(s, end_s, 0);
    return indicators_at(s, &point, work->indicators->z_step);
}

/* State of the search inside a step. */
typedef struct wr_closer {
    wr_look look;
    wr_events_course course; /* from the last evaluated time to the next time */
    double *left, *known[2]; /* copies of the course's values at earlier times */
    int n_before;
    double *end_s;
    double *seen_s;
    int is_forced; /* 1: the search divides the next interval at LOOK_SHARE, unless it is too short */
    int n_division; /* number of halvings without is_forced, plus 2 for each failed prediction */
} wr_closer;

/* Moves the search past the course's right end, after a search without an event. */
static void pass_right(const wr_subsystem *s, wr_closer *closer)
{
    wr_events_course *const c = &closer->course;
    const size_t bytes = (size_t)wr_ode_of(s)->group->n_z * sizeof(double);
    double *const oldest = closer->known[1];
    closer->known[1] = closer->known[0];
    closer->known[0] = closer->left;
    closer->left = oldest;
    memcpy(closer->left, c->z_right, bytes);
    c->known_s[1] = c->known_s[0];
    c->known_s[0] = c->left_s;
    c->left_s = c->right_s;
    c->n_known = closer->n_before = closer->n_before > 0 ? 2 : 1;
    c->z_left = closer->left;
    c->z_known[0] = closer->known[0];
    c->z_known[1] = closer->known[1];
}

/* Copies the course's known values into WR_Z_LOOK, and continues the course from the copies. */
static void keep_course_known(const wr_subsystem *s, wr_closer *closer)
{
    wr_events_course *const c = &closer->course;
    const size_t n_z = (size_t)wr_ode_of(s)->group->n_z, bytes = n_z * sizeof(double);
    double *const buffer = wr_scratch(s, WR_Z_LOOK);
    closer->n_before = c->n_known;
    closer->left = buffer;
    memcpy(closer->left, c->z_left, bytes);
    c->z_left = closer->left;
    for (int i = 0; i < 2; i++) {
        closer->known[i] = buffer + (size_t)(i + 1) * n_z;
        if (i < c->n_known)
            memcpy(closer->known[i], c->z_known[i], bytes);
        c->z_known[i] = closer->known[i];
    }
}

/* Searches for events from the course's left end to right_s. Divides intervals that is_forced marks, or that may hide an event. level:
 * number of divisions that lead to the interval. Returns as find_events(). */
static int look_closer(wr_subsystem *s, wr_closer *closer, double right_s, const double *z_right,
                       int level)
{
    wr_ode *const work = wr_ode_of(s);
    wr_events_course *const c = &closer->course;
    c->right_s = right_s;
    c->z_right = z_right;
    const int is_short = level == WR_LOOK_LEVELS || right_s - c->left_s <= wr_ode_located_to(s);
    const int is_forced = closer->is_forced;
    closer->is_forced = 0;
    /* After a failed prediction (look_interval <= 1) one matching value does not prove the next prediction. */
    const int is_wary =
        is_forced && level == 0 && (work->search->look_interval <= 1 || work->group->n_x == 0);
    if (!is_short && (is_forced || wr_events_may_hide(work->indicators->events, c))) {
        const double middle_s = c->left_s + (is_forced ? LOOK_SHARE : 0.5) * (right_s - c->left_s);
        closer->n_division += !is_forced;
        double *const z = wr_scratch(s, WR_Z_LOOK) + (size_t)(level + 3) * (size_t)work->group->n_z;
        if (probe_indicators(s, middle_s, NULL, 0, z) != 0)
            return s->fault.status;
        /* If the value differs from its prediction, the search divides both parts. Without a known value the first value has no
         * prediction, so the search divides at least the left part. */
        const int is_first = c->n_known == 0;
        const int is_unforeseen =
            level < MOST_FORCED && !wr_events_foresaw(work->indicators->events, c, middle_s, z);
        closer->n_division += 2 * is_unforeseen;
        closer->is_forced = is_unforeseen || is_first;
        if (closer->n_before == 0) { /* a later value predicts as well as an earlier value */
            c->n_known = 1;
            c->known_s[0] = right_s;
            c->z_known[0] = z_right;
        }
        const int n = look_closer(s, closer, middle_s, z, level + 1);
        if (n != 0)
            return n;
        closer->is_forced = is_unforeseen || is_wary;
        return look_closer(s, closer, right_s, z_right, level + 1);
    }
    const int n = find_events(s, closer->look, c, closer->end_s, closer->seen_s);
    if (n == 0)
        pass_right(s, closer);
    return n;
}

/* Returns whether a search inside the step is due. If steps do not resolve an oscillation of an indicator, four values may lie on a
 * parabola by chance. So the subsystem searches inside some steps, even if no event seems to hide. The interval between these steps
 * doubles, up to MOST_UNLOOKED, until a search needs further divisions. */
static int is_look_due(const wr_subsystem *s, wr_look look)
{
    wr_event_search *const search = wr_ode_of(s)->search;
    if (look == WR_LOOK_AGAIN && search->look_interval > 1)
        return 0;
    const int is_often = wr_ode_looks_always(s) ||
                         wr_ode_of(s)->group->n_x ==
                             0; /* a step without states may be as long as a communication step */
    if (++search->n_unlooked < search->look_interval && !is_often)
        return 0;
    search->n_unlooked = 0;
    return 1;
}

/* Ratio of a step to the last step above which values of earlier steps do not predict the step (assumed). */
static const double LONG_STEP = 2.5;

/* Returns the first time after t_s at which indicators may have a pulse that the ends of a step do not show; INFINITY: none. */
static double next_inside(const wr_subsystem *s, double t_s, double end_s)
{
    double next_s = (double)INFINITY;
    if (wr_ode_has_rough_inputs(s))
        next_s = wr_ode_next_input_node(s, t_s);
    return wr_ode_is_searched(s) ? wr_min(next_s, wr_ode_next_look(s, t_s, end_s)) : next_s;
}

/* Searches the course for events from its left end. The search evaluates the indicators at the search times of pulse_search.c, and with
 * rough inputs (wr_ode_has_rough_inputs()) at the nodes of inputs. If is_look is set or an event may hide, the search also evaluates times
 * between. Returns as find_events(). */
static int look_inside(wr_subsystem *s, wr_look look, const wr_events_course *course, int is_look,
                       double *end_s, double *ret_seen_s)
{
    WR_POINTS_FOR(s, LOOK);
    wr_ode *const work = wr_ode_of(s);
    wr_closer closer = {.look = look,
                        .course = *course,
                        .end_s = end_s,
                        .seen_s = ret_seen_s,
                        .is_forced = is_look};
    keep_course_known(s, &closer);
    const double right_s = course->right_s;
    double t_s = course->left_s;
    double *const z =
        wr_scratch(s, WR_Z_LOOK) + (size_t)(WR_LOOK_LEVELS + 3) * (size_t)work->group->n_z;
    while ((t_s = next_inside(s, t_s, right_s)) < right_s && !wr_time_close(t_s, right_s)) {
        if (probe_indicators(s, t_s, NULL, 0, z) != 0)
            return s->fault.status;
        const int n = look_closer(s, &closer, t_s, z, 0);
        if (n != 0)
            return n;
    }
    is_look = closer.is_forced;
    const int n = look_closer(s, &closer, right_s, course->z_right, 0);
    if (closer.n_division > 1)
        work->search->look_interval = 1;
    else if (is_look)
        work->search->look_interval = work->search->look_interval < 1 ? 1
                                      : work->search->look_interval < MOST_UNLOOKED
                                          ? 2 * work->search->look_interval
                                          : MOST_UNLOOKED;
    return n;
}

/* Searches the course's interval for events, and the inside of the interval only if needed. */
static int look_through(wr_subsystem *s, wr_look look, const wr_events_course *course,
                        double *end_s, double *ret_seen_s)
{
    const wr_ode *const work = wr_ode_of(s);
    if (wr_ode_is_planned(s))
        return find_events(s, look, course, end_s, ret_seen_s);
    const int is_look =
        is_look_due(s, look) ||
        (course->n_known > 0 &&
         course->right_s - course->left_s > LONG_STEP * (course->left_s - course->known_s[0]));
    if (!(next_inside(s, course->left_s, course->right_s) < course->right_s) && !is_look &&
        !wr_events_may_hide(work->indicators->events, course))
        return find_events(s, look, course, end_s, ret_seen_s);
    return look_inside(s, look, course, is_look, end_s, ret_seen_s);
}

/* Searches the step from t_s to *end_s for state events, and shortens the step to the first event. Returns as find_events(). */
static int look_for_events(wr_subsystem *s, wr_look look, double *end_s, double *ret_seen_s)
{
    wr_ode *const work = wr_ode_of(s);
    const size_t n_z = (size_t)work->group->n_z;
    *ret_seen_s = (double)NAN;
    if (n_z == 0)
        return 0;
    const double before_s = s->t_s - work->clock->last_step_s;
    wr_events_course course = {.left_s = s->t_s,
                               .z_left = work->indicators->z,
                               .known_s = {before_s, before_s - work->clock->step_before_s},
                               .z_known = {work->indicators->z_before, work->indicators->z_earlier},
                               .n_known = work->course->n_before,
                               .nominal = work->indicators->nominal,
                               .rtol = wr_ode_rtol(s)};
    wr_ode_set_fired(s, NULL, 0, NULL);
    memcpy(work->indicators->sense, work->mode, n_z);
    const int is_just_made = !work->course->needs_probe && *end_s > s->t_s;
    if (work->course->needs_probe) {
        const int n = look_after_bounce(s, look, &course, end_s, ret_seen_s);
        if (n != 0)
            return n;
    }
    WR_TRY(indicators_at_end(s, *end_s, is_just_made));
    course.right_s = *end_s;
    course.z_right = work->indicators->z_step;
    return look_through(s, look, &course, end_s, ret_seen_s);
}

/* Makes one integrator step. For subsystems without states, makes a step to the next communication point, at most to stop_s. */
static wrsim_status step(wr_subsystem *s, double stop_s, double *ret_end_s)
{
    if (wr_ode_of(s)->group->n_x == 0) {
        int64_t i = wr_ode_of(s)->clock->i_grid;
        while (wr_time_is_due(s->t_s, wr_ode_grid_time(s, i)))
            i++;
        const double grid_s = wr_ode_grid_time(s, i);
        *ret_end_s = grid_s < stop_s && !wr_time_close(grid_s, stop_s) ? grid_s : stop_s;
        wr_ode_of(s)->search->reached_s = *ret_end_s;
        return WRSIM_OK;
    }
    wr_ode_of(s)->group->fault.status = WRSIM_OK;
    const wr_ode *const work = wr_ode_of(s);
    const int64_t n_pole = wr_integrator_stats(work->integrator)->n_pole;
    const int rc = wr_ode_is_coarse(s) ? work->solver->coarse(work->integrator, stop_s, ret_end_s)
                                       : work->solver->step(work->integrator, stop_s, ret_end_s);
    wr_ode_of(s)->search->reached_s = *ret_end_s;
    if (rc == 0)
        return WRSIM_OK;
    if (wr_ode_of(s)->group->fault.status < 0)
        return wr_ode_group_fault(s);
    const int is_fixed = (work->solver->flags & WR_INTEG_FIXED_STEP) != 0;
    (void)wr_ode_fault(
        s, rc < 0 ? (wrsim_status)rc : WRSIM_E_SOLVER, s->t_s,
        is_fixed ? "the solver cannot make a step of solver.step; lower solver.step, test the "
                   "stability with wrsim stability, or check the model for a singularity"
                 : "the step size fell below its minimum; lower solver.min_step (if set), loosen "
                   "rtol, choose another solver, or "
                   "check the model for a singularity");
    /* Only a pole in the first step of the advance is final. A later step may fail because of inputs from earlier sweeps. */
    s->fault.is_final =
        wr_ode_n_made(s) == 0 && n_pole < wr_integrator_stats(work->integrator)->n_pole;
    return s->fault.status;
}

/* Returns whether the subsystem can repeat a step from its start. One-step methods with step control can repeat steps, unless planned. */
static int can_retake(const wr_subsystem *s)
{
    return wr_ode_of(s)->group->n_x > 0 && !wr_ode_is_planned(s) &&
           (wr_ode_of(s)->solver->flags & WR_INTEG_ROLLBACK) &&
           !(wr_ode_of(s)->solver->flags & WR_INTEG_FIXED_STEP);
}

/* Returns the expected time from the present, s, of the zero of indicator i, at most ahead_s. The time is the first zero w >= 0 of
 * z + w (slope + a (w + last step)). This polynomial is the parabola through the last three values (wr_ode_z_slope()). With two values
 * a is 0. */
static double expected_wait(const wr_subsystem *s, int i, double ahead_s)
{
    double a;
    const double slope = wr_ode_z_slope(s, i, &a);
    const double b = slope + a * wr_ode_last_step(s);
    const double c = wr_ode_z(s)[i];
    const double discriminant = b * b - 4.0 * a * c;
    if (!(discriminant >= 0.0))
        return ahead_s;
    /* The smaller zero w >= 0, without cancellation. */
    const double q = b + copysign(sqrt(discriminant), b);
    const double wait_s = -2.0 * c / q >= 0.0 ? -2.0 * c / q : -0.5 * q / a;
    return wait_s >= 0.0 && wait_s < ahead_s ? wait_s : ahead_s;
}

/* Returns the weights of the last three values of the indicators for an extrapolation by ahead_s. The extrapolation is a parabola, or a
 * line if only two values are valid. */
static wr_events_sum extrapolate(const wr_subsystem *s, double ahead_s)
{
    const wr_ode *const work = wr_ode_of(s);
    wr_ode_indicators *const indicators = work->indicators;
    const double h_s = work->clock->last_step_s, both_s = h_s + work->clock->step_before_s;
    if (work->course->n_before < 2)
        return (wr_events_sum){.weight = {1.0 + ahead_s / h_s, -ahead_s / h_s, 0.0},
                               .z = {indicators->z, indicators->z_before, indicators->z_before}};
    const double to_before_s = ahead_s + h_s, to_earlier_s = ahead_s + both_s; /* Lagrange's form */
    return (wr_events_sum){.weight = {to_before_s * to_earlier_s / (h_s * both_s),
                                      -ahead_s * to_earlier_s / (h_s * (both_s - h_s)),
                                      ahead_s * to_before_s / (both_s * (both_s - h_s))},
                           .z = {indicators->z, indicators->z_before, indicators->z_earlier}};
}

/* Returns the target of the next step: just past the first event that the extrapolated indicators predict, or stop_s. The subsystem does
 * not repeat a step with the event near its end. */
static double aim(wr_subsystem *s, double stop_s)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_ode_clock *const clock = work->clock;
    wr_event_search *const search = work->search;
    if (work->course->n_before == 0 || search->n_missed == AIM_MISSES || !can_retake(s))
        return stop_s;
    if (s->t_s + wr_min(stop_s - s->t_s, AIM_SOON * clock->reach_s) <= search->clear_s)
        return stop_s;
    const double ahead_s = wr_min(stop_s - s->t_s, AIM_REACH * clock->reach_s);
    const wr_events_sum z_ahead = extrapolate(s, ahead_s);
    const int n =
        wr_events_list_sum(work->indicators->events, &z_ahead, work->mode, wr_scratch_index(s));
    double wait_s = ahead_s;
    if (n == 0)
        work->search->clear_s = s->t_s + ahead_s;
    for (int k = 0; k < n; k++)
        wait_s = wr_min(wait_s, expected_wait(s, wr_scratch_index(s)[k], ahead_s));
    if (!(wait_s < ahead_s))
        return stop_s;
    const double least_s = AIM_LEAST * wr_ode_located_to(s);
    const double aimed_s = s->t_s + wr_max((1.0 + AIM_MARGIN) * wait_s, least_s);
    return aimed_s < stop_s && !wr_time_close(aimed_s, s->t_s) && !wr_time_close(aimed_s, stop_s)
               ? aimed_s
               : stop_s;
}

/* Moves the integrator back to the start of the step. */
static wrsim_status start_again(wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    work->group->fault.status = WRSIM_OK;
    if (work->solver->undo) {
        work->solver->undo(work->integrator);
        return WRSIM_OK;
    }
    return wr_ode_start_solver(s, wr_ode_is_dx_exact(s) ? wr_ode_of(s)->dx : NULL);
}

/* If the subsystem can repeat the step, repeats it, shorter, until the step resolves its inputs and pulses of f in time. limits_next: also
 * limits the next steps. */
static wrsim_status see(wr_subsystem *s, double *end_s, int limits_next)
{
    WR_POINTS_FOR(s, RETAKE);
    if (wr_ode_is_planned(s))
        return WRSIM_OK;
    for (;;) {
        double seen_s = wr_ode_is_searched(s) && !wr_ode_is_bounded(s) && can_retake(s)
                            ? wr_ode_own_time(s, *end_s)
                            : *end_s;
        if (seen_s >= *end_s)
            seen_s = wr_ode_unseen(s, *end_s);
        if (seen_s >= *end_s || !can_retake(s) || wr_time_close(seen_s, s->t_s))
            return WRSIM_OK;
        WR_TRY(start_again(s));
        WR_TRY(step(s, seen_s, end_s));
        if (limits_next)
            wr_ode_set_limit(s, *end_s - s->t_s);
    }
}

/* Repeats the step up to stop_s, and searches the step. Returns as find_events(). */
static int repeat_to(wr_subsystem *s, double stop_s, double *end_s)
{
    if (!wr_time_close(stop_s, s->t_s)) { /* else the rough time is exact */
        WR_TRY(start_again(s));
        WR_TRY(step(s, stop_s, end_s));
        WR_TRY(see(s, end_s, 0));
    }
    double unused_s;
    return look_for_events(s, WR_LOOK_AGAIN, end_s, &unused_s);
}

/* Repeats a step with an event, up to just past the event, and searches again. The error estimate holds only for the end of a step. Inside
 * long steps dense output is worse by one to two orders of magnitude. States from the dense output at every event would dominate the error
 * of the run (docs/lab/2026-11-22-events.md). If the search found the event at seen_s inside the step, a pulse of the indicator may end
 * before the repeated step's end. If the repeated step then has no event, a second repetition ends at seen_s. */
static int retake(wr_subsystem *s, double seen_s, double *end_s)
{
    WR_POINTS_FOR(s, RETAKE);
    wr_ode *const work = wr_ode_of(s);
    const double step_end_s = s->t_s + work->clock->last_tried_s;
    const double beyond_s = RETAKE_MARGIN * (*end_s - s->t_s);
    const unsigned char needs_probe = work->course->needs_probe;
    const int n = repeat_to(s, wr_min(*end_s + beyond_s, step_end_s), end_s);
    if (n != 0 || seen_s >= step_end_s || wr_time_close(seen_s, step_end_s))
        return n;
    work->course->needs_probe = needs_probe;
    return repeat_to(s, seen_s, end_s);
}

/* Makes a step. Unless its length is fixed or planned, the step resolves its inputs and pulses of f in time. */
static wrsim_status step_seeing(wr_subsystem *s, double stop_s, double *ret_end_s)
{
    const int is_fixed =
        wr_ode_of(s)->group->n_x > 0 && (wr_ode_of(s)->solver->flags & WR_INTEG_FIXED_STEP) != 0;
    const int is_planned = is_fixed || wr_ode_is_planned(s);
    if (wr_ode_of(s)->group->n_x > 0 && !can_retake(s) && !is_planned) {
        stop_s = wr_ode_after_time_event(s, stop_s);
        if (s->n_external > 0)
            stop_s = wr_ode_ahead(s, stop_s);
    }
    WR_TRY(step(s, stop_s, ret_end_s));
    return see(s, ret_end_s, 1);
}

/* Moves the last found events to the time to_s in the step. Also moves other indicators that fired at the time of `was` in the last
 * integration (NULL: none). Returns the number of moved events, or < 0 on a fault. 0: the events at to_s are others. */
static int move_events(wr_subsystem *s, const wr_instant *was, double to_s, double *end_s)
{
    WR_POINTS_FOR(s, LOCATE);
    wr_ode *const work = wr_ode_of(s);
    wr_events *const events = work->indicators->events;
    double *const z = wr_scratch(s, WR_Z_LOOK);
    if (probe_indicators(s, to_s, NULL, 0, z) != 0)
        return s->fault.status;
    const int n = wr_ode_drop_carried(
        s, to_s, z, wr_scratch_index(s),
        wr_events_list(events, z, work->indicators->sense, wr_scratch_index(s)));
    int n_kept = 0;
    for (int k = 0; k < n; k++) {
        const int i = wr_scratch_index(s)[k];
        if (wr_ode_is_fired(s, i)) {
            n_kept++;
            continue;
        }
        const wr_instant *const other = was ? wr_ode_last_event(s, i, to_s) : NULL;
        if (!other || !wr_time_close(other->t_s, was->t_s))
            return 0;
    }
    if (n_kept < events->n_found)
        return 0;
    memcpy(work->indicators->z_step, z, (size_t)work->group->n_z * sizeof *z);
    memcpy(events->found, wr_scratch_index(s), (size_t)n * sizeof *events->found);
    events->n_found = n;
    for (int k = 0; k < n; k++)
        work->indicators->z_moved[events->found[k]] =
            wr_max(work->indicators->z_moved[events->found[k]], fabs(z[events->found[k]]));
    follow_silently(s, to_s, work->indicators->z_step);
    wr_ode_set_fired(s, events->found, n, work->indicators->z_step);
    *end_s = to_s;
    return n;
}

/* Returns whether the step to end_s contains a jump of an input. */
static int is_behind_jump(const wr_subsystem *s, double end_s)
{
    const double jump_s = wr_ode_next_jump(s);
    return jump_s > s->t_s && jump_s < end_s && !wr_time_close(jump_s, end_s);
}

/* Moves the last found events to wr_ode_kept_time(), a time at or after their time in the last integration. Returns as move_events(). */
static int keep_time(wr_subsystem *s, double *end_s)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_instant *const was = wr_ode_last_event(s, work->indicators->events->found[0], *end_s);
    const double kept_s =
        was ? wr_ode_kept_time(s, was, *end_s, work->search->reached_s) : (double)NAN;
    return isnan(kept_s) ? 0 : move_events(s, was, kept_s, end_s);
}

/* Delays the events until joined_s, unless other events occur there. If the step ends before joined_s, the subsystem repeats the step, or
 * the next step finds the events again. Returns as find_events(). */
static int wait_for_joined(wr_subsystem *s, double joined_s, int needs_probe, double *end_s)
{
    WR_POINTS_FOR(s, RETAKE);
    const wr_ode *const work = wr_ode_of(s);
    const int is_retaken = joined_s > work->search->reached_s;
    double to_s = joined_s;
    if (is_retaken) {
        if (!can_retake(s)) {
            *end_s = work->search->reached_s;
            return 0;
        }
        WR_TRY(start_again(s));
        WR_TRY(step(s, joined_s, &to_s));
        WR_TRY(see(s, &to_s, 0));
    }
    const int n = to_s < joined_s ? 0 : move_events(s, NULL, joined_s, end_s);
    if (n != 0 || !is_retaken)
        return n != 0 ? n : work->indicators->events->n_found;
    double seen_s;
    work->course->needs_probe = needs_probe;
    *end_s = to_s;
    return look_for_events(s, WR_LOOK_AGAIN, end_s, &seen_s);
}

/* Delays the n last found events to the located time of the next jump if events and jump belong to one instant. The events of both
 * subsystems then have one time. While the times of events and jump differ (has_deferred), the integration is not the last integration of
 * the window. Returns the number of events, or a negative number on a fault. */
static int join_jump(wr_subsystem *s, int n, int needs_probe, double *end_s)
{
    const wr_ode *const work = wr_ode_of(s);
    const double joined_s = wr_ode_joined_time(s, *end_s);
    if (isnan(joined_s) || !wr_ode_is_joined(s, *end_s, work->indicators->z_step))
        return n;
    const int n_now = joined_s > *end_s ? wait_for_joined(s, joined_s, needs_probe, end_s) : n;
    s->has_deferred |= n_now > 0 && !wr_time_close(*end_s, wr_ode_next_jump(s));
    return n_now;
}

/* Right after a bounce, changes modes in the step at sign changes that are no events. An indicator that returns before the step's end then
 * has an event. */
static wrsim_status follow_bounce(wr_subsystem *s, double end_s)
{
    WR_POINTS_FOR(s, LOOK);
    wr_ode *const work = wr_ode_of(s);
    double delay_s = FIRST_LOOK * wr_ode_located_to(s);
    work->course->needs_probe = 0;
    for (int k = 0; k < MAX_LOOKS && s->t_s + delay_s < end_s; k++, delay_s *= LOOK_GROWTH) {
        int n_silent;
        if (probe_indicators(s, s->t_s + delay_s, NULL, 0, wr_scratch(s, WR_Z_PROBE_0)) != 0)
            return s->fault.status;
        wr_ode_take_changes(s, s->t_s + delay_s, wr_scratch(s, WR_Z_PROBE_0),
                            work->indicators->sense, wr_scratch_index(s), &n_silent);
        if (!is_in_band(s, wr_scratch(s, WR_Z_PROBE_0)))
            break;
    }
    return WRSIM_OK;
}

/* Makes a step that continues to its end despite events (wr_ode_goes_to_end()). The events fire at this end. Returns as wr_ode_step(). */
static int step_late(wr_subsystem *s, double stop_s, double *ret_end_s)
{
    wr_ode *const work = wr_ode_of(s);
    WR_TRY(step(s, stop_s, ret_end_s));
    work->clock->last_tried_s = *ret_end_s - s->t_s;
    if (work->group->n_z == 0)
        return 0;
    const int needs_probe = work->course->needs_probe;
    wr_ode_set_fired(s, NULL, 0, NULL);
    memcpy(work->indicators->sense, work->mode, (size_t)work->group->n_z);
    if (needs_probe)
        WR_TRY(follow_bounce(s, *ret_end_s));
    WR_TRY(indicators_at_end(s, *ret_end_s, !needs_probe));
    int n_silent;
    int n = wr_ode_take_changes(s, *ret_end_s, work->indicators->z_step, work->indicators->sense,
                                wr_scratch_index(s), &n_silent);
    n = wr_ode_drop_carried(s, *ret_end_s, work->indicators->z_step, wr_scratch_index(s), n);
    clear_moved(s);
    work->indicators->events->n_found = 0;
    wr_ode_set_fired(s, wr_scratch_index(s), n, work->indicators->z_step);
    return n;
}

int wr_ode_step(wr_subsystem *s, double stop_s, double *ret_end_s)
{
    wr_ode_clock *const clock = wr_ode_of(s)->clock;
    wr_event_search *const search = wr_ode_of(s)->search;
    if (wr_ode_goes_to_end(s))
        return step_late(s, stop_s, ret_end_s);
    if (!wr_ode_is_planned(s)) /* planned steps have fixed ends */
        stop_s = wr_ode_limit(s, stop_s);
    const double aimed_s = aim(s, stop_s);
    WR_TRY(step_seeing(s, aimed_s, ret_end_s));
    const int has_reached = aimed_s < stop_s && *ret_end_s >= aimed_s;
    clock->last_tried_s = *ret_end_s - s->t_s;
    const int needs_probe = wr_ode_of(s)->course->needs_probe;
    double seen_s;
    int n = look_for_events(s, can_retake(s) ? WR_LOOK_ROUGH : WR_LOOK_FINAL, ret_end_s, &seen_s);
    if (n > 0 && !isnan(seen_s)) {
        wr_ode_of(s)->course->needs_probe = needs_probe;
        n = retake(s, seen_s, ret_end_s);
    }
    const int n_kept = n > 0 && wr_ode_has_last_instants(s) ? keep_time(s, ret_end_s) : 0;
    if (n_kept != 0)
        n = n_kept;
    if (n >= 0 && is_behind_jump(s, *ret_end_s) &&
        !(n > 0 && (n_kept > 0 || s->is_check) &&
          wr_ode_is_joined(s, *ret_end_s, wr_ode_of(s)->indicators->z_step))) {
        *ret_end_s = wr_ode_next_jump(s); /* the jump waits for no event */
        wr_ode_of(s)->course->needs_probe = needs_probe;
        n = look_for_events(s, WR_LOOK_AGAIN, ret_end_s, &seen_s);
    }
    wr_ode_set_found_time(s, *ret_end_s);
    if (n > 0)
        n = join_jump(s, n, needs_probe, ret_end_s);
    if (n >= 0 && wr_ode_has_unseen_step(s))
        wr_ode_count_unseen(s);
    if (n >= 0)
        search->n_missed = has_reached && n == 0 ? search->n_missed + 1 : 0;
    return n;
}
