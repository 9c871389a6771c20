/* A ring buffer of fixed-size rows between one producer and one consumer, wait-free on both sides.
 *
 * The bounded queue of L. Lamport ("Specifying concurrent program modules", 1983) has two growing counters, each with one writer. Each side
 * has a copy of the counter of the other side. A side reads the other counter only if, by the copy, the buffer is full or empty. So the
 * cache lines of the counters rarely change between cores.
 *
 * Thread: reserve and commit by one producer, peek and release by one consumer at a time. Real-time: all except create and destroy.
 */
#ifndef WR_RING_H
#define WR_RING_H

#include "base/memory.h"

typedef struct wr_ring wr_ring;

/* Creates a buffer of at least cap_row rows of n_value doubles each, and writes to all its memory. memory: source of the memory, which the
 * call copies; NULL: the system. Returns NULL when memory is exhausted, or if a size is not positive or too large. */
wr_ring *wr_ring_create(const wr_memory *memory, int n_value, int cap_row);
void wr_ring_destroy(wr_ring **ring);

/* Producer: returns the next row to fill, or NULL if the buffer is full. A second call without a commit returns the
 * same row. */
double *wr_ring_reserve(wr_ring *ring);
/* Producer: passes the reserved row to the consumer. Returns an upper bound of the number of waiting rows. */
int wr_ring_commit(wr_ring *ring);

/* Consumer: returns the oldest row, or NULL if the buffer is empty. The row is valid until its release. */
const double *wr_ring_peek(wr_ring *ring);
/* Consumer: returns the peeked row to the producer. */
void wr_ring_release(wr_ring *ring);

/* Returns the capacity in rows. */
int wr_ring_cap(const wr_ring *ring);

#endif
