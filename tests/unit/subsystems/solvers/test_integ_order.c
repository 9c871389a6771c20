/* Every integrator has its order on a smooth problem with an exact solution. The tests measure the order at the end, in the dense
 * output, with windows, and with a restart inside a step. A rollback is exact to the bit for integrators that claim rollback. */
#include "ivp.h"

#include "subsystems/solvers/one_step.h"

/* Later than any step, s. */
static const double NEVER_S = 1e300;
/* Time after a start in which methods of variable order raise their order and their step, s. All runs with these methods need less. */
static const double START_PHASE_S = 0.5;
/* Smallest relative tolerance at which a test compares the error with the tolerance (docs/lab/2026-11-28-lsoda.md). */
static const double FINEST_CHECKED = 0.99e-10;

/* Results of one run. */
typedef struct outcome {
    double error, dense_error; /* largest errors at ends of steps, and at points inside steps */
    double n_step, n_late;     /* number of all steps; of steps after a start phase */
} outcome;

/* A W-method has its order with any Jacobian. */
static int no_jacobian(void *self, double t_s, const double *x, double *ret_values)
{
    (void)self, (void)t_s, (void)x;
    memset(ret_values, 0, 4 * sizeof *ret_values);
    return 0;
}

static int wrong_jacobian(void *self, double t_s, const double *x, double *ret_values)
{
    (void)self, (void)t_s, (void)x;
    const double values[4] = {-1.0, 0.5, 2.0, -3.0};
    memcpy(ret_values, values, sizeof values);
    return 0;
}

typedef int jacobian_of(void *self, double t_s, const double *x, double *ret_values);

typedef enum cut { CUT_NONE, CUT_WINDOWS, CUT_RESTART } cut;

static double distance(const double *x, double t_s)
{
    double exact[2];
    ivp_smooth_exact(t_s, exact);
    return fmax(fabs(x[0] - exact[0]), fabs(x[1] - exact[1]));
}

/* Steps to t_stop_s and checks the dense output of every step. Stops early inside the step that contains t_leave_s. Returns the
 * time reached. */
static double walk(wr_integrator *integrator, const wr_integrator_ops *ops, double t_s,
                   double t_stop_s, double t_leave_s, outcome *worst)
{
    const double late_s = t_s + START_PHASE_S;
    double x[2], at_start[2], at_end[2];
    ops->dense(integrator, t_s, at_end, NULL);
    while (t_s < t_stop_s) {
        const double t0_s = t_s;
        memcpy(at_start, at_end, sizeof at_start);
        assert_int_equal(ops->step(integrator, t_stop_s, &t_s), 0);
        assert_true(t_s > t0_s);
        assert_true(t_s <= t_stop_s);
        worst->n_late += t0_s >= late_s;
        for (int i = 1; i < 8; i += 3) {
            const double inside_s = t0_s + (t_s - t0_s) * i / 8.0;
            double slope[2], slope_alone[2];
            ops->dense(integrator, inside_s, x, slope);
            ops->dense(integrator, inside_s, NULL, slope_alone);
            assert_memory_equal(slope, slope_alone, sizeof slope);
            worst->dense_error = fmax(worst->dense_error, distance(x, inside_s));
        }
        ops->dense(integrator, t0_s, x, NULL);
        assert_memory_equal(x, at_start, sizeof x);
        ops->dense(integrator, t_s, at_end, NULL);
        worst->error = fmax(worst->error, distance(at_end, t_s));
        if (t0_s < t_leave_s && t_leave_s < t_s)
            return t_leave_s;
    }
    return t_s;
}

/* Runs from 0 to t1_s. */
static outcome run(const wr_integrator_ops *ops, const wr_integ_options *options, double t1_s,
                   cut how, jacobian_of *jacobian)
{
    ivp problem;
    ivp_smooth(&problem);
    problem.t1_s = t1_s;
    problem.ode.jacobian = jacobian;
    wr_integrator *const integrator = ivp_start(&problem, ops, options);
    outcome result = {0.0, 0.0, 0.0, 0.0};
    outcome ignored = {0.0, 0.0, 0.0, 0.0};
    double x[2], t_s = 0.0;
    const double window_s = 0.185 * t1_s, restart_s = 0.515151 * t1_s;
    if (how == CUT_WINDOWS) {
        for (int i = 1; t_s + window_s < problem.t1_s; i++) {
            const double end_s = i * window_s;
            ops->save(integrator);
            ops->inputs_changed(integrator, NULL);
            walk(integrator, ops, t_s, end_s, NEVER_S, &ignored);
            ops->restore(integrator);
            ops->inputs_changed(integrator, NULL);
            t_s = walk(integrator, ops, t_s, end_s, NEVER_S, &result);
        }
    } else if (how == CUT_RESTART) {
        t_s = walk(integrator, ops, t_s, problem.t1_s, restart_s, &result);
        assert_true(t_s < problem.t1_s);
        ops->dense(integrator, t_s, x, NULL);
        assert_int_equal(ops->start(integrator, t_s, x, NULL), 0);
    }
    t_s = walk(integrator, ops, t_s, problem.t1_s, NEVER_S, &result);
    result.n_step = (double)wr_integrator_stats(integrator)->n_step;
    assert_int_equal(wr_integrator_stats(integrator)->n_rhs, problem.n_rhs);
    assert_true(problem.t_max_s <= problem.t1_s); /* never evaluates beyond the stop */
    ivp_destroy(integrator, ops);
    ivp_done(&problem);
    return result;
}

