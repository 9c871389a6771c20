/* Heun's method, the explicit trapezoidal rule, of order 2 with fixed step (Heun 1900; Hairer, Norsett,
 * Wanner, "Solving ODEs I", II.1, table 1.1):
 *
 *     x1 = x0 + h / 2 (f(t0, x0) + f(t1, x0 + h f(t0, x0)))
 *
 * Between grid points a cubic Hermite polynomial; its slope at the end is the first stage of the next step,
 * so that a step takes two right-hand sides.
 *
 * Thread: one at a time. Real-time: step.
 */
#include "subsystems/solvers/members.h"
#include "subsystems/solvers/one_step.h"

typedef struct wr_heun {
    wr_one_step base;
    double *x1, *f1; /* [n_x] */
} wr_heun;

static wrsim_status place(wr_arena *arena, const wr_equations *ode, const wr_integ_options *options,
                          wr_integrator **ret_integrator)
{
    wr_heun *const self = WR_NEW(arena, wr_heun);
    if (!self)
        return WRSIM_E_MEMORY;
    WR_TRY(wr_one_step_place(&self->base, arena, ode, options, WR_DENSE_POLY_CUBIC, 1));
    self->x1 = WR_NEW_ARRAY(arena, double, 2 * ode->n_x);
    if (!self->x1)
        return WRSIM_E_MEMORY;
    self->f1 = self->x1 + ode->n_x;
    *ret_integrator = (wr_integrator *)(void *)self;
    return WRSIM_OK;
}

/* f at the new time and x1. */
static wrsim_status stage(wr_heun *self, double t1_s)
{
    wr_one_step *const base = &self->base;
    if (!wr_step_control_is_finite(base->n_x, self->x1))
        return WRSIM_E_NAN;
    const int code = wr_one_step_rhs(base, t1_s, self->x1, self->f1);
    if (code != 0)
        return wr_one_step_fault(code);
    return wr_step_control_is_finite(base->n_x, self->f1) ? WRSIM_OK : WRSIM_E_NAN;
}

static wrsim_status advance(wr_heun *self, double t1_s)
{
    wr_one_step *const base = &self->base;
    const double h_s = t1_s - base->control.t_s;
    WR_TRY(wr_one_step_ensure_f(base));
    for (int i = 0; i < base->n_x; i++)
        self->x1[i] = base->x[i] + h_s * base->f[i];
    WR_TRY(stage(self, t1_s));
    for (int i = 0; i < base->n_x; i++)
        self->x1[i] = base->x[i] + 0.5 * h_s * (base->f[i] + self->f1[i]);
    return wr_one_step_land(base, t1_s, self->x1, self->f1);
}

static int step(wr_integrator *integrator, double t_stop_s, double *ret_t_s)
{
    wr_heun *const self = (wr_heun *)(void *)integrator;
    wr_one_step *const base = &self->base;
    if (!wr_step_control_is_there(base->control.t_s, t_stop_s))
        WR_TRY(advance(self, wr_step_grid_next(&base->grid, base->control.t_s, t_stop_s)));
    *ret_t_s = base->control.t_s;
    return 0;
}

const wr_integrator_ops wr_integ_heun = {
    .name = "heun",
    .help = "Heun's method, fixed step, order 2",
    .order = 2,
    .dense_order = 3,
    .flags = WR_INTEG_FIXED_STEP | WR_INTEG_RT_SAFE | WR_INTEG_ROLLBACK | WR_INTEG_BEGINS_WITH_F |
             WR_INTEG_ENDS_WITH_F,
    .place = place,
    .step = step,
    .coarse = wr_one_step_coarse,
    WR_ONE_STEP_OPS,
    WR_ONE_STEP_KEEP,
};
