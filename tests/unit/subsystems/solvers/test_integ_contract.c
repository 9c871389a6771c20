/* The contract of integrator.h except accuracy: failing models, stops, grids of steps, state kept between windows, tolerances, wrong
 * options, a full arena, and stored states. */
#include <string.h>

#include "ivp.h"

static wr_integ_options usual(const wr_integrator_ops *ops)
{
    return (wr_integ_options){.rtol = 1e-6,
                              .atol_factor = 1.0,
                              .step_s = ops->flags & WR_INTEG_FIXED_STEP ? 0.01 : 0.0,
                              .formula = ivp_formula(ops)};
}

/* Runs the smooth problem to 2 with n_calls faults from t = 1 on (-1: no end of faults). */
static int run_with_fault(const wr_integrator_ops *ops, ivp_fault fault, int n_calls,
                          wr_integ_stats *ret_stats)
{
    ivp problem;
    ivp_smooth(&problem);
    problem.fault = fault;
    problem.fault_from_s = 1.0;
    problem.fault_calls = n_calls;
    wr_integ_options options = usual(ops);
    options.min_step_s = 1e-30; /* below the rounding of times, which is the least step */
    wr_integrator *const integrator = ivp_start(&problem, ops, &options);
    const int status = ivp_run(integrator, ops, problem.t1_s);
    *ret_stats = *wr_integrator_stats(integrator);
    ivp_destroy(integrator, ops);
    ivp_done(&problem);
    return status;
}

TEST(lasting_faults_end_with_their_status)
{
    const int expected[] = {0, WRSIM_E_SOLVER, WRSIM_E_CALLBACK, WRSIM_E_NAN};
    wr_integ_stats stats;
    for (const wr_integrator_ops *const *ops = wr_integrators; *ops; ops++)
        for (ivp_fault fault = IVP_FAULT_RETRY; fault <= IVP_FAULT_NAN; fault++) {
            const int status = run_with_fault(*ops, fault, -1, &stats);
            if (status != expected[fault])
                print_error("%s, fault %d\n", (*ops)->name, (int)fault);
            assert_int_equal(status, expected[fault]);
            assert_true(stats.n_rhs < 5000);
        }
}

/* A rod whose f fails fatally in one call. */
typedef struct fatal_rod {
    ivp problem;
    int (*rhs)(void *self, double t_s, const double *x, double *ret_dx);
    int n_call, fails_at; /* number of calls; index of the call that fails */
} fatal_rod;

static int fatal_rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    fatal_rod *const rod = self;
    return rod->n_call++ == rod->fails_at ? -1 : rod->rhs(&rod->problem, t_s, x, ret_dx);
}

/* Returns the status of a run with two starts, after which solvers test their Jacobian. The call fails_at of f fails. */
static int run_fatal(const wr_integrator_ops *ops, int fails_at, int *ret_calls)
{
    fatal_rod rod = {.fails_at = fails_at};
    ivp_rod(&rod.problem, 6);
    rod.rhs = rod.problem.ode.rhs;
    rod.problem.ode.rhs = fatal_rhs;
    rod.problem.ode.jacobian = NULL; /* differences */
    rod.problem.ode.self = &rod;
    wr_integ_options options = usual(ops);
    options.rtol = 1e-3;
    wr_integrator *const integrator = ivp_start(&rod.problem, ops, &options);
    int status = 0;
    double x[6];
    for (int i = 1; i <= 3 && status == 0; i++) {
        const double stop_s = rod.problem.t0_s + 0.05 * i;
        status = ivp_run(integrator, ops, stop_s);
        if (status != 0)
            break;
        ivp_state(integrator, ops, stop_s, x);
        assert_int_equal(ops->start(integrator, stop_s, x, NULL), 0);
    }
    ivp_destroy(integrator, ops);
    ivp_done(&rod.problem);
    *ret_calls = rod.n_call;
    return status;
}

