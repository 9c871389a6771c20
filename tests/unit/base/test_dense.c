#include "wr_test.h"

#include "base/dense.h"

/* The first diagonal element is zero, so the solver must exchange rows. */
TEST(solves_with_row_exchanges)
{
    const double a[9] = {0, 2, 4, 1, -3, 1, 2, 1, 5}; /* by columns */
    const double x[3] = {1, -2, 3};
    double lu[9], b[3];
    int pivot[3];
    memcpy(lu, a, sizeof a);
    for (int i = 0; i < 3; i++)
        b[i] = a[i] * x[0] + a[3 + i] * x[1] + a[6 + i] * x[2];
    assert_int_equal(wr_dense_factor(3, lu, pivot), 0);
    assert_int_equal(wr_dense_sign(3, lu, pivot),
                     1); /* det = 0 (-15 - 1) - 1 (10 - 4) + 2 (2 + 12) = 22 */
    wr_dense_solve(3, lu, pivot, b);
    for (int i = 0; i < 3; i++)
        assert_close(b[i], x[i], 1e-14, 0.0);
}

/* Hilbert matrices have integer inverses; the error is bounded by condition number * eps. */
TEST(hilbert_5)
{
    enum { N = 5 };
    double a[N * N], b[N] = {1, 0, 0, 0, 0};
    const double first_column_of_inverse[N] = {25, -300, 1050, -1400, 630};
    int pivot[N];
    for (int column = 0; column < N; column++)
        for (int row = 0; row < N; row++)
            a[column * N + row] = 1.0 / (row + column + 1);
    assert_int_equal(wr_dense_factor(N, a, pivot), 0);
    wr_dense_solve(N, a, pivot, b);
    for (int i = 0; i < N; i++)
        assert_close(b[i], first_column_of_inverse[i], 4.8e5 * 2.3e-16 * 10, 0.0);
}

TEST(refuses_singular_and_not_finite)
{
    double singular[4] = {1, 2, 2, 4}, bad[4] = {(double)NAN, 0, 0, 1};
    int pivot[2];
    assert_int_equal(wr_dense_factor(2, singular, pivot), 1);
    assert_int_equal(wr_dense_factor(2, bad, pivot), 1);
}
