#include "ivp.h"

/* Counts calls. Fails if t_s > fault_from_s, up to fault_calls times. */
static int guard(ivp *problem, double t_s, double *ret_dx)
{
    problem->n_rhs++;
    problem->t_max_s = wr_max(problem->t_max_s, t_s);
    if (problem->fault == IVP_FAULT_NONE || t_s <= problem->fault_from_s ||
        problem->fault_calls == 0)
        return 0;
    problem->fault_calls--;
    if (problem->fault == IVP_FAULT_NAN)
        ret_dx[0] = (double)NAN;
    return problem->fault == IVP_FAULT_RETRY ? 1 : problem->fault == IVP_FAULT_FATAL ? -1 : 0;
}

static void make(ivp *problem, int n, int (*rhs)(void *, double, const double *, double *),
                 const unsigned char *is_set)
{
    memset(problem, 0, sizeof *problem);
    problem->arena = wr_arena_create(1 << 26);
    problem->ode = (wr_equations){.n_x = n,
                                  .self = problem,
                                  .rhs = rhs,
                                  .nominal = problem->nominal,
                                  .tolerance_factor = problem->tolerance_factor};
    problem->ode.pattern = wr_sparsity_place(problem->arena, n, n, is_set);
    problem->t_max_s = -(double)INFINITY;
    problem->fault_calls = -1; /* without end */
    for (int i = 0; i < n; i++)
        problem->nominal[i] = problem->tolerance_factor[i] = 1.0;
}

void ivp_smooth_exact(double t_s, double ret_x[2])
{
    ret_x[0] = exp(sin(t_s));
    ret_x[1] = 1.0 / (1.0 + t_s * t_s);
}

static int smooth_rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    double exact[2];
    ivp_smooth_exact(t_s, exact);
    ret_dx[0] = x[0] * cos(t_s) + (x[1] - exact[1]) * x[0];
    ret_dx[1] = -2.0 * t_s * x[1] * x[1] + (x[0] - exact[0]) * x[1];
    return guard(self, t_s, ret_dx);
}

void ivp_smooth(ivp *problem)
{
    const unsigned char full[4] = {1, 1, 1, 1};
    make(problem, 2, smooth_rhs, full);
    problem->t0_s = 0.0;
    problem->t1_s = 2.0;
    ivp_smooth_exact(0.0, problem->x0);
    ivp_smooth_exact(problem->t1_s, problem->reference);
}

static int shaft_rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    ret_dx[0] = 5.0 + 3.0 * cos(3.0 * t_s);
    return guard(self, t_s, ret_dx);
}

static double shaft_error(void *self, double t_s, const double *x, const double *error)
{
    return fabs(sin(x[0] + error[0]) - sin(x[0]));
}

void ivp_shaft(ivp *problem, int is_asked)
{
    const unsigned char none[1] = {0};
    make(problem, 1, shaft_rhs, none);
    problem->ode.computed_error = is_asked ? shaft_error : NULL;
    problem->t1_s = 10.0;
    problem->x0[0] = 6300.0;
    problem->reference[0] = problem->x0[0] + 5.0 * problem->t1_s + sin(3.0 * problem->t1_s);
}

static void set(ivp *problem, double t1_s, const double *x0, const double *reference)
{
    problem->t1_s = t1_s;
    memcpy(problem->x0, x0, (size_t)problem->ode.n_x * sizeof *x0);
    memcpy(problem->reference, reference, (size_t)problem->ode.n_x * sizeof *reference);
}

/* Equations and end values of the four problems below: Test Set for IVP Solvers (Mazzia, Magherini, 2008), recomputed in high
 * precision. */

static int vanderpol_rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    ret_dx[0] = x[1];
    ret_dx[1] = 1000.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
    return guard(self, t_s, ret_dx);
}

void ivp_vanderpol(ivp *problem)
{
    const unsigned char is_set[4] = {0, 1, 1, 1};
    const double x0[2] = {2.0, 0.0};
    const double reference[2] = {1.706167732170465, -8.928097010248165e-4};
    make(problem, 2, vanderpol_rhs, is_set);
    set(problem, 2000.0, x0, reference);
}

static int robertson_rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    ret_dx[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
    ret_dx[2] = 3e7 * x[1] * x[1];
    ret_dx[1] = -ret_dx[0] - ret_dx[2];
    return guard(self, t_s, ret_dx);
}

static int robertson_jacobian(void *self, double t_s, const double *x, double *ret_values)
{
    (void)self, (void)t_s;
    const double values[9] = {-0.04,      0.04,        0.0,              /* d/dx1 */
                              1e4 * x[2], 0.0,         2.0 * 3e7 * x[1], /* d/dx2 */
                              1e4 * x[1], -1e4 * x[1], 0.0};             /* d/dx3 */
    memcpy(ret_values, values, sizeof values);
    ret_values[4] = -values[3] - values[5];
    return 0;
}

void ivp_robertson(ivp *problem)
{
    const unsigned char is_set[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const double x0[3] = {1.0, 0.0, 0.0};
    const double reference[3] = {2.083340149701294e-8, 8.333360770334784e-14, 0.9999999791665152};
    make(problem, 3, robertson_rhs, is_set);
    problem->ode.jacobian = robertson_jacobian;
    set(problem, 1e11, x0, reference);
}

static int orego_rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    ret_dx[0] = 77.27 * (x[1] + x[0] * (1.0 - 8.375e-6 * x[0] - x[1]));
    ret_dx[1] = (x[2] - (1.0 + x[0]) * x[1]) / 77.27;
    ret_dx[2] = 0.161 * (x[0] - x[2]);
    return guard(self, t_s, ret_dx);
}

