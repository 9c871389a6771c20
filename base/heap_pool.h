/* A pool of heap blocks that are freed together: the small arrays and names of the setup phase.
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

/* Returns zeroed memory for count elements of size bytes; NULL when out of memory, but not for count 0. */
void *wr_heap_pool_take(wr_heap_pool *pool, size_t count, size_t size);

/* Returns 1 if any allocation has failed. A caller that omits failed parts needs only one check, at the end. */
int wr_heap_pool_is_short(const wr_heap_pool *pool);

/* Returns the text "a.b"; NULL when out of memory. */
char *wr_heap_pool_join(wr_heap_pool *pool, const char *a, const char *b);

#define WR_TAKE(pool, type, count)                                                                 \
    ((type *)wr_heap_pool_take((pool), (size_t)(count), sizeof(type)))

#endif
