/* Stiff problems against published values (Test Set for IVP Solvers, Mazzia, Magherini, 2008), and comparisons of linear solvers. */
#include "ivp.h"

typedef struct stiff_case {
    const char *name;
    void (*make)(ivp *);
    double atol_factor; /* below the smallest component with a tested error */
    double limit[5];    /* largest relative error of each of KINDS, in units of rtol */
} stiff_case;

static const char *const KINDS[] = {"rosenbrock", "rosenbrock_w", "cvode_bdf", "auto", "lsoda"};

static const stiff_case CASES[] = {
    {"van der Pol", ivp_vanderpol, 1e-6, {2.0, 2.0, 10.0, 2.0, 10.0}},
    {"Robertson", ivp_robertson, 1e-12, {2.0, 5.0, 10.0, 2.0, 10.0}},
    {"OREGO", ivp_orego, 1e-6, {5.0, 15.0, 10.0, 5.0, 10.0}},
    {"HIRES", ivp_hires, 1e-4, {2.0, 3.0, 10.0, 3.0, 10.0}},
};

static double relative_error(const ivp *problem, const double *x)
{
    double worst = 0.0;
    for (int i = 0; i < problem->ode.n_x; i++)
        worst = fmax(worst, fabs(x[i] - problem->reference[i]) / fabs(problem->reference[i]));
    return worst;
}

static double solve(const stiff_case *c, const wr_integrator_ops *ops, double rtol)
{
    ivp problem;
    double x[IVP_MAX_STATES];
    c->make(&problem);
    const wr_integ_options options = {.rtol = rtol, .atol_factor = c->atol_factor};
    wr_integrator *const integrator = ivp_start(&problem, ops, &options);
    assert_int_equal(ivp_run(integrator, ops, problem.t1_s), 0);
    ivp_state(integrator, ops, problem.t1_s, x);
    const double error = relative_error(&problem, x);
    const wr_integ_stats *const stats = wr_integrator_stats(integrator);
    print_message(
        "%s %s rtol %.0e: error %.1e, steps %d + %d, f %d, J %d, implicit %d, switches %d\n",
        ops->name, c->name, rtol, error, (int)stats->n_step, (int)stats->n_rejected,
        (int)stats->n_rhs, (int)stats->n_jacobian, (int)stats->n_implicit_step,
        (int)stats->n_method_change);
    ivp_destroy(integrator, ops);
    ivp_done(&problem);
    return error;
}

static void check_published(int method)
{
    const wr_integrator_ops *const ops = wr_integrator_find(KINDS[method]);
    for (size_t i = 0; i < WR_COUNT_OF(CASES); i++) {
        double first = 0.0, last = 0.0;
        const double limit = CASES[i].limit[method];
        for (int digits = 4; digits <= 7; digits++) {
            const double rtol = pow(10.0, -digits);
            last = solve(&CASES[i], ops, rtol);
            assert_true(last <= limit * rtol);
            first = digits == 4 ? last : first;
        }
        assert_true(last <= 0.02 * first);
    }
}

TEST(rosenbrock_meets_published_values) { check_published(0); }

TEST(rosenbrock_w_meets_published_values) { check_published(1); }

TEST(auto_meets_published_values) { check_published(3); }

/* Where the solution is smooth, one Jacobian serves more than five steps on average, also across restarts and changes of inputs. */
TEST(rosenbrock_w_keeps_its_jacobian)
{
    int64_t n_step[2];
    for (int k = 0; k < 2; k++) {
        const wr_integrator_ops *const ops = wr_integrator_find("rosenbrock_w");
        AUTO(ivp_done) ivp problem;
        ivp_rod(&problem, 20);
        const wr_integ_options options = {.rtol = 1e-6, .atol_factor = 1.0};
        wr_integrator *const integrator = ivp_start(&problem, ops, &options);
        const wr_integ_stats *const stats = wr_integrator_stats(integrator);
        for (int i = 1; i <= 50; i++) {
            assert_int_equal(ivp_run(integrator, ops, 0.02 * i), 0);
            /* The Jacobian stays valid across windows, events and rollbacks. */
            ops->save(integrator);
            assert_int_equal(ivp_run(integrator, ops, 0.02 * i + 0.005), 0);
            ops->restore(integrator);
            double x[20];
            ivp_state(integrator, ops, 0.02 * i, x);
            if (k == 0)
                assert_int_equal(ops->start(integrator, 0.02 * i, x, NULL), 0);
            else
                ops->inputs_changed(integrator, NULL);
        }
        print_message("steps %d + %d, J %d, LU %d\n", (int)stats->n_step, (int)stats->n_rejected,
                      (int)stats->n_jacobian, (int)stats->n_factor);
        assert_true(stats->n_step > 50);
        assert_true(stats->n_jacobian * 5 < stats->n_step);
        n_step[k] = stats->n_step;
        ivp_destroy(integrator, ops);
    }
    assert_true(n_step[0] == n_step[1]);
}

