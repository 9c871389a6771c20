/* Searches steps for pulses of f in time.
 *
 * The stages of a step evaluate f at a few times only, so the error estimate misses a pulse of f(t, .) between two stages. The search
 * evaluates the defect of a step longer than look_s at multiples of look_s. The defect is f on the dense output P, less P' (Enright, "A new
 * error-control for initial value solvers", Appl. Math. Comput. 31 (1989)). The sum of the defects, each times its share of the step,
 * estimates the missed error. If a pulse lasts 2 look_s, a search time is at most a quarter of the pulse's length from its middle. A
 * step shorter than look_s cannot contain the whole pulse. A defect may have other causes, such as a kink of f in the states. So a
 * defect counts only if f at the defect's point is not near a linear function of time within the step.
 *
 * Right after a time event a pulse may begin that the model does not declare. So the search times in the step after a time event double,
 * from look_s / 1024 after the event on.
 *
 * Methods with error control that cannot repeat a step make no step above look_s. After a time event the steps of these methods are at most
 * twice as long as the time since the event, or look_s / 1024.
 *
 * Thread: one at a time. Real-time: yes, with rt-safe models.
 */
#include <math.h>
#include <string.h>

#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_tolerances.h"
#include "subsystems/ode/ode_window.h"
#include "subsystems/ode/pulse_search.h"

/* LOOKS_PER_SCALE: search times per time scale, so that the search hits a cosine pulse of this length at half of its height or more.
 * UNDECLARED_SHARE: time scale of a model that declares no time scale, as a share of the communication step (assumed). */
static const double LOOKS_PER_SCALE = 2.0, UNDECLARED_SHARE = 0.1;
/* The first search time after a time event, as a share of look_s, and the factor from each search time to the next (both assumed). */
static const double FIRST_SHARE = 0x1p-10, LOOK_GROWTH = 2.0;
/* Largest length of a step that the integrator cannot repeat, over the time since a time event (assumed). */
static const double AFTER_GROWTH = 2.0;
/* The search evaluates a step below look_s at MIDDLE_SHARE of its length, in the longest gap between stages of dopri54. The error estimate
 * of dopri54 is nearly zero where f begins to rise, or ceases to fall, at 0.63 to 0.7 of a step. A search covers a step below SHORT_SHARE
 * of look_s only after a time event. With a SHORT_SHARE of 1/16, none of 80 pulses causes an error above 30 rtol in dopri54 at rtol 1e-7.
 * With 1/4 and a MIDDLE_LIMIT of 32, ten pulses cause such an error. But kpr, with steps of this length, needs 10 % fewer right-hand sides.
 * The engine needs the same number, because its steps are shorter (docs/lab/2026-11-26-never-silently-wrong.md). */
static const double MIDDLE_SHARE = 0.55, SHORT_SHARE = 0.0625;
/* The subsystem repeats a step that misses an error of a state above a limit, in tolerances. END_LIMIT applies at the step's end.
 * INSIDE_LIMIT applies inside, where the dense output has larger errors. MIDDLE_LIMIT applies with a single search time. The first two
 * limits are just above the values of dopri54 on kpr, which is smooth in time. With a MIDDLE_LIMIT of 8, kpr takes 1 % more right-hand
 * sides than with 32 (docs/lab/2026-11-26-never-silently-wrong.md). */
static const double END_LIMIT = 2.0, INSIDE_LIMIT = 8.0, MIDDLE_LIMIT = 8.0;

void wr_ode_find_time_scale(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_group *const group = work->group;
    double scale_s = (double)INFINITY;
    for (int c = 0; c < group->n_component; c++) {
        const double declared_s = group->component[c]->time_scale_s;
        scale_s =
            wr_min(scale_s,
                   declared_s > 0.0 ? declared_s : UNDECLARED_SHARE * wr_ode_communication_step(s));
    }
    wr_ode_of(s)->pulse->look_s = scale_s / LOOKS_PER_SCALE;
}

