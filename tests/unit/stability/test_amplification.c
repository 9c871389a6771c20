/* Regions of stability against the textbooks' boundary points, against simulated steps, and against a discretised second-order
 * equation.
 */
#include "wr_test.h"

#include "offline/stability/amplification.h"

static wr_stepper stepper(const char *name)
{
    wr_stepper found;
    if (!wr_stepper_find(name, &found))
        fail_msg("no method '%s'", name);
    return found;
}

static const double unbounded = (double)INFINITY;

/* Real intervals (-r, 0): Adams-Bashforth 1 to 5: 2, 1, 6/11, 3/10, 90/551; Adams-Moulton of 2 to 4 steps: 6, 3, 90/49
 * (Hairer, Wanner, "Solving ODEs II", 1996, V.1; Lambert, "Numerical Methods for Ordinary Differential Systems", 1991, table 3.2);
 * Runge-Kutta of order 2 to 4: 2, 2.5127, 2.7853 (Hairer, Wanner, IV.2). Imaginary axis: rk3 sqrt(3), rk4 sqrt(8), midpoint (leapfrog) 1;
 * forward Euler, Heun and AB2 have none. Angles: Hairer, Wanner, V.2, table 2.1: BDF 90, 90, 86.03, 73.35, 51.84, 17.84 degrees. */
static const struct row {
    const char *name;
    double real, imaginary, angle; /* NAN: no published value */
} rows[] = {
    {"euler", 2.0, 0.0, 0.0},
    {"heun", 2.0, 0.0, 0.0},
    {"rk3", 2.5127453266183286, 1.7320508075688772, 0.0},
    {"rk4", 2.7852935634052818, 2.8284271247461903, 0.0},
    {"midpoint", 0.0, 1.0, 0.0},
    {"ab1", 2.0, 0.0, 0.0},
    {"ab2", 1.0, 0.0, 0.0},
    {"ab3", 6.0 / 11, (double)NAN, 0.0},
    {"ab4", 3.0 / 10, (double)NAN, 0.0},
    {"ab5", 90.0 / 551, 0.0, 0.0},
    {"am1", unbounded, unbounded, 90.0},
    {"am2", 6.0, 0.0, 0.0},
    {"am3", 3.0, 0.0, 0.0},
    {"am4", 90.0 / 49, (double)NAN, 0.0},
    {"backward_euler", unbounded, unbounded, 90.0},
    {"linimp", unbounded, unbounded, 90.0},
    {"trapezoidal", unbounded, unbounded, 90.0},
    {"bdf1", unbounded, unbounded, 90.0},
    {"bdf2", unbounded, unbounded, 90.0},
    {"bdf3", unbounded, (double)NAN, 86.03},
    {"bdf4", unbounded, (double)NAN, 73.35},
    {"bdf5", unbounded, (double)NAN, 51.84},
    {"bdf6", unbounded, (double)NAN, 17.84},
};

TEST(regions_reach_as_far_as_published)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const wr_stepper s = stepper(rows[i].name);
        const double real = wr_amplification_reach(&s.amplification, M_PI, unbounded);
        const double imaginary = wr_amplification_reach(&s.amplification, 0.5 * M_PI, unbounded);
        const double angle = wr_amplification_angle(&s.amplification);
        print_message("%-15s real %-10.6g imaginary %-10.6g angle %.4g\n", s.name, real, imaginary,
                      angle);
        if (isinf(rows[i].real))
            assert_true(isinf(real));
        else
            assert_close(real, rows[i].real, 1e-7, 0.0);
        if (isinf(rows[i].imaginary))
            assert_true(isinf(imaginary));
        else if (!isnan(rows[i].imaginary))
            assert_close(imaginary, rows[i].imaginary, 1e-5, 0.0);
        assert_close(angle, rows[i].angle, 0.0, 0.006); /* to the published digits */
    }
}

