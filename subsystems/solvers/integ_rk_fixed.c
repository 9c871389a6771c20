/* Explicit Runge-Kutta methods of fixed step. Each stage reads the stage before only.
 *
 * euler: forward Euler; between grid points a straight line, as exact as the method.
 * heun: the explicit trapezoidal rule (Hairer, Norsett, Wanner, "Solving ODEs I", II.1, table 1.1).
 * rk3: Ralston's method, of least error bound (Ralston, "Runge-Kutta methods with minimum error bounds", Math. Comp. 16 (1962)).
 *      The pair bs32 has the same first three stages (integ_erk.c).
 * rk4: the classic method ("Solving ODEs I", II.1, table 1.2).
 *
 * Between grid points heun, rk3 and rk4 have a cubic Hermite polynomial. The slope at its end is the first stage of the next step.
 *
 * Thread: one at a time. Real-time: step.
 */
#include "subsystems/solvers/one_step.h"

enum { MAX_STAGES = 4 };

/* Butcher's table without the weights, which are in METHOD(). Stage j + 1 is at c[j], and reads c[j] times stage j. */
typedef struct wr_rk_table {
    int n_stage, n_dense_term;
    double c[MAX_STAGES - 1];
} wr_rk_table;

static const wr_rk_table EULER = {.n_stage = 1, .n_dense_term = WR_DENSE_POLY_LINE};
static const wr_rk_table HEUN = {.n_stage = 2, .n_dense_term = WR_DENSE_POLY_CUBIC, .c = {1.0}};
static const wr_rk_table RK3 = {
    .n_stage = 3, .n_dense_term = WR_DENSE_POLY_CUBIC, .c = {0.5, 0.75}};
static const wr_rk_table RK4 = {
    .n_stage = 4, .n_dense_term = WR_DENSE_POLY_CUBIC, .c = {0.5, 0.5, 1.0}};

typedef struct wr_rk {
    wr_one_step base;
    double *x1, *f1, *k[MAX_STAGES]; /* k[0] is base.f */
} wr_rk;

static wrsim_status place(wr_arena *arena, const wr_equations *ode, const wr_integ_options *options,
                          const wr_rk_table *table, wr_integrator **ret_integrator)
{
    const size_t n = (size_t)ode->n_x;
    wr_rk *const self = WR_NEW(arena, wr_rk);
    if (!self)
        return WRSIM_E_MEMORY;
    WR_TRY(wr_one_step_place(&self->base, arena, ode, options, table->n_dense_term, 1));
    self->x1 = WR_NEW_ARRAY(arena, double, (size_t)(table->n_stage + 1) * n);
    if (!self->x1)
        return WRSIM_E_MEMORY;
    self->f1 = self->x1 + n;
    self->k[0] = self->base.f;
    for (int j = 1; j < table->n_stage; j++)
        self->k[j] = self->x1 + (size_t)(j + 1) * n;
    *ret_integrator = (wr_integrator *)(void *)self;
    return WRSIM_OK;
}

/* Finds the stages of a step to t1. The compiler inlines the function for each constant table. */
static inline wrsim_status find_stages(wr_rk *self, const wr_rk_table *table, double t1_s)
{
    wr_one_step *const base = &self->base;
    const double t0_s = base->control.t_s, h_s = t1_s - t0_s;
    WR_TRY(wr_one_step_ensure_f(base));
    for (int j = 1; j < table->n_stage; j++) {
        const double part_s = table->c[j - 1] * h_s;
        for (int i = 0; i < base->n_x; i++)
            self->x1[i] = base->x[i] + part_s * self->k[j - 1][i];
        if (!wr_step_control_is_finite(base->n_x, self->x1))
            return WRSIM_E_NAN;
        const double t_s = table->c[j - 1] < 1.0 ? t0_s + part_s : t1_s;
        const int code = wr_one_step_rhs(base, t_s, self->x1, self->k[j]);
        if (code != 0)
            return wr_one_step_fault(code);
    }
    return WRSIM_OK;
}

