/* Adds the nodes inside a step that the wave of the published outputs needs.
 *
 * A wave is a cubic between two nodes, through values and slopes. Outputs that are states need no further nodes if the dense output is
 * this cubic. Computed outputs, and dense output of a higher order, are evaluated at two points of the step and compared with the
 * cubic: at theta = 1/2 -+ sqrt(1/20). There an odd error (theta^2 (1 - theta)^2 (theta - 1/2), fifth derivative) has its maximum, and
 * an even one (without the last factor, fourth derivative) 0.64 of its maximum. If the difference exceeds a share of the tolerance,
 * the step is halved, recursively. The two points have no simple ratio to the step, so an oscillation hardly agrees with the
 * cubic at both. Inputs are smooth only between their nodes: outputs that read inputs directly are also compared at these nodes.
 *
 * Thread: one at a time. Real-time: yes, with models that are.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "subsystems/ode/bounded_work.h"
#include "subsystems/ode/event_indicators.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_output.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_points.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_settings.h"
#include "subsystems/ode/pulse_search.h"
#include "subsystems/ode/wave_refinement.h"

/* Largest error of waves, as a share of the coupling tolerance; the solvers have a fifth of that tolerance. */
static const double WAVE_SHARE = 0.1;
/* Least detectable deviation, as a share of a value: the accuracy of slopes by differences. */
static const double LEAST_SHARE = 1e-13;
/* Rounding of times, as a share of slope times present time: three times are each rounded by up to half of DBL_EPSILON. */
static const double CLOCK_SHARE = 4.0 * DBL_EPSILON;
/* The two theta, and the largest even error over the even error there. */
static const double LOOK_AT[2] = {0.2763932022500210, 0.7236067977499790};
static const double EVEN_ERROR = 1.5625;

/* The interval from the wave's last node to right_s, with values and then slopes at right_s. */
typedef struct wr_refine {
    double left_s, right_s;
    const double *right;
} wr_refine;

static double *buffer_of(const wr_subsystem *s, int level)
{
    return wr_ode_of(s)->publication->refine +
           2 * (size_t)level * (size_t)wr_ode_of(s)->settings->n_published;
}

/* Published values and slopes inside the step. */
static wrsim_status evaluate(wr_subsystem *s, double t_s, double *ret)
{
    const wr_group_point point = wr_ode_point_at(s, t_s, 1);
    return wr_ode_published_at(s, &point, wr_ode_of(s)->scratch->dx_step, ret,
                               ret + wr_ode_of(s)->settings->n_published);
}

/* Is the dense output equal to the wave's cubic? */
static int has_cubic_states(const wr_subsystem *s)
{
    return wr_ode_of(s)->group->n_x == 0 ||
           wr_integrator_current(wr_ode_of(s)->solver, wr_ode_of(s)->integrator)->dense_order <= 3;
}

/* The point at a time inside the step; states and inputs are left out if not wanted. */
static wr_group_point point_inside(wr_subsystem *s, double t_s, int with_slope)
{
    if (!wr_ode_of(s)->settings->is_held || !has_cubic_states(s))
        return wr_ode_point_at(s, t_s, with_slope);
    wr_group_point point = wr_ode_point(s);
    point.t_s = t_s;
    return point;
}

/* Evaluates values without slopes; states only if the wave may differ from them. */
static wrsim_status evaluate_values(wr_subsystem *s, double t_s, double *ret)
{
    const wr_group_point point = point_inside(s, t_s, 0);
    return wr_ode_published_at(s, &point, NULL, ret, NULL);
}

/* Largest difference between the values at t_s and the cubic, in shares of the tolerance. */
static double deviation(const wr_subsystem *s, const wr_refine *stretch, double t_s,
                        const double *at)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_wave *const wave = s->wave;
    const int n = work->settings->n_published;
    const size_t last = (size_t)(wave->n_node - 1) * (size_t)n;
    const double *const y0 = wave->value + last, *const s0 = wave->slope + last;
    const double *const y1 = stretch->right, *const s1 = y1 + n;
    const wr_hermite w = wr_hermite_at(stretch->left_s, stretch->right_s, t_s);
    const int is_cubic = has_cubic_states(s);
    const double share = work->publication->amplification > 0.0
                             ? WAVE_SHARE / work->publication->amplification
                             : WAVE_SHARE;
    const double clock_s = CLOCK_SHARE * fabs(stretch->right_s);
    const double length_s = stretch->right_s - stretch->left_s;
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        if (is_cubic && work->group->state_of_output[work->settings->published[i]] >= 0)
            continue;
        const double size = wr_max(fabs(at[i]), wr_max(fabs(y0[i]), fabs(y1[i])));
        const double nominal = work->group->nominal_y[work->settings->published[i]];
        const double off = fabs(at[i] - wr_hermite_value(&w, y0[i], y1[i], s0[i], s1[i]));
        double limit = wr_max(share * work->settings->coupling_rtol *
                                  (size + work->settings->atol_factor * nominal),
                              LEAST_SHARE * size);
        if (off > limit) {
            const double slope =
                wr_max(wr_max(fabs(s0[i]), fabs(s1[i])), fabs(y1[i] - y0[i]) / length_s);
            limit = wr_max(limit, clock_s * slope);
        }
        largest = wr_max(largest, off / limit);
    }
    return largest;
}

