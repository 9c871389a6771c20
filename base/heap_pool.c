/* A pool of heap blocks. See heap_pool.h. Thread: one owner. Real-time: no. */
#include "base/heap_pool.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Size of a chunk, bytes (assumed), enough for the arrays of a usual config. A larger block gets a chunk of its own. */
enum { CHUNK_BYTES = 64 * 1024 };

typedef struct chunk {
    struct chunk *next;
    size_t used_bytes, cap_bytes;
    max_align_t data[];
} chunk;

struct wr_heap_pool {
    wr_memory memory;
    chunk *first; /* chunk for the next block; other chunks get no more blocks */
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
    for (chunk *c = (*pool)->first; c;) {
        chunk *const next = c->next;
        wr_memory_give(&memory, c, sizeof *c + c->cap_bytes);
        c = next;
    }
    wr_memory_give(&memory, *pool, sizeof **pool);
    *pool = NULL;
}

void *wr_heap_pool_take(wr_heap_pool *pool, size_t count, size_t size)
{
    const size_t unit = sizeof(max_align_t);
    pool->is_short |= size > 0 && count > SIZE_MAX / 2 / size;
    if (pool->is_short)
        return NULL;
    const size_t bytes = (count * size + unit - 1) / unit * unit;
    chunk *c = pool->first;
    if (!c || c->cap_bytes - c->used_bytes < bytes) {
        const size_t cap_bytes = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        c = wr_memory_take(&pool->memory, sizeof *c + cap_bytes, _Alignof(max_align_t));
        if (!c) {
            pool->is_short = 1;
            return NULL;
        }
        c->cap_bytes = cap_bytes;
        /* A block larger than CHUNK_BYTES fills its chunk, so the chunk in use stays first. */
        chunk **const place =
            pool->first && bytes > CHUNK_BYTES ? &pool->first->next : &pool->first;
        c->next = *place;
        *place = c;
    }
    void *const taken = (unsigned char *)c->data + c->used_bytes;
    c->used_bytes += bytes;
    return taken;
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

char *wr_heap_pool_text(wr_heap_pool *pool, const char *text, size_t n_bytes)
{
    char *const copy = wr_heap_pool_take(pool, n_bytes + 1, 1);
    if (copy && n_bytes > 0)
        memcpy(copy, text, n_bytes);
    return copy;
}
