/* Changes of the right-hand side and the published outputs along a direction of states, inputs or discrete states. The changes come from
 * the models' tangent(), or from one difference at the current point. The propagation of the splitting error uses these changes. A
 * further function estimates the effect of a change of inputs on a window.
 *
 * The difference spans 1e-6 of the variables' sizes. The truncation and rounding errors of the difference are far below the accuracy that
 * an error estimate needs. Modes stay constant. The functions leave all data of the next window unchanged.
 *
 * Thread: one at a time. Real-time: all but wr_ode_pattern(), with rt-safe models.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "subsystems/ode/algebraic_variables.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_operations.h"
#include "subsystems/ode/ode_output.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_tolerances.h"

/* SHARE: span of a difference, over a variable's size. NOMINAL_PART: least size of a variable, over the nominal value (both assumed). */
static const double SHARE = 1e-6, NOMINAL_PART = 1e-2;

static double units(double change, double value, double nominal)
{
    return fabs(change) / (fabs(value) + NOMINAL_PART * nominal);
}

/* Sets the moved point. Returns the factor on the direction; 0: the direction is zero or not finite. */
static double move(wr_subsystem *s, const double *x_change, const double *u_change)
{
    wr_ode *const work = wr_ode_of(s);
    double largest = 0.0;
    for (int i = 0; i < work->group->n_x; i++)
        largest = wr_max(largest, units(x_change[i], s->x[i], work->group->nominal_x[i]));
    for (int i = 0; i < s->n_external; i++)
        largest = wr_max(largest, units(u_change[i], s->external[i], wr_ode_nominal_u(s)[i]));
    if (!(largest > DBL_MIN) || !isfinite(largest))
        return 0.0;
    const double by = SHARE / largest;
    for (int i = 0; i < work->group->n_x; i++)
        wr_scratch(s, WR_X_MOVED)[i] = s->x[i] + by * x_change[i];
    for (int i = 0; i < s->n_external; i++)
        wr_scratch(s, WR_EXTERNAL_MOVED)[i] = s->external[i] + by * u_change[i];
    return by;
}

static wr_group_point moved_point(const wr_subsystem *s)
{
    return wr_ode_point_of(s, s->t_s, wr_scratch(s, WR_X_MOVED), wr_scratch(s, WR_EXTERNAL_MOVED));
}

/* Returns f at the current point; NULL: the evaluation fails. For one-step methods with step control, f is the slope at the end of the step
 * if the slope is exact. Else the function evaluates f. */
static const double *slope_here(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    const unsigned flags = work->solver->flags;
    if ((flags & WR_INTEG_ROLLBACK) && !(flags & WR_INTEG_FIXED_STEP) && wr_ode_is_dx_exact(s))
        return work->dx;
    const wr_group_point here = wr_ode_point(s);
    return wr_group_rhs(work->group, &here, wr_scratch(s, WR_DX_STEP)) == 0
               ? wr_scratch(s, WR_DX_STEP)
               : NULL;
}

/* Evaluates f_x x_change + f_u u_change. */
static int change_of_f(wr_subsystem *s, const double *x_change, const double *u_change,
                       double *ret_dx)
{
    const int n_x = wr_ode_of(s)->group->n_x;
    const wr_fault fault = wr_ode_of(s)->group->fault;
    const double by = move(s, x_change, u_change);
    memset(ret_dx, 0, (size_t)n_x * sizeof *ret_dx);
    if (n_x == 0 || !(by > 0.0))
        return 0;
    if (wr_group_has_tangent(wr_ode_of(s)->group, NULL)) {
        const wr_group_point point = wr_ode_point(s);
        int rc = wr_group_tangent(wr_ode_of(s)->group, &point, x_change, u_change, ret_dx) != 0;
        for (int i = 0; i < n_x && rc == 0; i++)
            rc = !isfinite(ret_dx[i]);
        return wr_ode_end_trial(s, &fault, rc);
    }
    const double *const here = slope_here(s);
    const wr_group_point moved = moved_point(s);
    int rc = !here || wr_group_rhs(wr_ode_of(s)->group, &moved, ret_dx) != 0;
    for (int i = 0; i < n_x && rc == 0; i++) {
        ret_dx[i] = (ret_dx[i] - here[i]) / by;
        rc = !isfinite(ret_dx[i]);
    }
    return wr_ode_end_trial(s, &fault, rc);
}

int wr_ode_tangent(wr_subsystem *s, const double *x_change, const double *u_change, double *ret_dx)
{
    WR_POINTS_FOR(s, ACCOUNT);
    const double *shift;
    const wr_fault fault = wr_ode_of(s)->group->fault;
    const int rc = change_of_f(s, x_change, u_change, ret_dx);
    if (rc != 0 || !wr_ode_has_mass(s))
        return rc;
    return wr_ode_end_trial(s, &fault, wr_ode_algebraic_split(s, ret_dx, ret_dx, &shift) != 0);
}

