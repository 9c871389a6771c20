/* The common code of the one-step integrators. See one_step.h. Thread: one at a time. Real-time: all but place. */
#include "subsystems/solvers/one_step.h"

#include <math.h>
#include <string.h>

/* Increment for df/dt, relative to the step. The best increment is about sqrt(eps) times the time in which f changes, which is about a
 * hundred steps (assumed). TIME_ROUNDING (assumed) keeps the increment above the rounding of t. */
static const double TIME_INCREMENT = 1e-6, TIME_ROUNDING = 1e-11;

wrsim_status wr_one_step_place(wr_one_step *base, wr_arena *arena, const wr_equations *ode,
                               const wr_integ_options *options, int n_dense_term, int is_fixed)
{
    if (is_fixed ? !(options->step_s > 0.0) : !(options->rtol > 0.0 && options->atol_factor >= 0.0))
        return WRSIM_E_ARG;
    const size_t n = (size_t)ode->n_x;
    const size_t n_kept = 2 * n;
    base->ode = ode;
    base->n_x = ode->n_x;
    base->grid.step_s = options->step_s;
    base->x = WR_NEW_ARRAY(arena, double, n_kept + n * (size_t)n_dense_term);
    base->saved_x = WR_NEW_ARRAY(arena, double, n_kept);
    base->coarse = WR_NEW_ARRAY(arena, double, is_fixed ? 2 * n : 0);
    if (!base->x || !base->saved_x || !base->coarse)
        return WRSIM_E_MEMORY;
    base->kept_bytes = n_kept * sizeof *base->x;
    base->f = base->x + n;
    base->dense = (wr_dense_poly){
        .n_x = ode->n_x, .n_term = n_dense_term, .c = base->x + n_kept, .x1 = base->x};
    return WRSIM_OK;
}

wrsim_status wr_one_step_take(wr_one_step *base, double t1_s, const double *x1, const double *f1)
{
    if (!wr_step_control_is_finite(base->n_x, x1))
        return WRSIM_E_NAN;
    wr_one_step_accept(base, base->control.t_s, t1_s, x1, f1);
    base->control.t_s = t1_s;
    base->stats.n_step++;
    return WRSIM_OK;
}

wrsim_status wr_one_step_land(wr_one_step *base, double t1_s, const double *x1, double *f1)
{
    if (!wr_step_control_is_finite(base->n_x, x1))
        return WRSIM_E_NAN;
    const int code = wr_one_step_rhs(base, t1_s, x1, f1);
    if (code != 0)
        return wr_one_step_fault(code);
    return wr_step_control_is_finite(base->n_x, f1) ? wr_one_step_take(base, t1_s, x1, f1)
                                                    : WRSIM_E_NAN;
}

wrsim_status wr_one_step_fault(int code) { return code < 0 ? WRSIM_E_CALLBACK : WRSIM_E_SOLVER; }

wrsim_status wr_one_step_ensure_f(wr_one_step *base)
{
    if (base->has_f)
        return WRSIM_OK;
    const int code = wr_one_step_rhs(base, base->control.t_s, base->x, base->f);
    if (code != 0)
        return wr_one_step_fault(code);
    if (!wr_step_control_is_finite(base->n_x, base->f))
        return WRSIM_E_NAN;
    base->has_f = 1;
    return WRSIM_OK;
}

wrsim_status wr_one_step_run(wr_one_step *base, wr_step_trial trial, void *self, double t_stop_s,
                             double *work)
{
    WR_TRY(wr_one_step_ensure_f(base));
    if (!(base->control.h_s > 0.0))
        WR_TRY(wr_step_control_first(&base->control, &base->stats, base->ode, base->x, base->f,
                                     t_stop_s, work));
    return wr_step_control_run(&base->control, &base->stats, trial, self, t_stop_s);
}

double wr_one_step_error(const wr_one_step *base, double t1_s, const double *error,
                         const double *x1)
{
    const wr_step_control *const control = &base->control;
    const wr_equations *const ode = base->ode;
    const double norm = wr_step_control_norm(control, error, base->x, x1);
    if (!ode->computed_error || !(norm <= 1.0))
        return norm;
    const double computed = ode->computed_error(ode->self, t1_s, x1, error);
    return isfinite(computed) ? wr_max(norm, computed / (control->rtol * control->loosening))
                              : norm;
}

int wr_one_step_differ_in_time(wr_one_step *base, double h_s, double *ret_f_t)
{
    const double t_s = base->control.t_s;
    const double wanted_s = wr_max(TIME_INCREMENT * h_s, TIME_ROUNDING * fabs(t_s));
    const double t_shifted_s = t_s + wr_min(wanted_s, h_s);
    const int code = wr_one_step_rhs(base, t_shifted_s, base->x, ret_f_t);
    for (int i = 0; i < base->n_x && code == 0; i++)
        ret_f_t[i] = (ret_f_t[i] - base->f[i]) / (t_shifted_s - t_s);
    return code;
}

void wr_one_step_accept(wr_one_step *base, double t0_s, double t1_s, const double *x1,
                        const double *f1)
{
    const size_t bytes = (size_t)base->n_x * sizeof *x1;
    wr_dense_poly_hermite(&base->dense, t0_s, base->x, base->f, t1_s, x1, f1);
    memcpy(base->x, x1, bytes);
    if (f1)
        memcpy(base->f, f1, bytes);
    base->has_f = f1 != NULL;
    base->dense.f1 = f1 ? base->f : NULL;
}

