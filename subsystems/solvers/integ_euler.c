/* Forward Euler, x1 = x0 + h f(t0, x0); between grid points a straight line, as exact as the
 * method.
 *
 * Thread: one at a time. Real-time: step.
 */
#include "subsystems/solvers/members.h"
#include "subsystems/solvers/one_step.h"

typedef struct wr_euler {
    wr_one_step base;
    double *x1;
} wr_euler;

static wrsim_status place(wr_arena *arena, const wr_equations *ode, const wr_integ_options *options,
                          wr_integrator **ret_integrator)
{
    wr_euler *const self = WR_NEW(arena, wr_euler);
    if (!self)
        return WRSIM_E_MEMORY;
    WR_TRY(wr_one_step_place(&self->base, arena, ode, options, WR_DENSE_POLY_LINE, 1));
    self->x1 = WR_NEW_ARRAY(arena, double, ode->n_x);
    if (!self->x1)
        return WRSIM_E_MEMORY;
    *ret_integrator = (wr_integrator *)(void *)self;
    return WRSIM_OK;
}

static int step(wr_integrator *integrator, double t_stop_s, double *ret_t_s)
{
    wr_euler *const self = (wr_euler *)(void *)integrator;
    wr_one_step *const base = &self->base;
    const double t0_s = base->control.t_s;
    if (!wr_step_control_is_there(t0_s, t_stop_s)) {
        const double t1_s = wr_step_grid_next(&base->grid, t0_s, t_stop_s);
        WR_TRY(wr_one_step_ensure_f(base));
        for (int i = 0; i < base->n_x; i++)
            self->x1[i] = base->x[i] + (t1_s - t0_s) * base->f[i];
        if (!wr_step_control_is_finite(base->n_x, self->x1))
            return WRSIM_E_NAN;
        wr_one_step_accept(base, t0_s, t1_s, self->x1, NULL);
        base->control.t_s = t1_s;
        base->stats.n_step++;
    }
    *ret_t_s = base->control.t_s;
    return 0;
}

const wr_integrator_ops wr_integ_euler = {
    .name = "euler",
    .help = "forward Euler, fixed step, order 1",
    .order = 1,
    .dense_order = 1,
    .flags = WR_INTEG_FIXED_STEP | WR_INTEG_RT_SAFE | WR_INTEG_ROLLBACK | WR_INTEG_BEGINS_WITH_F,
    .place = place,
    .step = step,
    .coarse = wr_one_step_coarse,
    WR_ONE_STEP_OPS,
    WR_ONE_STEP_KEEP,
};
