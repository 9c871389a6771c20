/* The solver auto selects the implicit method only where stability limits the explicit pair, for any argument of the eigenvalues, and
 * returns to the pair. The choice does not depend on rolled-back sweeps. */
#include "ivp.h"

#include "subsystems/solvers/integrator.h"

/* x' = -k (x - cos t) - sin t: around t = 1 s k falls from 2e4 to 1. Solution: cos t. */
static int passing_rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    ivp *const problem = self;
    problem->n_rhs++;
    problem->t_max_s = wr_max(problem->t_max_s, t_s);
    const double k = 1.0 + 2e4 / (1.0 + exp(30.0 * (t_s - 1.0)));
    ret_dx[0] = -k * (x[0] - cos(t_s)) - sin(t_s);
    return 0;
}

static void make_passing(ivp *problem)
{
    ivp_rod(problem, 1);
    problem->ode.rhs = passing_rhs;
    problem->ode.jacobian = NULL;
    problem->x0[0] = 1.0;
    problem->t1_s = 60.0;
}

static wr_integ_stats solve(const wr_integrator_ops *ops, void (*make)(ivp *), double rtol)
{
    ivp problem;
    make(&problem);
    const wr_integ_options options = {.rtol = rtol, .atol_factor = 1.0};
    wr_integrator *const integrator = ivp_start(&problem, ops, &options);
    assert_int_equal(ivp_run(integrator, ops, problem.t1_s), 0);
    const wr_integ_stats stats = *wr_integrator_stats(integrator);
    assert_int_equal(stats.n_rhs, problem.n_rhs);
    assert_true(problem.t_max_s <= problem.t1_s);
    ivp_destroy(integrator, ops);
    ivp_done(&problem);
    return stats;
}

TEST(implicit_where_it_is_stiff_and_only_there)
{
    for (double rtol = 1e-3; rtol > 1e-8; rtol *= 0.1) {
        const wr_integ_stats automatic = solve(&wr_integ_auto, make_passing, rtol);
        const wr_integ_stats implicit = solve(&wr_integ_rosenbrock, make_passing, rtol);
        const wr_integ_stats bs32 = solve(&wr_integ_bs32, make_passing, rtol);
        const wr_integ_stats dopri54 = solve(&wr_integ_dopri54, make_passing, rtol);
        print_message("rtol %.0e: auto %d (%d switches, implicit %.2f s), rosenbrock %d, bs32 %d, "
                      "dopri54 %d\n",
                      rtol, (int)automatic.n_rhs, (int)automatic.n_method_change,
                      automatic.implicit_s, (int)implicit.n_rhs, (int)bs32.n_rhs,
                      (int)dopri54.n_rhs);
        assert_between((int)automatic.n_method_change, 2,
                       2 + 4); /* and trials of the other implicit method */
        assert_close(automatic.explicit_s + automatic.implicit_s, 60.0, 0.0, 1e-9);
        assert_between(automatic.implicit_s, 0.9, 25.0);
        assert_true(automatic.n_rhs < 0.2 * (double)wr_min(bs32.n_rhs, dopri54.n_rhs));
        assert_true(automatic.n_rhs < implicit.n_rhs);
    }
}

/* If no method can gain, assessments cost little and start no trial. */
TEST(smooth_problems_stay_explicit)
{
    for (int k = 0; k < 2; k++) {
        const double rtol = k == 0 ? 1e-3 : 1e-8;
        const wr_integ_stats automatic = solve(&wr_integ_auto, ivp_smooth, rtol);
        const wr_integ_stats pair =
            solve(k == 0 ? &wr_integ_bs32 : &wr_integ_dopri54, ivp_smooth, rtol);
        assert_int_equal(automatic.n_implicit_step, 0);
        assert_int_equal(automatic.n_method_change, 0);
        assert_int_equal(automatic.n_step, pair.n_step);
        assert_between((double)automatic.n_rhs, (double)pair.n_rhs,
                       1.05 * (double)pair.n_rhs + 4.0);
    }
}

/* The state is as fast as its input: accuracy and stability limit the steps equally. */
static int busy_rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    ivp *const problem = self;
    problem->n_rhs++;
    problem->t_max_s = wr_max(problem->t_max_s, t_s);
    ret_dx[0] = -50.0 * (x[0] - cos(37.0 * t_s));
    return 0;
}

