/* Modes and their states, on matrices with known modes; limits by simulated steps. */
#include "wr_test.h"

#include "offline/stability/modes.h"

static const double ones[4] = {1, 1, 1, 1};

static wr_stepper stepper(const char *name)
{
    wr_stepper found;
    if (!wr_stepper_find(name, &found))
        fail_msg("no method '%s'", name);
    return found;
}

TEST(states_behind_a_mode_in_any_units)
{
    const double units[2][4] = {{1, 1, 1, 1}, {1e6, 1e-3, 1, 1e3}};
    for (int k = 0; k < 2; k++) {
        double a[16];
        wr_mode mode[4];
        const wr_stepper euler = stepper("euler");
        /* Two states are stiff and two are slow: x1' = -100 x1 + 5 x3, x2' = -900 x2, x3' = -x3, x4' = 0. The units differ by
         * a million. */
        const double plain[4][4] = {{-100, 0, 5, 0}, {0, -900, 0, 0}, {0, 0, -1, 0}, {0, 0, 0, 0}};
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                a[j * 4 + i] = plain[i][j] * units[k][i] / units[k][j];
        assert_int_equal(wr_modes_find(&euler, 1e-3, 0.5, 4, a, units[k], mode), WRSIM_OK);
        const wr_mode *fast = mode;
        for (int i = 1; i < 4; i++)
            if (cabs(mode[i].lambda) > cabs(fast->lambda))
                fast = &mode[i];
        assert_close(creal(fast->lambda), -900.0, 1e-12, 0.0);
        assert_int_equal(fast->part[0].i_state, 1);
        assert_close(fast->part[0].share, 1.0, 1e-9, 0.0);
        assert_close(fast->condition, 1.0, 1e-9, 0.0);
        assert_int_equal(fast->kind, WR_MODE_STABLE);
        assert_close(wr_mode_largest_step(&euler, fast, (double)INFINITY), 2.0 / 900.0, 1e-9, 0.0);
        int n_rest = 0;
        for (int i = 0; i < 4; i++)
            n_rest += mode[i].kind == WR_MODE_AT_REST;
        assert_int_equal(n_rest, 1);
    }
}

/* The two states of an undamped oscillator have equal shares of each mode. The amplitude grows with euler at any step, and with rk4 at
 * steps above sqrt(8) / w (w = 100 1/s). */
TEST(undamped_oscillator)
{
    const wr_stepper euler = stepper("euler"), rk4 = stepper("rk4"), bdf2 = stepper("bdf2");
    wr_mode mode[2];
    double a[4] = {0, -1e4, 1, 0}, b[4], c[4];
    memcpy(b, a, sizeof a);
    memcpy(c, a, sizeof a);
    assert_int_equal(wr_modes_find(&euler, 1e-3, 0.0, 2, a, ones, mode), WRSIM_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(mode[i].kind, WR_MODE_UNSTABLE);
        assert_close(mode[i].excess, 0.5 * log1p(0.01), 1e-9, 0.0);
        assert_close(mode[i].part[0].share, 0.5, 1e-9, 0.0);
        assert_close(wr_mode_largest_step(&euler, &mode[i], (double)INFINITY), 0.0, 0.0, 0.0);
    }
    assert_int_equal(wr_modes_find(&rk4, 0.029, 0.0, 2, b, ones, mode), WRSIM_OK);
    assert_int_equal(mode[0].kind, WR_MODE_UNSTABLE);
    assert_close(wr_mode_largest_step(&rk4, &mode[0], (double)INFINITY), sqrt(8.0) / 100.0, 1e-5,
                 0.0);
    assert_true(isinf(wr_mode_largest_step(&rk4, &mode[0], 0.02)));
    assert_int_equal(wr_modes_find(&bdf2, 10.0, 0.0, 2, c, ones, mode), WRSIM_OK);
    assert_int_equal(mode[0].kind, WR_MODE_STABLE);
}