/* Returns the next multiple of look_s after t_s. If the clock does not resolve look_s, the clock's resolution replaces look_s, so that the
 * number of the multiple stays exact. */
static double next_multiple(const wr_subsystem *s, double t_s)
{
    const double look_s = wr_max(wr_ode_look_distance(s),
                                 wr_ode_least_time(wr_max(fabs(t_s), fabs(wr_ode_start(s)))));
    double i = floor((t_s - wr_ode_start(s)) / look_s) + 1.0;
    double next_s = wr_ode_start(s) + i * look_s;
    while (!(next_s > t_s) || wr_time_close(next_s, t_s))
        next_s = wr_ode_start(s) + ++i * look_s;
    return next_s;
}

double wr_ode_next_look(const wr_subsystem *s, double t_s, double end_s)
{
    const wr_ode *const work = wr_ode_of(s);
    const double event_s = *work->pulse->time_event_s;
    double next_s = (double)INFINITY;
    if (end_s - s->t_s > wr_ode_look_distance(s))
        next_s = next_multiple(s, t_s);
    if (s->t_s > event_s || !(t_s - event_s < wr_ode_look_distance(s)))
        return next_s;
    double offset_s = FIRST_SHARE * wr_ode_look_distance(s);
    while (!(event_s + offset_s > t_s) || wr_time_close(event_s + offset_s, t_s))
        offset_s *= LOOK_GROWTH;
    return wr_min(next_s, event_s + offset_s);
}

/* Returns the largest of the changes v[n_x] of states at x[n_x], in tolerances. */
static double units_of(const wr_subsystem *s, const double *x, const double *v)
{
    double largest = 0.0;
    for (int i = 0; i < s->n_x; i++)
        largest = wr_max(largest, fabs(v[i]) / wr_ode_state_tolerance(s, i, x[i]));
    return largest / wr_ode_loosened(s);
}

/* Returns whether the change in v[n_x] is above the limit, in tolerances, also after damping by the method. Overwrites v. */
static int exceeds(wr_subsystem *s, const double *x, double *v, double limit)
{
    const wr_ode *const work = wr_ode_of(s);
    if (!(units_of(s, x, v) > limit))
        return 0;
    if (!work->solver->damp)
        return 1;
    work->solver->damp(work->integrator, v);
    return units_of(s, x, v) > limit;
}

/* Evaluates f at the point with another time. Returns 0, or another value if the model fails. */
static int rhs_at_time(wr_subsystem *s, const wr_group_point *point, double t_s, double *ret_dx)
{
    WR_POINTS_FOR(s, RESOLUTION);
    wr_group_point at = *point;
    at.t_s = t_s;
    s->stats.n_effect_rhs++;
    wr_group_forget(wr_ode_of(s)->group);
    return wr_group_rhs(wr_ode_of(s)->group, &at, ret_dx);
}

/* Writes f at a time inside the last step. Returns as rhs_at_time(). */
static int rhs_inside(wr_subsystem *s, double t_s, wr_group_point *ret_point, double *f)
{
    *ret_point = wr_ode_point_at(s, t_s, 1);
    return rhs_at_time(s, ret_point, t_s, f);
}

/* Returns whether f at a point of the step is far from a line in time. The line connects the values of f at the point with the times of the
 * step's ends. */
static int is_by_time(wr_subsystem *s, double t_s, double end_s)
{
    const int n = s->n_x;
    const double length_s = end_s - s->t_s, share = (t_s - s->t_s) / length_s;
    double *const f = wr_scratch(s, WR_LOOK) + n, *const left = f + n, *const right = left + n;
    wr_group_point point;
    if (rhs_inside(s, t_s, &point, f) != 0 || rhs_at_time(s, &point, s->t_s, left) != 0 ||
        rhs_at_time(s, &point, end_s, right) != 0)
        return 0;
    for (int i = 0; i < n; i++)
        left[i] = length_s * (f[i] - (left[i] + share * (right[i] - left[i])));
    return exceeds(s, point.x, left, END_LIMIT);
}

