#include "wr_test.h"

#include "base/sparse.h"

/* A tridiagonal matrix of any size needs three colours (Curtis, Powell and Reid 1974). */
static void test_tridiagonal_needs_three_colours(void **state)
{
    (void)state;
    enum { N = 12 };
    unsigned char is_set[N * N] = {0};
    for (int column = 0; column < N; column++)
        for (int row = column - 1; row <= column + 1; row++)
            if (row >= 0 && row < N)
                is_set[column * N + row] = 1;
    wr_arena *arena = wr_arena_create(1 << 20);
    const wr_sparsity *const pattern = wr_sparsity_place(arena, N, N, is_set);
    assert_int_equal(pattern->n_nonzero, 3 * N - 2);
    int colour[N];
    assert_int_equal(wr_sparsity_colour(pattern, colour), 3);
    for (int a = 0; a < N; a++)
        for (int b = a + 1; b < N && b <= a + 2; b++)
            assert_int_not_equal(colour[a], colour[b]);
    wr_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tridiagonal_needs_three_colours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
