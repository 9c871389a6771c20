/* Compares coloured difference Jacobians with the analytic Jacobian. */
#include "ivp.h"

#include "subsystems/solvers/jac_color.h"

enum { N = 20 };

TEST(coloured_differences_match)
{
    AUTO(ivp_done) ivp problem;
    ivp_rod(&problem, N);
    double x[N], f[N], exact[3 * N], differenced[3 * N];
    for (int i = 0; i < N; i++)
        x[i] = i % 5 == 0 ? 0.0 : (i % 2 ? 1.0 : -1.0) * (1.0 + i);
    problem.ode.jacobian(problem.ode.self, 0.3, x, exact);
    problem.ode.jacobian = NULL;
    wr_jac_color *const jac = wr_jac_color_place(problem.arena, &problem.ode);
    wr_integ_stats stats = {0};
    problem.ode.rhs(problem.ode.self, 0.3, x, f);
    problem.n_rhs = 0;
    assert_int_equal(wr_jac_color_eval(jac, &stats, 0.3, x, f, differenced), 0);
    assert_int_equal(problem.n_rhs, 3); /* tridiagonal: three colours */
    assert_int_equal(stats.n_rhs, 3);
    assert_int_equal(stats.n_jacobian, 1);
    /* eps |f| / increment: about sqrt(eps) of the largest terms, 400 * 20, over 0.01 nominal. */
    for (int i = 0; i < problem.ode.pattern->n_nonzero; i++)
        assert_close(differenced[i], exact[i], 1e-5, 1e-2);
}

/* A Jacobian with relative errors of 10 % fits any gamma. Without a diagonal entry d, the Jacobian fits if gamma d is below a bound. */
TEST(one_evaluation_shows_a_changed_row)
{
    AUTO(ivp_done) ivp problem;
    ivp_rod(&problem, N);
    double x[N], f[N], values[3 * N], tolerance[N];
    for (int i = 0; i < N; i++)
        tolerance[i] = x[i] = 1.0 + i;
    problem.ode.jacobian(problem.ode.self, 0.3, x, values);
    problem.ode.rhs(problem.ode.self, 0.3, x, f);
    problem.ode.jacobian = NULL;
    const wr_matrix *const pattern = problem.ode.pattern;
    wr_jac_color *const jac = wr_jac_color_place(problem.arena, &problem.ode);
    const wr_jac_point at = {0.3, x, f, tolerance};
    wr_integ_stats stats = {0};
    for (int i = 0; i < pattern->n_nonzero; i++)
        values[i] *= 1.1;
    assert_true(isinf(wr_jac_color_fits(jac, &stats, &at, values)));
    assert_int_equal(stats.n_rhs, 1);
    for (int j = 0; j < N; j++) {
        double *const diagonal = &values[wr_matrix_find(pattern, j, j)];
        const double before = *diagonal;
        *diagonal = 0.0;
        const double gamma_s = wr_jac_color_fits(jac, &stats, &at, values);
        assert_true(gamma_s > 0.0 && gamma_s * fabs(before) < 2.0);
        *diagonal = before;
    }
    problem.fault = IVP_FAULT_RETRY;
    assert_true(wr_jac_color_fits(jac, &stats, &at, values) <= 0.0);
}

/* Jacobian and pattern of the rod for rod_tangent(), its calls, and the number of calls that succeed. */
static const double *rod_jacobian;
static const wr_matrix *rod_pattern;
static int n_tangent, refuses_from;

static int rod_tangent(void *self, double t_s, const double *x, const double *x_change,
                       double *ret_dx)
{
    (void)self, (void)t_s, (void)x;
    if (++n_tangent > refuses_from)
        return 1;
    memset(ret_dx, 0, N * sizeof *ret_dx);
    for (int j = 0; j < N; j++)
        for (int i = rod_pattern->start[j]; i < rod_pattern->start[j + 1]; i++)
            ret_dx[rod_pattern->row[i]] += rod_jacobian[i] * x_change[j];
    return 0;
}

TEST(tangents_take_the_place_of_differences)
{
    AUTO(ivp_done) ivp problem;
    ivp_rod(&problem, N);
    rod_pattern = problem.ode.pattern;
    double x[N], f[N], exact[3 * N], values[3 * N];
    for (int i = 0; i < N; i++)
        x[i] = 1.0 + i;
    problem.ode.jacobian(problem.ode.self, 0.3, x, exact);
    problem.ode.rhs(problem.ode.self, 0.3, x, f);
    problem.ode.jacobian = NULL;
    rod_jacobian = exact;
    problem.ode.tangent = rod_tangent;
    wr_jac_color *const jac = wr_jac_color_place(problem.arena, &problem.ode);
    for (int k = 0; k < 2; k++) { /* one refused colour: differences */
        wr_integ_stats stats = {0};
        n_tangent = 0;
        refuses_from = k == 0 ? 3 : 2;
        assert_int_equal(wr_jac_color_eval(jac, &stats, 0.3, x, f, values), 0);
        assert_int_equal(n_tangent, 3);
        assert_int_equal(stats.n_rhs, 3 + k);
        for (int i = 0; i < problem.ode.pattern->n_nonzero; i++)
            assert_close(values[i], exact[i], k == 0 ? 0.0 : 1e-5, k == 0 ? 0.0 : 1e-2);
    }
}

/* f is not defined beyond x1 = 1. */
static int root_rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    (void)self, (void)t_s;
    if (x[0] > 1.0)
        return 1;
    ret_dx[0] = 3.0 * x[0];
    ret_dx[1] = -x[1];
    return 0;
}

TEST(increments_turn_round_at_the_edge)
{
    IVP(problem, smooth);
    problem.ode.rhs = root_rhs;
    wr_jac_color *const jac = wr_jac_color_place(problem.arena, &problem.ode);
    wr_integ_stats stats = {0};
    const double x[2] = {1.0, 2.0}, f[2] = {3.0, -2.0};
    double values[4];
    assert_int_equal(wr_jac_color_eval(jac, &stats, 0.0, x, f, values), 0);
    assert_close(values[0], 3.0, 1e-7, 0.0);
    assert_close(values[3], -1.0, 1e-7, 0.0);
    const double outside[2] = {2.0, 2.0};
    assert_true(wr_jac_color_eval(jac, &stats, 0.0, outside, f, values) > 0);
}
