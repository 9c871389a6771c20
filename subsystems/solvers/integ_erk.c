/* Explicit Runge-Kutta pairs with error control and dense output. The last stage of a step is f at the new point, which is the first stage
 * of the next step.
 *
 * bs32: Bogacki and Shampine, "A 3(2) pair of Runge-Kutta formulas", Appl. Math. Lett. 2 (1989);
 *       cubic Hermite dense output (order 3).
 * rk43: Kutta's 3/8 rule with the estimate of order 3 that f at the new point allows, in Hairer,
 *       Norsett, Wanner, "Solving ODEs I", II.4, eq. (4.9); cubic Hermite dense output (order 3).
 * dopri54: Dormand and Prince, "A family of embedded Runge-Kutta formulae", J. Comp. Appl. Math. 6
 *       (1980); dense output of order 4 by Shampine (1986), in the form of Hairer, Norsett, Wanner,
 *       "Solving ODEs I", II.6.
 *
 * Thread: one at a time. Real-time: step.
 */
#include "subsystems/solvers/one_step.h"

#include <math.h>
#include <string.h>

enum { MAX_STAGES = 7, MAX_TERMS = 6 };

/* The stages whose weights in a row of the table are not zero. */
typedef struct wr_erk_sum {
    unsigned char n_term, stage[MAX_TERMS];
} wr_erk_sum;

/* Butcher's table; the last row of a is b. error = sum (b - b^)_i k_i. */
typedef struct wr_erk_table {
    int n_stage, n_dense_term;
    double error_order, beta;
    int is_blind; /* the error estimate may miss a jump of f, so trial() also uses rough_error() */
    double c[MAX_STAGES], a[MAX_STAGES][MAX_STAGES], error[MAX_STAGES], quartic[MAX_STAGES];
    wr_erk_sum of_a[MAX_STAGES], of_error, of_quartic;
} wr_erk_table;

typedef struct wr_erk {
    wr_one_step base;
    const wr_erk_table *table;
    double *x1, *err;      /* [n_x] */
    double *k[MAX_STAGES]; /* [n_x] stages; k[0] is base.f */
} wr_erk;

static const wr_erk_table BS32 = {
    .n_stage = 4,
    .n_dense_term = WR_DENSE_POLY_CUBIC,
    .error_order = 3.0,
    .beta = 0.0,
    .c = {0.0, 1.0 / 2, 3.0 / 4, 1.0},
    .a = {{0.0}, {1.0 / 2}, {0.0, 3.0 / 4}, {2.0 / 9, 1.0 / 3, 4.0 / 9}},
    .error = {-5.0 / 72, 1.0 / 12, 1.0 / 9, -1.0 / 8},
    .of_a = {{0, {0}}, {1, {0}}, {1, {1}}, {3, {0, 1, 2}}},
    .of_error = {4, {0, 1, 2, 3}},
};

static const wr_erk_table RK43 = {
    .n_stage = 5,
    .n_dense_term = WR_DENSE_POLY_CUBIC,
    .error_order = 4.0,
    .beta = 0.0,
    .is_blind = 1,
    .c = {0.0, 1.0 / 3, 2.0 / 3, 1.0, 1.0},
    .a =
        {{0.0}, {1.0 / 3}, {-1.0 / 3, 1.0}, {1.0, -1.0, 1.0}, {1.0 / 8, 3.0 / 8, 3.0 / 8, 1.0 / 8}},
    .error = {1.0 / 24, -1.0 / 8, 1.0 / 8, 1.0 / 8, -1.0 / 6},
    .of_a = {{0, {0}}, {1, {0}}, {2, {0, 1}}, {3, {0, 1, 2}}, {4, {0, 1, 2, 3}}},
    .of_error = {5, {0, 1, 2, 3, 4}},
};

