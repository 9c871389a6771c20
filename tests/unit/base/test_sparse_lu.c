#include "wr_test.h"

#include "backward_error.h"
#include "base/dense.h"
#include "base/sparse_lu.h"

enum { N = 40 };

static void fill(const wr_matrix *pattern, double diagonal, double *ret_values)
{
    for (int column = 0; column < N; column++)
        for (int i = pattern->start[column]; i < pattern->start[column + 1]; i++) {
            const int row = pattern->row[i];
            ret_values[i] = row == column ? diagonal + 0.01 * row : 1.0 / (1.0 + row + 2 * column);
        }
}

static void multiply(const wr_matrix *pattern, const double *values, const double *x, double *ret_b)
{
    memset(ret_b, 0, N * sizeof *ret_b);
    for (int column = 0; column < N; column++)
        for (int i = pattern->start[column]; i < pattern->start[column + 1]; i++)
            ret_b[pattern->row[i]] += values[i] * x[column];
}

TEST(solves_and_does_not_remember)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 22);
    /* The pattern of c I - J for a line of springs with a long-range element. */
    static unsigned char is_set[N * N];
    memset(is_set, 0, sizeof is_set);
    for (int column = 0; column < N; column++)
        for (int row = 0; row < N; row++)
            is_set[column * N + row] = abs(row - column) <= 1 || (column == 0 && row % 7 == 0);
    const wr_matrix *const pattern = wr_sparsity_place(arena, N, N, is_set);
    AUTO(wr_sparse_lu_destroy) wr_sparse_lu *lu = NULL;
    assert_int_equal(wr_sparse_lu_create(pattern, &lu), WRSIM_OK);
    /* Three diagonals and a column have little fill, so the work is linear in N; dense work grows with N^3. */
    assert_true(wr_sparse_lu_flop(lu) > 2.0 * N && wr_sparse_lu_flop(lu) < 12.0 * N);
    double values[4 * N], x[N], first[N], again[N];
    for (int i = 0; i < N; i++)
        x[i] = 1.0 + 0.1 * i;
    fill(pattern, 3.0, values);
    multiply(pattern, values, x, first);
    memcpy(again, first, sizeof first);
    assert_int_equal(wr_sparse_lu_factor(lu, values), 0);
    wr_sparse_lu_solve(lu, first);
    for (int i = 0; i < N; i++)
        assert_close(first[i], x[i], 1e-13, 0.0);
    /* An unrelated factorisation in between does not change the bits. */
    fill(pattern, 0.7, values);
    assert_int_equal(wr_sparse_lu_factor(lu, values), 0);
    fill(pattern, 3.0, values);
    assert_int_equal(wr_sparse_lu_factor(lu, values), 0);
    wr_sparse_lu_solve(lu, again);
    assert_memory_equal(first, again, sizeof first);
    wr_sparse_lu_destroy(&lu);
    assert_null(lu);
}

TEST(refuses_matrices_that_need_other_pivots)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    const unsigned char full[4] = {1, 1, 1, 1}, no_diagonal[4] = {0, 1, 1, 0};
    const unsigned char empty_column[4] = {1, 1, 0, 0};
    AUTO(wr_sparse_lu_destroy) wr_sparse_lu *lu = NULL;
    assert_int_equal(wr_sparse_lu_create(wr_sparsity_place(arena, 2, 2, empty_column), &lu),
                     WRSIM_E_ARG);
    assert_null(lu);
    /* With a zero diagonal, pivots lie off the diagonal. */
    double turned[2] = {2, 4}, b[2] = {6, 8};
    assert_int_equal(wr_sparse_lu_create(wr_sparsity_place(arena, 2, 2, no_diagonal), &lu),
                     WRSIM_OK);
    assert_int_equal(wr_sparse_lu_factor(lu, turned), 0);
    wr_sparse_lu_solve(lu, b); /* x_2 = 6 / 4, x_1 = 8 / 2 */
    assert_true(fabs(b[0] - 4.0) < 1e-15 && fabs(b[1] - 1.5) < 1e-15);
    wr_sparse_lu_destroy(&lu);
    assert_int_equal(wr_sparse_lu_create(wr_sparsity_place(arena, 2, 2, full), &lu), WRSIM_OK);
    double singular[4] = {1, 2, 2, 4}, zero_diagonal[4] = {0, 1, 1, 0}, tiny[4] = {1e-12, 1, 1, 1};
    double bad[4] = {1, 0, 0, (double)NAN}, good[4] = {2, 1, 1, 2};
    assert_int_equal(wr_sparse_lu_factor(lu, singular), 1);
    assert_int_equal(wr_sparse_lu_factor(lu, zero_diagonal), 1);
    assert_int_equal(wr_sparse_lu_factor(lu, tiny), 1);
    assert_int_equal(wr_sparse_lu_factor(lu, bad), 1);
    assert_int_equal(wr_sparse_lu_factor(lu, good), 0);
}

/* Asserts that the sign of the determinant equals the sign from dense elimination with pivoting. */
static void check_sign(const wr_sparse_lu *lu, const wr_matrix *pattern, const double *value)
{
    const int n = pattern->n_column;
    double dense[24 * 24] = {0.0};
    int pivot[24];
    for (int j = 0; j < n; j++)
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            dense[j * n + pattern->row[k]] = value[k];
    assert_int_equal(wr_dense_factor(n, dense, pivot), 0);
    assert_int_equal(wr_sparse_lu_sign(lu), wr_dense_sign(n, dense, pivot));
}

/* Every accepted factorisation solves accurately, for entries of size 1e-6 to 1. Large entries of L may cancel although U does not grow. */
TEST(is_accurate_or_refused)
{
    enum { M = 24, PATTERNS = 200, VALUES = 20 };
    uint64_t seed = 5;
    int n_taken = 0;
    for (int round = 0; round < PATTERNS; round++) {
        AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 16);
        unsigned char is_set[M * M];
        const double density = 0.15 + 0.4 * wr_random_share(&seed);
        for (int i = 0; i < M * M; i++)
            is_set[i] = wr_random_share(&seed) < density || i % (M + 1) == 0;
        const wr_matrix *const pattern = wr_sparsity_place(arena, M, M, is_set);
        AUTO(wr_sparse_lu_destroy) wr_sparse_lu *lu = NULL;
        assert_int_equal(wr_sparse_lu_create(pattern, &lu), WRSIM_OK);
        for (int again = 0; again < VALUES; again++) {
            double value[M * M], b[M], x[M];
            fill_widely(&seed, 6.0, pattern->n_nonzero, value);
            for (int i = 0; i < M; i++)
                b[i] = x[i] = wr_random_share(&seed) - 0.5;
            if (wr_sparse_lu_factor(lu, value) != 0)
                continue;
            n_taken++;
            check_sign(lu, pattern, value);
            wr_sparse_lu_solve(lu, x);
            assert_true(backward_error(pattern, value, x, b) < 1e-9);
        }
    }
    assert_true(n_taken > PATTERNS * VALUES / 8);
}
