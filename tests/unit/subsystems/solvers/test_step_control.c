/* The error norm is the largest ratio and detects a value that is not finite in any place. */
#include "subsystems/solvers/step_control.h"
#include "wr_test.h"

enum { MAX_N = 7 };

static const double factor[MAX_N] = {1, 0.5, 2, 1, 0.25, 1, 4};

static double norm_of(int n, const double *err, const double *x0, const double *x1,
                      double atol_factor)
{
    static const double nominal[MAX_N] = {1, 2, 3, 4, 5, 6, 7};
    const wr_step_control control = {.n_x = n,
                                     .nominal = nominal,
                                     .factor = factor,
                                     .rtol = 1e-3,
                                     .atol_factor = atol_factor,
                                     .loosening = 2.0};
    return wr_step_control_norm(&control, err, x0, x1);
}

TEST(norm_is_the_largest_ratio)
{
    for (int n = 1; n <= MAX_N; n++)
        for (int at = 0; at < n; at++) {
            double err[MAX_N] = {0}, x0[MAX_N], x1[MAX_N];
            for (int i = 0; i < n; i++) {
                x0[i] = i + 1.0;
                x1[i] = -0.5 * (i + 1.0);
                err[i] = 1e-6 * (i + 1.0);
            }
            err[at] = -0.01;
            /* factor rtol loosening (max(|x0|, |x1|) + atol_factor nominal) */
            const double tolerance = factor[at] * 2e-3 * (at + 1.0 + 0.5 * (at + 1.0));
            assert_close(norm_of(n, err, x0, x1, 0.5), 0.01 / tolerance, 1e-15, 0);
        }
    assert_close(norm_of(0, NULL, NULL, NULL, 0.5), 0, 0, 0);
}

TEST(norm_finds_values_that_are_not_finite)
{
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int n = 1; n <= MAX_N; n++)
        for (int at = 0; at < n; at++)
            for (size_t k = 0; k < WR_COUNT_OF(bad); k++) {
                double err[MAX_N] = {0}, x[MAX_N] = {0}, x1[MAX_N] = {0};
                err[at] = bad[k];
                assert_true(isnan(norm_of(n, err, x, x1, 0.5)));
                err[at] = 1e-9;
                x1[at] = bad[k];
                assert_true(isnan(norm_of(n, err, x, x1, 0.5)));
            }
}

/* Values near the largest double give a finite norm. At tolerances of 0 the norm is 0 for an error of 0, and infinite for other
 * errors. */
TEST(norm_at_the_limits)
{
    const double big[3] = {1e308, 1e308, 1e308}, err[3] = {1e304, 2e304, 0.0};
    assert_close(norm_of(3, err, big, big, 0.0), 2e304 / (factor[1] * 2e-3 * 1e308), 1e-15, 0);
    const double zero[3] = {0.0, 0.0, 0.0}, one[3] = {0.0, 1.0, 0.0};
    assert_close(norm_of(3, zero, zero, one, 0.0), 0, 0, 0);
    assert_true(norm_of(3, one, zero, zero, 0.0) >= (double)INFINITY);
}
