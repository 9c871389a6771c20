#include "wr_test.h"

#include "base/null_space.h"

enum { MOST = 12 };

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

/* A product of n x rank and rank x n random matrices has that rank. */
static void test_rank_and_null_spaces_of_products(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < 300; round++) {
        const int n = 1 + round % MOST, rank = (round / MOST) % (n + 1);
        double a[MOST * MOST], r[MOST * MOST], e[MOST * MOST], b[MOST * MOST], c[MOST * MOST];
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
        memcpy(r, a, sizeof a);
        assert_int_equal(wr_null_space(n, r, e, row_of, column_of), rank);
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

static void test_semi_explicit_stays_as_it_is(void **state)
{
    (void)state;
    double a[9] = {2, 0, 0, 0, 0, 0, 0, 0, 4}, e[9];
    int row_of[3], column_of[3];
    assert_int_equal(wr_null_space(3, a, e, row_of, column_of), 2);
    const double expected[9] = {0.5, 0, 0, 0, 1, 0, 0, 0, 0.25};
    assert_memory_equal(e, expected, sizeof e);
    assert_true(row_of[0] == 0 && row_of[1] == -1 && row_of[2] == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank_and_null_spaces_of_products),
        cmocka_unit_test(test_semi_explicit_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
