#include "wr_test.h"

#include "base/polynomial.h"

/* Vieta: the product of (z - root) has the coefficients of the polynomial. */
TEST(roots_give_coefficients_back)
{
    uint64_t seed = 3;
    for (int degree = 1; degree <= 12; degree++)
        for (int k = 0; k < 20; k++) {
            double complex c[13], root[13], product[13] = {1};
            for (int i = 0; i <= degree; i++)
                c[i] = CMPLX(wr_random_unit(&seed), wr_random_unit(&seed));
            c[degree] = 1.0;
            int n;
            assert_int_equal(wr_polynomial_roots(degree, c, root, &n), WRSIM_OK);
            assert_int_equal(n, degree);
            for (int i = 0; i < n; i++)
                for (int j = i + 1; j >= 0; j--)
                    product[j] = (j > 0 ? product[j - 1] : 0.0) - root[i] * product[j];
            for (int i = 0; i <= degree; i++)
                assert_close(cabs(product[i] - c[i]), 0.0, 0.0, 1e-12);
        }
}

TEST(zero_coefficients_at_the_ends)
{
    const double complex c[6] = {0, 0, -5, 4, 1, 0}; /* z^2 (z - 1) (z + 5) */
    double complex root[5], product = 1.0;
    int n;
    assert_int_equal(wr_polynomial_roots(5, c, root, &n), WRSIM_OK);
    assert_int_equal(n, 4);
    assert_true(cabs(root[0]) <= 0.0 && cabs(root[1]) <= 0.0);
    product = root[2] * root[3];
    assert_close(creal(product), -5.0, 1e-14, 0.0);
    const double complex none[2] = {0, 0}, constant[2] = {3, 0};
    assert_int_equal(wr_polynomial_roots(1, none, root, &n), WRSIM_E_ARG);
    assert_int_equal(wr_polynomial_roots(17, c, root, &n), WRSIM_E_ARG);
    assert_int_equal(wr_polynomial_roots(1, constant, root, &n), WRSIM_OK);
    assert_int_equal(n, 0);
}

TEST(derivative)
{
    const double complex c[4] = {5, 1, CMPLX(0, 2), 3};
    double complex d[3];
    wr_polynomial_differentiate(3, c, d);
    const double complex value = wr_polynomial_eval(2, d, 2.0);
    assert_close(creal(value), 1.0 + 9.0 * 4.0, 1e-15, 0.0);
    assert_close(cimag(value), 2.0 * 2.0 * 2.0, 1e-15, 0.0);
}