/* Writes the change of the states with a mass matrix. The algebraic variables change at once, so that the algebraic equations hold. */
static int show_change(wr_subsystem *s, const double *x_change, const double *u_change,
                       double *ret_change)
{
    const wr_ode *const work = wr_ode_of(s);
    double *const dx_step = wr_scratch(s, WR_DX_STEP);
    const wr_fault fault = work->group->fault;
    const double *shift;
    int rc = change_of_f(s, x_change, u_change, dx_step);
    if (rc == 0)
        rc = wr_ode_end_trial(s, &fault, wr_ode_algebraic_split(s, dx_step, dx_step, &shift) != 0);
    for (int i = 0; i < work->group->n_x && rc == 0; i++)
        ret_change[i] = x_change[i] + shift[i];
    return rc;
}

int wr_ode_tangent_outputs(wr_subsystem *s, const double *x_change, const double *u_change,
                           double *ret_dy)
{
    WR_POINTS_FOR(s, ACCOUNT);
    wr_ode *const work = wr_ode_of(s);
    if (wr_ode_has_mass(s)) {
        if (show_change(s, x_change, u_change, wr_scratch(s, WR_X_SHOWN)) != 0)
            return 1;
        x_change = wr_scratch(s, WR_X_SHOWN);
    }
    const wr_group *const group = work->group;
    const wr_fault fault = work->group->fault;
    const int has_computed = wr_ode_n_computed(s) > 0;
    const double by = has_computed ? move(s, x_change, u_change) : 0.0;
    /* The published values are the last node of the wave. */
    WR_ASSERT(s->wave->n_node > 0 || s->n_published == 0);
    const double *const value =
        s->wave->value + (size_t)(s->wave->n_node - 1) * (size_t)s->n_published;
    int rc = 0;
    const int is_exact = by > 0.0 && wr_group_has_tangent(group, wr_ode_plan(s));
    if (is_exact) {
        const wr_group_point point = wr_ode_point(s);
        rc = wr_group_tangent_outputs(work->group, wr_ode_plan(s), &point, x_change, u_change,
                                      wr_scratch(s, WR_Y_MOVED)) != 0;
    } else if (by > 0.0) {
        const wr_group_point moved = moved_point(s);
        rc = wr_group_evaluate(work->group, wr_ode_plan(s), &moved, wr_scratch(s, WR_Y_MOVED)) != 0;
    }
    for (int i = 0; i < s->n_published && rc == 0; i++) {
        const int y = wr_ode_published(s)[i], x = group->state_of_output[y];
        ret_dy[i] = x >= 0     ? x_change[x]
                    : is_exact ? wr_scratch(s, WR_Y_MOVED)[y]
                    : by > 0.0 ? (wr_scratch(s, WR_Y_MOVED)[y] - value[i]) / by
                               : 0.0;
        rc = !isfinite(ret_dy[i]);
    }
    return wr_ode_end_trial(s, &fault, rc);
}

/* Sets WR_D_PROBE to d moved along the direction. Returns as move(). Discrete states have no nominal size, so values of 0 do not limit the
 * move. */
static double move_discrete(wr_subsystem *s, const double *d_change)
{
    static const double LEAST = 1e-2, MOST = 1e6; /* limits of the factor (assumed) */
    double largest = 0.0;
    int is_any = 0;
    for (int k = 0; k < s->n_d; k++) {
        const double size = fabs(s->d[k]), change = fabs(d_change[k]);
        is_any |= change > 0.0;
        if (size > 0.0)
            largest = wr_max(largest, change / size);
    }
    if (!is_any || !isfinite(largest))
        return 0.0;
    const double by = largest > 0.0 ? wr_clamp(SHARE / largest, LEAST, MOST) : 1.0;
    for (int k = 0; k < s->n_d; k++)
        wr_scratch(s, WR_D_PROBE)[k] = s->d[k] + by * d_change[k];
    return by;
}

int wr_ode_tangent_discrete(wr_subsystem *s, const double *d_change, double *ret_dx, double *ret_dy)
{
    WR_POINTS_FOR(s, ACCOUNT);
    wr_ode *const work = wr_ode_of(s);
    const wr_group *const group = work->group;
    const wr_fault fault = group->fault;
    const double *shift;
    memset(ret_dx, 0, (size_t)group->n_x * sizeof *ret_dx);
    memset(ret_dy, 0, (size_t)s->n_published * sizeof *ret_dy);
    const double by = move_discrete(s, d_change);
    if (!(by > 0.0))
        return 0;
    wr_group_point moved = wr_ode_point(s);
    moved.d = wr_scratch(s, WR_D_PROBE);
    int rc = 0;
    if (group->n_x > 0) {
        const double *const here = slope_here(s);
        rc = !here || wr_group_rhs(work->group, &moved, ret_dx) != 0;
        for (int i = 0; i < group->n_x && rc == 0; i++) {
            ret_dx[i] = (ret_dx[i] - here[i]) / by;
            rc = !isfinite(ret_dx[i]);
        }
        if (rc == 0 && wr_ode_has_mass(s))
            rc = wr_ode_algebraic_split(s, ret_dx, ret_dx, &shift) != 0;
    }
    if (rc == 0 && wr_ode_n_computed(s) > 0) {
        const double *const value =
            s->wave->value + (size_t)(s->wave->n_node - 1) * (size_t)s->n_published;
        rc = wr_group_evaluate(work->group, wr_ode_plan(s), &moved, wr_scratch(s, WR_Y_MOVED)) != 0;
        for (int i = 0; i < s->n_published && rc == 0; i++) {
            const int y = wr_ode_published(s)[i];
            if (group->state_of_output[y] < 0)
                ret_dy[i] = (wr_scratch(s, WR_Y_MOVED)[y] - value[i]) / by;
            rc = !isfinite(ret_dy[i]);
        }
    }
    return wr_ode_end_trial(s, &fault, rc);
}