TEST(a_fatal_fault_in_any_call_ends_the_run)
{
    for (const wr_integrator_ops *const *ops = wr_integrators; *ops; ops++) {
        int n_all, n_call;
        assert_int_equal(run_fatal(*ops, -1, &n_all), 0);
        for (int k = 0; k < n_all; k++) {
            const int status = run_fatal(*ops, k, &n_call);
            if (status != WRSIM_E_CALLBACK || n_call != k + 1)
                print_error("%s, call %d of %d: %d\n", (*ops)->name, k, n_all, status);
            assert_int_equal(status, WRSIM_E_CALLBACK);
            assert_int_equal(n_call, k + 1);
        }
    }
}

TEST(passing_faults_cost_a_smaller_step)
{
    const ivp_fault faults[] = {IVP_FAULT_RETRY, IVP_FAULT_NAN};
    wr_integ_stats stats;
    for (const wr_integrator_ops *const *ops = wr_integrators; *ops; ops++)
        for (size_t i = 0; i < WR_COUNT_OF(faults); i++) {
            if ((*ops)->flags & WR_INTEG_FIXED_STEP)
                continue; /* a fixed step cannot become shorter */
            assert_int_equal(run_with_fault(*ops, faults[i], 2, &stats), 0);
            assert_true(stats.n_rejected >= 1);
        }
}

/* The stops do not lie on the grid of fixed steps, and some are only a rounding apart. */
TEST(lands_on_every_stop)
{
    for (const wr_integrator_ops *const *ops = wr_integrators; *ops; ops++) {
        IVP(problem, smooth);
        const wr_integ_options options = usual(*ops);
        wr_integrator *const integrator = ivp_start(&problem, *ops, &options);
        for (int i = 1; i <= 30; i++) {
            const double stop_s = i * (1.0 / 30.0);
            assert_int_equal(ivp_run(integrator, *ops, stop_s), 0);
            assert_true(problem.t_max_s <= stop_s);
            /* A stop at the present time, up to rounding, costs no step. */
            const int64_t n_step = wr_integrator_stats(integrator)->n_step;
            double t_s = 0.0;
            assert_int_equal((*ops)->step(integrator, stop_s * (1.0 + 2e-16), &t_s), 0);
            assert_true(wr_time_close(t_s, stop_s));
            assert_int_equal(wr_integrator_stats(integrator)->n_step, n_step);
        }
        double x[2];
        ivp_state(integrator, *ops, 1.0, x);
        assert_close(x[0], exp(sin(1.0)), ivp_order(*ops) == 1 ? 0.02 : 1e-4, 0.0);
        ivp_destroy(integrator, *ops);
    }
}

/* Fixed steps end at t0 + i h, with any stops between grid points. */
TEST(fixed_steps_keep_their_grid)
{
    for (const wr_integrator_ops *const *ops = wr_integrators; *ops; ops++) {
        if (!((*ops)->flags & WR_INTEG_FIXED_STEP))
            continue;
        IVP(problem, smooth);
        problem.t0_s = 0.1;
        const wr_integ_options options = usual(*ops);
        wr_integrator *const integrator = ivp_start(&problem, *ops, &options);
        double t_s = 0.0;
        const double expected[] = {0.11, 0.12, 0.1234, 0.13, 0.14};
        for (size_t i = 0; i < WR_COUNT_OF(expected); i++) {
            const double stop_s = i <= 2 ? 0.1234 : 0.14;
            assert_int_equal((*ops)->step(integrator, stop_s, &t_s), 0);
            assert_true(wr_time_close(t_s, expected[i]));
        }
        ivp_destroy(integrator, *ops);
    }
}

/* A near window end shortens one step, and no later step. */
TEST(clipping_does_not_shrink_the_next_step)
{
    const char *const names[] = {"bs32", "dopri54", "rosenbrock"};
    for (size_t i = 0; i < WR_COUNT_OF(names); i++) {
        const wr_integrator_ops *const ops = wr_integrator_find(names[i]);
        IVP(problem, smooth);
        const wr_integ_options options = usual(ops);
        wr_integrator *const integrator = ivp_start(&problem, ops, &options);
        double t0_s = 0.0, t1_s = 0.0, t2_s = 0.0;
        while (t1_s < 0.5) {
            t0_s = t1_s;
            assert_int_equal(ops->step(integrator, 100.0, &t1_s), 0);
        }
        const double h_s = t1_s - t0_s, stop_s = t1_s + 1e-5 * h_s;
        assert_int_equal(ivp_run(integrator, ops, stop_s), 0);
        ops->inputs_changed(integrator, NULL);
        assert_int_equal(ops->step(integrator, 100.0, &t2_s), 0);
        assert_true(t2_s - stop_s >= 0.5 * h_s);
        ivp_destroy(integrator, ops);
    }
}

