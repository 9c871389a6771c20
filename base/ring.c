/* Ring buffer for one producer and one consumer. See ring.h.
 *
 * Memory orders: wr_ring_commit() stores `filled` with release, and wr_ring_peek() loads `filled` with acquire, so the consumer reads the
 * values of the row. wr_ring_release() stores `emptied` with release, and wr_ring_reserve() loads `emptied` with acquire. So the producer
 * overwrites a row only after the consumer's last read. Each side loads its own counter relaxed, because only this side writes the counter.
 *
 * Thread: one producer, one consumer. Real-time: all except create and destroy.
 */
#include "base/ring.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/check.h"

enum { MAX_ROW = 1 << 24 };                      /* largest requested capacity in rows (assumed) */
static const size_t MAX_BYTES = (size_t)1 << 34; /* largest size of all rows (assumed) */

struct wr_ring {
    /* Members that the producer writes, in one cache line. */
    alignas(WR_CACHE_LINE) _Atomic uint64_t filled; /* rows committed so far */
    uint64_t emptied_seen;                          /* the producer's copy of emptied */
    /* Members that the consumer writes, in one cache line. */
    alignas(WR_CACHE_LINE) _Atomic uint64_t emptied; /* rows released so far */
    uint64_t filled_seen;                            /* the consumer's copy of filled */
    /* Constant members. */
    alignas(WR_CACHE_LINE) double *value; /* [cap_row * n_value] the rows, one after the other */
    uint64_t cap_row;                     /* capacity in rows, a power of two */
    size_t n_value, value_bytes;
    wr_memory memory;
};

wr_ring *wr_ring_create(const wr_memory *memory, int n_value, int cap_row)
{
    if (n_value < 1 || cap_row < 1 || cap_row > MAX_ROW)
        return NULL;
    size_t cap = 1;
    while (cap < (size_t)cap_row)
        cap *= 2;
    const size_t row_bytes = (size_t)n_value * sizeof(double);
    if (row_bytes > MAX_BYTES / cap)
        return NULL;
    wr_ring *ring = wr_memory_take(memory, sizeof *ring, WR_CACHE_LINE);
    if (!ring)
        return NULL;
    if (memory)
        ring->memory = *memory;
    atomic_init(&ring->filled, 0);
    atomic_init(&ring->emptied, 0);
    ring->cap_row = cap;
    ring->n_value = (size_t)n_value;
    ring->value_bytes = (cap * row_bytes + WR_CACHE_LINE - 1) / WR_CACHE_LINE * WR_CACHE_LINE;
    /* wr_memory_take writes to every page, so later writes cause no page faults. */
    ring->value = wr_memory_take(memory, ring->value_bytes, WR_CACHE_LINE);
    if (!ring->value) {
        wr_ring_destroy(&ring);
        return NULL;
    }
    return ring;
}

void wr_ring_destroy(wr_ring **ring)
{
    if (!ring || !*ring)
        return;
    const wr_memory memory = (*ring)->memory;
    wr_memory_give(&memory, (*ring)->value, (*ring)->value_bytes);
    wr_memory_give(&memory, *ring, sizeof **ring);
    *ring = NULL;
}

static double *row_at(const wr_ring *ring, uint64_t number)
{
    return ring->value + (size_t)(number & (ring->cap_row - 1)) * ring->n_value;
}

double *wr_ring_reserve(wr_ring *ring)
{
    const uint64_t filled = atomic_load_explicit(&ring->filled, memory_order_relaxed);
    if (filled - ring->emptied_seen == ring->cap_row) {
        ring->emptied_seen = atomic_load_explicit(&ring->emptied, memory_order_acquire);
        if (filled - ring->emptied_seen == ring->cap_row)
            return NULL;
    }
    return row_at(ring, filled);
}

int wr_ring_commit(wr_ring *ring)
{
    const uint64_t filled = atomic_load_explicit(&ring->filled, memory_order_relaxed) + 1;
    WR_ASSERT(filled - ring->emptied_seen <= ring->cap_row);
    atomic_store_explicit(&ring->filled, filled, memory_order_release);
    return (int)(filled - ring->emptied_seen);
}

const double *wr_ring_peek(wr_ring *ring)
{
    const uint64_t emptied = atomic_load_explicit(&ring->emptied, memory_order_relaxed);
    if (emptied == ring->filled_seen) {
        ring->filled_seen = atomic_load_explicit(&ring->filled, memory_order_acquire);
        if (emptied == ring->filled_seen)
            return NULL;
    }
    return row_at(ring, emptied);
}

void wr_ring_release(wr_ring *ring)
{
    const uint64_t emptied = atomic_load_explicit(&ring->emptied, memory_order_relaxed);
    WR_ASSERT(emptied != ring->filled_seen);
    atomic_store_explicit(&ring->emptied, emptied + 1, memory_order_release);
}

int wr_ring_cap(const wr_ring *ring) { return (int)ring->cap_row; }
