/* The publication store in one thread. test_store_threads.c tests with threads, and tests/model explores all orders of accesses. */
#include "wr_test.h"

#include "runtime/slack/wave_store.h"

enum { N_READER = 3, CAP = 4, N_SIGNAL = 2, N_EXTRA = 3 };

static const wr_wave_store_options usual = {
    .n_reader = N_READER, .cap = CAP, .n_signal = N_SIGNAL, .cap_node = 10, .n_extra = N_EXTRA};

static wr_wave_store *store_in(wr_arena **ret_arena, const wr_wave_store_options *options)
{
    *ret_arena = wr_arena_create(1 << 20);
    assert_non_null(*ret_arena);
    wr_wave_store *const store = wr_wave_store_place(*ret_arena, options);
    assert_non_null(store);
    return store;
}

/* Fills a slot with values computed from the version: two nodes, or nine if the version is odd. */
static void fill_in(wr_wave_store_slot *slot, int64_t version)
{
    wr_wave_clear(slot->wave);
    const int n_node = version % 2 ? 9 : 2;
    for (int i = 0; i < n_node; i++) {
        const double y[N_SIGNAL] = {(double)version, (double)version + 0.5}, s[N_SIGNAL] = {i, -i};
        assert_int_equal(wr_wave_append(slot->wave, (double)version + i, y, s), WRSIM_OK);
    }
    for (int i = 0; i < N_EXTRA; i++)
        slot->extra[i] = 10.0 * (double)version + i;
}

static void assert_holds(const wr_wave_store *store, int64_t version)
{
    const wr_wave_store_slot *const slot = wr_wave_store_read(store, version);
    wr_wave_check(slot->wave);
    assert_int_equal(slot->wave->n_node, version % 2 ? 9 : 2);
    wr_cursor cursor = wr_cursor_start();
    assert_true(wr_wave_start(slot->wave) == (double)version);
    assert_true(wr_wave_eval(slot->wave, &cursor, (double)version, 1) == (double)version + 0.5);
    for (int i = 0; i < N_EXTRA; i++)
        assert_true(slot->extra[i] == 10.0 * (double)version + i);
}

static int64_t smallest_of(const int64_t *value, int n)
{
    int64_t smallest = value[0];
    for (int i = 1; i < n; i++)
        smallest = value[i] < smallest ? value[i] : smallest;
    return smallest;
}

/* Makes random calls of all functions and compares them with counters of the test. */
static void play(wr_wave_store *store, int64_t first, unsigned seed)
{
    int64_t written = first, released[N_READER] = {first, first, first};
    int n_full = 0;
    for (int step = 0; step < 20000; step++) {
        const int who = rand_r(&seed) % (N_READER + 2);
        if (who < N_READER) {
            const int64_t to = released[who] + rand_r(&seed) % (CAP + 1);
            if (to <= written || rand_r(&seed) % 50 == 0) /* seldom ahead of the writer */
                wr_wave_store_release(store, who, released[who] = to);
        } else {
            wr_wave_store_slot *const slot = wr_wave_store_begin(store);
            assert_ptr_equal(slot, wr_wave_store_begin(store));
            assert_int_equal(slot != NULL, written < smallest_of(released, N_READER) + CAP);
            n_full += !slot;
            if (slot) {
                fill_in(slot, written);
                wr_wave_store_publish(store);
                written++;
            }
        }
        assert_int_equal(wr_wave_store_written(store), written);
        for (int64_t v = smallest_of(released, N_READER); v < written; v++)
            assert_holds(store, v);
        wr_wave_store_check(store);
    }
    assert_true(n_full > 1000 && written > first + 1000);
}

TEST(random_calls)
{
    AUTO(wr_arena_destroy) wr_arena *arena;
    wr_wave_store *const store = store_in(&arena, &usual);
    wr_arena_seal(arena);
    play(store, 0, 1);
    wr_wave_store_reset(store, 17);
    play(store, 17, 2);
    wr_wave_store_reset(store, 3); /* to a lower version */
    play(store, 3, 3);
    wr_wave_store_reset(store, (int64_t)1 << 60);
    assert_non_null(wr_wave_store_begin(store));
    assert_int_equal(wr_wave_store_written(store), (int64_t)1 << 60);
}

/* Each reader alone can block the writer. A store without readers blocks no writer. */
TEST(waiting_parts_are_named)
{
    AUTO(wr_arena_destroy) wr_arena *arena;
    for (int slowest = 0; slowest < N_READER; slowest++) {
        wr_wave_store *const store = store_in(&arena, &usual);
        for (int i = 0; i < N_READER; i++)
            wr_wave_store_release(store, i, i == slowest ? 1 : 100);
        for (int v = 0; v < CAP + 1; v++) {
            assert_non_null(wr_wave_store_begin(store));
            wr_wave_store_publish(store);
        }
        assert_null(wr_wave_store_begin(store));
        wr_wave_store_release(store, slowest, 2);
        assert_non_null(wr_wave_store_begin(store));
        wr_arena_destroy(&arena);
    }
    wr_wave_store *const store =
        store_in(&arena, &(wr_wave_store_options){.cap = 1, .cap_node = 2});
    for (int v = 0; v < 10; v++) {
        assert_non_null(wr_wave_store_begin(store));
        wr_wave_store_publish(store);
    }
    assert_int_equal(wr_wave_store_written(store), 10);
    wr_wave_store_check(store);
}

TEST(one_slot)
{
    AUTO(wr_arena_destroy) wr_arena *arena;
    wr_wave_store *const store =
        store_in(&arena, &(wr_wave_store_options){.n_reader = 1, .cap = 1, .cap_node = 2});
    for (int v = 0; v < 10; v++) {
        assert_non_null(wr_wave_store_begin(store));
        wr_wave_store_publish(store);
        assert_null(wr_wave_store_begin(store));
        wr_wave_store_release(store, 0, v + 1);
    }
}

TEST(options_and_room)
{
    const wr_wave_store_options bad[] = {
        {.n_reader = -1, .cap = 1, .cap_node = 2},
        {.cap = 0, .cap_node = 2},
        {.cap = 1, .cap_node = 1},
        {.cap = 1, .cap_node = 2, .n_signal = -1},
        {.cap = 1, .cap_node = 2, .n_extra = -1},
    };
    wr_arena *arena = wr_arena_create(1 << 20);
    for (size_t i = 0; i < WR_COUNT_OF(bad); i++)
        assert_null(wr_wave_store_place(arena, &bad[i]));
    assert_non_null(wr_wave_store_place(arena, &usual));
    const size_t enough = wr_arena_used_bytes(arena);
    wr_arena_destroy(&arena);
    for (size_t limit = 0; limit < enough; limit += 16) {
        arena = wr_arena_create(limit);
        assert_null(wr_wave_store_place(arena, &usual));
        wr_arena_destroy(&arena);
    }
}