/* No last step is tiny if a stop lies slightly beyond a whole number of steps. */
TEST(last_steps_are_of_a_size)
{
    const wr_integrator_ops *const ops = wr_integrator_find("dopri54");
    for (int k = 0; k < 50; k++) {
        IVP(problem, smooth);
        const wr_integ_options options = usual(ops);
        wr_integrator *const integrator = ivp_start(&problem, ops, &options);
        const double stop_s = 1.0 + 0.01 * k;
        double t_s = 0.0, before_s = 0.0, h_s[2] = {0.0, 0.0};
        while (t_s < stop_s) {
            before_s = t_s;
            assert_int_equal(ops->step(integrator, stop_s, &t_s), 0);
            h_s[0] = h_s[1];
            h_s[1] = t_s - before_s;
        }
        assert_true(h_s[1] >= 0.15 * h_s[0]); /* the error control shortens h at most to 0.2 h */
        ivp_destroy(integrator, ops);
    }
}

TEST(given_slope_saves_an_evaluation)
{
    const wr_integrator_ops *const ops = wr_integrator_find("bs32");
    IVP(problem, smooth);
    const wr_integ_options options = usual(ops);
    wr_integrator *const integrator = ivp_start(&problem, ops, &options);
    double dx[2], t_s = 0.0;
    assert_int_equal(ops->step(integrator, 2.0, &t_s), 0);
    problem.ode.rhs(problem.ode.self, 0.0, problem.x0, dx);
    assert_int_equal(ops->start(integrator, 0.0, problem.x0, dx), 0);
    const wr_integ_stats *const stats = wr_integrator_stats(integrator);
    int before = problem.n_rhs;
    int64_t n_rejected = stats->n_rejected;
    assert_int_equal(ops->step(integrator, 2.0, &t_s), 0);
    /* Three new stages per trial; the step size is known. */
    assert_int_equal(problem.n_rhs - before, 3 * (1 + stats->n_rejected - n_rejected));
    ops->inputs_changed(integrator, NULL);
    before = problem.n_rhs;
    n_rejected = stats->n_rejected;
    assert_int_equal(ops->step(integrator, 2.0, &t_s), 0);
    assert_int_equal(problem.n_rhs - before, 1 + 3 * (1 + stats->n_rejected - n_rejected));
    double x[2];
    ivp_state(integrator, ops, t_s, x);
    problem.ode.rhs(problem.ode.self, t_s, x, dx);
    const int64_t n_rhs = stats->n_rhs;
    ops->inputs_changed(integrator, dx);
    assert_int_equal(stats->n_rhs - n_rhs,
                     1); /* a right-hand side supplied by the caller counts, too */
    before = problem.n_rhs;
    n_rejected = stats->n_rejected;
    assert_int_equal(ops->step(integrator, 2.0, &t_s), 0);
    assert_int_equal(problem.n_rhs - before, 3 * (1 + stats->n_rejected - n_rejected));
    assert_int_equal(wr_integrator_stats(integrator)->n_start, 2);
    ivp_destroy(integrator, ops);
}

TEST(loosened_tolerance_takes_fewer_steps)
{
    for (const wr_integrator_ops *const *ops = wr_integrators; *ops; ops++) {
        if ((*ops)->flags & WR_INTEG_FIXED_STEP)
            continue;
        int64_t n_step[3];
        for (int k = 0; k < 3; k++) {
            IVP(problem, smooth);
            const wr_integ_options options = usual(*ops);
            wr_integrator *const integrator = ivp_start(&problem, *ops, &options);
            if (k >= 1)
                (*ops)->loosen(integrator, 1000.0);
            if (k == 2)
                (*ops)->loosen(integrator, 1.0); /* factors multiply the tolerance of the options */
            assert_int_equal(ivp_run(integrator, *ops, problem.t1_s), 0);
            n_step[k] = wr_integrator_stats(integrator)->n_step;
            ivp_destroy(integrator, *ops);
        }
        assert_true((double)n_step[1] < 0.7 * (double)n_step[0]);
        assert_int_equal(n_step[2], n_step[0]);
    }
}

