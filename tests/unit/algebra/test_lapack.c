#include "wr_test.h"

#include "offline/algebra/lapack.h"

enum { N = 7 };

/* The residuals |A r - lambda r| and |l^H A - lambda l^H| of random matrices are small. */
TEST(pairs_are_eigenpairs)
{
    uint64_t seed = 7;
    int n_pair = 0;
    for (int k = 0; k < 50; k++) {
        double a[N * N], used[N * N];
        double complex value[N], left[N * N], right[N * N];
        for (int i = 0; i < N * N; i++)
            used[i] = a[i] = wr_random_unit(&seed);
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

/* x'' + 3 x' + 2 x = 0 as a system has the eigenvalues -1 and -2. */
TEST(known_values)
{
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

TEST(refuses_not_finite)
{
    double a[4] = {1, 0, (double)NAN, 1};
    double complex b[1] = {(double)INFINITY}, value[2];
    assert_int_equal(wr_lapack_eigen(2, a, value, NULL, NULL), WRSIM_E_NAN);
    assert_int_equal(wr_lapack_eigen_complex(1, b, value), WRSIM_E_NAN);
    assert_int_equal(wr_lapack_eigen(0, a, value, NULL, NULL), WRSIM_OK);
    double complex one[1] = {1.0}, nan[1] = {(double)NAN};
    double rcond;
    assert_int_equal(wr_lapack_solve_complex(1, 1, nan, one, &rcond), WRSIM_E_NAN);
    assert_int_equal(wr_lapack_solve_complex(1, 1, one, nan, &rcond), WRSIM_E_NAN);
}

enum { M = 7 };

static void random_matrix(double *a)
{
    static uint64_t state = 3;
    for (int e = 0; e < M * M; e++)
        a[e] = wr_random_unit(&state);
}

TEST(solve)
{
    for (int trial = 0; trial < 20; trial++) {
        double a[M * M], factors[M * M], x[2 * M], b[2 * M] = {0.0}, rcond;
        double complex za[M * M], zb[M] = {0.0}, zx[M];
        random_matrix(a);
        for (int k = 0; k < 2 * M; k++)
            x[k] = k - 3.0;
        for (int c = 0; c < 2; c++)
            for (int j = 0; j < M; j++)
                for (int i = 0; i < M; i++)
                    b[c * M + i] += a[j * M + i] * x[c * M + j];
        for (int j = 0; j < M; j++) {
            zx[j] = CMPLX(j, 1.0 - j);
            for (int i = 0; i < M; i++) {
                za[j * M + i] = CMPLX(a[j * M + i], a[i * M + j]);
                zb[i] += za[j * M + i] * zx[j];
            }
        }
        memcpy(factors, a, sizeof a);
        assert_int_equal(wr_lapack_solve(M, 2, factors, b, &rcond), WRSIM_OK);
        for (int k = 0; k < 2 * M; k++)
            assert_close(b[k], x[k], 0.0, 1e-13 / rcond);
        assert_int_equal(wr_lapack_solve_complex(M, 1, za, zb, &rcond), WRSIM_OK);
        for (int k = 0; k < M; k++)
            assert_close(cabs(zb[k] - zx[k]), 0.0, 0.0, 1e-13 / rcond);
    }
    double singular[4] = {1.0, 2.0, 2.0, 4.0}, b[2] = {1.0, 1.0}, rcond;
    assert_int_equal(wr_lapack_solve(2, 1, singular, b, &rcond), WRSIM_E_SOLVER);
    assert_close(rcond, 0.0, 0.0, 0.0);
}

/* Checks A = Q S Z^H and B = Q T Z^H with upper triangular S and T. */
static void check_schur(const wr_schur *f, const double *a, const double *b)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            double complex sum_a = 0.0, sum_b = 0.0;
            for (int k = 0; k < M; k++)
                for (int l = 0; l < M; l++) {
                    sum_a += f->q[k * M + i] * f->s[l * M + k] * conj(f->z[l * M + j]);
                    sum_b += f->q[k * M + i] * f->t[l * M + k] * conj(f->z[l * M + j]);
                }
            assert_close(cabs(sum_a - a[j * M + i]), 0.0, 0.0, 1e-13);
            assert_close(cabs(sum_b - b[j * M + i]), 0.0, 0.0, 1e-13);
            if (i > j)
                assert_close(cabs(f->s[j * M + i]) + cabs(f->t[j * M + i]), 0.0, 0.0, 1e-13);
        }
}

TEST(schur)
{
    for (int trial = 0; trial < 20; trial++) {
        double a[M * M], b[M * M], a_copy[M * M], b_copy[M * M], beta[M];
        double complex memory[4 * M * M + 2 * M], alpha[M], first;
        int is_marked[M] = {0}, n_found = 0;
        random_matrix(a);
        random_matrix(b);
        wr_schur f = {.n = M,
                      .s = memory,
                      .t = memory + M * M,
                      .q = memory + 2 * M * M,
                      .z = memory + 3 * M * M,
                      .alpha = memory + 4 * M * M,
                      .beta = memory + 4 * M * M + M};
        assert_int_equal(wr_lapack_schur(a, b, &f), WRSIM_OK);
        check_schur(&f, a, b);
        memcpy(a_copy, a, sizeof a);
        memcpy(b_copy, b, sizeof b);
        assert_int_equal(wr_lapack_pencil_eigen(M, a_copy, b_copy, alpha, beta), WRSIM_OK);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < M; j++)
                n_found += cabs(f.alpha[i] / f.beta[i] - alpha[j] / beta[j]) <
                           1e-9 * (1.0 + cabs(alpha[j] / beta[j]));
        assert_int_equal(n_found, M);
        is_marked[M - 1] = is_marked[M - 3] = 1;
        first = f.alpha[M - 3] / f.beta[M - 3];
        assert_int_equal(wr_lapack_schur_reorder(is_marked, &f), WRSIM_OK);
        check_schur(&f, a, b);
        assert_close(cabs(f.alpha[0] / f.beta[0] - first), 0.0, 0.0, 1e-9 * (1.0 + cabs(first)));
    }
}
