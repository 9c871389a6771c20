/* The publication store under load: one writer, three readers in threads of their own, random speeds. The values of a version depend on its
 * number, so readers detect torn, old and early versions. usage: test_store_threads [READS] with the least number of reads of all readers;
 * WRSIM_STORE_READS in the environment has precedence. */
#include "wr_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/check.h"
#include "runtime/slack/wave_store.h"

enum { N_READER = 3, N_SIGNAL = 2, N_EXTRA = 4, MOST_NODES = 8, MOST_PAUSE = 64 };
static const int64_t FEW_READS = 3000000;

/* If the machine has fewer CPUs than threads, a publication needs a switch of threads, and a read does not. So most reads are in long
 * bursts. */
typedef struct pace {
    int cap, n_burst; /* reads between two acquisitions: a power of 2 from 1 to 2^(n_burst - 1) */
    int share, least; /* share of all reads, per mille, and least number of reads */
} pace;
static const pace paces[] = {{1, 4, 2, 30000}, {2, 6, 8, 100000}, {3, 10, 90, 0}, {8, 14, 900, 0}};

typedef struct fire {
    wr_wave_store *store;
    int cap, n_burst;
    int64_t n_read;    /* least number of reads of each reader */
    atomic_int n_left; /* readers still running. Relaxed: only ends the writer */
} fire;

typedef struct shooter {
    fire *fire;
    pthread_t thread;
    int i_reader; /* -1: the writer */
    unsigned seed;
    int64_t n_read, n_wrong, n_version, n_waited;
} shooter;

/* Returns the k-th number of a version. All bits depend on the version, so halves of two numbers make no valid number. */
static double number_of(int64_t version, int k)
{
    return (double)((uint64_t)(version * 64 + k) * 0x9e3779b97f4a7c15u >> 11);
}

static int nodes_of(int64_t version) { return 2 + (int)(version % (MOST_NODES - 1)); }

/* Fills a slot with the values of a version. Returns 0 if the version has more nodes than the wave's capacity. */
static int fill_in(wr_wave_store_slot *slot, int64_t version)
{
    wr_wave_clear(slot->wave);
    for (int i = 0; i < nodes_of(version); i++) {
        const double y[N_SIGNAL] = {number_of(version, 2 * i), number_of(version, 2 * i + 1)};
        const double s[N_SIGNAL] = {-y[0], -y[1]};
        if (wr_wave_append(slot->wave, (double)version + i, y, s) != WRSIM_OK)
            return 0;
    }
    for (int i = 0; i < N_EXTRA; i++)
        slot->extra[i] = number_of(version, 32 + i);
    return 1;
}

static int is_version(const wr_wave_store_slot *slot, int64_t version)
{
    const wr_wave *const wave = slot->wave;
    const int n_node = nodes_of(version);
    int n_wrong = wave->n_node != n_node;
    for (int i = 0; i < n_node && !n_wrong; i++) {
        n_wrong += wave->t_s[i] != (double)version + i;
        for (int k = 0; k < N_SIGNAL; k++) {
            n_wrong += wave->value[i * N_SIGNAL + k] != number_of(version, 2 * i + k);
            n_wrong += wave->slope[i * N_SIGNAL + k] != -number_of(version, 2 * i + k);
        }
    }
    for (int i = 0; i < N_EXTRA; i++)
        n_wrong += slot->extra[i] != number_of(version, 32 + i);
    return !n_wrong;
}

/* Pauses in a fifth of the calls for some work, and in one of a thousand calls by yielding to another thread. */
static void pause_at_random(unsigned *seed)
{
    const int r = rand_r(seed) % 1000;
    if (r == 0)
        sched_yield();
    else if (r < 200)
        for (volatile int i = 0; i < r % MOST_PAUSE; i = i + 1)
            ;
}