/* Returns the slope of the least-squares line through (x, log(error)). */
static double fit(const double *x, const double *error, int n)
{
    double sum_x = 0.0, sum_xx = 0.0, sum_e = 0.0, sum_xe = 0.0;
    for (int i = 0; i < n; i++) {
        const double e = log(error[i]);
        sum_x += x[i];
        sum_xx += x[i] * x[i];
        sum_e += e;
        sum_xe += x[i] * e;
    }
    return (n * sum_xe - sum_x * sum_e) / (n * sum_xx - sum_x * sum_x);
}

/* Measures the order with fixed steps, or with variable steps that the largest step limits under a loose tolerance. */
static void check_order_by_step(const wr_integrator_ops *ops, cut how, jacobian_of *jacobian)
{
    enum { N = 4 };
    double log_step[N], error[N], dense_error[N];
    /* Halving starts where the leading error term dominates, later for methods with a history, and ends above rounding. */
    const int p = ivp_order(ops);
    const int has_history = (ops->flags & WR_INTEG_FIXED_STEP) && ops->start != wr_one_step_start;
    const double first_s = p == 1 ? 0.02 : has_history ? 0.025 : 0.1;
    for (int i = 0; i < N; i++) {
        const wr_integ_options options = {.rtol = 1e8,
                                          .atol_factor = 1.0,
                                          .step_s = ldexp(first_s, -i),
                                          .formula = ivp_formula(ops)};
        const outcome result = run(ops, &options, 2.0, how, jacobian);
        log_step[i] = log(options.step_s);
        error[i] = result.error;
        dense_error[i] = result.dense_error;
    }
    const double order = fit(log_step, error, N), dense_order = fit(log_step, dense_error, N);
    const int expected_dense = p < ops->dense_order + 1 ? p : ops->dense_order + 1;
    print_message("%s, cut %d: order %.2f, dense %.2f\n", ops->name, (int)how, order, dense_order);
    /* If errors cancel, the measured order may be above p. */
    assert_between(order, p - 0.25, p + 1.2);
    assert_between(dense_order, expected_dense - 0.25, expected_dense + 1.2);
}

/* The methods of CVODE and LSODA control their steps and their order up to a maximum. The error falls as n_late^-order: the steps of a start
 * phase have lower orders and lengths of their own. At one tolerance the error differs from this line by a factor of up to three, so the fit
 * needs many tolerances. Adams methods reach rounding before orders above 6. */
static void check_order_by_tolerance(const wr_integrator_ops *ops, cut how)
{
    enum { PER_DECADE = 8, N = 7 * PER_DECADE + 1 };
    const int highest = strcmp(ops->name, "cvode_bdf") == 0 ? ops->order : 6;
    for (int order = 1; order <= highest; order++) {
        double log_step[N], error[N], dense_error[N];
        double worst = 0.0, steps = 0.0;
        int n = 0;
        for (; n < N && steps < 1e4; n++) {
            const wr_integ_options options = {.rtol = pow(10.0, -4.0 - (double)n / PER_DECADE),
                                              .atol_factor = 1.0,
                                              .max_order = order};
            const outcome result = run(ops, &options, 10.0, how, NULL);
            /* The error control limits the error per step, so error / rtol grows as rtol^(-1 / (order + 1)). */
            if (options.rtol >= FINEST_CHECKED)
                worst = wr_max(worst, result.error / options.rtol);
            steps = result.n_step;
            log_step[n] = -log(result.n_late);
            error[n] = result.error;
            dense_error[n] = result.dense_error;
        }
        const double measured = fit(log_step, error, n), dense = fit(log_step, dense_error, n);
        print_message("%s up to order %d, cut %d: order %.2f, dense %.2f, error %.0f rtol\n",
                      ops->name, order, (int)how, measured, dense, worst);
        /* At loose tolerances the methods do not reach orders above 3, which raises the measured order. */
        const double above = order <= 3 ? 0.5 : 2.0;
        assert_between(measured, order - 0.25, order + above);
        assert_between(dense, order - 0.25, order + above);
        if (order == highest)
            assert_true(worst <= 60.0); /* CVODE's tolerance factor: cvode_error.c */
    }
}

