/* Solves the corrector's equation. See corrector.h. Thread: one at a time. Real-time: all but place and done. */
#include "subsystems/solvers/corrector.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Constants of LSODA: most iterations, and most steps with a Jacobian. FIRST_RATE: estimated rate with new factors. KEPT_FACTOR: share of
 * the rate that the next step keeps. SOONER: factor on the rate in the test of convergence. FACTOR_BAND: relative change of h l_0 that needs
 * new factors. DIVERGES: ratio of changes at which the iteration has failed. LARGEST: largest ratio of changes. */
enum { CORRECTIONS = 3, JACOBIAN_STEPS = 20 };
static const double FIRST_RATE = 0.7, KEPT_FACTOR = 0.2, SOONER = 1.5, FACTOR_BAND = 0.3;
static const double DIVERGES = 2.0, LARGEST = 1024.0;

wrsim_status wr_corrector_place(wr_corrector *c, wr_arena *arena, const wr_equations *ode,
                                const wr_step_control *control, wr_integ_stats *stats,
                                wr_linear_solver linear_solver)
{
    const size_t n = (size_t)ode->n_x;
    *c = (wr_corrector){.ode = ode, .control = control, .stats = stats, .i_factored = -1};
    c->now = c->saved = (wr_corrector_state){.rate = FIRST_RATE, .i_jacobian = -1};
    c->jac = wr_jac_color_place(arena, ode);
    double *const vectors = WR_NEW_ARRAY(arena, double, 5 * n);
    for (int i = 0; i < 2; i++)
        c->jacobian[i] = WR_NEW_ARRAY(arena, double, ode->pattern->n_nonzero);
    if (!c->jac || !vectors || !c->jacobian[0] || !c->jacobian[1])
        return WRSIM_E_MEMORY;
    c->x = vectors;
    c->e = vectors + n;
    c->f = vectors + 2 * n;
    c->work = vectors + 3 * n;
    c->weight = vectors + 4 * n;
    return wr_shifted_place(&c->shifted, arena, ode->pattern, linear_solver);
}

void wr_corrector_done(wr_corrector *c) { wr_shifted_done(&c->shifted); }

double wr_corrector_norm(const wr_corrector *c, const double *start, const double *v)
{
    return wr_step_control_norm(c->control, v, start, c->x);
}

int wr_corrector_rhs(wr_corrector *c, double t_s, const double *x)
{
    c->stats->n_rhs++;
    const int code = c->ode->rhs(c->ode->self, t_s, x, c->f);
    c->is_nan = code == 0 && !wr_step_control_is_finite(c->ode->n_x, c->f);
    return c->is_nan ? 1 : code;
}

/* Sets weight to the tolerances of the states at a relative tolerance of 1. */
static void set_weight(wr_corrector *c, const double *start)
{
    const wr_step_control *const control = c->control;
    for (int i = 0; i < c->ode->n_x; i++)
        c->weight[i] =
            control->factor[i] * (fabs(start[i]) + control->atol_factor * control->nominal[i]);
}

/* Returns the norm of the Jacobian that belongs to the norm of states, 1/s. */
static double jacobian_norm(wr_corrector *c, const double *start, const double *jacobian)
{
    set_weight(c, start);
    return wr_jac_color_norm(c->ode->pattern, jacobian, c->weight, c->work);
}

/* Evaluates the Jacobian at the predicted point x, where f is known, into the array without the Jacobian of the last save. */
static int renew(wr_corrector *c, const wr_corrector_step *step)
{
    const int i = c->saved.i_jacobian == 0;
    c->now.i_jacobian = -1;
    if (c->i_factored == i)
        c->i_factored = -1;
    const int code = wr_jac_color_eval(c->jac, c->stats, step->t_s, c->x, c->f, c->jacobian[i]);
    if (code != 0)
        return code;
    c->is_nan = !wr_step_control_is_finite(c->ode->pattern->n_nonzero, c->jacobian[i]);
    if (c->is_nan)
        return 1;
    c->now.i_jacobian = i;
    c->now.age = c->now.is_due = c->now.is_doubtful = 0;
    c->now.factor_s = 0.0;
    c->now.fits_to_s = (double)INFINITY;
    c->now.jacobian_norm = jacobian_norm(c, step->start, c->jacobian[i]);
    return 0;
}

/* Makes the Jacobian and the factors valid for the step, at the predicted point x, where f is known. */
static int prepare_newton(wr_corrector *c, const wr_corrector_step *step)
{
    wr_corrector_state *const now = &c->now;
    if (now->i_jacobian >= 0 && !now->is_due && now->is_doubtful) {
        set_weight(c, step->start);
        const wr_jac_point at = {step->t_s, c->x, c->f, c->weight};
        now->fits_to_s = wr_jac_color_fits(c->jac, c->stats, &at, c->jacobian[now->i_jacobian]);
        if (now->fits_to_s < 0.0)
            return -1;
    }
    now->is_doubtful = 0;
    const double wanted_s = step->h_s * step->constants->l[0];
    if (now->i_jacobian < 0 || now->is_due || now->age >= JACOBIAN_STEPS ||
        wanted_s > now->fits_to_s) {
        const int code = renew(c, step);
        if (code != 0)
            return code;
    }
    if (!(fabs(wanted_s / now->factor_s - 1.0) <= FACTOR_BAND)) {
        now->factor_s = wanted_s;
        now->rate = FIRST_RATE;
    }
    if (c->i_factored == now->i_jacobian && c->factored_s >= now->factor_s &&
        c->factored_s <= now->factor_s)
        return 0;
    c->i_factored = -1;
    if (wr_shifted_factor(&c->shifted, c->stats, 1.0 / now->factor_s,
                          c->jacobian[now->i_jacobian]) != 0)
        return 1;
    c->i_factored = now->i_jacobian;
    c->factored_s = now->factor_s;
    return 0;
}