/* The first time after t at which outputs may have a pulse that values at the ends of a stretch do not show. */
static double next_inside(const wr_subsystem *s, double t_s, double end_s)
{
    double next_s = (double)INFINITY;
    if (wr_ode_of(s)->settings->follows_inputs)
        next_s = wr_ode_next_input_node(s, t_s);
    return wr_ode_is_searched(s) && wr_ode_of(s)->settings->n_published_computed > 0
               ? wr_min(next_s, wr_ode_next_look(s, t_s, end_s))
               : next_s;
}

/* Finds the time at which the interval most needs a node; NaN: none. Its values are in the level's buffer. */
static wrsim_status find_split(wr_subsystem *s, int level, const wr_refine *stretch,
                               double *ret_split_s)
{
    const double length_s = stretch->right_s - stretch->left_s;
    double *const at = buffer_of(s, level);
    double split_s = stretch->left_s + 0.5 * length_s;
    *ret_split_s = (double)NAN;
    if (!(split_s > stretch->left_s && split_s < stretch->right_s) ||
        wr_time_close(stretch->left_s, stretch->right_s))
        return WRSIM_OK;
    double worst = 0.0;
    for (int i = 0; i < 2 && worst <= 1.0; i++) {
        const double look_s = stretch->left_s + LOOK_AT[i] * length_s;
        WR_TRY(evaluate_values(s, look_s, at));
        worst = EVEN_ERROR * deviation(s, stretch, look_s, at);
    }
    double t_s = stretch->left_s, worst_node = wr_max(worst, 1.0);
    while ((t_s = next_inside(s, t_s, stretch->right_s)) < stretch->right_s &&
           !wr_time_close(t_s, stretch->right_s)) {
        WR_TRY(evaluate_values(s, t_s, at));
        const double here = deviation(s, stretch, t_s, at);
        if (here > worst_node) {
            worst = worst_node = here;
            split_s = t_s;
        }
    }
    if (!(worst > 1.0))
        return WRSIM_OK;
    *ret_split_s = split_s;
    return evaluate(s, split_s, at);
}

static wrsim_status refine(wr_subsystem *s, int level, wr_refine stretch)
{
    double split_s;
    if (wr_ode_is_planned(s) && level == WR_REFINE_LEVELS_BOUNDED)
        return WRSIM_OK;
    WR_TRY(find_split(s, level, &stretch, &split_s));
    if (isnan(split_s) || level == WR_REFINE_LEVELS - 1)
        return WRSIM_OK;
    const int n = wr_ode_of(s)->settings->n_published;
    const double *const at = buffer_of(s, level);
    WR_TRY(refine(s, level + 1, (wr_refine){stretch.left_s, split_s, at}));
    double *value, *slope;
    s->stats.n_refined++;
    WR_TRY(wr_ode_add_node(s, split_s, &value, &slope));
    for (int i = 0; i < n; i++) {
        value[i] = at[i];
        slope[i] = at[n + i];
    }
    return refine(s, level + 1, (wr_refine){split_s, stretch.right_s, stretch.right});
}

/* Do modes stay the same within the step? If not, published outputs at its end may change. */
static int keeps_modes(const wr_subsystem *s)
{
    return wr_ode_of(s)->group->n_z == 0 ||
           memcmp(wr_ode_of(s)->mode, wr_ode_of(s)->indicators->sense,
                  (size_t)wr_ode_of(s)->group->n_z) == 0;
}

static wrsim_status publish_inside(wr_subsystem *s, double end_s)
{
    wr_ode *const work = wr_ode_of(s);
    double *const end = buffer_of(s, WR_REFINE_LEVELS);
    const wr_group_point point = point_inside(s, end_s, 1);
    WR_TRY(wr_ode_published_at(s, &point, work->scratch->dx_step, end,
                               end + work->settings->n_published));
    if (keeps_modes(s))
        work->publication->known_s = end_s;
    return refine(s, 0, (wr_refine){s->t_s, end_s, end});
}

wrsim_status wr_ode_publish_inside(wr_subsystem *s, double end_s)
{
    wr_ode *const work = wr_ode_of(s);
    work->publication->known_s = (double)NAN;
    if (work->settings->n_published == 0 ||
        (work->settings->n_published_computed == 0 && has_cubic_states(s)) || !(end_s > s->t_s))
        return WRSIM_OK;
    work->publication->inside_s = end_s - s->t_s;
    const wrsim_status status = publish_inside(s, end_s);
    work->publication->inside_s = 0.0;
    return status;
}

wrsim_status wr_ode_publish_here(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    const size_t n = (size_t)work->settings->n_published, bytes = n * sizeof(double);
    const int is_known =
        work->publication->known_s >= s->t_s && work->publication->known_s <= s->t_s;
    work->publication->known_s = (double)NAN;
    if (n == 0)
        return WRSIM_OK;
    if (!is_known) {
        const wr_group_point point = wr_ode_point(s);
        return wr_ode_publish(s, &point, work->dx);
    }
    double *value, *slope;
    const double *const end = buffer_of(s, WR_REFINE_LEVELS);
    WR_TRY(wr_ode_add_node(s, s->t_s, &value, &slope));
    memcpy(value, end, bytes);
    memcpy(slope, end + n, bytes);
    for (size_t i = 0; i < n; i++) {
        const int x = work->group->state_of_output[work->settings->published[i]];
        if (x >= 0) {
            value[i] = s->x[x];
            slope[i] = work->dx[x];
        }
    }
    return WRSIM_OK;
}