/* State of a search up to t_s: the largest defect so far, in tolerances, and its time. */
typedef struct wr_search {
    double t_s, end_s;
    double worst, worst_s;
} wr_search;

static void begin_search(wr_subsystem *s, wr_search *search)
{
    search->worst = 0.0;
    memset(wr_scratch(s, WR_LOOK), 0, (size_t)s->n_x * sizeof *wr_scratch(s, WR_LOOK));
}

/* Adds the defect at search->t_s, for half of the time from before_s to next_s. Returns 1 if the missed error is above the limit. A failed
 * evaluation counts as a defect of 0. */
static int search_on(wr_subsystem *s, wr_search *search, double before_s, double next_s)
{
    const int n = s->n_x;
    double *const missed = wr_scratch(s, WR_LOOK), *const v = missed + n;
    const double share_s = 0.5 * (next_s - before_s);
    wr_group_point point;
    if (rhs_inside(s, search->t_s, &point, v) != 0)
        return 0;
    for (int i = 0; i < n; i++) {
        v[i] = share_s * (v[i] - wr_scratch(s, WR_DX_STEP)[i]);
        missed[i] += v[i];
    }
    const int is_only = !(before_s > s->t_s) && !(next_s < search->end_s);
    const double units = units_of(s, point.x, v);
    if (units > search->worst) {
        search->worst = units;
        search->worst_s = search->t_s;
    }
    memcpy(v, missed, (size_t)n * sizeof *v);
    return exceeds(s, point.x, v,
                   is_only                  ? MIDDLE_LIMIT
                   : next_s < search->end_s ? INSIDE_LIMIT
                                            : END_LIMIT);
}

/* Returns the first search time of the step. If the result is end_s or later, no search occurs. */
static double first_look(const wr_subsystem *s, double end_s)
{
    const double first_s = wr_ode_next_look(s, s->t_s, end_s), length_s = end_s - s->t_s;
    const int is_short = length_s <= wr_ode_look_distance(s);
    if (first_s < end_s || !is_short || length_s < SHORT_SHARE * wr_ode_look_distance(s))
        return first_s;
    return s->t_s + MIDDLE_SHARE * length_s;
}

double wr_ode_own_time(wr_subsystem *s, double end_s)
{
    wr_ode *const work = wr_ode_of(s);
    const double first_s = first_look(s, end_s);
    wr_search search = {.t_s = first_s, .end_s = end_s, .worst_s = end_s};
    if (!(search.t_s < end_s) || wr_time_close(search.t_s, end_s))
        return end_s;
    const wr_fault fault = work->group->fault;
    begin_search(s, &search);
    double missed_s = end_s;
    for (double before_s = s->t_s, next_s; search.t_s < end_s && missed_s >= end_s;
         search.t_s = next_s) {
        next_s = wr_ode_next_look(s, search.t_s, end_s);
        next_s = next_s < end_s && !wr_time_close(next_s, end_s) ? next_s : end_s;
        if (search_on(s, &search, before_s, next_s)) {
            if (is_by_time(s, search.worst_s, end_s))
                missed_s = search.worst_s;
            begin_search(s, &search); /* after a defect with another cause than time */
        }
        before_s = search.t_s;
    }
    work->group->fault = fault;
    wr_group_forget(work->group);
    return missed_s;
}

void wr_ode_note_time_event(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_group *const group = work->group;
    const int is_start = !(s->t_s > wr_ode_start(s));
    for (int c = 0; c < group->n_component; c++)
        if (!(group->component[c]->time_scale_s > 0.0) && (is_start || wr_ode_is_due(s, c)))
            *work->pulse->time_event_s = s->t_s;
}

double wr_ode_after_time_event(const wr_subsystem *s, double stop_s)
{
    const wr_ode *const work = wr_ode_of(s);
    const double since_s = s->t_s - *work->pulse->time_event_s;
    if (!(since_s < wr_ode_look_distance(s)))
        return stop_s;
    return wr_min(stop_s,
                  s->t_s + wr_max(FIRST_SHARE * wr_ode_look_distance(s), AFTER_GROWTH * since_s));
}