const wr_matrix *wr_ode_pattern(const wr_subsystem *s, wr_arena *arena)
{
    const wr_ode *const work = wr_ode_of(s);
    int n = 0, *const outputs = WR_NEW_ARRAY(arena, int, s->n_published);
    for (int i = 0; i < s->n_published && outputs; i++)
        if (work->group->state_of_output[wr_ode_published(s)[i]] < 0)
            outputs[n++] = wr_ode_published(s)[i];
    return outputs ? wr_group_pattern_place(arena, work->group, outputs, n) : NULL;
}

/* ---- effect of a change of inputs ----
 *
 * Over a window of length H a change du of the inputs moves the state by about H |f(x, u + du) - f(x, u)|, with x at the window's end. The
 * estimate evaluates outputs that read inputs directly with the new inputs. So the effect on a closed valve is zero, however large du is.
 * If a state relaxes within the window, the estimate is too large. A learned factor corrects the estimate (runtime/relax/sensitivity.h). */

/* Returns the largest change of a computed output from the wave's last node to the moved point, in units of weight[n_published]. */
static double outputs_moved(wr_subsystem *s, const wr_group_point *moved, const double *weight)
{
    const wr_ode *const work = wr_ode_of(s);
    if (!wr_ode_plan(s) || wr_ode_n_computed(s) == 0)
        return 0.0;
    if (wr_group_evaluate(work->group, wr_ode_plan(s), moved, NULL) != 0)
        return (double)INFINITY;
    const double *const now = wr_group_evaluated(work->group);
    WR_ASSERT(s->wave->n_node > 0); /* the wave of the last integration */
    const double *const value =
        s->wave->value + (size_t)(s->wave->n_node - 1) * (size_t)s->n_published;
    double largest = 0.0;
    for (int i = 0; i < s->n_published; i++) {
        const int y = wr_ode_published(s)[i];
        if (work->group->state_of_output[y] < 0)
            largest = wr_max(largest, fabs(now[y] - value[i]) / weight[i]);
    }
    return largest;
}

double wr_ode_effect(wr_subsystem *s, const double *change, double length_s,
                     const double *output_weight)
{
    WR_POINTS_FOR(s, EFFECT);
    wr_ode *const work = wr_ode_of(s);
    double *const dx_step = wr_scratch(s, WR_DX_STEP);
    const int n_x = work->group->n_x;
    for (int i = 0; i < s->n_external; i++)
        wr_scratch(s, WR_EXTERNAL_MOVED)[i] = s->external[i] + change[i];
    const wr_group_point here = wr_ode_point(s);
    wr_group_point moved = here;
    moved.external = wr_scratch(s, WR_EXTERNAL_MOVED);

    double effect = 0.0;
    if (n_x > 0) {
        /* An exact slope at the step's end is f. */
        const unsigned flags = work->solver->flags;
        const int is_pair = (flags & WR_INTEG_ROLLBACK) && !(flags & WR_INTEG_FIXED_STEP);
        const double *const dx = is_pair && wr_ode_is_dx_exact(s) ? work->dx : dx_step;
        s->stats.n_effect_rhs += 1 + (dx == dx_step);
        if (dx == dx_step && wr_group_rhs(work->group, &here, dx_step) != 0)
            return (double)INFINITY;
        if (wr_group_rhs(work->group, &moved, wr_scratch(s, WR_X_MOVED)) != 0)
            return (double)INFINITY;
        if (wr_ode_algebraic_effect(s, dx, length_s, wr_scratch(s, WR_X_MOVED)) != 0)
            return (double)INFINITY;
        for (int i = 0; i < n_x; i++) {
            s->effect[i] = length_s * (wr_scratch(s, WR_X_MOVED)[i] - dx[i]);
            const double off = fabs(s->effect[i]) / (s->rtol * fabs(s->x[i]) + s->atol_x[i]);
            if (!(off <= effect)) /* a NaN counts as infinite */
                effect = isfinite(off) ? off : (double)INFINITY;
        }
        s->has_effect = 1;
    }
    return wr_max(effect, outputs_moved(s, &moved, output_weight));
}