static void make_busy(ivp *problem)
{
    make_passing(problem);
    problem->ode.rhs = busy_rhs;
    problem->t1_s = 100.0;
}

TEST(trials_that_do_not_pay_are_rare)
{
    const double rtol = 2e-2; /* loose: accuracy and stability need about equal steps */
    const wr_integ_stats automatic = solve(&wr_integ_auto, make_busy, rtol);
    const wr_integ_stats pair = solve(&wr_integ_bs32, make_busy, rtol);
    print_message("auto %d (%d switches, %d of %d steps implicit), bs32 %d\n", (int)automatic.n_rhs,
                  (int)automatic.n_method_change, (int)automatic.n_implicit_step,
                  (int)automatic.n_step, (int)pair.n_rhs);
    assert_true((double)automatic.n_rhs < 1.1 * (double)pair.n_rhs);
}

/* x' = A (x - g) + g' with g = (cos t, sin t) and A with the eigenvalues 2000 (-cosine +- i sine). The solution is slow; the fast modes are
 * not excited. */
static double pair_cosine;

static int pair_rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    ivp *const problem = self;
    problem->n_rhs++;
    problem->t_max_s = wr_max(problem->t_max_s, t_s);
    const double size = 2000.0, c = -size * pair_cosine,
                 s = size * sqrt(1.0 - pair_cosine * pair_cosine);
    const double a = x[0] - cos(t_s), b = x[1] - sin(t_s);
    ret_dx[0] = c * a + s * b - sin(t_s);
    ret_dx[1] = -s * a + c * b + cos(t_s);
    return 0;
}

static void make_pair(ivp *problem)
{
    ivp_rod(problem, 2);
    problem->ode.rhs = pair_rhs;
    problem->ode.jacobian = NULL;
    problem->x0[0] = 1.0;
    problem->x0[1] = 0.0;
    problem->reference[0] = cos(20.0);
    problem->reference[1] = sin(20.0);
    problem->t1_s = 20.0;
}

static wr_integ_stats solve_pair(const wr_integrator_ops *ops, double rtol, double *ret_error)
{
    ivp problem;
    double x[2];
    make_pair(&problem);
    const wr_integ_options options = {.rtol = rtol, .atol_factor = 1.0};
    wr_integrator *const integrator = ivp_start(&problem, ops, &options);
    assert_int_equal(ivp_run(integrator, ops, problem.t1_s), 0);
    ivp_state(integrator, ops, problem.t1_s, x);
    *ret_error = wr_max(fabs(x[0] - problem.reference[0]), fabs(x[1] - problem.reference[1]));
    const wr_integ_stats stats = *wr_integrator_stats(integrator);
    ivp_destroy(integrator, ops);
    ivp_done(&problem);
    return stats;
}

/* Checks that steps after a rollback across a change of method have the same bits. Returns the number of changes rolled back. */
static int go_back(void (*make)(ivp *), double rtol, double t1_s)
{
    ivp problem;
    make(&problem);
    const wr_integ_options options = {.rtol = rtol, .atol_factor = 1.0};
    const wr_integrator_ops *const ops = &wr_integ_auto;
    wr_integrator *const integrator = ivp_start(&problem, ops, &options);
    const wr_integ_stats *const stats = wr_integrator_stats(integrator);
    const size_t bytes = (size_t)problem.ode.n_x * sizeof(double);
    int n_across = 0;
    for (double t_s = 0.0; t_s < t1_s; t_s += 0.02) {
        double x[2][IVP_MAX_STATES], dx[2][IVP_MAX_STATES];
        ops->save(integrator);
        const int64_t n_switch = stats->n_method_change, n_step = stats->n_step;
        assert_int_equal(ivp_run(integrator, ops, t_s + 0.03), 0);
        ops->dense(integrator, t_s + 0.03, x[0], dx[0]);
        const int64_t n_first = stats->n_step - n_step;
        n_across += (int)(stats->n_method_change - n_switch);
        ops->restore(integrator);
        assert_int_equal(ivp_run(integrator, ops, t_s + 0.03), 0);
        ops->dense(integrator, t_s + 0.03, x[1], dx[1]);
        assert_memory_equal(x[0], x[1], bytes);
        assert_memory_equal(dx[0], dx[1], bytes);
        assert_true(stats->n_step - n_step == 2 * n_first);
        ops->restore(integrator);
        assert_int_equal(ivp_run(integrator, ops, t_s + 0.02), 0);
    }
    ivp_destroy(integrator, ops);
    ivp_done(&problem);
    return n_across;
}

