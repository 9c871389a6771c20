/* Algebraic loops across subsystems: amplification of errors, and Newton's step. Argument: the plug-in start_models. */
#include "wr_case.h"

#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_parts.h"

static const double STOP_S = 1.0, RTOL = 1e-7;
static double offset = 2.0;

/* Opens y_i = offset + s y_(1-i) + k x_i with x' = -x, one per subsystem. The solution of each y is (offset + k exp(-t)) / (1 - s). */
static void open_loop(wr_case *c, double s, int is_gauss_seidel)
{
    char text[2048];
    int n = snprintf(text, sizeof text,
                     "[simulation]\nstop = %g\nrtol = %g\n[[plugin]]\nfile = \"%s\"\n", STOP_S,
                     RTOL, wr_test_arg(1));
    for (int i = 0; i < 2; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "[[component]]\nname = \"c%d\"\nmodel = \"start.mix\"\n"
                      "parameters = { k1 = 0, k2 = %.9f, k3 = 0.5, offset = %g, threshold = 9, "
                      "is_strict = 0, kick = 0 }\n"
                      "start = { x = 1.0 }\n"
                      "[[connection]]\nfrom = \"c%d.y_both\"\nto = \"c%d.u0\"\n"
                      "[[connection]]\nfrom = \"c%d.y_state\"\nto = \"c%d.u1\"\n"
                      "[[subsystem]]\nname = \"s%d\"\ncomponents = [\"c%d\"]\n",
                      i, s, offset, 1 - i, i, i, i, i, i);
    assert_true(n < (int)sizeof text);
    wr_engine_options options = wr_case_options(wr_window_rule_find("fixed"), 0.1, 0.1, 0.1);
    options.relaxation.acceleration = WR_ACCELERATE_AUTO;
    options.relaxation.scheme = is_gauss_seidel ? WR_SCHEME_GAUSS_SEIDEL : WR_SCHEME_JACOBI;
    options.relaxation.convergence = 0.1;
    wr_case_create(c, text, 1, &options, NULL);
}

/* (I - D)^-1 of D = [0 s; s 0] is [1 s; s 1] / (1 - s^2). The two outputs have equal tolerances. */
TEST(amplification_is_that_of_the_matrix)
{
    const double gains[] = {0.5, -0.5, 0.9, -0.99, 0.999, 3.0};
    for (size_t i = 0; i < WR_COUNT_OF(gains); i++) {
        const double s = gains[i];
        AUTO(wr_case_destroy) wr_case c;
        open_loop(&c, s, 0);
        const double expected = (1.0 + fabs(s)) / fabs(1.0 - s * s);
        assert_close(c.engine->contraction->amplification, wr_max(expected, 1.0), 1e-5, 0.0);
    }
}

/* Without Newton's step the error falls by a thousandth per sweep at s = 0.999, and grows at s = 3.0. */
TEST(newton_s_step_needs_two_sweeps)
{
    const double gains[] = {0.5, 0.999, -0.999, 3.0};
    for (size_t i = 0; i < WR_COUNT_OF(gains); i++)
        for (int is_gauss_seidel = 0; is_gauss_seidel < 2; is_gauss_seidel++) {
            const double s = gains[i];
            AUTO(wr_case_destroy) wr_case c;
            open_loop(&c, s, is_gauss_seidel);
            wrsim_error err;
            assert_int_equal(wr_engine_run(c.engine, STOP_S, &err), WRSIM_OK);
            const wr_engine_stats *const stats = wr_engine_stats_get(c.engine);
            assert_int_equal(stats->n_rejected, 0);
            assert_true(2 * stats->n_sweep <= 5 * stats->n_window);
            const double expected = (offset + 0.5 * exp(-STOP_S)) / (1.0 - s);
            for (int k = 0; k < 2; k++) {
                const wr_wave *const wave = c.assembly->setup[k].subsystem->wave;
                const double y = wave->value[(size_t)(wave->n_node - 1) * (size_t)wave->n_signal];
                assert_close(y, expected, 30.0 * RTOL, 0.0);
            }
        }
}

/* Outputs of about 2e9 have nominal values of 1. The increments of difference quotients must scale with the outputs, not with the
 * nominal values. */
TEST(values_far_above_their_nominal_start)
{
    offset = 3.7e9;
    wr_case c;
    open_loop(&c, -0.7, 0);
    assert_close(c.engine->contraction->amplification, 1.7 / (1.0 - 0.49), 1e-5, 0.0);
    wr_case_destroy(&c);
    offset = 2.0;
}
