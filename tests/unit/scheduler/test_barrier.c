#include "wr_test.h"

#include <pthread.h>

#include "scheduler/barrier.h"

static const int64_t spins_ns[] = {0, 20000};

typedef struct handover {
    wr_gate to, back;
    int64_t spin_ns;
    int is_yielding; /* 1: the threads yield before they sleep */
    int value;       /* plain: only the gates order its accesses */
} handover;

enum { N_HANDOVER = 5000 };

static void wait_for(wr_gate *gate, unsigned seen, const handover *pair)
{
    if (!pair->is_yielding || !wr_gate_yield(gate, seen, 1000, pair->spin_ns))
        wr_gate_wait(gate, seen, pair->is_yielding ? 0 : pair->spin_ns);
}

static void *answer(void *argument)
{
    handover *const pair = argument;
    for (unsigned i = 0; i < N_HANDOVER; i++) {
        wait_for(&pair->to, i, pair);
        pair->value = 2 * pair->value + 1;
        wr_gate_open(&pair->back);
    }
    return NULL;
}

/* A write before the opening is visible after the wait, in both directions, spinning, yielding or sleeping. */
TEST(gate_hands_over)
{
    for (size_t i = 0; i < 4 * WR_COUNT_OF(spins_ns); i++) {
        const int is_shared = i / 2 % 2; /* futexes of several processes */
        handover pair = {.spin_ns = spins_ns[i % 2],
                         .is_yielding = i >= 4,
                         .to.is_shared = is_shared,
                         .back.is_shared = is_shared};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, answer, &pair), 0);
        for (int k = 0; k < N_HANDOVER; k++) {
            const unsigned seen = wr_gate_seen(&pair.back);
            pair.value = k;
            wr_gate_open(&pair.to);
            wait_for(&pair.back, seen, &pair);
            assert_int_equal(pair.value, 2 * k + 1);
        }
        pthread_join(thread, NULL);
    }
}

TEST(open_gate_does_not_hold)
{
    wr_gate gate = {0};
    const unsigned seen = wr_gate_seen(&gate);
    wr_gate_open(&gate);
    assert_int_equal(wr_gate_wait(&gate, seen, 0), 0);
    assert_int_equal(wr_gate_spin(&gate, seen, 0), 1);
    assert_int_equal(wr_gate_yield(&gate, seen, 1000, 0), 1);
    assert_int_equal(wr_gate_spin(&gate, seen + 1, 0), 0);
    assert_int_equal(wr_gate_yield(&gate, seen + 1, 1000, 5000), 0);
    assert_int_not_equal(wr_gate_seen(&gate), seen);
}

typedef struct meeting {
    wr_barrier barrier;
    int64_t spin_ns;
    int n_party;
    int n_serial; /* plain: written in serial code only */
    atomic_int n_error, n_last;
} meeting;

enum { N_ROUND = 2000 };

static void count_round(void *context) { ((meeting *)context)->n_serial++; }

static void *meet(void *argument)
{
    meeting *const all = argument;
    for (int i = 0; i < N_ROUND; i++) {
        const wr_arrival arrival =
            wr_barrier_wait(&all->barrier, all->n_party, all->spin_ns, count_round, all);
        /* relaxed: counters for the test, read after the joins. */
        if (arrival == WR_ARRIVAL_LAST)
            atomic_fetch_add_explicit(&all->n_last, 1, memory_order_relaxed);
        if (all->n_serial < i + 1 || all->n_serial > i + 1)
            atomic_fetch_add_explicit(&all->n_error, 1, memory_order_relaxed);
        /* The barrier delays the next round's serial part until all threads have checked this round. */
        wr_barrier_wait(&all->barrier, all->n_party, all->spin_ns, NULL, NULL);
    }
    return NULL;
}

TEST(barrier_rounds)
{
    for (size_t i_spin = 0; i_spin < WR_COUNT_OF(spins_ns); i_spin++)
        for (int n_party = 1; n_party <= 4; n_party++) {
            meeting all = {.spin_ns = spins_ns[i_spin], .n_party = n_party};
            pthread_t thread[4];
            for (int i = 0; i < n_party; i++)
                assert_int_equal(pthread_create(&thread[i], NULL, meet, &all), 0);
            for (int i = 0; i < n_party; i++)
                pthread_join(thread[i], NULL);
            assert_int_equal(all.n_serial, N_ROUND);
            assert_int_equal(atomic_load_explicit(&all.n_last, memory_order_relaxed), N_ROUND);
            assert_int_equal(atomic_load_explicit(&all.n_error, memory_order_relaxed), 0);
        }
}