/* Slow modes beside a mode 1e12 times as fast are as accurate as alone, so bdf3, which is unstable near the imaginary axis, amplifies them.
 * But modes of the size of rounding errors in a differenced Jacobian count as zero. */
TEST(slow_modes_of_stiff_systems)
{
    static const wr_lms bdf3 = {3, {11, -18, 9, -2}, {6}};
    const wr_stepper method = wr_stepper_of_formula(&bdf3);
    const double rate = 1.0;
    for (int is_coupled = 0; is_coupled < 2; is_coupled++) {
        /* x1' = -1e12 (x1 - x2), x2' = x3, x3' = -x2. Coupled: x2' = 1e12 (x1 - x2) + 1e-3 x3, x3' = 0. */
        double a[9] = {-1e12, 0, 0, 1e12, 0, -rate, 0, rate, 0};
        wr_mode mode[3];
        int n_unstable = 0, n_rest = 0;
        if (is_coupled) {
            a[1] = 1e12; /* the slow modes are a difference of large terms */
            a[4] = -1e12;
            a[5] = 0.0;
            a[7] = 1e-3;
        }
        assert_int_equal(wr_modes_find(&method, 0.5, 0.0, 3, a, ones, mode), WRSIM_OK);
        for (int i = 0; i < 3; i++) {
            n_unstable += mode[i].kind == WR_MODE_UNSTABLE;
            n_rest += mode[i].kind == WR_MODE_AT_REST;
        }
        assert_int_equal(n_unstable, is_coupled ? 0 : 2);
        assert_int_equal(n_rest, is_coupled ? 2 : 0);
    }
}

/* Growth of the model is no fault of the method, unless the method grows much faster. */
TEST(growth_of_its_own)
{
    const wr_stepper euler = stepper("euler");
    wr_mode mode[2];
    double grows[1] = {3.0}, swings[4] = {0.5, -20, 20, 0.5}, fast[4] = {0.5, -200, 200, 0.5};
    assert_int_equal(wr_modes_find(&euler, 0.1, 0.0, 1, grows, ones, mode), WRSIM_OK);
    assert_int_equal(mode[0].kind, WR_MODE_GROWING);
    assert_true(isnan(wr_mode_largest_step(&euler, &mode[0], (double)INFINITY)));
    assert_int_equal(wr_modes_find(&euler, 1e-4, 0.0, 2, swings, ones, mode), WRSIM_OK);
    assert_int_equal(mode[0].kind, WR_MODE_STABLE);
    assert_int_equal(wr_modes_find(&euler, 1e-3, 0.0, 2, fast, ones, mode), WRSIM_OK);
    assert_int_equal(mode[0].kind, WR_MODE_UNSTABLE);
}

/* Growth that steps do not reproduce: backward Euler's z = 1 / (1 - q) is 2 at q = 1/2, infinite at 1 and small far beyond. rk4's z is 16.4
 * at 3, with e^3 = 20.1. Further cases: oscillating, decaying, and hardly growing modes. */
TEST(growth_that_is_lost)
{
    static const struct {
        const char *method;
        double grows, swings; /* h lambda */
        int is_lost;
    } cases[] = {{"linimp", 0.5, 0.0, 0},
                 {"linimp", 1.0, 0.0, 1},
                 {"linimp", 5.0, 0.0, 1},
                 {"linimp", 5.0, 2.0, 1},
                 {"linimp", 5.0, 30.0, 1},
                 {"linimp", 0.1, 30.0, 0},
                 {"linimp", -5.0, 2, 0},
                 {"trapezoidal", 1.0, 0.0, 0},
                 {"trapezoidal", 5.0, 2.0, 1},
                 {"bdf2", 5.0, 2.0, 1},
                 {"euler", 0.6, 0.0, 0},
                 {"euler", 3.0, 0.0, 1},
                 {"rk4", 3.0, 0.0, 0},
                 {"rk4", 9.0, 0.0, 1},
                 /* beyond a pole: right size, wrong sign */
                 {"linimp", 1.3, 0.0, 1},
                 {"trapezoidal", 2.5, 0.0, 1},
                 {"linimp", 0.7, 0.5, 0},
                 /* the formula grows correctly, its start does not */
                 {"bdf2", 0.45, 0.0, 0},
                 {"bdf2", 0.55, 0.0, 1},
                 {"trapezoidal", 0.55, 0.0, 0}};
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        const wr_stepper method = stepper(cases[i].method);
        const double h_s = 0.1, re = cases[i].grows / h_s, im = cases[i].swings / h_s;
        double a[4] = {re, im, -im, re};
        wr_mode mode[2];
        assert_int_equal(wr_modes_find(&method, h_s, 0.0, 2, a, ones, mode), WRSIM_OK);
        assert_int_equal(mode[0].is_lost, cases[i].is_lost);
        assert_int_equal(mode[1].is_lost, cases[i].is_lost);
    }
}