static void check_all(cut how)
{
    for (const wr_integrator_ops *const *ops = wr_integrators; *ops; ops++)
        if ((*ops)->flags & WR_INTEG_ORDERS)
            check_order_by_tolerance(*ops, how);
        else
            check_order_by_step(*ops, how, NULL);
}

TEST(order) { check_all(CUT_NONE); }

TEST(order_across_windows_with_rollback) { check_all(CUT_WINDOWS); }

TEST(order_with_restart_inside_a_step) { check_all(CUT_RESTART); }

TEST(w_method_has_its_order_with_any_jacobian)
{
    const wr_integrator_ops *const ops = wr_integrator_find("rosenbrock_w");
    for (cut how = CUT_NONE; how <= CUT_RESTART; how++) {
        check_order_by_step(ops, how, no_jacobian);
        check_order_by_step(ops, how, wrong_jacobian);
    }
}

/* Variable steps keep the error near the tolerance. The number of steps grows as rtol^(-1/p) with the order p of the error estimate. */
TEST(error_follows_tolerance)
{
    const char *const names[] = {"bs32", "rk43", "dopri54", "rosenbrock", "rosenbrock_w"};
    const double estimate_order[] = {3.0, 4.0, 5.0, 4.0, 3.0};
    for (size_t i = 0; i < WR_COUNT_OF(names); i++) {
        const wr_integrator_ops *const ops = wr_integrator_find(names[i]);
        double n_step[2] = {0.0, 0.0};
        for (int k = 0; k < 2; k++) {
            const wr_integ_options options = {.rtol = k == 0 ? 1e-5 : 1e-8, .atol_factor = 1.0};
            IVP(problem, smooth);
            wr_integrator *const integrator = ivp_start(&problem, ops, &options);
            double x[2];
            assert_int_equal(ivp_run(integrator, ops, problem.t1_s), 0);
            ivp_state(integrator, ops, problem.t1_s, x);
            assert_true(distance(x, problem.t1_s) <= 20.0 * options.rtol);
            n_step[k] = (double)wr_integrator_stats(integrator)->n_step;
            ivp_destroy(integrator, ops);
        }
        const double growth = log10(n_step[1] / n_step[0]) / 3.0;
        assert_between(growth, 0.7 / estimate_order[i], 1.3 / estimate_order[i]);
    }
}

enum { N_BITS = 40 };

/* Makes up to n steps; stores time and state after each step. */
static int record(wr_integrator *integrator, const wr_integrator_ops *ops, double t_stop_s, int n,
                  double ret_bits[N_BITS][3])
{
    int i = 0;
    for (double t_s = -1.0; i < n && t_s < t_stop_s; i++) {
        assert_int_equal(ops->step(integrator, t_stop_s, &t_s), 0);
        ret_bits[i][0] = t_s;
        ops->dense(integrator, t_s, &ret_bits[i][1], NULL);
    }
    return i;
}

TEST(rollback_is_exact_to_the_bit)
{
    for (const wr_integrator_ops *const *entry = wr_integrators; *entry; entry++) {
        const wr_integrator_ops *const ops = *entry;
        if (!(ops->flags & WR_INTEG_ROLLBACK))
            continue;
        const wr_integ_options options = {.rtol = 1e-6,
                                          .atol_factor = 1.0,
                                          .step_s = ops->flags & WR_INTEG_FIXED_STEP ? 0.021 : 0.0,
                                          .formula = ivp_formula(ops)};
        static double bits[3][N_BITS][3];
        memset(bits, 0, sizeof bits);
        IVP(problem, smooth);
        wr_integrator *const integrator = ivp_start(&problem, ops, &options);
        assert_int_equal(ivp_run(integrator, ops, 0.5), 0);
        ops->save(integrator);
        const int n = record(integrator, ops, 0.9, N_BITS, bits[0]);
        /* An unrelated run in between: other stops, a restart elsewhere. */
        const double elsewhere[2] = {2.0, 0.3};
        assert_int_equal(ops->start(integrator, 1.3, elsewhere, NULL), 0);
        assert_int_equal(ivp_run(integrator, ops, 1.7), 0);
        ops->restore(integrator);
        assert_int_equal(record(integrator, ops, 0.9, N_BITS, bits[1]), n);
        assert_memory_equal(bits[0], bits[1], sizeof bits[0]);
        ivp_destroy(integrator, ops);
        /* save() itself changes no result. */
        wr_integrator *const plain = ivp_start(&problem, ops, &options);
        assert_int_equal(ivp_run(plain, ops, 0.5), 0);
        assert_int_equal(record(plain, ops, 0.9, N_BITS, bits[2]), n);
        assert_memory_equal(bits[0], bits[2], sizeof bits[0]);
        ivp_destroy(plain, ops);
    }
}
