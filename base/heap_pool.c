/* A pool of heap blocks. See heap_pool.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "base/heap_pool.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct block {
    struct block *next;
    size_t bytes;
    max_align_t data[];
} block;

struct wr_heap_pool {
    wr_memory memory;
    block *first;
    int is_short;
};

wr_heap_pool *wr_heap_pool_create(const wr_memory *memory)
{
    wr_heap_pool *const pool = wr_memory_take(memory, sizeof *pool, _Alignof(max_align_t));
    if (pool && memory)
        pool->memory = *memory;
    return pool;
}

void wr_heap_pool_destroy(wr_heap_pool **pool)
{
    if (!pool || !*pool)
        return;
    const wr_memory memory = (*pool)->memory;
    for (block *b = (*pool)->first; b;) {
        block *const next = b->next;
        wr_memory_give(&memory, b, b->bytes);
        b = next;
    }
    wr_memory_give(&memory, *pool, sizeof **pool);
    *pool = NULL;
}

void *wr_heap_pool_take(wr_heap_pool *pool, size_t count, size_t size)
{
    const int is_sane = size == 0 || count <= SIZE_MAX / 2 / size;
    const size_t bytes = is_sane ? sizeof(block) + count * size + 1 : 0;
    block *const b = is_sane ? wr_memory_take(&pool->memory, bytes, _Alignof(max_align_t)) : NULL;
    if (!b) {
        pool->is_short = 1;
        return NULL;
    }
    b->bytes = bytes;
    b->next = pool->first;
    pool->first = b;
    return b->data;
}

int wr_heap_pool_is_short(const wr_heap_pool *pool) { return pool->is_short; }

char *wr_heap_pool_join(wr_heap_pool *pool, const char *a, const char *b)
{
    const size_t bytes = strlen(a) + strlen(b) + 2;
    char *const text = wr_heap_pool_take(pool, bytes, 1);
    if (text)
        snprintf(text, bytes, "%s.%s", a, b);
    return text;
}