int wr_one_step_start(wr_integrator *integrator, double t_s, const double *x, const double *dx)
{
    wr_one_step *const base = wr_one_step_of(integrator);
    const size_t bytes = (size_t)base->n_x * sizeof *x;
    base->stats.n_start++;
    base->control.t_s = t_s;
    wr_step_grid_start(&base->grid, t_s);
    memmove(base->x, x, bytes);
    if (dx)
        memmove(base->f, dx, bytes);
    base->has_f = dx != NULL;
    wr_dense_poly_point(&base->dense, t_s, base->x, dx ? base->f : NULL);
    return 0;
}

void wr_one_step_dense(wr_integrator *integrator, double t_s, double *ret_x, double *ret_dx)
{
    wr_dense_poly_eval(&wr_one_step_of(integrator)->dense, t_s, ret_x, ret_dx);
}

void wr_one_step_inputs_changed(wr_integrator *integrator, const double *dx)
{
    wr_one_step *const base = wr_one_step_of(integrator);
    base->has_f = dx != NULL;
    if (!dx)
        return;
    base->stats.n_rhs++; /* the caller has evaluated dx */
    memcpy(base->f, dx, (size_t)base->n_x * sizeof *dx);
}

void wr_one_step_save(wr_integrator *integrator)
{
    wr_one_step *const base = wr_one_step_of(integrator);
    memcpy(base->saved_x, base->x, base->kept_bytes);
    base->saved = (wr_one_step_scalars){.t_s = base->control.t_s,
                                        .h_s = base->control.h_s,
                                        .error_old = base->control.error_old,
                                        .i_grid = base->grid.i,
                                        .t0_grid_s = base->grid.t0_s,
                                        .has_f = base->has_f};
}

void wr_one_step_restore(wr_integrator *integrator)
{
    wr_one_step *const base = wr_one_step_of(integrator);
    const wr_one_step_scalars *const saved = &base->saved;
    memcpy(base->x, base->saved_x, base->kept_bytes);
    base->control.t_s = saved->t_s;
    base->control.h_s = saved->h_s;
    base->control.error_old = saved->error_old;
    base->grid.i = saved->i_grid;
    base->grid.t0_s = saved->t0_grid_s;
    base->has_f = saved->has_f;
    base->dense.t0_s = base->dense.t1_s = saved->t_s;
    memcpy(base->dense.c, base->x, base->kept_bytes); /* c0 and c1 are the point and its slope */
}

void wr_one_step_state(wr_integrator *integrator, wr_state_io *io)
{
    wr_one_step *const base = wr_one_step_of(integrator);
    WR_STATE(io, base->stats);
    WR_STATE(io, base->control.loosening);
    WR_STATE(io, base->control.t_s);
    WR_STATE(io, base->control.h_s);
    WR_STATE(io, base->control.error_old);
    WR_STATE(io, base->grid.t0_s);
    WR_STATE(io, base->grid.i);
    WR_STATE(io, base->has_f);
    wr_state_bytes(io, base->x, base->kept_bytes);
    WR_STATE(io, base->dense.t0_s);
    WR_STATE(io, base->dense.t1_s);
    WR_STATE_ARRAY(io, base->dense.c, base->dense.n_term * base->dense.n_x);
    const int has_slope = (int)wr_state_count(io, base->dense.f1 != NULL, 1);
    if (wr_state_reads(io))
        base->dense.f1 = has_slope ? base->f : NULL;
}

void wr_one_step_loosen(wr_integrator *integrator, double factor)
{
    wr_one_step_of(integrator)->control.loosening = wr_max(factor, 1.0);
}

void wr_one_step_limit(wr_integrator *integrator, int64_t n_rhs)
{
    wr_one_step *const base = wr_one_step_of(integrator);
    base->control.n_rhs_limit = n_rhs == INT64_MAX ? n_rhs : base->stats.n_rhs + n_rhs;
}

/* Makes Heun's step without f at the step's end. The parabola with slope f0 at x0 has at x1 the slope f1, which is f at the predictor. */
int wr_one_step_coarse(wr_integrator *integrator, double t_stop_s, double *ret_t_s)
{
    wr_one_step *const base = wr_one_step_of(integrator);
    const double t0_s = base->control.t_s, h_s = t_stop_s - t0_s;
    double *const x1 = base->coarse, *const f1 = x1 + base->n_x;
    *ret_t_s = t0_s;
    if (wr_step_control_is_there(t0_s, t_stop_s))
        return 0;
    WR_TRY(wr_one_step_ensure_f(base));
    for (int i = 0; i < base->n_x; i++)
        x1[i] = base->x[i] + h_s * base->f[i];
    const int code = wr_one_step_rhs(base, t_stop_s, x1, f1);
    if (code != 0)
        return wr_one_step_fault(code);
    for (int i = 0; i < base->n_x; i++)
        x1[i] = base->x[i] + 0.5 * h_s * (base->f[i] + f1[i]);
    WR_TRY(
        wr_one_step_take(base, t_stop_s, x1, base->dense.n_term > WR_DENSE_POLY_LINE ? f1 : NULL));
    base->has_f = 0;
    *ret_t_s = t_stop_s;
    return 0;
}