/* The rounding error of fast rates makes a conserved sum grow, at a rate of 2e-11 of the fastest rate, 4e10 1/s. The model itself does
 * not grow. */
TEST(rounding_is_no_growth)
{
    const wr_stepper linimp = stepper("linimp");
    double a[4] = {-1e10, 1e10, 3e10, -3e10 * (1.0 - 1e-10)};
    wr_mode mode[2];
    assert_int_equal(wr_modes_find(&linimp, 50.0, 0.0, 2, a, ones, mode), WRSIM_OK);
    for (int i = 0; i < 2; i++) {
        assert_true(creal(mode[i].lambda) < -1.0 || creal(mode[i].lambda) * 50.0 > 1.0);
        assert_int_equal(mode[i].is_lost, 0);
    }
}

TEST(bad_matrices_are_errors)
{
    const wr_stepper euler = stepper("euler");
    wr_mode mode[1];
    double a[1] = {(double)NAN};
    assert_int_equal(wr_modes_find(&euler, 0.1, 0.0, 1, a, ones, mode), WRSIM_E_NAN);
    assert_int_equal(wr_modes_find(&euler, 0.1, 0.0, 0, a, ones, mode), WRSIM_OK);
}

/* A defective matrix has modes with finite shares, although rounding decides their values. */
TEST(defective_matrix)
{
    const wr_stepper rk4 = stepper("rk4");
    wr_mode mode[3];
    double a[9] = {-2, 0, 0, 1, -2, 0, 0, 1, -2};
    assert_int_equal(wr_modes_find(&rk4, 1.0, 0.0, 3, a, ones, mode), WRSIM_OK);
    for (int i = 0; i < 3; i++) {
        assert_close(creal(mode[i].lambda), -2.0, 1e-4, 0.0);
        assert_int_equal(mode[i].kind, WR_MODE_STABLE);
        assert_true(isfinite(mode[i].part[0].share));
        assert_true(mode[i].condition > 1e5);
    }
}

/* Random damped modes: rk4 of the test decays at 2 % below the limit and grows at 2 % above. */
TEST(limit_of_simulated_steps)
{
    uint64_t seed = 21;
    const wr_stepper rk4 = stepper("rk4");
    for (int k = 0; k < 200; k++) {
        const double damping = 0.2 + wr_random_share(&seed), rate = 5.0 * wr_random_share(&seed);
        double a[4] = {-damping, -rate, rate, -damping};
        wr_mode mode[2];
        assert_int_equal(wr_modes_find(&rk4, 0.1, 0.0, 2, a, ones, mode), WRSIM_OK);
        const double limit_s = wr_mode_largest_step(&rk4, &mode[0], (double)INFINITY);
        for (int above = 0; above < 2; above++) {
            const double h = limit_s * (above ? 1.02 : 0.98);
            double complex x = 1.0;
            for (int n = 0; n < 1000; n++) {
                const double complex lambda = mode[0].lambda;
                const double complex k1 = lambda * x, k2 = lambda * (x + 0.5 * h * k1),
                                     k3 = lambda * (x + 0.5 * h * k2), k4 = lambda * (x + h * k3);
                x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
            }
            assert_int_equal(cabs(x) > 1.0, above);
        }
    }
}