/* The sweeps change the tolerance between windows, without a start. */
TEST(tolerance_changes_between_steps)
{
    for (const wr_integrator_ops *const *ops = wr_integrators; *ops; ops++) {
        IVP(problem, smooth);
        const wr_integ_options options = usual(*ops);
        wr_integrator *const integrator = ivp_start(&problem, *ops, &options);
        const double factor[] = {1.0, 1000.0, 1.0, 30.0, 1.0};
        double x[2];
        for (size_t i = 0; i < WR_COUNT_OF(factor); i++) {
            (*ops)->loosen(integrator, factor[i]);
            assert_int_equal(ivp_run(integrator, *ops, 0.4 * (double)(i + 1)), 0);
        }
        ivp_state(integrator, *ops, 2.0, x);
        /* The accuracy is the accuracy of the loosest window, 1e-3, with a margin for accumulation. */
        assert_close(x[0], exp(sin(2.0)), ivp_order(*ops) == 1 ? 0.02 : 1e-2, 0.0);
        ivp_destroy(integrator, *ops);
    }
}

TEST(options_are_checked)
{
    for (const wr_integrator_ops *const *ops = wr_integrators; *ops; ops++) {
        IVP(problem, smooth);
        const wr_integ_options options = {.rtol = 0.0, .atol_factor = 1.0, .step_s = 0.0};
        wr_integrator *integrator = NULL;
        assert_int_equal((*ops)->place(problem.arena, &problem.ode, &options, &integrator),
                         WRSIM_E_ARG);
        assert_null(integrator);
        assert_ptr_equal(wr_integrator_find((*ops)->name), *ops);
    }
    assert_null(wr_integrator_find("no such method"));
}

/* place() reports an arena that is too small and leaks nothing. */
TEST(full_arena_is_reported)
{
    for (const wr_integrator_ops *const *ops = wr_integrators; *ops; ops++)
        for (size_t left_bytes = 0; left_bytes <= 4096; left_bytes += 64) {
            AUTO(ivp_done) ivp problem;
            ivp_rod(&problem, 40);
            AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 18);
            while (wr_arena_used_bytes(arena) + left_bytes + 128 <= (1u << 18))
                assert_non_null(wr_arena_push(arena, 1, 64));
            const wr_integ_options options = usual(*ops);
            wr_integrator *integrator = NULL;
            const wrsim_status status = (*ops)->place(arena, &problem.ode, &options, &integrator);
            assert_true(status == WRSIM_OK || status == WRSIM_E_MEMORY);
            assert_true((status == WRSIM_OK) == (integrator != NULL));
            if (left_bytes == 0)
                assert_int_equal(status, WRSIM_E_MEMORY);
            if (integrator)
                ivp_destroy(integrator, *ops);
        }
}

static double shaft_run(const wr_integrator_ops *ops, int is_asked)
{
    ivp problem;
    ivp_shaft(&problem, is_asked);
    const wr_integ_options options = {.rtol = 1e-5, .atol_factor = 0.01};
    wr_integrator *const integrator = ivp_start(&problem, ops, &options);
    assert_int_equal(ivp_run(integrator, ops, problem.t1_s), 0);
    double x[1];
    ivp_state(integrator, ops, problem.t1_s, x);
    const double error = fabs(sin(x[0]) - sin(problem.reference[0]));
    ivp_destroy(integrator, ops);
    ivp_done(&problem);
    return error;
}

/* At rtol 1e-5 an angle of a thousand turns may err by 6e-2, but its published sine may not. With a tolerance of the angle some
 * methods, not all, meet the tolerance of the sine by chance. */
