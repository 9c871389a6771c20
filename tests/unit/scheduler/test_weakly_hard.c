#include "wr_test.h"

#include "scheduler/weakly_hard.h"

enum { N_STEP = 1500 };

/* Compares the monitor with a recount after every step, and at the end. */
static void compare_all(wr_weakly_hard *monitor, const int *is_missed, int n_step)
{
    int64_t n_violation = 0, first = -1, longest = 0, n_miss = 0;
    for (int i = 0; i < n_step; i++) {
        /* The test counts the misses for each step by the definition. */
        int n_window = 0;
        for (int j = i; j >= 0 && j > i - monitor->k; j--)
            n_window += is_missed[j];
        int run = 0;
        while (run <= i && is_missed[i - run])
            run++;
        const int is_violated = n_window > monitor->m;
        first = is_violated && first < 0 ? i : first;
        n_violation += is_violated;
        longest = run > longest ? run : longest;
        n_miss += is_missed[i];
        /* Any number but 0 is a miss. */
        assert_int_equal(wr_weakly_hard_add(monitor, is_missed[i] * (i - 5000)), is_violated);
        assert_int_equal(monitor->n_window, n_window);
        assert_int_equal(monitor->run, run);
    }
    assert_int_equal(monitor->n_step, n_step);
    assert_int_equal(monitor->n_miss, n_miss);
    assert_int_equal(monitor->n_violation, n_violation);
    assert_int_equal(monitor->first_violation, first);
    assert_int_equal(monitor->longest_run, longest);
}

TEST(against_brute_force)
{
    static const int lengths[] = {1, 2, 3, 5, 10, 63, 64, 65, 100, 128, 1000};
    static int is_missed[N_STEP];
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    uint64_t seed = 3;
    int n_violated = 0, n_held = 0;
    for (size_t i_k = 0; i_k < WR_COUNT_OF(lengths); i_k++)
        for (int i = 0; i < 12; i++) {
            const int k = lengths[i_k];
            const int m = (int)(wr_random_bits(&seed) % (uint64_t)(k + 1));
            const uint64_t percent = wr_random_bits(&seed) % 101;
            const int n_step = i % 3 == 0 ? k / 2 : N_STEP; /* also fewer than k steps */
            for (int j = 0; j < n_step; j++)
                is_missed[j] = wr_random_bits(&seed) % 100 < percent;
            wr_weakly_hard *const monitor = wr_weakly_hard_place(arena, m, k);
            assert_non_null(monitor);
            compare_all(monitor, is_missed, n_step);
            n_violated += monitor->n_violation > 0;
            n_held += monitor->n_violation == 0;
            wr_weakly_hard_reset(monitor);
            compare_all(monitor, is_missed, n_step);
        }
    assert_true(n_violated > 20 && n_held > 20);
}

/* Compares all sequences of 12 steps and all constraints of up to 6 steps with a slow count. */
TEST(all_short_sequences)
{
    enum { SHORT = 12 };
    for (int k = 1; k <= 6; k++)
        for (int m = 0; m <= k; m++)
            for (int pattern = 0; pattern < 1 << SHORT; pattern++) {
                int is_missed[SHORT];
                for (int i = 0; i < SHORT; i++)
                    is_missed[i] = pattern >> i & 1;
                uint64_t bit = UINT64_MAX; /* the initial value has no effect */
                wr_weakly_hard monitor;
                assert_int_equal(wr_weakly_hard_init(&monitor, m, k, &bit), WRSIM_OK);
                compare_all(&monitor, is_missed, SHORT);
                assert_true(m < k || monitor.n_violation == 0);
            }
}

TEST(largest_window)
{
    enum { K = WR_WEAKLY_HARD_MOST_STEPS, M = 1000 };
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    wr_weakly_hard *const monitor = wr_weakly_hard_place(arena, M, K);
    assert_non_null(monitor);
    for (int i = 0; i < M; i++)
        assert_int_equal(wr_weakly_hard_add(monitor, 1), 0);
    for (int i = M; i < K - 1; i++)
        assert_int_equal(wr_weakly_hard_add(monitor, 0), 0);
    /* The first of these steps is step K; at the second the oldest miss drops out of the last K steps. */
    assert_int_equal(wr_weakly_hard_add(monitor, 1), 1);
    assert_int_equal(wr_weakly_hard_add(monitor, 1), 1);
    for (int i = 0; i < M - 1; i++)
        assert_int_equal(wr_weakly_hard_add(monitor, 0), 0);
    assert_int_equal(monitor->n_window, 2);
    assert_int_equal(monitor->first_violation, K - 1);
    assert_int_equal(monitor->n_violation, 2);
}

TEST(wrong_numbers)
{
    static const int wrong[][2] = {
        {0, 0}, {0, -1}, {-1, 5}, {6, 5}, {0, WR_WEAKLY_HARD_MOST_STEPS + 1}, {1, INT32_MIN}};
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 10);
    for (size_t i = 0; i < WR_COUNT_OF(wrong); i++) {
        uint64_t bit;
        wr_weakly_hard monitor;
        assert_int_equal(wr_weakly_hard_init(&monitor, wrong[i][0], wrong[i][1], &bit),
                         WRSIM_E_ARG);
        assert_null(wr_weakly_hard_place(arena, wrong[i][0], wrong[i][1]));
    }
    wr_weakly_hard monitor;
    assert_int_equal(wr_weakly_hard_init(&monitor, 1, 2, NULL), WRSIM_E_ARG);
    assert_null(wr_weakly_hard_place(arena, 1, 100000)); /* no room */
}