TEST(cvode_bdf_meets_published_values) { check_published(2); }

TEST(lsoda_meets_published_values) { check_published(4); }

/* Computes the end state of the heat rod. */
static void solve_rod(const char *name, wr_linear_solver solver, int user_jacobian, double *ret_x)
{
    const wr_integrator_ops *const ops = wr_integrator_find(name);
    AUTO(ivp_done) ivp problem;
    ivp_rod(&problem, 40);
    if (!user_jacobian)
        problem.ode.jacobian = NULL;
    const wr_integ_options options = {.rtol = 1e-7,
                                      .atol_factor = 1.0,
                                      .step_s = ops->flags & WR_INTEG_FIXED_STEP ? 0.01 : 0.0,
                                      .linear_solver = solver};
    wr_integrator *const integrator = ivp_start(&problem, ops, &options);
    assert_int_equal(ivp_run(integrator, ops, problem.t1_s), 0);
    ivp_state(integrator, ops, problem.t1_s, ret_x);
    const wr_integ_stats *const stats = wr_integrator_stats(integrator);
    assert_int_equal(stats->n_rhs, problem.n_rhs);
    assert_true(stats->n_jacobian > 0 && stats->n_factor >= stats->n_jacobian);
    /* Flops of a dense or a tridiagonal factorisation. */
    const double n = 40.0, flop = stats->factor_flop / (double)stats->n_factor;
    if (solver == WR_LINEAR_DENSE)
        assert_close(flop, 2.0 / 3.0 * n * n * n, 1e-9, 0.0);
    else
        assert_true(flop > n && flop < 5.0 * n);
    ivp_destroy(integrator, ops);
}

static void check_same(const double *a, const double *b, double tolerance)
{
    for (int i = 0; i < 40; i++)
        assert_close(a[i], b[i], 0.0, tolerance);
}

TEST(dense_sparse_user_and_differenced_agree)
{
    const char *const names[] = {"linimp", "rosenbrock", "rosenbrock_w", "cvode_bdf"};
    for (size_t i = 0; i < WR_COUNT_OF(names); i++) {
        double dense[40], sparse[40], automatic[40], differenced[40];
        solve_rod(names[i], WR_LINEAR_DENSE, 1, dense);
        solve_rod(names[i], WR_LINEAR_SPARSE, 1, sparse);
        solve_rod(names[i], WR_LINEAR_AUTO, 1, automatic);
        solve_rod(names[i], WR_LINEAR_SPARSE, 0, differenced);
        assert_true(fabs(dense[20]) > 1e-3); /* the input reaches state 20 */
        /* Differences come only from rounding and from step sizes that rounding changes. */
        check_same(dense, sparse, strcmp(names[i], "linimp") == 0 ? 1e-12 : 1e-7);
        assert_memory_equal(sparse, automatic, sizeof sparse); /* "auto" is sparse for 40 states */
        check_same(sparse, differenced, 1e-6);
    }
}

/* A linear rod. With `moved` the last bit of the first entry of the Jacobian alternates, so that each matrix differs from the last. */
enum { LINEAR_STATES = 40 };
static int moved;
static int linear_rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    (void)self;
    for (int i = 0; i < LINEAR_STATES; i++)
        ret_dx[i] = (i > 0 ? x[i - 1] : sin(3.0 * t_s)) - 2.0 * x[i] +
                    (i < LINEAR_STATES - 1 ? x[i + 1] : x[i]);
    return 0;
}

static int linear_jacobian(void *self, double t_s, const double *x, double *ret_values)
{
    (void)t_s, (void)x;
    const wr_matrix *const pattern = ((const ivp *)self)->ode.pattern;
    for (int j = 0; j < LINEAR_STATES; j++)
        for (int i = pattern->start[j]; i < pattern->start[j + 1]; i++)
            ret_values[i] = pattern->row[i] != j ? 1.0 : j < LINEAR_STATES - 1 ? -2.0 : -1.0;
    if (moved > 0 && moved++ % 2)
        ret_values[0] = nextafter(ret_values[0], 0.0);
    return 0;
}

