/* RODAS: a stiffly accurate, L-stable Rosenbrock method of order 4(3) with dense output of order 3
 * (Hairer, Wanner, "Solving ODEs II", 2nd ed., IV.7 and IV.10; coefficients after section IV.7's
 * transformed form, eq. 7.25):
 *
 *     (I / (h gamma) - J) u_i = f(t + alpha_i h, x0 + sum a_ij u_j) + sum c_ij / h u_j
 *                               + gamma_i h df/dt,      i = 1..6
 *     x1 = x0 + sum a_5j u_j + u_5 + u_6,   error = u_6
 *
 * The method evaluates J and df/dt (by a difference) at the start of every step, and keeps J and df/dt after a rejection. So a step depends
 * only on its start and the sizes of its trials.
 *
 * Thread: one at a time. Real-time: step.
 */
#include "subsystems/solvers/jac_color.h"
#include "subsystems/solvers/one_step.h"
#include "subsystems/solvers/rosenbrock.h"
#include "subsystems/solvers/shifted_matrix.h"

#include <math.h>
#include <string.h>

enum { N_STAGE = 6 };

static const double GAMMA = 0.25;
static const double ALPHA[N_STAGE] = {0.0, 0.386, 0.21, 0.63, 1.0, 1.0};
static const double GAMMA_I[N_STAGE] = {0.25, -0.1043, 0.1035, -0.3620000000000023e-1, 0.0, 0.0};
/* Row 6 is row 5 plus u_5. */
static const double A[N_STAGE][N_STAGE - 1] = {
    {0.0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1.0},
};
static const double C[N_STAGE][N_STAGE - 1] = {
    {0.0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
     -6.058818238834054},
};
/* Dense output, coefficients c2 and c3 of dense_poly.h. */
static const double D[2][N_STAGE - 1] = {
    {10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823,
     1.025137723295662},
    {-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386,
     -6.594389125716872},
};

typedef struct wr_rosenbrock {
    wr_one_step base;
    wr_jac_color *jac;
    wr_shifted shifted;
    double *jacobian;        /* [n_nonzero] */
    double *f_t;             /* [n_x] df/dt */
    double *u[N_STAGE], *x1; /* [n_x] */
    double *work;            /* [2 n_x] */
    int has_jacobian;        /* J and df/dt of the present step are valid */
} wr_rosenbrock;

static void destroy(wr_integrator *integrator)
{
    if (integrator)
        wr_shifted_done(&((wr_rosenbrock *)(void *)integrator)->shifted);
}

static wrsim_status place(wr_arena *arena, const wr_equations *ode, const wr_integ_options *options,
                          wr_integrator **ret_integrator)
{
    const size_t n = (size_t)ode->n_x;
    wr_rosenbrock *const self = WR_NEW(arena, wr_rosenbrock);
    if (!self)
        return WRSIM_E_MEMORY;
    WR_TRY(wr_one_step_place(&self->base, arena, ode, options, WR_DENSE_POLY_CUBIC, 0));
    wr_step_control_init(&self->base.control, ode, options, 4.0, 0.0);
    self->jac = wr_jac_color_place(arena, ode);
    self->jacobian = WR_NEW_ARRAY(arena, double, ode->pattern->n_nonzero);
    double *const vectors = WR_NEW_ARRAY(arena, double, n *(N_STAGE + 4));
    if (!self->jac || !self->jacobian || !vectors)
        return WRSIM_E_MEMORY;
    for (size_t i = 0; i < N_STAGE; i++)
        self->u[i] = vectors + i * n;
    self->f_t = vectors + N_STAGE * n;
    self->x1 = self->f_t + n;
    self->work = self->x1 + n;
    WR_TRY(wr_shifted_place(&self->shifted, arena, ode->pattern, options->linear_solver));
    *ret_integrator = (wr_integrator *)(void *)self;
    return WRSIM_OK;
}

/* Evaluates J and df/dt at the start of the step. */
static int linearise(wr_rosenbrock *self, double h_s)
{
    wr_one_step *const base = &self->base;
    const double t_s = base->control.t_s;
    int code = wr_jac_color_eval(self->jac, &base->stats, t_s, base->x, base->f, self->jacobian);
    if (code != 0)
        return code;
    code = wr_one_step_differ_in_time(base, h_s, self->f_t);
    self->has_jacobian = code == 0;
    return code;
}