static void *write_versions(void *argument)
{
    shooter *const w = argument;
    wr_wave_store *const store = w->fire->store;
    /* Relaxed: readers only report their end. */
    while (atomic_load_explicit(&w->fire->n_left, memory_order_relaxed) > 0) {
        wr_wave_store_slot *const slot = wr_wave_store_begin(store);
        if (!slot) {
            w->n_waited++;
            sched_yield();
            continue;
        }
        w->n_wrong += !fill_in(slot, w->n_version);
        wr_wave_store_publish(store);
        w->n_version++;
        pause_at_random(&w->seed);
    }
    return NULL;
}

/* Reads random acquired versions repeatedly and releases some. */
static void *read_versions(void *argument)
{
    shooter *const r = argument;
    wr_wave_store *const store = r->fire->store;
    int64_t released = 0, written = 0;
    while (r->n_read < r->fire->n_read) {
        const int64_t before = written;
        written = wr_wave_store_written(store);
        r->n_wrong += written < before || written > released + r->fire->cap;
        if (written == released) {
            r->n_waited++;
            sched_yield();
            continue;
        }
        for (int n = 1 << rand_r(&r->seed) % r->fire->n_burst; n > 0; n--, r->n_read++) {
            const int64_t version = released + rand_r(&r->seed) % (written - released);
            r->n_wrong += !is_version(wr_wave_store_read(store, version), version);
        }
        pause_at_random(&r->seed);
        released += rand_r(&r->seed) % (written - released + 1);
        r->n_version = released;
        wr_wave_store_release(store, r->i_reader, released);
    }
    wr_wave_store_release(store, r->i_reader, INT64_MAX); /* this reader delays no writer */
    /* Relaxed: pairs with the load in the writer. */
    atomic_fetch_sub_explicit(&r->fire->n_left, 1, memory_order_relaxed);
    return NULL;
}

static void shoot(const pace *at, int64_t n_read)
{
    const int cap = at->cap;
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    fire f = {.cap = cap, .n_burst = at->n_burst, .n_read = n_read / N_READER + 1};
    f.store = wr_wave_store_place(arena, &(wr_wave_store_options){.n_reader = N_READER,
                                                                  .cap = cap,
                                                                  .n_signal = N_SIGNAL,
                                                                  .cap_node = MOST_NODES,
                                                                  .n_extra = N_EXTRA});
    assert_non_null(f.store);
    atomic_init(&f.n_left, N_READER);
    shooter s[1 + N_READER];
    for (int i = 0; i <= N_READER; i++) {
        s[i] = (shooter){.fire = &f, .i_reader = i - 1, .seed = (unsigned)(100 * cap + i)};
        assert_int_equal(
            pthread_create(&s[i].thread, NULL, i == 0 ? write_versions : read_versions, &s[i]), 0);
    }
    int64_t n_wrong = 0, n_done = 0;
    for (int i = 0; i <= N_READER; i++) {
        pthread_join(s[i].thread, NULL);
        n_wrong += s[i].n_wrong;
        n_done += s[i].n_read;
    }
    print_message(
        "cap %d: %lld reads of %lld versions; waited: writer %lld, readers %lld %lld %lld\n", cap,
        (long long)n_done, (long long)s[0].n_version, (long long)s[0].n_waited,
        (long long)s[1].n_waited, (long long)s[2].n_waited, (long long)s[3].n_waited);
    assert_int_equal(n_wrong, 0);
    assert_true(n_done >= n_read);
    assert_true(s[0].n_version > 10 * cap); /* the ring buffer has wrapped */
    wr_wave_store_check(f.store);
}

TEST(readers_and_writer)
{
    const char *const asked = getenv("WRSIM_STORE_READS");
    const int64_t asked_reads = asked ? atoll(asked) : wr_test_number(1, FEW_READS);
    for (size_t i = 0; i < WR_COUNT_OF(paces); i++) {
        const int64_t share = asked_reads / 1000 * paces[i].share;
        shoot(&paces[i], share > paces[i].least ? share : paces[i].least);
    }
}