TEST(going_back_over_a_change)
{
    assert_int_equal(go_back(make_passing, 1e-5, 4.0), 2);
    /* The rollbacks also cross trials of each implicit method. */
    for (double rtol = 1e-4; rtol > 1e-9; rtol *= 0.1)
        for (int k = 0; k < 3; k++) {
            pair_cosine = 0.5 * k;
            const int n_across = go_back(make_pair, rtol, 4.0);
            print_message("rtol %.0e, cosine %.1f: back over %d changes\n", rtol, pair_cosine,
                          n_across);
            assert_true(n_across >= 1);
        }
}

/* auto is accurate for eigenvalues from the negative real axis to the imaginary axis. Apart from trials, the work of auto is at most
 * twice the least work of the methods in `singles`. */
TEST(stiff_in_every_direction)
{
    static const wr_integrator_ops *const singles[] = {&wr_integ_bs32, &wr_integ_rk43,
                                                       &wr_integ_dopri54, &wr_integ_rosenbrock,
                                                       &wr_integ_rosenbrock_w};
    for (double rtol = 1e-4; rtol > 1e-9; rtol *= 1e-2)
        for (int k = 0; k <= 4; k++) {
            double error = 0.0, least = (double)INFINITY;
            pair_cosine = k == 4 ? 0.0 : k == 3 ? 0.02 : cos(0.5 * k);
            for (size_t m = 0; m < WR_COUNT_OF(singles); m++)
                least = wr_min(least, (double)solve_pair(singles[m], rtol, &error).n_rhs);
            const wr_integ_stats automatic = solve_pair(&wr_integ_auto, rtol, &error);
            print_message(
                "rtol %.0e, cosine %.2f: auto %d (%d changes), least %.0f, error %.2g rtol\n", rtol,
                pair_cosine, (int)automatic.n_rhs, (int)automatic.n_method_change, least,
                error / rtol);
            assert_true((double)automatic.n_rhs < 2.0 * least + 2000.0);
            assert_true(error < 30.0 * rtol);
        }
}

/* The solver refuses a state with valid check sums that names a method which is not placed. For problems with waveform inputs the steady
 * pair is not placed. The test tries each number that names a method. */
TEST(refuses_a_method_that_is_not_there)
{
    AUTO(ivp_done) ivp problem;
    make_passing(&problem);
    problem.ode.is_driven = 1;
    const wr_integ_options options = {.rtol = 1e-6, .atol_factor = 1.0};
    wr_integrator *const integrator = ivp_start(&problem, &wr_integ_auto, &options);
    static unsigned char bytes[1 << 16], forged[1 << 16];
    wr_state_io io = wr_state_writer(bytes, sizeof bytes, 0);
    wr_state_begin(&io, "auto", 0);
    wr_integ_auto.state(integrator, &io);
    wr_state_end(&io);
    assert_int_equal(io.fault, WR_STATE_SOUND);
    const size_t n = io.n_bytes;
    int n_refused = 0;
    for (int64_t method = 0; method <= 4; method++)
        for (size_t at = 0; at + sizeof method <= n; at += 4) {
            memcpy(forged, bytes, n);
            memcpy(forged + at, &method, sizeof method);
            io = wr_state_reader(forged, n, 0, 1);
            wr_state_begin(&io, "auto", 0);
            wr_integ_auto.state(integrator, &io);
            wr_state_end(&io);
            n_refused += io.fault == WR_STATE_OTHER;
            if (io.fault != WR_STATE_SOUND)
                continue;
            io = wr_state_reader(forged, n, 0, 0);
            wr_state_begin(&io, "auto", 0);
            wr_integ_auto.state(integrator, &io);
            wr_state_end(&io);
            (void)wr_integ_auto.current(integrator)->name; /* a NULL method crashes this call */
            double t_s;
            (void)wr_integ_auto.step(integrator, problem.t1_s, &t_s);
        }
    assert_true(n_refused > 0);
    ivp_destroy(integrator, &wr_integ_auto);
}