static const wr_erk_table DOPRI54 = {
    .n_stage = 7,
    .n_dense_term = WR_DENSE_POLY_QUARTIC,
    .error_order = 5.0,
    .beta = 0.04, /* "Solving ODEs II", IV.2 */
    .c = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0},
    .a = {{0.0},
          {1.0 / 5},
          {3.0 / 40, 9.0 / 40},
          {44.0 / 45, -56.0 / 15, 32.0 / 9},
          {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
          {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
          {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
    .error = {71.0 / 57600, 0.0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525,
              -1.0 / 40},
    .quartic = {-12715105075.0 / 11282082432, 0.0, 87487479700.0 / 32700410799,
                -10690763975.0 / 1880347072, 701980252875.0 / 199316789632,
                -1453857185.0 / 822651844, 69997945.0 / 29380423},
    .of_a = {{0, {0}},
             {1, {0}},
             {2, {0, 1}},
             {3, {0, 1, 2}},
             {4, {0, 1, 2, 3}},
             {5, {0, 1, 2, 3, 4}},
             {5, {0, 2, 3, 4, 5}}},
    .of_error = {6, {0, 2, 3, 4, 5, 6}},
    .of_quartic = {6, {0, 2, 3, 4, 5, 6}},
};

/* Returns whether the sum lists exactly the stages whose weights are not zero. */
static int is_sum_of(const wr_erk_sum *sum, const double *weight)
{
    int n = 0;
    for (int j = 0; j < MAX_STAGES; j++)
        if (weight[j] < 0.0 || weight[j] > 0.0) {
            if (n == sum->n_term || sum->stage[n] != j)
                return 0;
            n++;
        }
    return n == sum->n_term;
}

/* Returns whether all sums of the table satisfy is_sum_of(). */
static int is_table_sound(const wr_erk_table *table)
{
    int is_sound =
        is_sum_of(&table->of_error, table->error) && is_sum_of(&table->of_quartic, table->quartic);
    for (int i = 0; i < table->n_stage; i++)
        is_sound &= is_sum_of(&table->of_a[i], table->a[i]);
    return is_sound;
}

static wrsim_status place(wr_arena *arena, const wr_equations *ode, const wr_integ_options *options,
                          const wr_erk_table *table, wr_integrator **ret_integrator)
{
    const size_t n = (size_t)ode->n_x;
    wr_erk *const self = WR_NEW(arena, wr_erk);
    if (!self)
        return WRSIM_E_MEMORY;
    if (!is_table_sound(table))
        return WRSIM_E_INTERNAL;
    self->table = table;
    WR_TRY(wr_one_step_place(&self->base, arena, ode, options, table->n_dense_term, 0));
    wr_step_control_init(&self->base.control, ode, options, table->error_order, table->beta);
    double *const work = WR_NEW_ARRAY(arena, double, n *(size_t)(table->n_stage + 1));
    if (!work)
        return WRSIM_E_MEMORY;
    self->x1 = work;
    self->err = work + n;
    self->k[0] = self->base.f;
    for (int i = 1; i < table->n_stage; i++)
        self->k[i] = work + (size_t)(i + 1) * n;
    *ret_integrator = (wr_integrator *)(void *)self;
    return WRSIM_OK;
}

/* Sets ret = x + h sum over m stages of weight * k; x NULL: without x. The compiler inlines the function for each constant m, so that the
 * sum stays in registers and covers several states at once. */
static inline void add_terms(const wr_erk *self, const double *x, double h_s, const double *weight,
                             const wr_erk_sum *sum, int m, double *restrict ret)
{
    const double *k[MAX_TERMS];
    double w[MAX_TERMS];
    for (int j = 0; j < m; j++) {
        k[j] = self->k[sum->stage[j]];
        w[j] = h_s * weight[sum->stage[j]];
    }
    for (int i = 0; i < self->base.n_x; i++) {
        double total = w[0] * k[0][i];
        for (int j = 1; j < m; j++)
            total += w[j] * k[j][i];
        ret[i] = x ? x[i] + total : total;
    }
}

/* Sets ret like add_terms(), for a number of terms that is not constant. */
static void combine(const wr_erk *self, const double *x, double h_s, const double *weight,
                    const wr_erk_sum *sum, double *ret)
{
    switch (sum->n_term) {
    case 1:
        add_terms(self, x, h_s, weight, sum, 1, ret);
        return;
    case 2:
        add_terms(self, x, h_s, weight, sum, 2, ret);
        return;
    case 3:
        add_terms(self, x, h_s, weight, sum, 3, ret);
        return;
    case 4:
        add_terms(self, x, h_s, weight, sum, 4, ret);
        return;
    case 5:
        add_terms(self, x, h_s, weight, sum, 5, ret);
        return;
    default: /* no sum of a table in this file has more terms */
        WR_ASSERT(sum->n_term == MAX_TERMS);
        add_terms(self, x, h_s, weight, sum, MAX_TERMS, ret);
    }
}

/* Limits of rough_error(). If f jumps, stages on both sides may cancel in the estimate. If the solution slides along a jump, the stages
 * of rk43 are (-1, 1, -1, 1, -1) and cancel, so steps would grow without bound. The third difference of the first four stages detects
 * this cancellation. For x' = l x the difference is (2/3 z^2 - 1/3 z^3) f with z = h l. This difference exceeds ROUGH_SHARE of the
 * largest stage only if |z| exceeds 1.48. In a step that the estimate accepts, h times the difference is then about 48 / |z| tolerances,
 * below ROUGH_LIMIT. */
static const double ROUGH_SHARE = 2.5, ROUGH_LIMIT = 200.0;

/* Returns h times the third difference, in ROUGH_LIMIT tolerances; 0: the function found no jump of f. */
static double rough_error(const wr_erk *self, double h_s)
{
    const wr_one_step *const base = &self->base;
    const wr_step_control *const control = &base->control;
    const double factor = control->rtol * control->loosening * ROUGH_LIMIT;
    double *const *const k = self->k, worst = 0.0;
    for (int i = 0; i < base->n_x; i++) {
        const double rough = fabs(k[0][i] - k[3][i] + 3.0 * (k[2][i] - k[1][i]));
        const double most =
            wr_max(wr_max(fabs(k[0][i]), fabs(k[1][i])), wr_max(fabs(k[2][i]), fabs(k[3][i])));
        if (!(rough > ROUGH_SHARE * most))
            continue;
        const double size = wr_max(fabs(base->x[i]), fabs(self->x1[i])) +
                            control->atol_factor * base->ode->nominal[i];
        worst = wr_max(worst, h_s * rough / (factor * base->ode->tolerance_factor[i] * size));
    }
    return worst;
}

static int trial(void *context, double t_new_s, double h_s, double *ret_error)
{
    wr_erk *const self = context;
    wr_one_step *const base = &self->base;
    const wr_erk_table *const table = self->table;
    for (int stage = 1; stage < table->n_stage; stage++) {
        combine(self, base->x, h_s, table->a[stage], &table->of_a[stage], self->x1);
        const double t_s =
            table->c[stage] < 1.0 ? base->control.t_s + table->c[stage] * h_s : t_new_s;
        const int code = wr_one_step_rhs(base, t_s, self->x1, self->k[stage]);
        if (code != 0)
            return code;
    }
    combine(self, NULL, h_s, table->error, &table->of_error, self->err);
    *ret_error = wr_one_step_error(base, t_new_s, self->err, self->x1);
    if (table->is_blind && *ret_error <= 1.0)
        *ret_error = wr_max(*ret_error, rough_error(self, h_s));
    return 0;
}

static void accept(wr_erk *self, double t0_s)
{
    wr_one_step *const base = &self->base;
    const wr_erk_table *const table = self->table;
    const double t1_s = base->control.t_s;
    const size_t n = (size_t)base->n_x;
    if (table->n_dense_term == WR_DENSE_POLY_QUARTIC)
        combine(self, NULL, t1_s - t0_s, table->quartic, &table->of_quartic, self->err);
    wr_one_step_accept(base, t0_s, t1_s, self->x1, self->k[table->n_stage - 1]);
    if (table->n_dense_term == WR_DENSE_POLY_QUARTIC)
        memcpy(base->dense.c + 4 * n, self->err, n * sizeof *self->err);
}

static int step(wr_integrator *integrator, double t_stop_s, double *ret_t_s)
{
    wr_erk *const self = (wr_erk *)(void *)integrator;
    wr_one_step *const base = &self->base;
    const double t0_s = base->control.t_s;
    if (!wr_step_control_is_there(t0_s, t_stop_s)) {
        /* Workspace of 2 n_x doubles: the last two stages, which are contiguous. */
        WR_TRY(wr_one_step_run(base, trial, self, t_stop_s, self->k[self->table->n_stage - 2]));
        accept(self, t0_s);
    }
    *ret_t_s = base->control.t_s;
    return 0;
}

#define PAIR(id, table, text, p, p_dense, rtol)                                                    \
    static wrsim_status place_##id(wr_arena *arena, const wr_equations *ode,                       \
                                   const wr_integ_options *options, wr_integrator **ret)           \
    {                                                                                              \
        return place(arena, ode, options, &(table), ret);                                          \
    }                                                                                              \
    const wr_integrator_ops wr_integ_##id = {.name = #id,                                          \
                                             .help = text,                                         \
                                             .order = (p),                                         \
                                             .dense_order = (p_dense),                             \
                                             .loosest_rtol = (rtol),                               \
                                             .flags = WR_INTEG_RT_SAFE | WR_INTEG_ROLLBACK |       \
                                                      WR_INTEG_BEGINS_WITH_F |                     \
                                                      WR_INTEG_ENDS_WITH_F,                        \
                                             .place = place_##id,                                  \
                                             .step = step,                                         \
                                             .limit = wr_one_step_limit,                           \
                                             WR_ONE_STEP_OPS,                                      \
                                             WR_ONE_STEP_KEEP};

PAIR(bs32, BS32, "explicit Runge-Kutta pair of Bogacki and Shampine, order 3(2)", 3, 3, 2e-4)
PAIR(rk43, RK43, "explicit Runge-Kutta pair on Kutta's 3/8 rule, order 4(3)", 4, 3, 3.2e-4)
PAIR(dopri54, DOPRI54, "explicit Runge-Kutta pair of Dormand and Prince, order 5(4)", 5, 4, 3.2e-4)
