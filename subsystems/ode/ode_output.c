/* Output of a subsystem: nodes of its wave, recorded rows.
 *
 * Outputs that are states take their slopes from the integrator. Others use a difference along the
 * solution: (y(t + e, x + e x', u + e u') - y(t, x, u)) / e with e = 1e-6 of the last step. Its truncation error (relative size
 * e / step) and rounding error (eps step / e) are both about 1e-9 of the accuracy that the cubic needs. An algebraic loop across
 * subsystems amplifies the rounding: there a central difference with e = 1e-3 of the step has a rounding error of 1e-13, and a
 * truncation error of at most a millionth of the cubic's error.
 *
 * Thread: one at a time. Real-time: yes, with models that are.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "subsystems/ode/jump_causes.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_fault.h"
#include "subsystems/ode/ode_inputs.h"
#include "subsystems/ode/ode_output.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_points.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_settings.h"
#include "subsystems/ode/ode_tolerances.h"
#include "subsystems/ode/ode_window.h"

static const double SLOPE_SHARE = 1e-6, SLOPE_SHARE_OF_LOOP = 1e-3;
/* A slope jump gets no node if it moves an output by less than this share of the solver's tolerance over the rest of the window. The
 * error of the cubic is at most 4/27 of this. */
static const double SLOPE_JUMP_SHARE = 0.2;
static const double REACH_SHARE = 0.01; /* least step for differences, as a share of reach_s */

/* The point moved by e along the solution. */
static wr_group_point move_point(wr_subsystem *s, const wr_group_point *point, const double *dx,
                                 double e)
{
    wr_ode *const work = wr_ode_of(s);
    if (work->settings->is_held) {
        wr_group_point moved = *point;
        moved.t_s += e;
        return moved;
    }
    for (int i = 0; i < work->group->n_x; i++)
        work->scratch->x_moved[i] = point->x[i] + e * dx[i];
    for (int i = 0; i < s->n_external; i++)
        work->scratch->external_moved[i] = point->external[i] + e * work->inputs->external_slope[i];
    return (wr_group_point){.t_s = point->t_s + e,
                            .x = work->scratch->x_moved,
                            .d = point->d,
                            .external = work->scratch->external_moved,
                            .mode = point->mode};
}

/* Are value and slope finite? Differences of huge finite values may overflow. */
static int is_sound(double value, double slope)
{
    return fabs(value) <= DBL_MAX && fabs(slope) <= DBL_MAX;
}

static wrsim_status overflow_fault(wr_subsystem *s, double t_s, int y)
{
    int c = 0;
    while (wr_ode_of(s)->group->y_start[c + 1] <= y)
        c++;
    s->fault = (wr_fault){.status = WRSIM_E_NAN,
                          .t_s = t_s,
                          .i_component = c,
                          .kind = WRSIM_OUTPUT,
                          .i_variable = y - wr_ode_of(s)->group->y_start[c],
                          .message = "its value or its slope has overflowed"};
    return WRSIM_E_NAN;
}

/* Outputs at the point moved by e. Returns 0, or another value where the model refuses. */
static int evaluate_moved(wr_subsystem *s, const wr_group_point *point, const double *dx, double e,
                          double *ret_y)
{
    const wr_group_point moved = move_point(s, point, dx, e);
    return wr_group_evaluate(wr_ode_of(s)->group, wr_ode_of(s)->settings->plan_published, &moved,
                             ret_y);
}

/* The move along the solution, s: a share of the step, or of longer steps before it if the last step is tiny, where differences would
 * be rounding. It changes the time in floating-point arithmetic. */
static double choose_move(const wr_subsystem *s, double t_s, double share)
{
    const wr_ode *const work = wr_ode_of(s);
    const double step_s =
        work->publication->inside_s > 0.0 ? work->publication->inside_s : work->clock->last_step_s;
    const double scale_s = wr_max(step_s, REACH_SHARE * work->clock->reach_s);
    const double wanted = wr_max(share * scale_s, 64.0 * DBL_EPSILON * fabs(t_s));
    const double e = (t_s + wanted) - t_s;
    return e > 0 ? e : wanted;
}

/* Outputs at the moved point, in y_moved; returns 1 over the move, or 0 if the model refuses. In a loop y_back has the outputs on the
 * other side, if the model evaluates there: *ret_is_central. */
static double evaluate_beside(wr_subsystem *s, const wr_group_point *point, const double *dx,
                              int *ret_is_central)
{
    wr_ode *const work = wr_ode_of(s);
    *ret_is_central = 0;
    if (work->publication->amplification > 0.0) {
        const double e = choose_move(s, point->t_s, SLOPE_SHARE_OF_LOOP);
        const double back = wr_max(point->t_s - (point->t_s - e), 0.0);
        *ret_is_central = evaluate_moved(s, point, dx, e, work->scratch->y_moved) == 0 &&
                          evaluate_moved(s, point, dx, -back, work->scratch->y_back) == 0;
        if (*ret_is_central)
            return 1.0 / (e + back);
    }
    const double e = choose_move(s, point->t_s, SLOPE_SHARE);
    if (evaluate_moved(s, point, dx, e, work->scratch->y_moved) == 0)
        return 1.0 / e;
    /* at the edge of the model's range: look back instead */
    return evaluate_moved(s, point, dx, -e, work->scratch->y_moved) == 0 ? -1.0 / e : 0.0;
}