/* Solves the linear rod with a rollback in each window of five steps. Returns the number of factorisations. */
static int64_t solve_linear(const char *name, wr_linear_solver solver, double *ret_x)
{
    const wr_integrator_ops *const ops = wr_integrator_find(name);
    AUTO(ivp_done) ivp problem;
    ivp_rod(&problem, LINEAR_STATES);
    problem.ode.rhs = linear_rhs;
    problem.ode.jacobian = linear_jacobian;
    const wr_integ_options options = {
        .rtol = 1e-6, .atol_factor = 1.0, .step_s = 0.01, .linear_solver = solver};
    wr_integrator *const integrator = ivp_start(&problem, ops, &options);
    for (int i = 1; i <= 20; i++) {
        ops->save(integrator);
        assert_int_equal(ivp_run(integrator, ops, 0.05 * i), 0);
        ops->restore(integrator);
        assert_int_equal(ivp_run(integrator, ops, 0.05 * i), 0);
    }
    ivp_state(integrator, ops, 1.0, ret_x);
    const wr_integ_stats *const stats = wr_integrator_stats(integrator);
    assert_int_equal(stats->n_step, 200);
    const int64_t n_factor = stats->n_factor;
    ivp_destroy(integrator, ops);
    return n_factor;
}

TEST(constant_matrices_are_factorised_once)
{
    static const char *const names[] = {"linimp", "backward_euler", "trapezoidal"};
    for (size_t i = 0; i < WR_COUNT_OF(names); i++)
        for (int solver = 0; solver < 2; solver++) {
            double kept[LINEAR_STATES], repeated[LINEAR_STATES];
            const wr_linear_solver choice = solver ? WR_LINEAR_SPARSE : WR_LINEAR_DENSE;
            moved = 0;
            assert_int_equal(solve_linear(names[i], choice, kept), 1);
            moved = 1;
            assert_true(solve_linear(names[i], choice, repeated) >= 200);
            for (int k = 0; k < LINEAR_STATES; k++)
                assert_close(kept[k], repeated[k], 0.0, 1e-13);
        }
}

/* x' = (x2, -x1) / e with a step far above e: pivots on the diagonal are too small, and the dense solver replaces the sparse solver. */
static int spin_rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    (void)self, (void)t_s;
    ret_dx[0] = 1e9 * x[1];
    ret_dx[1] = -1e9 * x[0];
    return 0;
}

TEST(small_diagonal_is_solved_dense)
{
    const wr_integrator_ops *const ops = wr_integrator_find("linimp");
    IVP(problem, smooth);
    problem.ode.rhs = spin_rhs;
    problem.x0[0] = problem.x0[1] = 1.0;
    double x[2][2];
    for (int k = 0; k < 2; k++) {
        const wr_integ_options options = {
            .step_s = 0.1, .linear_solver = k == 0 ? WR_LINEAR_DENSE : WR_LINEAR_SPARSE};
        wr_integrator *const integrator = ivp_start(&problem, ops, &options);
        assert_int_equal(ivp_run(integrator, ops, 0.1), 0);
        ivp_state(integrator, ops, 0.1, x[k]);
        ivp_destroy(integrator, ops);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_close(x[0][0], 0.0, 0.0, 1e-6); /* L-stable: damped in one step */
}

/* x' = -1e6 (x - 1) from t = 1000 on: the length of first steps is a few roundings of the time. The dense output within each step equals
 * the solution, too. */
static int fast_rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    ret_dx[0] = -1e6 * (x[0] - 1.0);
    ret_dx[1] = 0.0;
    return 0;
}

TEST(dense_output_far_from_time_zero)
{
    static const char *const names[] = {"cvode_bdf",    "cvode_adams", "rosenbrock",
                                        "rosenbrock_w", "auto",        "dopri54"};
    for (size_t k = 0; k < WR_COUNT_OF(names); k++) {
        const wr_integrator_ops *const ops = wr_integrator_find(names[k]);
        IVP(problem, smooth);
        problem.ode.rhs = fast_rhs;
        problem.ode.jacobian = NULL;
        problem.t0_s = 1000.0;
        problem.x0[0] = problem.x0[1] = 0.0;
        const wr_integ_options options = {.rtol = 1e-6, .atol_factor = 1.0};
        wr_integrator *const integrator = ivp_start(&problem, ops, &options);
        double worst = 0.0, t_s = problem.t0_s;
        int n_step = 0;
        for (; t_s < problem.t0_s + 1e-5; n_step++) {
            const double left_s = t_s;
            assert_int_equal(ops->step(integrator, problem.t0_s + 1e-5, &t_s), 0);
            for (int i = 1; i < 8; i++) {
                const double at_s = left_s + (t_s - left_s) * i / 8.0;
                double x[2];
                ops->dense(integrator, at_s, x, NULL);
                worst = wr_max(worst, fabs(x[0] + expm1(-1e6 * (at_s - problem.t0_s))));
            }
        }
        print_message("%s: %d steps, off %.2g\n", names[k], n_step, worst);
        assert_true(worst < 2e-5); /* a rounding of the time changes x by 1e-7 */
        ivp_destroy(integrator, ops);
    }
}
