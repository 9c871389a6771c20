/* Events that change the stiffness of single states: the error of solvers that keep their Jacobian over starts. */
#include <string.h>

#include "ivp.h"

/* x_i' = -k_i (x_i - g_i sin t), where the mode gives k_i. */
enum { N_STATE = 3, N_RATE = 3 };
static const double GAIN[N_STATE] = {1.0, 1e-3, 100.0};

static int rhs(void *self, double t_s, const double *x, double *ret_dx)
{
    const double *const k = self;
    for (int i = 0; i < N_STATE; i++)
        ret_dx[i] = -k[i] * (x[i] - GAIN[i] * sin(t_s));
    return 0;
}

/* Returns the solution of a state with value x0 at t0. */
static double exact(double k, double gain, double t0_s, double x0, double t_s)
{
    const double scale = gain * k / (k * k + 1.0);
    const double particular = scale * (k * sin(t_s) - cos(t_s));
    const double at_t0 = scale * (k * sin(t0_s) - cos(t0_s));
    return particular + (x0 - at_t0) * exp(-k * (t_s - t0_s));
}

/* Results of a run. */
typedef struct outcome {
    double error; /* largest error at stops, in tolerances */
    int64_t n_jacobian;
} outcome;

/* Runs a sequence of modes of dwell_s each. is_same: all modes have the rates of the first mode. */
static outcome run_modes(const wr_integrator_ops *ops, double rtol, double dwell_s,
                         unsigned sequence, int is_same)
{
    enum { N_MODE = 20, N_STOP = 4 };
    static const double RATES[N_RATE] = {1.0, 1e3, 1e6};
    const unsigned char full[N_STATE * N_STATE] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const double ones[N_STATE] = {1.0, 1.0, 1.0};
    double k[N_STATE] = {0.0}, x[N_STATE] = {0.1, 0.2, 0.3}, x0[N_STATE];
    wr_arena *arena = wr_arena_create(1 << 24);
    const wr_equations ode = {.n_x = N_STATE,
                              .self = k,
                              .rhs = rhs,
                              .pattern = wr_sparsity_place(arena, N_STATE, N_STATE, full),
                              .nominal = ones,
                              .tolerance_factor = ones};
    const wr_integ_options options = {.rtol = rtol, .atol_factor = 1.0};
    wr_integrator *integrator = NULL;
    assert_int_equal(ops->place(arena, &ode, &options, &integrator), 0);
    outcome result = {0.0, 0};
    for (int m = 0; m < N_MODE; m++) {
        for (int i = 0; i < N_STATE && !(is_same && m > 0); i++) {
            sequence = sequence * 1664525u + 1013904223u; /* Knuth and Lewis */
            k[i] = RATES[(sequence >> 16) % N_RATE];
        }
        const double t0_s = m * dwell_s;
        memcpy(x0, x, sizeof x);
        assert_int_equal(ops->start(integrator, t0_s, x, NULL), 0);
        for (int j = 1; j <= N_STOP; j++) {
            const double stop_s = t0_s + j * (dwell_s / N_STOP);
            assert_int_equal(ivp_run(integrator, ops, stop_s), 0);
            ops->dense(integrator, stop_s, x, NULL);
            for (int i = 0; i < N_STATE; i++) {
                const double right = exact(k[i], GAIN[i], t0_s, x0[i], stop_s);
                const double error = fabs(x[i] - right) / (rtol * (1.0 + fabs(right)));
                result.error = wr_max(result.error, error);
            }
        }
    }
    result.n_jacobian = wr_integrator_stats(integrator)->n_jacobian;
    ivp_destroy(integrator, ops);
    wr_arena_destroy(&arena);
    return result;
}

static const char *const NAMES[] = {"rosenbrock", "cvode_bdf", "lsoda"};

/* The limit is that of the published problems (test_integ_stiff.c), doubled for the many starts. A kept Jacobian of another mode makes errors of hundreds of
 * tolerances. */
TEST(changed_stiffness_of_single_states_costs_no_accuracy)
{
    for (size_t s = 0; s < WR_COUNT_OF(NAMES); s++)
        for (double rtol = 1e-3; rtol > 1e-8; rtol *= 1e-2)
            for (double dwell_s = 1e-3; dwell_s < 2.0; dwell_s *= 10.0) {
                double worst = 0.0;
                for (unsigned i = 0; i < 5; i++)
                    worst = wr_max(
                        worst, run_modes(wr_integrator_find(NAMES[s]), rtol, dwell_s, i, 0).error);
                if (worst > 20.0)
                    print_error("%s, rtol %g, %g s: %g tolerances\n", NAMES[s], rtol, dwell_s,
                                worst);
                assert_true(worst <= 20.0);
            }
}

/* Twenty starts of one mode take two Jacobians at most: in the first step, and after 51 steps (CVODE). */
TEST(starts_of_one_mode_keep_the_jacobian)
{
    const outcome result = run_modes(wr_integrator_find("cvode_bdf"), 1e-3, 1e-3, 0, 1);
    assert_true(result.error <= 20.0);
    assert_true(result.n_jacobian <= 2);
}
