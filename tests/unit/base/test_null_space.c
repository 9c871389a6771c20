#include "wr_test.h"

#include "base/null_space.h"

enum { MOST = 12 };

static double draw(uint64_t *seed) { return wr_random_share(seed) - 0.5; }

/* A product of random n x rank and rank x n matrices has that rank. */
TEST(rank_and_null_spaces_of_products)
{
    uint64_t seed = 5;
    for (int round = 0; round < 300; round++) {
        const int n = 1 + round % MOST, rank = (round / MOST) % (n + 1);
        double a[MOST * MOST], r[MOST * MOST], e[MOST * MOST], b[MOST * MOST], c[MOST * MOST];
        double scale[MOST];
        int row_of[MOST], column_of[MOST];
        for (int i = 0; i < n * n; i++) {
            b[i] = draw(&seed);
            c[i] = draw(&seed);
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                a[i * n + j] = 0.0;
                for (int k = 0; k < rank; k++)
                    a[i * n + j] += b[i * n + k] * c[k * n + j];
            }
        memcpy(r, a, (size_t)(n * n) * sizeof *a);
        assert_int_equal(wr_null_space(n, r, e, row_of, column_of, scale), rank);
        int n_pivot = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0.0; /* E A = R */
                for (int k = 0; k < n; k++)
                    sum += e[i * n + k] * a[k * n + j];
                assert_close(sum, r[i * n + j], 1e-8, 1e-7);
                if (column_of[i] < 0)
                    assert_close(sum, 0.0, 0.0, 1e-8);
                if (row_of[j] >= 0)
                    assert_close(r[i * n + j], i == row_of[j], 0.0, 1e-12);
            }
        for (int j = 0; j < n; j++) {
            assert_true(row_of[j] < 0 || column_of[row_of[j]] == j);
            n_pivot += row_of[j] >= 0;
        }
        assert_int_equal(n_pivot, rank);
    }
}

TEST(semi_explicit_stays_as_it_is)
{
    double a[9] = {2, 0, 0, 0, 0, 0, 0, 0, 4}, e[9], scale[3];
    int row_of[3], column_of[3];
    assert_int_equal(wr_null_space(3, a, e, row_of, column_of, scale), 2);
    const double expected[9] = {0.5, 0, 0, 0, 1, 0, 0, 0, 0.25};
    assert_memory_equal(e, expected, sizeof e);
    assert_true(row_of[0] == 0 && row_of[1] == -1 && row_of[2] == 2);
}

/* The rank does not depend on units: a heavy mass beside a small capacitor. */
TEST(units_do_not_matter)
{
    uint64_t seed = 7;
    for (int round = 0; round < 300; round++) {
        const int n = 1 + round % MOST, rank = (round / MOST) % (n + 1);
        double b[MOST * MOST], c[MOST * MOST], a[MOST * MOST], r[MOST * MOST], e[MOST * MOST];
        double scale[MOST], unit[MOST];
        int row_of[MOST], column_of[MOST];
        for (int i = 0; i < n * n; i++) {
            b[i] = draw(&seed);
            c[i] = draw(&seed);
        }
        for (int i = 0; i < n; i++)
            unit[i] = pow(10.0, 20.0 * draw(&seed));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                a[i * n + j] = 0.0;
                for (int k = 0; k < rank; k++)
                    a[i * n + j] += b[i * n + k] * c[k * n + j];
                a[i * n + j] *= unit[i] / unit[n - 1 - j] * 1e-9;
            }
        memcpy(r, a, (size_t)(n * n) * sizeof *a);
        assert_int_equal(wr_null_space(n, r, e, row_of, column_of, scale), rank);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0.0, size = 0.0; /* E A = R, in the units of its row */
                for (int k = 0; k < n; k++) {
                    sum += e[i * n + k] * a[k * n + j];
                    size += fabs(e[i * n + k] * a[k * n + j]);
                }
                assert_close(sum, column_of[i] < 0 ? 0.0 : r[i * n + j], 0.0, 1e-7 * size + 1e-300);
            }
    }
    double a[4] = {1e3, 0, 0, 1e-12}, e[4], scale[2];
    int row_of[2], column_of[2];
    assert_int_equal(wr_null_space(2, a, e, row_of, column_of, scale), 2);
    const double expected[4] = {1.0 / 1e3, 0, 0, 1.0 / 1e-12};
    assert_memory_equal(e, expected, sizeof e);
}
