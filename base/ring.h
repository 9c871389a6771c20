/* A ring of fixed-size rows between one producer and one consumer, wait-free on both sides.
 *
 * The classic bounded queue of Lamport (1983, "Specifying concurrent program modules"): two
 * counters that only grow, each written by one side. Each side keeps a copy of the other's counter
 * and reads the shared one only when the copy says full or empty, so that in the steady state the
 * counters' cache lines rarely move between cores.
 *
 * Thread: reserve and commit by one producer, peek and release by one consumer at a time.
 * Real-time: all but create and destroy.
 */
#ifndef WR_RING_H
#define WR_RING_H

#include "base/memory.h"

typedef struct wr_ring wr_ring;

/* A ring of at least cap_row rows of n_value doubles each, all its memory touched; memory: whose (NULL: the system's), it is
 * copied. NULL when out of memory or when a size is not positive or too large. */
wr_ring *wr_ring_create(const wr_memory *memory, int n_value, int cap_row);
void wr_ring_destroy(wr_ring **ring);

/* Producer: the next row to fill in, or NULL when the ring is full. Calling it again without a
 * commit gives the same row. */
double *wr_ring_reserve(wr_ring *ring);
/* Producer: hands the reserved row to the consumer. Returns how many rows wait at most. */
int wr_ring_commit(wr_ring *ring);

/* Consumer: the oldest row, or NULL when the ring is empty. It stays valid until its release. */
const double *wr_ring_peek(wr_ring *ring);
/* Consumer: gives the peeked row back to the producer. */
void wr_ring_release(wr_ring *ring);

/* Rows it can hold. */
int wr_ring_cap(const wr_ring *ring);

#endif