/* Replaces u[stage], which is f at the stage, by the solution of the stage's equation. */
static void solve_stage(wr_rosenbrock *self, int stage, double h_s)
{
    double *const u = self->u[stage];
    const int n = self->base.n_x;
    wr_rosenbrock_add(n, u, 1.0 / h_s, stage, C[stage], self->u);
    const double gamma_s = GAMMA_I[stage] * h_s;
    if (stage < 4)
        for (int i = 0; i < n; i++)
            u[i] += gamma_s * self->f_t[i];
    wr_shifted_solve(&self->shifted, u);
    self->base.stats.n_solve++;
}

static int trial(void *context, double t_new_s, double h_s, double *ret_error)
{
    wr_rosenbrock *const self = context;
    wr_one_step *const base = &self->base;
    const int n = base->n_x;
    if (!self->has_jacobian) {
        const int code = linearise(self, h_s);
        if (code != 0)
            return code;
    }
    if (!wr_step_control_is_finite(base->ode->pattern->n_nonzero, self->jacobian)) {
        *ret_error = (double)NAN;
        return 0;
    }
    base->stats.n_refit++;
    if (wr_shifted_factor(&self->shifted, &base->stats, 1.0 / (h_s * GAMMA), self->jacobian) != 0)
        return 1;
    memcpy(self->u[0], base->f, (size_t)n * sizeof *base->f);
    solve_stage(self, 0, h_s);
    for (int stage = 1; stage < N_STAGE; stage++) {
        memcpy(self->x1, base->x, (size_t)n * sizeof *base->x);
        wr_rosenbrock_add(n, self->x1, 1.0, stage, A[stage], self->u);
        const double t_s = ALPHA[stage] < 1.0 ? base->control.t_s + ALPHA[stage] * h_s : t_new_s;
        const int code = wr_one_step_rhs(base, t_s, self->x1, self->u[stage]);
        if (code != 0)
            return code;
        solve_stage(self, stage, h_s);
    }
    for (int i = 0; i < n; i++)
        self->x1[i] += self->u[N_STAGE - 1][i];
    *ret_error = wr_one_step_error(base, t_new_s, self->u[N_STAGE - 1], self->x1);
    return 0;
}

static void accept(wr_rosenbrock *self, double t0_s)
{
    wr_one_step *const base = &self->base;
    const int n = base->n_x;
    double *const c = base->dense.c;
    for (int i = 0; i < n; i++) {
        c[i] = base->x[i];
        c[n + i] = self->x1[i] - base->x[i];
    }
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int j = 0; j < N_STAGE - 1; j++)
                sum += D[k][j] * self->u[j][i];
            c[(2 + k) * n + i] = sum;
        }
    base->dense.t0_s = t0_s;
    base->dense.t1_s = base->control.t_s;
    memcpy(base->x, self->x1, (size_t)n * sizeof *self->x1);
    base->has_f = 0;
}

static void damp(wr_integrator *integrator, double *v)
{
    wr_rosenbrock *const self = (wr_rosenbrock *)(void *)integrator;
    const wr_dense_poly *const last = &self->base.dense;
    wr_shifted_solve(&self->shifted, v);
    self->base.stats.n_solve++;
    for (int i = 0; i < self->base.n_x; i++)
        v[i] /= GAMMA * (last->t1_s - last->t0_s);
}

static int step(wr_integrator *integrator, double t_stop_s, double *ret_t_s)
{
    wr_rosenbrock *const self = (wr_rosenbrock *)(void *)integrator;
    wr_one_step *const base = &self->base;
    const double t0_s = base->control.t_s;
    if (!wr_step_control_is_there(t0_s, t_stop_s)) {
        self->has_jacobian = 0;
        WR_TRY(wr_one_step_run(base, trial, self, t_stop_s, self->work));
        accept(self, t0_s);
    }
    *ret_t_s = base->control.t_s;
    return 0;
}

const wr_integrator_ops wr_integ_rosenbrock = {
    .name = "rosenbrock",
    .help = "Rosenbrock method RODAS, stiffly accurate, order 4(3)",
    .order = 4,
    .dense_order = 3,
    .loosest_rtol = 1e-4,
    .flags = WR_INTEG_STIFF | WR_INTEG_RT_SAFE | WR_INTEG_ROLLBACK | WR_INTEG_BEGINS_WITH_F,
    .place = place,
    .destroy = destroy,
    .step = step,
    .damp = damp,
    .limit = wr_one_step_limit,
    WR_ONE_STEP_OPS,
    WR_ONE_STEP_KEEP,
};
