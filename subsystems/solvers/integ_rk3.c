/* Ralston's Runge-Kutta method of order 3 with fixed step, the one of least error bound (Ralston, "Runge-Kutta methods
 * with minimum error bounds", Math. Comp. 16 (1962); Bogacki and Shampine's pair goes on with it, integ_erk.c). Between
 * grid points a cubic Hermite polynomial; its slope at the end is the first stage of the next step, so that a
 * step takes three right-hand sides.
 *
 * Thread: one at a time. Real-time: step.
 */
#include "subsystems/solvers/members.h"
#include "subsystems/solvers/one_step.h"

typedef struct wr_rk3 {
    wr_one_step base;
    double *x1, *f1, *k[2]; /* stages 2 and 3; stage 1 is base.f */
} wr_rk3;

static wrsim_status place(wr_arena *arena, const wr_equations *ode, const wr_integ_options *options,
                          wr_integrator **ret_integrator)
{
    const size_t n = (size_t)ode->n_x;
    wr_rk3 *const self = WR_NEW(arena, wr_rk3);
    if (!self)
        return WRSIM_E_MEMORY;
    WR_TRY(wr_one_step_place(&self->base, arena, ode, options, WR_DENSE_POLY_CUBIC, 1));
    double *const work = WR_NEW_ARRAY(arena, double, 4 * n);
    if (!work)
        return WRSIM_E_MEMORY;
    self->x1 = work;
    self->f1 = work + n;
    for (size_t i = 0; i < 2; i++)
        self->k[i] = work + (2 + i) * n;
    *ret_integrator = (wr_integrator *)(void *)self;
    return WRSIM_OK;
}

/* k = f(t0 + part, x + part * slope) */
static int stage(wr_rk3 *self, double t_s, double part_s, const double *slope, double *ret_k)
{
    for (int i = 0; i < self->base.n_x; i++)
        self->x1[i] = self->base.x[i] + part_s * slope[i];
    return wr_one_step_rhs(&self->base, t_s, self->x1, ret_k);
}

static wrsim_status advance(wr_rk3 *self, double t1_s)
{
    wr_one_step *const base = &self->base;
    const double t0_s = base->control.t_s, h_s = t1_s - t0_s;
    double *const *const k = self->k;
    WR_TRY(wr_one_step_ensure_f(base));
    int code = stage(self, t0_s + 0.5 * h_s, 0.5 * h_s, base->f, k[0]);
    if (code == 0)
        code = stage(self, t0_s + 0.75 * h_s, 0.75 * h_s, k[0], k[1]);
    if (code != 0)
        return wr_one_step_fault(code);
    for (int i = 0; i < base->n_x; i++)
        self->x1[i] = base->x[i] + h_s / 9.0 * (2.0 * base->f[i] + 3.0 * k[0][i] + 4.0 * k[1][i]);
    return wr_one_step_land(base, t1_s, self->x1, self->f1);
}

static int step(wr_integrator *integrator, double t_stop_s, double *ret_t_s)
{
    wr_rk3 *const self = (wr_rk3 *)(void *)integrator;
    wr_one_step *const base = &self->base;
    if (!wr_step_control_is_there(base->control.t_s, t_stop_s))
        WR_TRY(advance(self, wr_step_grid_next(&base->grid, base->control.t_s, t_stop_s)));
    *ret_t_s = base->control.t_s;
    return 0;
}

const wr_integrator_ops wr_integ_rk3 = {
    .name = "rk3",
    .help = "Ralston's Runge-Kutta, fixed step, order 3",
    .order = 3,
    .dense_order = 3,
    .flags = WR_INTEG_FIXED_STEP | WR_INTEG_RT_SAFE | WR_INTEG_ROLLBACK | WR_INTEG_BEGINS_WITH_F |
             WR_INTEG_ENDS_WITH_F,
    .place = place,
    .step = step,
    .coarse = wr_one_step_coarse,
    WR_ONE_STEP_OPS,
    WR_ONE_STEP_KEEP,
};
