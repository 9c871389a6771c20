/* A pool of heap blocks that are freed together: the small arrays and names of the setup phase.
 *
 * After a failed allocation all later allocations also fail. So one check of wr_heap_pool_is_short() at the end suffices.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_HEAP_POOL_H
#define WR_HEAP_POOL_H

#include <stddef.h>

#include "base/memory.h"

typedef struct wr_heap_pool wr_heap_pool;

wr_heap_pool *wr_heap_pool_create(const wr_memory *memory);
void wr_heap_pool_destroy(wr_heap_pool **pool);

/* Returns zeroed memory for count elements of size bytes, aligned for any type; the block never moves. Returns NULL after a failed
 * allocation or if the size overflows. A count of 0 alone does not give NULL. */
void *wr_heap_pool_take(wr_heap_pool *pool, size_t count, size_t size);

/* Returns 1 if an allocation has failed. */
int wr_heap_pool_is_short(const wr_heap_pool *pool);

/* Returns a copy of text[n_bytes] with a final NUL, or NULL when memory is exhausted. */
char *wr_heap_pool_text(wr_heap_pool *pool, const char *text, size_t n_bytes);

/* Returns the text "a.b", or NULL when memory is exhausted. */
char *wr_heap_pool_join(wr_heap_pool *pool, const char *a, const char *b);

#define WR_TAKE(pool, type, count)                                                                 \
    ((type *)wr_heap_pool_take((pool), (size_t)(count), sizeof(type)))

#endif
