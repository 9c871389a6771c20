#include "wr_test.h"

#include <pthread.h>
#include <sched.h>

#include "base/ring.h"

TEST(full_and_empty)
{
    AUTO(wr_ring_destroy) wr_ring *ring = wr_ring_create(NULL, 3, 5);
    assert_non_null(ring);
    assert_int_equal(wr_ring_cap(ring), 8);
    assert_null(wr_ring_peek(ring));
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 8; i++) {
            double *const row = wr_ring_reserve(ring);
            assert_non_null(row);
            assert_ptr_equal(row, wr_ring_reserve(ring));
            for (int j = 0; j < 3; j++)
                row[j] = 100.0 * round + 10.0 * i + j;
            assert_true(wr_ring_commit(ring) > i);
        }
        assert_null(wr_ring_reserve(ring));
        for (int i = 0; i < 8; i++) {
            const double *const row = wr_ring_peek(ring);
            assert_non_null(row);
            assert_ptr_equal(row, wr_ring_peek(ring));
            for (int j = 0; j < 3; j++)
                assert_true(row[j] == 100.0 * round + 10.0 * i + j);
            wr_ring_release(ring);
        }
        assert_null(wr_ring_peek(ring));
    }
    wr_ring_destroy(&ring);
    assert_null(ring);
}

TEST(sizes_are_checked)
{
    assert_null(wr_ring_create(NULL, 0, 4));
    assert_null(wr_ring_create(NULL, 4, 0));
    assert_null(wr_ring_create(NULL, 4, INT32_MAX));
    assert_null(wr_ring_create(NULL, INT32_MAX, 1 << 20));
}

enum { N_ROW = 200000, N_VALUE = 5 };

static void *produce(void *argument)
{
    wr_ring *const ring = argument;
    for (int i = 0; i < N_ROW; i++) {
        double *row;
        while (!(row = wr_ring_reserve(ring)))
            sched_yield();
        for (int j = 0; j < N_VALUE; j++)
            row[j] = (double)i * N_VALUE + j;
        wr_ring_commit(ring);
    }
    return NULL;
}

/* Between two threads no item is lost, doubled, torn or out of order. A small ring buffer is full or empty most of the time. */
TEST(two_threads)
{
    AUTO(wr_ring_destroy) wr_ring *ring = wr_ring_create(NULL, N_VALUE, 4);
    pthread_t producer;
    assert_int_equal(pthread_create(&producer, NULL, produce, ring), 0);
    int n_wrong = 0;
    for (int i = 0; i < N_ROW; i++) {
        const double *row;
        while (!(row = wr_ring_peek(ring)))
            sched_yield();
        for (int j = 0; j < N_VALUE; j++)
            n_wrong += row[j] != (double)i * N_VALUE + j;
        wr_ring_release(ring);
    }
    pthread_join(producer, NULL);
    assert_int_equal(n_wrong, 0);
    assert_null(wr_ring_peek(ring));
}