wrsim_status wr_ode_published_at(wr_subsystem *s, const wr_group_point *point, const double *dx,
                                 double *ret_value, double *ret_slope)
{
    wr_ode *const work = wr_ode_of(s);
    wr_group *const group = work->group;
    const int has_computed = work->settings->n_published_computed > 0;
    double per_e = 0.0;
    int is_central = 0;
    if (has_computed && ret_slope) {
        per_e = evaluate_beside(s, point, dx, &is_central);
        if (per_e == 0.0)
            return wr_ode_group_fault(s);
    }
    if (has_computed && wr_group_evaluate(group, work->settings->plan_published, point, NULL) != 0)
        return wr_ode_group_fault(s);
    const double *const value = wr_group_evaluated(group);
    const double *const beside = is_central ? work->scratch->y_back : value;
    for (int i = 0; i < work->settings->n_published; i++) {
        const int y = work->settings->published[i], x = group->state_of_output[y];
        ret_value[i] = x >= 0 ? point->x[x] : value[y];
        if (ret_slope)
            ret_slope[i] = x >= 0 ? dx[x] : (work->scratch->y_moved[y] - beside[y]) * per_e;
        if (!is_sound(ret_value[i], ret_slope ? ret_slope[i] : 0.0))
            return overflow_fault(s, point->t_s, y);
    }
    return WRSIM_OK;
}

/* Published outputs at states changed by sign times an error. Returns 0, or > 0 if the model refuses. */
static int evaluate_off(wr_subsystem *s, wr_group_point *point, const double *error, double sign)
{
    wr_ode *const work = wr_ode_of(s);
    const double *const x = point->x;
    for (int i = 0; i < work->group->n_x; i++)
        work->scratch->x_moved[i] = x[i] + sign * error[i];
    point->x = work->scratch->x_moved;
    const int rc = wr_group_evaluate(work->group, work->settings->plan_published, point,
                                     work->scratch->y_moved);
    point->x = x;
    return rc;
}

/* Published outputs need the accuracy of the states: at an angle of many turns its relative tolerance may be a whole turn, but its sine
 * needs more. */
double wr_ode_computed_error(void *self, double t_s, const double *x, const double *error)
{
    wr_subsystem *const s = self;
    wr_ode *const work = wr_ode_of(s);
    wr_group *const group = work->group;
    wr_ode_read_inputs(s, t_s, work->inputs->external_eval, 0);
    wr_group_point point = {
        .t_s = t_s, .x = x, .d = s->d, .external = work->inputs->external_eval, .mode = work->mode};
    const int is_off_had =
        evaluate_off(s, &point, error, 1.0) == 0 || evaluate_off(s, &point, error, -1.0) == 0;
    if (!is_off_had ||
        wr_group_evaluate(group, work->settings->plan_published, &point, NULL) != 0) {
        group->fault.status = WRSIM_OK; /* publishing reports the fault */
        return (double)INFINITY;
    }
    group->fault.status = WRSIM_OK;
    const double *const value = wr_group_evaluated(group);
    double largest = 0.0;
    for (int i = 0; i < work->settings->n_published; i++) {
        const int y = work->settings->published[i];
        if (group->state_of_output[y] >= 0)
            continue;
        const double size = wr_max(work->publication->y_size[i], fabs(value[y]));
        const double off = fabs(work->scratch->y_moved[y] - value[y]) /
                           (size + work->settings->atol_factor * group->nominal_y[y]);
        largest = wr_max(largest, off);
    }
    return largest / work->settings->loosest;
}

void wr_ode_note_sizes(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    const int n = work->settings->n_published;
    const double *const value = s->wave->value + (size_t)(s->wave->n_node - 1) * (size_t)n;
    for (int i = 0; i < n; i++)
        work->publication->y_size[i] = wr_max(work->publication->y_size[i], fabs(value[i]));
}

wrsim_status wr_ode_add_node(wr_subsystem *s, double t_s, double **ret_value, double **ret_slope)
{
    const wrsim_status status = wr_wave_extend(s->wave, t_s, ret_value, ret_slope);
    if (status < 0)
        wr_ode_fault(s, status, t_s,
                     "its waveform is full: more steps in one window than there is room for; "
                     "lower relaxation.window.min and .max (slack.period where nothing is "
                     "relaxed), raise relaxation.max_nodes, or "
                     "look for a singularity");
    return status;
}

