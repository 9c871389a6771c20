/* Stores the turns of indicators before zero, and their second derivatives at events. At a turn small errors decide whether an event
 * occurs. The splitting error estimate reads them (step_watch.h).
 *
 * Thread: one at a time. Real-time: yes, with models that are.
 */
#include <math.h>

#include "subsystems/ode/event_indicators.h"
#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/indicator_turns.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_points.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_settings.h"
#include "subsystems/ode/ode_watch.h"

/* A quartic interpolates an indicator at these equidistant times of a step, both ends included. */
enum { NODES = 5, LAST = NODES - 1 };
/* Largest distance of a turn, in lengths of the step, between a parabola through the ends of two steps and the quartic. */
static const double BESIDE = 0.5;
/* A difference of values below this share of the values is rounding. */
static const double ROUNDING = 1e-12;
/* Second derivatives at two points of a step with smooth inputs differ by a smaller factor. */
static const double ROUGH = 4.0;

/* Evaluates the indicators at the nodes; z[0] and z[LAST] are known. Returns 0, or 1 if the model fails. */
static int probe(wr_subsystem *s, double end_s, const double *z[NODES])
{
    wr_ode *const work = wr_ode_of(s);
    wr_group *const group = work->group;
    const wr_fault fault = group->fault;
    int rc = 0;
    z[0] = work->indicators->z;
    z[LAST] = work->indicators->z_step;
    for (int k = 1; k < LAST && rc == 0; k++) {
        double *const z_k = work->scratch->z_look + (size_t)(k - 1) * (size_t)group->n_z;
        const double t_s = s->t_s + (end_s - s->t_s) * (double)k / LAST;
        const wr_group_point point = wr_ode_point_at(s, t_s, 0);
        rc = wr_group_indicators(group, &point, z_k) != 0;
        z[k] = z_k;
    }
    s->stats.n_indicator_evaluation += LAST - 1;
    wr_group_forget(group);
    group->fault = fault;
    return rc;
}

/* Sets ret_depth to -|z|, which grows towards zero. */
static void find_depths(const double *const z[NODES], int i, double ret_depth[NODES])
{
    for (int k = 0; k < NODES; k++)
        ret_depth[k] = z[0][i] > 0.0 ? -z[k][i] : z[k][i];
}

/* The slope of -|z| at the step's beginning, from earlier values. An event at the beginning may have changed it. */
static double slope_before(const wr_subsystem *s, int i)
{
    const wr_ode *const work = wr_ode_of(s);
    const double h_s = work->clock->last_step_s, before_s = work->clock->step_before_s;
    const double slope = (work->indicators->z[i] - work->indicators->z_before[i]) / h_s;
    const double bend =
        work->clock->n_before > 1
            ? (slope -
               (work->indicators->z_before[i] - work->indicators->z_earlier[i]) / before_s) /
                  (h_s + before_s)
            : 0.0;
    return (slope + bend * h_s) * (work->indicators->z[i] > 0.0 ? -1.0 : 1.0);
}

static int is_at_instant(const wr_subsystem *s)
{
    return wr_time_close(wr_ode_of(s)->instant->instant_s, s->t_s);
}

/* Returns whether indicator i may turn in the step, h_s long, by the parabola through both ends and the value before. */
static int may_turn(const wr_subsystem *s, int i, double h_s)
{
    const wr_ode *const work = wr_ode_of(s);
    const double here = work->indicators->z[i], end = work->indicators->z_step[i];
    if ((here > 0.0) != (end > 0.0))
        return 0;
    const double way = here > 0.0 ? -1.0 : 1.0, last_s = work->clock->last_step_s;
    const double later = way * (end - here) / h_s;
    const double before = way * (here - work->indicators->z_before[i]) / last_s;
    if (is_at_instant(s))
        return before > 0.0 || later < 0.0;
    const double bend = (later - before) / (h_s + last_s); /* half of the second derivative */
    const double slope = later - bend * h_s;               /* at the step's beginning */
    return bend < 0.0 && slope > 2.0 * bend * BESIDE * h_s &&
           slope < -2.0 * bend * (1.0 + BESIDE) * h_s;
}

/* Returns the time of the quartic's turn, in nodes from the step's beginning, or NaN: no turn. slope: before an event at the step's
 * beginning, or NaN: no event. *ret_depth: |z| at the node of the turn. */
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

/* The second derivative of indicator i at the end of the step, h_s long. It is 0 if the step as a whole bends the other way, or if
 * the difference is rounding. It is at most ROUGH times the difference over the whole step, as inputs may be rough inside. */
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

/* Stores a turn. */
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
    wr_ode_watch_at(s, &point, event);
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
        if (i != i_fired && (work->clock->n_before == 0 || !may_turn(s, i, h_s)))
            continue;
        if (!is_probed && probe(s, end_s, z) != 0)
            return;
        is_probed = 1;
        find_depths(z, i, depth);
        if (i == i_fired) {
            work->instant->bend = bend_at_end(z, i, h_s, work->settings->nominal_z[i]);
            continue;
        }
        double from_zero;
        const double at =
            turning(depth, is_at_instant(s) ? slope_before(s, i) : (double)NAN, &from_zero);
        if (!isnan(at))
            keep_turn(s, i, s->t_s + at * h_s / LAST, from_zero / work->settings->nominal_z[i]);
    }
}