TEST(computed_outputs_are_as_exact)
{
    int n_worse = 0;
    for (const wr_integrator_ops *const *ops = wr_integrators; *ops; ops++) {
        if ((*ops)->flags & WR_INTEG_FIXED_STEP)
            continue;
        const double error = shaft_run(*ops, 1);
        if (!(error < 2e-4))
            print_error("%s: %g\n", (*ops)->name, error);
        assert_true(error < 2e-4);
        n_worse += shaft_run(*ops, 0) > 2e-3;
    }
    assert_true(n_worse >= 3);
}

/* A second instance that reads the state of the first computes the bits of the first from then on, also inside the last step. Both have
 * equal counts. */
TEST(another_one_goes_on)
{
    void (*const problems[])(ivp *) = {ivp_smooth, ivp_vanderpol, ivp_hires};
    for (const wr_integrator_ops *const *at = wr_integrators; *at; at++)
        for (size_t i = 0; i < WR_COUNT_OF(problems) && (*at)->state; i++) {
            const wr_integrator_ops *const ops = *at;
            static unsigned char bytes[1 << 16];
            if (i > 0 && (ops->flags & WR_INTEG_FIXED_STEP))
                continue; /* a fixed step would have to be very small */
            AUTO(ivp_done) ivp problem;
            problems[i](&problem);
            const double length_s =
                (ops->flags & WR_INTEG_FIXED_STEP ? 0.01 : 0.1) * (problem.t1_s - problem.t0_s);
            wr_integ_options options = usual(ops);
            options.step_s *= length_s;
            wr_integrator *const one = ivp_start(&problem, ops, &options);
            wr_integrator *const other = ivp_start(&problem, ops, &options);
            double a[IVP_MAX_STATES], b[IVP_MAX_STATES], t_s = problem.t0_s, t_other_s;
            for (int n = 0; n < 40; n++) {
                for (int k = 0; k < 1 + n % 7; k++)
                    if (ops->step(one, problem.t0_s + length_s, &t_s) != 0)
                        break;
                wr_state_io io = wr_state_writer(bytes, sizeof bytes, 0);
                ops->state(one, &io);
                assert_int_equal(io.fault, WR_STATE_SOUND);
                io = wr_state_reader(bytes, io.n_bytes, 0, 0);
                ops->state(other, &io);
                assert_int_equal(io.fault, WR_STATE_SOUND);
                assert_int_equal(io.n_bytes, io.cap_bytes);
                ops->dense(one, t_s, a, NULL);
                ops->dense(other, t_s, b, NULL);
                assert_memory_equal(a, b, (size_t)problem.ode.n_x * sizeof *a);
                for (int k = 0; k < 5; k++) {
                    assert_int_equal(ops->step(one, problem.t0_s + length_s, &t_s), 0);
                    assert_int_equal(ops->step(other, problem.t0_s + length_s, &t_other_s), 0);
                    assert_memory_equal(&t_s, &t_other_s, sizeof t_s);
                    ops->dense(one, t_s, a, NULL);
                    ops->dense(other, t_s, b, NULL);
                    assert_memory_equal(a, b, (size_t)problem.ode.n_x * sizeof *a);
                }
                assert_memory_equal(wr_integrator_stats(one), wr_integrator_stats(other),
                                    sizeof(wr_integ_stats));
            }
            ivp_destroy(one, ops);
            ivp_destroy(other, ops);
        }
}

/* All integrators except the integrators of SUNDIALS have state(). */
TEST(own_ones_have_state)
{
    int n = 0;
    for (const wr_integrator_ops *const *ops = wr_integrators; *ops; ops++) {
        assert_int_equal((*ops)->state != NULL, strncmp((*ops)->name, "cvode", 5) != 0);
        n += (*ops)->state != NULL;
    }
    assert_int_equal(n, 19);
}

/* Runs a method over windows of 0.16 s, whose lengths differ by up to the share. After each window a tiny window of tiny_s follows, if
 * tiny_s > 0. The error may be `most` tolerances. Returns the number of steps. */
