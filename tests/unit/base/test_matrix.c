/* Compares sparse matrices with dense matrices, on random cases. */
#include "wr_test.h"

#include "base/matrix.h"

enum { N_MAX = 9, N_CASE = 200 };

static uint64_t seed = 1;

static int draw(int n) { return (int)(wr_random_bits(&seed) % (uint64_t)n); }

static wr_matrix *random_matrix(int n_row, int n_column, double *dense)
{
    memset(dense, 0, sizeof *dense * N_MAX * N_MAX);
    for (int i = 0; i < n_row * n_column; i++)
        dense[i] = draw(3) == 0 ? draw(9) - 4.0 : 0.0;
    wr_matrix *const matrix = wr_matrix_from_dense(n_row, n_column, dense);
    assert_non_null(matrix);
    return matrix;
}

static void assert_dense(const wr_matrix *matrix, const double *expected)
{
    double found[N_MAX * N_MAX];
    wr_matrix_to_dense(matrix, found);
    for (int i = 0; i < matrix->n_row * matrix->n_column; i++)
        assert_close(found[i], expected[i], 0.0, 0.0);
}

TEST(dense_matrices_come_back)
{
    for (int k = 0; k < N_CASE; k++) {
        double dense[N_MAX * N_MAX], turned[N_MAX * N_MAX] = {0};
        const int n_row = 1 + draw(N_MAX), n_column = 1 + draw(N_MAX);
        AUTO(wr_matrix_destroy)
        wr_matrix *m = random_matrix(n_row, n_column, dense), *t = wr_matrix_transpose(m);
        AUTO(wr_matrix_destroy) wr_matrix *back = wr_matrix_transpose(t);
        assert_dense(m, dense);
        for (int i = 0; i < n_row; i++)
            for (int j = 0; j < n_column; j++) {
                turned[i * n_column + j] = dense[j * n_row + i];
                assert_close(wr_matrix_at(m, i, j), dense[j * n_row + i], 0.0, 0.0);
            }
        assert_dense(t, turned);
        assert_true(wr_matrix_is_equal(m, back));
    }
}

TEST(orders_move_rows_and_columns)
{
    for (int k = 0; k < N_CASE; k++) {
        double dense[N_MAX * N_MAX], moved[N_MAX * N_MAX];
        const int n = 1 + draw(N_MAX);
        int row[N_MAX], column[N_MAX];
        for (int i = 0; i < n; i++)
            row[i] = column[i] = i;
        for (int i = n - 1; i > 0; i--) {
            const int a = draw(i + 1), b = draw(i + 1), r = row[i], c = column[i];
            row[i] = row[a], row[a] = r;
            column[i] = column[b], column[b] = c;
        }
        AUTO(wr_matrix_destroy)
        wr_matrix *m = random_matrix(n, n, dense), *p = wr_matrix_permute(m, row, column);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                moved[j * n + i] = dense[column[j] * n + row[i]];
        assert_dense(p, moved);
    }
}

TEST(chains_joins_and_differences)
{
    for (int k = 0; k < N_CASE; k++) {
        double da[N_MAX * N_MAX], db[N_MAX * N_MAX], dc[N_MAX * N_MAX];
        const int n = 1 + draw(N_MAX), inner = 1 + draw(N_MAX), n_column = 1 + draw(N_MAX);
        AUTO(wr_matrix_destroy)
        wr_matrix *a = random_matrix(n, inner, da), *b = random_matrix(inner, n_column, db);
        AUTO(wr_matrix_destroy) wr_matrix *c = random_matrix(n, inner, dc);
        AUTO(wr_matrix_destroy)
        wr_matrix *chain = wr_matrix_chain(a, b), *join = wr_matrix_join(a, c),
                  *rest = wr_matrix_without(a, c);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n_column; j++) {
                double best = 0.0;
                for (int l = 0; l < inner; l++)
                    best = fmax(best, fabs(da[l * n + i] * db[j * inner + l]));
                assert_close(wr_matrix_at(chain, i, j), best, 0.0, 0.0);
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < inner; j++) {
                const double x = da[j * n + i], y = dc[j * n + i];
                assert_close(wr_matrix_at(join, i, j), fabs(y) > fabs(x) ? y : x, 0.0, 0.0);
                assert_close(wr_matrix_at(rest, i, j), y == 0.0 ? x : 0.0, 0.0, 0.0);
            }
    }
}

TEST(of_several_entries_the_largest_stays)
{
    AUTO(wr_entries_done) wr_entries entries = {0};
    wr_entries_add(&entries, 1, 0, 2.0, 0);
    wr_entries_add(&entries, 1, 0, -3.0, 1);
    wr_entries_add(&entries, 0, 2, 0.0, 2);
    AUTO(wr_matrix_destroy) wr_matrix *m = wr_matrix_from_entries(2, 3, &entries, 1);
    assert_int_equal(m->n_nonzero, 2);
    assert_close(wr_matrix_at(m, 1, 0), -3.0, 0.0, 0.0);
    assert_int_equal(wr_matrix_find(m, 0, 2), 1); /* a stored zero */
    assert_int_equal(wr_matrix_find(m, 0, 1), -1);
}
