#include "wr_test.h"

#include "base/sparse.h"

/* A tridiagonal matrix with three or more columns needs three colours (Curtis, Powell and Reid 1974, "On the estimation of sparse
 * Jacobian matrices"). */
TEST(tridiagonal_needs_three_colours)
{
    enum { N = 12 };
    unsigned char is_set[N * N] = {0};
    for (int column = 0; column < N; column++)
        for (int row = column - 1; row <= column + 1; row++)
            if (row >= 0 && row < N)
                is_set[column * N + row] = 1;
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    const wr_matrix *const pattern = wr_sparsity_place(arena, N, N, is_set);
    assert_int_equal(pattern->n_nonzero, 3 * N - 2);
    int colour[N];
    assert_int_equal(wr_sparsity_colour(pattern, colour), 3);
    for (int a = 0; a < N; a++)
        for (int b = a + 1; b < N && b <= a + 2; b++)
            assert_int_not_equal(colour[a], colour[b]);
}

static unsigned draw(uint64_t *seed, unsigned below)
{
    return (unsigned)(wr_random_bits(seed) >> 22) % below;
}

enum { MOST = 30 };

static const wr_matrix *random_pattern(wr_arena *arena, uint64_t *seed, int n, unsigned per_mille,
                                       const unsigned char *within, unsigned char *ret_is_set)
{
    for (int i = 0; i < n * n; i++)
        ret_is_set[i] = draw(seed, 1000) < per_mille && (!within || within[i]);
    return wr_sparsity_place(arena, n, n, ret_is_set);
}

/* Every kept entry (i, j) is alone in row i of the whole pattern among the columns of j's colour. A colouring of the kept entries only does
 * not have this property. */
TEST(partial_colours_leak_nothing)
{
    int n_leak = 0, n_saved = 0;
    uint64_t seed = 1;
    for (int round = 0; round < 400; round++) {
        AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
        unsigned char full[MOST * MOST], kept[MOST * MOST];
        const int n = 1 + (int)draw(&seed, MOST);
        const wr_matrix *const whole =
            random_pattern(arena, &seed, n, 50 + draw(&seed, 400), NULL, full);
        const wr_matrix *const part =
            random_pattern(arena, &seed, n, draw(&seed, 1000), full, kept);
        int colour[MOST], naive[MOST], full_colour[MOST];
        const int n_colour = wr_sparsity_colour_partial(whole, part, colour);
        wr_sparsity_colour(part, naive);
        assert_true(n_colour >= 0 && n_colour <= n);
        n_saved += n_colour < wr_sparsity_colour(whole, full_colour);
        for (int j = 0; j < n; j++) {
            const int is_wanted = part->start[j + 1] > part->start[j];
            assert_true(is_wanted ? colour[j] >= 0 && colour[j] < n_colour : colour[j] == -1);
            for (int i = 0; i < n; i++)
                for (int l = 0; kept[j * n + i] && l < n; l++) {
                    assert_false(l != j && full[l * n + i] && colour[l] == colour[j]);
                    n_leak += l != j && full[l * n + i] && naive[l] == naive[j];
                }
        }
    }
    assert_true(n_leak > 100 && n_saved > 100);
}

/* If all entries are kept, an arrow with full last row and column needs as many colours as columns. Without the last row, two colours
 * suffice. */
TEST(partial_colours_of_an_arrow)
{
    enum { N = 12 };
    unsigned char full[N * N] = {0}, kept[N * N] = {0};
    for (int j = 0; j < N; j++) {
        full[j * N + j] = full[j * N + N - 1] = full[(N - 1) * N + j] = 1;
        kept[j * N + j] = kept[(N - 1) * N + j] = j < N - 1;
    }
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    const wr_matrix *const whole = wr_sparsity_place(arena, N, N, full);
    int colour[N];
    assert_int_equal(wr_sparsity_colour_partial(whole, whole, colour), N);
    assert_int_equal(
        wr_sparsity_colour_partial(whole, wr_sparsity_place(arena, N, N, kept), colour), 2);
}

/* Returns the size of the largest matching by trying all matchings: an independent method for small patterns. */
static int match_by_trying(const unsigned char *is_set, int n, int column, unsigned used)
{
    if (column == n)
        return 0;
    int best = match_by_trying(is_set, n, column + 1, used);
    for (int row = 0; row < n; row++)
        if (is_set[column * n + row] && !(used & (1u << row))) {
            const int with = 1 + match_by_trying(is_set, n, column + 1, used | (1u << row));
            best = with > best ? with : best;
        }
    return best;
}

TEST(match)
{
    uint64_t seed = 7;
    for (int round = 0; round < 300; round++) {
        AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
        unsigned char is_set[MOST * MOST];
        const int n = 1 + (int)draw(&seed, 7);
        const wr_matrix *const pattern =
            random_pattern(arena, &seed, n, 100 + draw(&seed, 400), NULL, is_set);
        int row_of[MOST], n_matched = 0, is_used[MOST] = {0};
        const int found = wr_sparsity_match(pattern, row_of);
        for (int j = 0; j < n; j++) {
            if (row_of[j] < 0)
                continue;
            assert_true(is_set[j * n + row_of[j]] && !is_used[row_of[j]]);
            is_used[row_of[j]] = 1;
            n_matched++;
        }
        assert_int_equal(found, n_matched);
        assert_int_equal(found, match_by_trying(is_set, n, 0, 0));
        for (int j = 0, is_whole = 1; j < n && is_whole; j++) {
            is_whole = is_set[j * n + j];
            if (is_whole && j == n - 1)
                for (int k = 0; k < n; k++)
                    assert_int_equal(row_of[k], k); /* a full diagonal is the matching */
        }
    }
}

TEST(find_and_join)
{
    uint64_t seed = 3;
    for (int round = 0; round < 50; round++) {
        AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
        unsigned char a[MOST * MOST], b[MOST * MOST];
        const int n = 1 + (int)draw(&seed, MOST), *of_a, *of_b;
        const wr_matrix *const pa = random_pattern(arena, &seed, n, 200, NULL, a);
        const wr_matrix *const pb = random_pattern(arena, &seed, n, 200, NULL, b);
        const wr_matrix *const both = wr_sparsity_join_place(arena, pa, pb, &of_a, &of_b);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                const int at = wr_matrix_find(both, i, j), in_a = wr_matrix_find(pa, i, j);
                const int in_b = wr_matrix_find(pb, i, j);
                assert_int_equal(in_a >= 0, a[j * n + i]);
                assert_int_equal(at >= 0, a[j * n + i] || b[j * n + i]);
                assert_true(in_a < 0 || of_a[in_a] == at);
                assert_true(in_b < 0 || of_b[in_b] == at);
            }
    }
}
