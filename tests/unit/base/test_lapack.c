#include "wr_test.h"

#include "base/lapack.h"

enum { N = 7 };

static double random_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*seed >> 11) / 9007199254740992.0 * 2.0 - 1.0;
}

/* |A r - lambda r| and |l^H A - lambda l^H|, the definitions, of random matrices. */
static void test_pairs_are_eigenpairs(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int n_pair = 0;
    for (int k = 0; k < 50; k++) {
        double a[N * N], used[N * N];
        double complex value[N], left[N * N], right[N * N];
        for (int i = 0; i < N * N; i++)
            used[i] = a[i] = random_number(&seed);
        assert_int_equal(wr_lapack_eigen(N, used, value, left, right), WRSIM_OK);
        for (int j = 0; j < N; j++) {
            n_pair += cimag(value[j]) > 0.0;
            for (int i = 0; i < N; i++) {
                double complex r = -value[j] * right[j * N + i];
                double complex l = -value[j] * conj(left[j * N + i]);
                for (int m = 0; m < N; m++) {
                    r += a[m * N + i] * right[j * N + m];
                    l += conj(left[j * N + m]) * a[i * N + m];
                }
                assert_close(cabs(r), 0.0, 0.0, 1e-13);
                assert_close(cabs(l), 0.0, 0.0, 1e-13);
            }
        }
    }
    assert_true(n_pair > 50);
}

/* x'' + 3 x' + 2 x = 0 as a system: -1 and -2 (lecture notes, "Stability of discretized linear differential equations"). */
static void test_known_values(void **state)
{
    (void)state;
    double a[4] = {0, -2, 1, -3};
    double complex value[2];
    assert_int_equal(wr_lapack_eigen(2, a, value, NULL, NULL), WRSIM_OK);
    assert_close(creal(value[0]) + creal(value[1]), -3.0, 1e-15, 0.0);
    assert_close(creal(value[0]) * creal(value[1]), 2.0, 1e-15, 0.0);
    double complex rotation[4] = {0, CMPLX(0, 1), CMPLX(0, 1), 0};
    assert_int_equal(wr_lapack_eigen_complex(2, rotation, value), WRSIM_OK);
    assert_close(cabs(value[0] + value[1]), 0.0, 0.0, 1e-15);
    assert_close(cimag(value[0]) * cimag(value[1]), -1.0, 1e-15, 0.0);
}

static void test_refuses_not_finite(void **state)
{
    (void)state;
    double a[4] = {1, 0, (double)NAN, 1};
    double complex b[1] = {(double)INFINITY}, value[2];
    assert_int_equal(wr_lapack_eigen(2, a, value, NULL, NULL), WRSIM_E_NAN);
    assert_int_equal(wr_lapack_eigen_complex(1, b, value), WRSIM_E_NAN);
    assert_int_equal(wr_lapack_eigen(0, a, value, NULL, NULL), WRSIM_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs_are_eigenpairs),
                                       cmocka_unit_test(test_known_values),
                                       cmocka_unit_test(test_refuses_not_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