static int64_t run_windows(const char *name, double rtol, double share, double tiny_s, double most)
{
    const wr_integrator_ops *const ops = wr_integrator_find(name);
    IVP(problem, smooth);
    const wr_integ_options options = {.rtol = rtol, .atol_factor = 1.0};
    wr_integrator *const integrator = ivp_start(&problem, ops, &options);
    double t_s = 0.0, x[2], exact[2], worst = 0.0;
    for (int i = 0; t_s < 20.0; i++) {
        t_s += 0.16 * (1.0 + share * sin((double)(i * i)));
        assert_int_equal(ivp_run(integrator, ops, t_s), 0);
        t_s += tiny_s;
        assert_int_equal(ivp_run(integrator, ops, t_s), 0);
        ivp_state(integrator, ops, t_s, x);
        ivp_smooth_exact(t_s, exact);
        for (int k = 0; k < 2; k++)
            worst = wr_max(worst, fabs(x[k] - exact[k]) / (rtol * (1.0 + fabs(exact[k]))));
    }
    const int64_t n_step = wr_integrator_stats(integrator)->n_step;
    assert_true(worst <= most);
    ivp_destroy(integrator, ops);
    return n_step;
}

/* A change of the length of windows does not keep the method from choosing its order and its steps. */
TEST(lsoda_bears_uneven_windows)
{
    const int64_t n_even = run_windows("lsoda", 1e-6, 0.0, 0.0, 10.0);
    assert_true(run_windows("lsoda", 1e-6, 0.5, 0.0, 10.0) < 1.4 * (double)n_even);
}

/* The rounding in tiny steps does not disturb the next steps. The limit counts the tiny steps. */
TEST(lsoda_bears_tiny_windows)
{
    for (double rtol = 1e-6; rtol > 1e-11; rtol *= 1e-4)
        for (double tiny_s = 1e-3; tiny_s > 1e-13; tiny_s *= 1e-3) {
            const int64_t n_even = run_windows("lsoda", rtol, 0.0, 0.0, 10.0);
            const int64_t n_tiny = run_windows("lsoda", rtol, 0.0, tiny_s, 10.0);
            assert_true(n_tiny < 1.4 * (double)n_even + 125.0);
        }
}

/* CVODE restarts after a tiny window. With the old history the error of cvode_adams is 92 tolerances. */
TEST(cvode_bears_tiny_windows)
{
    for (double rtol = 1e-4; rtol > 1e-11; rtol *= 1e-2)
        for (double tiny_s = 1e-3; tiny_s > 1e-13; tiny_s *= 1e-3) {
            run_windows("cvode_adams", rtol, 0.0, tiny_s, 20.0);
            run_windows("cvode_bdf", rtol, 0.0, tiny_s, 20.0);
        }
}

/* x1' = k x1, x2' = -k x2 with k = 1e6 / s */
static int fast_rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    (void)self, (void)t_s;
    ret_dx[0] = 1e6 * x[0];
    ret_dx[1] = -1e6 * x[1];
    return 0;
}

/* Steps of 1e-9 s at t = 1000 s are about 1e4 roundings of t long. If the step length ignores the rounding of t, lsoda and cvode_bdf have
 * errors above 500 tolerances. */
TEST(rounding_of_late_times_costs_no_accuracy)
{
    for (const wr_integrator_ops *const *at = wr_integrators; *at; at++) {
        const wr_integrator_ops *const ops = *at;
        if (ops->flags & WR_INTEG_FIXED_STEP)
            continue;
        IVP(problem, smooth);
        problem.ode.rhs = fast_rhs;
        problem.t0_s = 1000.0;
        problem.x0[0] = problem.x0[1] = 1.0;
        const double rtol = 1e-9, stop_s = problem.t0_s + 2e-6;
        const wr_integ_options options = {.rtol = rtol, .atol_factor = 1.0};
        wr_integrator *const integrator = ivp_start(&problem, ops, &options);
        assert_int_equal(ivp_run(integrator, ops, stop_s), 0);
        double x[2];
        ivp_state(integrator, ops, stop_s, x);
        const double right[2] = {exp(1e6 * (stop_s - problem.t0_s)),
                                 exp(-1e6 * (stop_s - problem.t0_s))};
        for (int i = 0; i < 2; i++) {
            const double error = fabs(x[i] - right[i]) / (rtol * (1.0 + right[i]));
            if (error > 50.0)
                print_error("%s, state %d: %g tolerances\n", ops->name, i, error);
            assert_true(error <= 50.0);
        }
        ivp_destroy(integrator, ops);
    }
}