/* Corrects e and x once. Returns the norm of the change of e. */
static double correct_once(wr_corrector *c, const wr_corrector_step *step)
{
    const int n = c->ode->n_x;
    const double l0 = step->constants->l[0];
    const double *const z0 = step->predicted, *const z1 = step->predicted + n;
    double *const change = c->work;
    for (int i = 0; i < n; i++)
        change[i] = step->h_s * c->f[i] - z1[i] - c->e[i];
    if (step->method == WR_BDF) {
        const double scale = 1.0 / c->factored_s;
        for (int i = 0; i < n; i++)
            change[i] *= scale;
        wr_shifted_solve(&c->shifted, change);
        c->stats->n_solve++;
        c->stats->n_newton++;
    }
    for (int i = 0; i < n; i++) {
        c->e[i] += change[i];
        c->x[i] = z0[i] + l0 * c->e[i];
    }
    return wr_corrector_norm(c, step->start, change);
}

static void note_convergence(wr_corrector *c, const wr_corrector_step *step, double largest_ratio)
{
    wr_corrector_state *const now = &c->now;
    now->lipschitz_max =
        wr_max(now->lipschitz_max, largest_ratio / (step->h_s * step->constants->l[0]));
    if (now->lipschitz_max > 0.0)
        now->lipschitz = now->lipschitz_max;
}

/* Iterates from the prediction. Returns as wr_corrector_solve(). */
static int iterate(wr_corrector *c, const wr_corrector_step *step)
{
    const double tolerance = 0.5 / (step->order + 2) * step->constants->test[1];
    const size_t bytes = (size_t)c->ode->n_x * sizeof *c->x;
    memcpy(c->x, step->predicted, bytes);
    memset(c->e, 0, bytes);
    int code = wr_corrector_rhs(c, step->t_s, c->x);
    if (code == 0 && step->method == WR_BDF)
        code = prepare_newton(c, step);
    double before = 0.0, largest_ratio = 0.0;
    for (int m = 0; code == 0; m++) {
        const double change = correct_once(c, step);
        if (!isfinite(change)) {
            c->is_nan = 1;
            return 1;
        }
        if (change <= 100.0 * DBL_EPSILON * wr_corrector_norm(c, step->start, step->predicted))
            return 0; /* the change is rounding */
        if (m > 0) {
            const double ratio = change <= LARGEST * before ? change / before : LARGEST;
            largest_ratio = wr_max(largest_ratio, ratio);
            c->now.rate = wr_max(KEPT_FACTOR * c->now.rate, ratio);
        }
        /* Two iterations measure the Lipschitz constant. */
        const int may_end = m > 0 || step->method == WR_BDF;
        if (may_end && change * wr_min(1.0, SOONER * c->now.rate) <= tolerance) {
            note_convergence(c, step, largest_ratio);
            return 0;
        }
        if (m + 1 == CORRECTIONS || (m >= 1 && change > DIVERGES * before))
            return 1;
        before = change;
        code = wr_corrector_rhs(c, step->t_s, c->x);
    }
    return code;
}

int wr_corrector_solve(wr_corrector *c, const wr_corrector_step *step)
{
    c->is_nan = 0;
    const int code = iterate(c, step);
    if (code <= 0 || step->method != WR_BDF || c->now.age == 0 || c->now.i_jacobian < 0)
        return code;
    c->now.is_due = 1; /* the Jacobian may be the cause */
    c->is_nan = 0;
    return iterate(c, step);
}

void wr_corrector_doubt(wr_corrector *c)
{
    c->now.is_doubtful = 1;
    c->now.rate = FIRST_RATE;
    c->now.lipschitz = c->now.lipschitz_max = 0.0;
}

void wr_corrector_save(wr_corrector *c) { c->saved = c->now; }

void wr_corrector_restore(wr_corrector *c) { c->now = c->saved; }

static void scalars_io(wr_corrector_state *at, wr_state_io *io)
{
    WR_STATE(io, at->rate);
    WR_STATE(io, at->lipschitz);
    WR_STATE(io, at->lipschitz_max);
    WR_STATE(io, at->jacobian_norm);
    wr_state_index(io, &at->i_jacobian, 2);
    WR_STATE(io, at->age);
    WR_STATE(io, at->is_doubtful);
    WR_STATE(io, at->is_due);
    WR_STATE(io, at->factor_s);
    WR_STATE(io, at->fits_to_s);
}

void wr_corrector_state_io(wr_corrector *c, wr_state_io *io)
{
    scalars_io(&c->now, io);
    scalars_io(&c->saved, io);
    WR_STATE_ARRAY(io, c->f, c->ode->n_x);
    for (int i = 0; i < 2; i++)
        WR_STATE_ARRAY(io, c->jacobian[i], c->ode->pattern->n_nonzero);
    wr_state_index(io, &c->i_factored, 2);
    WR_STATE(io, c->factored_s);
    wr_integ_stats uncounted = {0};
    if (wr_state_reads(io) && c->i_factored >= 0 &&
        wr_shifted_factor(&c->shifted, &uncounted, 1.0 / c->factored_s,
                          c->jacobian[c->i_factored]) != 0)
        c->i_factored = -1; /* unexpected: the writer has made these factors */
}