wrsim_status wr_ode_publish(wr_subsystem *s, const wr_group_point *point, const double *dx)
{
    double *value, *slope;
    WR_TRY(wr_ode_add_node(s, point->t_s, &value, &slope));
    return wr_ode_published_at(s, point, dx, value, slope);
}

int wr_ode_is_shown(const wr_subsystem *s, const double *value, const double *slope)
{
    const wr_ode *const work = wr_ode_of(s);
    const size_t last = (size_t)(s->wave->n_node - 1) * (size_t)work->settings->n_published;
    const double *const shown = s->wave->value + last, *const turned = s->wave->slope + last;
    const double least = slope ? 1.0 : WR_LEAST_JUMP, reach_s = work->window->window_end_s - s->t_s;
    const double part = wr_min(SLOPE_JUMP_SHARE * work->settings->rtol, least);
    for (int i = 0; i < work->settings->n_published; i++) {
        double moved = fabs(value[i] - shown[i]);
        if (slope)
            moved += reach_s * fabs(slope[i] - turned[i]);
        const double nominal = work->group->nominal_y[work->settings->published[i]];
        if (!(moved <= part * (fabs(shown[i]) + work->settings->atol_factor * nominal)))
            return 0;
    }
    return 1;
}

wrsim_status wr_ode_show_round(wr_subsystem *s, int round, const double *value, const double *slope)
{
    wr_ode *const work = wr_ode_of(s);
    const size_t n = (size_t)work->settings->n_published;
    double *to_value, *to_slope;
    while (work->publication->n_round_shown < round - 1) { /* earlier rounds without a change */
        WR_TRY(wr_ode_add_node(s, s->t_s, &to_value, &to_slope));
        memcpy(to_value, to_value - n, n * sizeof *to_value);
        memcpy(to_slope, to_slope - n, n * sizeof *to_slope);
        work->publication->n_round_shown++;
    }
    WR_TRY(wr_ode_add_node(s, s->t_s, &to_value, &to_slope));
    memcpy(to_value, value, n * sizeof *to_value);
    memcpy(to_slope, slope, n * sizeof *to_slope);
    wr_ode_publish_causes(s);
    work->publication->n_round_shown++;
    return WRSIM_OK;
}

wrsim_status wr_ode_note_round(wr_subsystem *s, int round)
{
    wr_ode *const work = wr_ode_of(s);
    if (work->settings->n_published == 0 || !work->window->is_wave_open)
        return WRSIM_OK;
    const wr_group_point point = wr_ode_point(s);
    WR_TRY(wr_ode_published_at(s, &point, NULL, work->publication->value, NULL));
    if (wr_ode_is_shown(s, work->publication->value, NULL))
        return WRSIM_OK;
    memset(work->publication->slope, 0,
           (size_t)work->settings->n_published * sizeof *work->publication->slope);
    return wr_ode_show_round(s, round, work->publication->value, work->publication->slope);
}

static double recorded_value(const wr_subsystem *s, const wr_group_point *point, int kind, int i)
{
    switch ((wrsim_kind)kind) {
    case WRSIM_STATE:
        return point->x[i];
    case WRSIM_DISCRETE:
        return point->d[i];
    case WRSIM_INPUT:
        return wr_group_input(wr_ode_of(s)->group, i);
    case WRSIM_OUTPUT:
        return wr_group_evaluated(wr_ode_of(s)->group)[i];
    case WRSIM_INDICATOR:
    case WRSIM_PARAMETER:
    case WRSIM_KIND_COUNT:
        break;
    }
    return (double)NAN; /* refused by wr_ode_create */
}

int wr_ode_recorded_at(wr_subsystem *s, const wr_group_point *point, double *ret_row)
{
    const wr_ode *const work = wr_ode_of(s);
    if (work->settings->plan_recorded &&
        wr_group_evaluate(work->group, work->settings->plan_recorded, point, NULL) != 0)
        return 1;
    for (int i = 0; i < s->n_recorded; i++)
        ret_row[i] = recorded_value(s, point, work->settings->recorded_kind[i],
                                    work->settings->recorded_index[i]);
    return 0;
}

wrsim_status wr_ode_append_row(wr_subsystem *s, const wr_group_point *point, wr_row_kind kind,
                               double row_time_s)
{
    wr_ode *const work = wr_ode_of(s);
    if (s->n_row == s->cap_row)
        return wr_ode_fault(s, WRSIM_E_LIMIT, row_time_s,
                            "it records too many rows in one window; lower "
                            "relaxation.window.min and .max (slack.period where nothing is "
                            "relaxed), or set output.events = false");
    s->stats.n_output += work->settings->plan_recorded != NULL;
    if (wr_ode_recorded_at(s, point, s->row_value + (size_t)s->n_row * (size_t)s->n_recorded) != 0)
        return wr_ode_group_fault(s);
    s->row_time_s[s->n_row] = row_time_s;
    s->row_kind[s->n_row++] = (unsigned char)kind;
    return WRSIM_OK;
}