/* Stability function of an explicit Runge-Kutta method with as many stages as its order p. The function is the series of e^q up to q^p
 * (Hairer, Wanner, "Solving ODEs II", IV.2, eq. 2.12). The arguments are the coefficients from q^2 on. */
#define GROWTH(...) .growth = {.numerator = {1.0, 1.0, __VA_ARGS__}, .denominator = {1.0}}

/* Defines the functions and operations of a table. x1 = x0 + h / divisor * sum, where k[j][i] is the derivative of state i in stage j. The
 * last argument is .formula or GROWTH. */
#define METHOD(id, table, divisor, sum, text, p, p_dense, more_flags, ...)                         \
    static wrsim_status place_##id(wr_arena *arena, const wr_equations *ode,                       \
                                   const wr_integ_options *options, wr_integrator **ret)           \
    {                                                                                              \
        return place(arena, ode, options, &(table), ret);                                          \
    }                                                                                              \
    static wrsim_status advance_##id(wr_rk *self, double t1_s)                                     \
    {                                                                                              \
        wr_one_step *const base = &self->base;                                                     \
        double *const *const k = self->k;                                                          \
        const double h_s = t1_s - base->control.t_s;                                               \
        WR_TRY(find_stages(self, &(table), t1_s));                                                 \
        for (int i = 0; i < base->n_x; i++)                                                        \
            self->x1[i] = base->x[i] + h_s / (divisor) * (sum);                                    \
        return base->dense.n_term > WR_DENSE_POLY_LINE                                             \
                   ? wr_one_step_land(base, t1_s, self->x1, self->f1)                              \
                   : wr_one_step_take(base, t1_s, self->x1, NULL);                                 \
    }                                                                                              \
    static int step_##id(wr_integrator *integrator, double t_stop_s, double *ret_t_s)              \
    {                                                                                              \
        wr_one_step *const base = wr_one_step_of(integrator);                                      \
        if (!wr_step_control_is_there(base->control.t_s, t_stop_s))                                \
            WR_TRY(advance_##id((wr_rk *)(void *)integrator,                                       \
                                wr_step_grid_next(&base->grid, base->control.t_s, t_stop_s)));     \
        *ret_t_s = base->control.t_s;                                                              \
        return 0;                                                                                  \
    }                                                                                              \
    const wr_integrator_ops wr_integ_##id = {.name = #id,                                          \
                                             .help = text,                                         \
                                             .order = (p),                                         \
                                             .dense_order = (p_dense),                             \
                                             .flags = WR_INTEG_FIXED_STEP | WR_INTEG_RT_SAFE |     \
                                                      WR_INTEG_ROLLBACK | WR_INTEG_BEGINS_WITH_F | \
                                                      (more_flags),                                \
                                             __VA_ARGS__,                                          \
                                             .place = place_##id,                                  \
                                             .step = step_##id,                                    \
                                             .coarse = wr_one_step_coarse,                         \
                                             WR_ONE_STEP_OPS,                                      \
                                             WR_ONE_STEP_KEEP};

METHOD(euler, EULER, 1.0, k[0][i], "forward Euler, fixed step, order 1", 1, 1, 0,
       .formula = "euler")
METHOD(heun, HEUN, 2.0, k[0][i] + k[1][i], "Heun's method, fixed step, order 2", 2, 3,
       WR_INTEG_ENDS_WITH_F, GROWTH(1.0 / 2.0))
METHOD(rk3, RK3, 9.0, 2.0 * k[0][i] + 3.0 * k[1][i] + 4.0 * k[2][i],
       "Ralston's Runge-Kutta, fixed step, order 3", 3, 3, WR_INTEG_ENDS_WITH_F,
       GROWTH(1.0 / 2.0, 1.0 / 6.0))
METHOD(rk4, RK4, 6.0, k[0][i] + 2.0 * (k[1][i] + k[2][i]) + k[3][i],
       "classic Runge-Kutta, fixed step, order 4", 4, 3, WR_INTEG_ENDS_WITH_F,
       GROWTH(1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0))
