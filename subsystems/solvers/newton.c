/* Solves implicit steps by Newton's method. See newton.h. Thread: one at a time. Real-time: all but place and done. */
#include "subsystems/solvers/newton.h"

#include <float.h>
#include <math.h>

/* The iteration stops if its estimated error is below this share (assumed) of the tolerance. In the first iteration the limit is
 * newton_limit times this limit. Errors of the equation add up over steps, and must be far below errors of the method. */
static const double newton_limit = 1e-3;
/* Number of roundings of a state below which a change is rounding (assumed). */
static const double newton_rounding = 100.0;

wrsim_status wr_newton_place(wr_newton *newton, wr_arena *arena, wr_one_step *base,
                             wr_linear_solver linear_solver)
{
    const wr_equations *const ode = base->ode;
    newton->base = base;
    newton->jac = wr_jac_color_place(arena, ode);
    newton->jacobian = WR_NEW_ARRAY(arena, double, ode->pattern->n_nonzero);
    newton->f = WR_NEW_ARRAY(arena, double, ode->n_x);
    newton->d = WR_NEW_ARRAY(arena, double, ode->n_x);
    if (!newton->jac || !newton->jacobian || !newton->f || !newton->d)
        return WRSIM_E_MEMORY;
    WR_TRY(wr_shifted_place(&newton->shifted, arena, ode->pattern, linear_solver));
    return wr_shifted_place_last(&newton->shifted, arena);
}

void wr_newton_done(wr_newton *newton) { wr_shifted_done(&newton->shifted); }

static wrsim_status eval(wr_newton *newton, double t_s, const double *x)
{
    const int code = wr_one_step_rhs(newton->base, t_s, x, newton->f);
    if (code != 0)
        return wr_one_step_fault(code);
    return wr_step_control_is_finite(newton->base->n_x, newton->f) ? WRSIM_OK : WRSIM_E_NAN;
}

wrsim_status wr_newton_linearise(wr_newton *newton, double t_s, const double *x)
{
    wr_one_step *const base = newton->base;
    WR_TRY(eval(newton, t_s, x));
    const int code =
        wr_jac_color_eval(newton->jac, &base->stats, t_s, x, newton->f, newton->jacobian);
    if (code != 0)
        return wr_one_step_fault(code);
    return wr_step_control_is_finite(base->ode->pattern->n_nonzero, newton->jacobian) ? WRSIM_OK
                                                                                      : WRSIM_E_NAN;
}

/* Iterates with the present Jacobian. *ret_is_done: the iteration has converged. */
static wrsim_status iterate_all(wr_newton *newton, double t_s, double c, const double *b, double *x,
                                int *ret_is_done)
{
    double last = (double)INFINITY;
    const double limit =
        wr_max(newton_limit, newton_rounding * DBL_EPSILON / newton->base->control.rtol);
    *ret_is_done = 0;
    for (int k = 0; k < WR_NEWTON_ITERATIONS; k++) {
        wr_one_step *const base = newton->base;
        double *const d = newton->d;
        for (int i = 0; i < base->n_x; i++)
            d[i] = newton->f[i] - c * x[i] - b[i];
        wr_shifted_solve(&newton->shifted, d);
        base->stats.n_newton++;
        for (int i = 0; i < base->n_x; i++)
            x[i] += d[i];
        const double change = wr_step_control_norm(&base->control, d, x, x);
        if (!isfinite(change))
            return WRSIM_E_NAN;
        const double rate = change / last;
        const double left = k == 0 ? change : change * rate / (1.0 - rate);
        *ret_is_done = rate < 1.0 && left <= (k == 0 ? newton_limit * limit : limit);
        if (*ret_is_done || rate >= 1.0)
            return WRSIM_OK;
        last = change;
        WR_TRY(eval(newton, t_s, x));
    }
    return WRSIM_OK;
}

/* Rejects a solution beyond a pole (wr_shifted_turns_back()). If older factors indicate such a solution, the factors at the solution
 * decide. */
static wrsim_status check(wr_newton *newton, double t_s, double c, const double *x)
{
    wr_one_step *const base = newton->base;
    const double *const nominal = base->ode->nominal;
    double *const d = newton->d;
    for (int i = 0; i < base->n_x; i++)
        d[i] = x[i] - base->x[i];
    if (!wr_shifted_turns_back(&newton->shifted, c, newton->jacobian, base->x, d, nominal))
        return WRSIM_OK;
    WR_TRY(wr_newton_linearise(newton, t_s, x));
    if (wr_shifted_factor(&newton->shifted, &base->stats, c, newton->jacobian) != 0 ||
        wr_shifted_turns_back(&newton->shifted, c, newton->jacobian, base->x, d, nominal))
        return wr_one_step_at_pole(base);
    return WRSIM_OK;
}

wrsim_status wr_newton_solve(wr_newton *newton, double t_s, double c, const double *b, double *x)
{
    for (int k = 0; k < WR_NEWTON_JACOBIANS; k++) {
        int is_done;
        WR_TRY(wr_newton_linearise(newton, t_s, x));
        if (wr_shifted_factor(&newton->shifted, &newton->base->stats, c, newton->jacobian) != 0)
            return wr_one_step_at_pole(newton->base);
        WR_TRY(iterate_all(newton, t_s, c, b, x, &is_done));
        if (is_done)
            return check(newton, t_s, c, x);
    }
    return WRSIM_E_SOLVER;
}