void ivp_orego(ivp *problem)
{
    const unsigned char is_set[9] = {1, 1, 1, 1, 1, 0, 0, 1, 1};
    const double x0[3] = {1.0, 2.0, 3.0};
    const double reference[3] = {1.000814870318523, 1228.178521549888, 132.0554942846508};
    make(problem, 3, orego_rhs, is_set);
    set(problem, 360.0, x0, reference);
}

static int hires_rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    ret_dx[0] = -1.71 * x[0] + 0.43 * x[1] + 8.32 * x[2] + 0.0007;
    ret_dx[1] = 1.71 * x[0] - 8.75 * x[1];
    ret_dx[2] = -10.03 * x[2] + 0.43 * x[3] + 0.035 * x[4];
    ret_dx[3] = 8.32 * x[1] + 1.71 * x[2] - 1.12 * x[3];
    ret_dx[4] = -1.745 * x[4] + 0.43 * x[5] + 0.43 * x[6];
    ret_dx[5] = -280.0 * x[5] * x[7] + 0.69 * x[3] + 1.71 * x[4] - 0.43 * x[5] + 0.69 * x[6];
    ret_dx[6] = 280.0 * x[5] * x[7] - 1.81 * x[6];
    ret_dx[7] = -ret_dx[6];
    return guard(self, t_s, ret_dx);
}

void ivp_hires(ivp *problem)
{
    const unsigned char is_set[64] = {
        1, 1, 0, 0, 0, 0, 0, 0, /* d/dx1 */
        1, 1, 0, 1, 0, 0, 0, 0, /* d/dx2 */
        1, 0, 1, 1, 0, 0, 0, 0, /* d/dx3 */
        0, 0, 1, 1, 0, 1, 0, 0, /* d/dx4 */
        0, 0, 1, 0, 1, 1, 0, 0, /* d/dx5 */
        0, 0, 0, 0, 1, 1, 1, 1, /* d/dx6 */
        0, 0, 0, 0, 1, 1, 1, 1, /* d/dx7 */
        0, 0, 0, 0, 0, 1, 1, 1, /* d/dx8 */
    };
    const double x0[8] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057};
    const double reference[8] = {7.371312573325668e-4, 1.442485726316185e-4, 5.888729740967575e-5,
                                 1.175651343283149e-3, 2.386356198831331e-3, 6.238968252742793e-3,
                                 2.849998395185769e-3, 2.850001604814231e-3};
    make(problem, 8, hires_rhs, is_set);
    set(problem, 321.8122, x0, reference);
}

static int rod_rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    const ivp *const problem = self;
    const int n = problem->ode.n_x;
    const double k = (double)n * (double)n;
    for (int i = 0; i < n; i++) {
        const double left = i > 0 ? x[i - 1] : sin(3.0 * t_s);
        const double right = i < n - 1 ? x[i + 1] : x[i];
        ret_dx[i] = k * (left - 2.0 * x[i] + right) - 0.5 * x[i] * x[i] * x[i];
    }
    return guard(self, t_s, ret_dx);
}

static int rod_jacobian(void *self, double t_s, const double *x, double *ret_values)
{
    const ivp *const problem = self;
    const wr_matrix *const pattern = problem->ode.pattern;
    const int n = problem->ode.n_x;
    const double k = (double)n * (double)n;
    for (int j = 0; j < n; j++)
        for (int i = pattern->start[j]; i < pattern->start[j + 1]; i++)
            ret_values[i] =
                pattern->row[i] != j ? k : (j < n - 1 ? -2.0 : -1.0) * k - 1.5 * x[j] * x[j];
    return 0;
}

void ivp_rod(ivp *problem, int n)
{
    static unsigned char is_set[IVP_MAX_STATES * IVP_MAX_STATES];
    for (int column = 0; column < n; column++)
        for (int row = 0; row < n; row++)
            is_set[column * n + row] = abs(row - column) <= 1;
    make(problem, n, rod_rhs, is_set);
    problem->ode.jacobian = rod_jacobian;
    problem->t1_s = 1.0;
}

void ivp_done(ivp *problem) { wr_arena_destroy(&problem->arena); }

const wr_lms *ivp_formula(const wr_integrator_ops *ops)
{
    return ops->order == 0 ? &wr_lms_find("am2")->formula : NULL;
}

int ivp_order(const wr_integrator_ops *ops) { return ops->order == 0 ? 3 : ops->order; }

wr_integrator *ivp_start(ivp *problem, const wr_integrator_ops *ops,
                         const wr_integ_options *options)
{
    wr_integrator *integrator = NULL;
    assert_int_equal(ops->place(problem->arena, &problem->ode, options, &integrator), WRSIM_OK);
    assert_int_equal(ops->start(integrator, problem->t0_s, problem->x0, NULL), 0);
    return integrator;
}

int ivp_run(wr_integrator *integrator, const wr_integrator_ops *ops, double t_stop_s)
{
    double t_s = -(double)INFINITY;
    while (t_s < t_stop_s) {
        const int status = ops->step(integrator, t_stop_s, &t_s);
        if (status != 0)
            return status;
    }
    assert_true(!(t_s > t_stop_s)); /* the step ends exactly at the stop */
    return 0;
}

void ivp_state(wr_integrator *integrator, const wr_integrator_ops *ops, double t_s, double *ret_x)
{
    ops->dense(integrator, t_s, ret_x, NULL);
}

void ivp_destroy(wr_integrator *integrator, const wr_integrator_ops *ops)
{
    if (ops->destroy)
        ops->destroy(integrator);
}
