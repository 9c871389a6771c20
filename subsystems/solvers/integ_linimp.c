/* Linearly implicit Euler with fixed step (Deuflhard, "Recent progress in extrapolation methods", SIAM Review 27, 1985; Hairer, Wanner,
 * "Solving ODEs II", IV.9, eq. 9.25 with the new time in f):
 *
 *     (L / h - J) d = f(t1, x0),   x1 = x0 + d,   J = df/dx (t1, x0)
 *
 * The method is L-stable and of order 1, with one Jacobian and at most one factorisation per step and no iteration. With inputs at t1 a fast
 * state follows its input without a delay of one step. Between grid points the solution is a straight line. L is the mass matrix, or the
 * identity. If L is singular, the step includes one Newton step for the algebraic equations, at t1.
 *
 * J may be a part of the Jacobian (Schiela and Bornemann, "Sparsing in real time simulation", 2003, eq. 4). f is complete, and J has
 * the entries of a pattern. So the order stays 1, and only stability depends on the omitted entries. The places of the pivots are then
 * fixed, and a step takes the same operations for all values. The exception is a pivot that is too small (shifted_matrix.h).
 *
 * Thread: one at a time. Real-time: step.
 */
#include "subsystems/solvers/jac_color.h"
#include "subsystems/solvers/one_step.h"
#include "subsystems/solvers/shifted_matrix.h"

#include <string.h>

typedef struct wr_linimp {
    wr_one_step base;
    const wr_matrix
        *pattern; /* pattern of J: the pattern of the ODE, or a subset of that pattern */
    wr_jac_color *jac;
    wr_shifted shifted;
    double *jacobian; /* [n_nonzero] */
    double *f1, *x1;  /* [n_x] f(t1, x0); new state */
} wr_linimp;

static void destroy(wr_integrator *integrator)
{
    if (integrator)
        wr_shifted_done(&((wr_linimp *)(void *)integrator)->shifted);
}

static wrsim_status place(wr_arena *arena, const wr_equations *ode, const wr_integ_options *options,
                          wr_integrator **ret_integrator)
{
    wr_linimp *const self = WR_NEW(arena, wr_linimp);
    if (!self)
        return WRSIM_E_MEMORY;
    WR_TRY(wr_one_step_place(&self->base, arena, ode, options, WR_DENSE_POLY_LINE, 1));
    self->pattern = options->kept ? options->kept : ode->pattern;
    self->jac = wr_jac_color_place_part(arena, ode, self->pattern);
    self->jacobian = WR_NEW_ARRAY(arena, double, self->pattern->n_nonzero);
    self->f1 = WR_NEW_ARRAY(arena, double, ode->n_x);
    self->x1 = WR_NEW_ARRAY(arena, double, ode->n_x);
    if (!self->jac || !self->jacobian || !self->f1 || !self->x1)
        return WRSIM_E_MEMORY;
    if (options->kept || options->code || ode->mass)
        WR_TRY(wr_shifted_place_sparse(&self->shifted, arena, self->pattern, ode->mass,
                                       options->code));
    else
        WR_TRY(wr_shifted_place(&self->shifted, arena, self->pattern, options->linear_solver));
    WR_TRY(wr_shifted_place_last(&self->shifted, arena));
    *ret_integrator = (wr_integrator *)(void *)self;
    return WRSIM_OK;
}

static wrsim_status advance(wr_linimp *self, double t1_s)
{
    wr_one_step *const base = &self->base;
    const double c = 1.0 / wr_step_grid_length(&base->grid, base->control.t_s, t1_s);
    int code = wr_one_step_rhs(base, t1_s, base->x, self->f1);
    if (code == 0)
        code = wr_jac_color_eval(self->jac, &base->stats, t1_s, base->x, self->f1, self->jacobian);
    if (code != 0)
        return wr_one_step_fault(code);
    if (!wr_step_control_is_finite(base->n_x, self->f1) ||
        !wr_step_control_is_finite(self->pattern->n_nonzero, self->jacobian))
        return WRSIM_E_NAN;
    if (wr_shifted_factor(&self->shifted, &base->stats, c, self->jacobian) != 0)
        return wr_one_step_at_pole(base);
    memcpy(self->x1, self->f1, (size_t)base->n_x * sizeof *self->x1);
    wr_shifted_solve(&self->shifted, self->x1);
    if (self->pattern == base->ode->pattern &&
        wr_shifted_turns_back(&self->shifted, c, self->jacobian, base->x, self->x1,
                              base->ode->nominal))
        return wr_one_step_at_pole(base);
    for (int i = 0; i < base->n_x; i++)
        self->x1[i] += base->x[i];
    return wr_one_step_take(base, t1_s, self->x1, NULL);
}

static int step(wr_integrator *integrator, double t_stop_s, double *ret_t_s)
{
    wr_linimp *const self = (wr_linimp *)(void *)integrator;
    wr_one_step *const base = &self->base;
    if (!wr_step_control_is_there(base->control.t_s, t_stop_s))
        WR_TRY(advance(self, wr_step_grid_next(&base->grid, base->control.t_s, t_stop_s)));
    *ret_t_s = base->control.t_s;
    return 0;
}

static void state(wr_integrator *integrator, wr_state_io *io)
{
    wr_one_step_state(integrator, io);
    wr_shifted_state(&((wr_linimp *)(void *)integrator)->shifted, io);
}

const wr_integrator_ops wr_integ_linimp = {
    .name = "linimp",
    .help = "linearly implicit Euler, fixed step, stiff, order 1",
    .order = 1,
    .dense_order = 1,
    .flags = WR_INTEG_FIXED_STEP | WR_INTEG_STIFF | WR_INTEG_RT_SAFE | WR_INTEG_ROLLBACK |
             WR_INTEG_MASS | WR_INTEG_PATTERN,
    /* R = 1 / (1 - q) (Hairer, Wanner, "Solving ODEs II", IV.9, eq. 9.25) */
    .growth = {.numerator = {1.0}, .denominator = {1.0, -1.0}},
    .place = place,
    .destroy = destroy,
    .step = step,
    WR_ONE_STEP_OPS,
    .save = wr_one_step_save,
    .restore = wr_one_step_restore,
    .state = state,
};