/* Forward Euler is stable in the disc |1 + q| <= 1, backward Euler outside of the disc |1 - q| < 1. */
TEST(discs_of_euler)
{
    const wr_amplification forward = stepper("euler").amplification;
    const wr_amplification backward = stepper("backward_euler").amplification;
    for (int k = 1; k < 32; k++) {
        const double complex on_circle = cexp(CMPLX(0.0, 2.0 * M_PI * k / 32));
        assert_true(wr_amplification_is_stable(&forward, -1.0 + 0.999 * on_circle));
        assert_false(wr_amplification_is_stable(&forward, -1.0 + 1.001 * on_circle));
        assert_true(wr_amplification_is_stable(&backward, 1.0 + 1.001 * on_circle));
        assert_false(wr_amplification_is_stable(&backward, 1.0 + 0.999 * on_circle));
        double complex q[WR_AMPLIFICATION_Q];
        assert_int_equal(wr_amplification_locus(&forward, 2.0 * M_PI * k / 32, q), 1);
        assert_close(cabs(q[0] - (on_circle - 1.0)), 0.0, 0.0, 1e-14);
    }
    assert_true(isinf(wr_amplification_radius(&backward, 1.0)));
    assert_true(isnan(wr_amplification_radius(&backward, (double)NAN)));
}

/* x'' + 3 x' + 2 x = 0 by forward Euler, as a system with the eigenvalues -1 and -2: z = 1 - dt, 1 - 2 dt. */
TEST(discretised_second_order_equation)
{
    const wr_amplification a = stepper("euler").amplification;
    const struct {
        double dt, z[2];
        int is_stable;
    } published[] = {{0.5, {0.5, 0.0}, 1}, {1.0, {0.0, -1.0}, 1}, {2.0, {-1.0, -3.0}, 0}};
    for (size_t i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            const double q = -(k + 1.0) * published[i].dt;
            assert_close(wr_amplification_radius(&a, q), fabs(published[i].z[k]), 1e-15, 1e-15);
            if (k == 1)
                assert_int_equal(wr_amplification_is_stable(&a, q), published[i].is_stable);
        }
}

/* Returns the growth per step of the formula itself, as the mean over many steps from random values. */
static double simulated_growth(const wr_lms *formula, double complex q, uint64_t *seed)
{
    enum { N = 20000 };
    const wr_lms unit = wr_lms_normalised(formula);
    double complex x[WR_LMS_STEPS] = {0};
    double sum = 0.0;
    for (int j = 0; j < unit.n_step; j++)
        x[j] = CMPLX(wr_random_share(seed) - 0.5, wr_random_share(seed) - 0.5);
    for (int n = 0; n < N; n++) {
        double complex next = 0.0;
        for (int j = 1; j <= unit.n_step; j++)
            next -= (unit.alpha[j] - q * unit.beta[j]) * x[j - 1];
        next /= unit.alpha[0] - q * unit.beta[0];
        double size = cabs(next);
        for (int j = unit.n_step - 1; j > 0; j--) {
            x[j] = x[j - 1];
            size = fmax(size, cabs(x[j]));
        }
        x[0] = next;
        for (int j = 0; j < unit.n_step; j++)
            x[j] /= size;
        sum += log(size);
    }
    return exp(sum / N);
}

TEST(radius_is_how_steps_grow)
{
    uint64_t seed = 1;
    for (const wr_lms_named *row = wr_lms_table; row->name; row++)
        for (int k = 0; k < 12; k++) {
            const wr_amplification a = wr_amplification_of_formula(&row->formula);
            const double complex q =
                CMPLX(-3.0 * wr_random_share(&seed), 3.0 * wr_random_share(&seed) - 1.5);
            const double radius = wr_amplification_radius(&a, q);
            assert_close(simulated_growth(&row->formula, q, &seed), radius, 2e-3, 0.0);
        }
}

/* Every point of the curve has a root on the unit circle. */
TEST(curve_is_where_a_root_has_size_one)
{
    const char *names[64];
    const int n_name = wr_stepper_names(names, 64);
    assert_int_equal(n_name, 24);
    for (int i = 0; i < n_name; i++)
        for (int k = 1; k < 40; k++) {
            const wr_amplification a = stepper(names[i]).amplification;
            const double phi = 2.0 * M_PI * k / 40.0;
            double complex q[WR_AMPLIFICATION_Q];
            const int n = wr_amplification_locus(&a, phi, q);
            for (int m = 0; m < n; m++) {
                double complex value = 0.0;
                double size = 0.0;
                for (int iz = 0; iz <= a.degree_z; iz++)
                    for (int iq = 0; iq <= a.degree_q; iq++) {
                        const double complex term =
                            a.c[iz][iq] * cexp(CMPLX(0.0, iz * phi)) * cpow(q[m], iq);
                        value += iq == 0 ? a.c[iz][0] * cexp(CMPLX(0.0, iz * phi)) : term;
                        size += iq == 0 ? fabs(a.c[iz][0]) : cabs(term);
                    }
                assert_close(cabs(value) / size, 0.0, 0.0, 1e-12);
            }
        }
}
