/* Bump memory over a reserved address range. See arena.h.
 *
 * The range is reserved with PROT_NONE and made accessible in chunks while pushes go through it:
 * one piece of code, and no separate pass that computes sizes and drifts from what is placed.
 *
 * Thread: one owner at a time. Real-time: no (setup only).
 */
#include "runtime/base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/check.h"

#if defined(__SANITIZE_ADDRESS__)
#define WR_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WR_ASAN 1
#endif
#endif
#ifdef WR_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

enum { COMMIT_BYTES = 1 << 18, GAP_BYTES = WR_CACHE_LINE };

struct wr_arena {
    unsigned char *base;
    size_t reserved, committed, used;
    int is_sealed;
};

static size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

wr_arena *wr_arena_create(size_t reserve_bytes)
{
    wr_arena *const arena = calloc(1, sizeof *arena);
    if (!arena)
        return NULL;
    arena->reserved = round_up(reserve_bytes > 0 ? reserve_bytes : 1, COMMIT_BYTES);
    void *const base =
        mmap(NULL, arena->reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
        free(arena);
        return NULL;
    }
    arena->base = base;
    return arena;
}

void wr_arena_destroy(wr_arena **arena)
{
    if (!arena || !*arena)
        return;
    UNPOISON((*arena)->base, (*arena)->committed);
    munmap((*arena)->base, (*arena)->reserved);
    free(*arena);
    *arena = NULL;
}

void *wr_arena_push(wr_arena *arena, size_t count, size_t size)
{
    WR_ASSERT(!arena->is_sealed);
    if (arena->is_sealed || (size > 0 && count > SIZE_MAX / 2 / size))
        return NULL;
    const size_t bytes = round_up(count * size, WR_CACHE_LINE);
    if (bytes > arena->reserved - arena->used || arena->reserved - arena->used - bytes < GAP_BYTES)
        return NULL;
    const size_t end = arena->used + bytes + GAP_BYTES;
    if (end > arena->committed) {
        size_t commit = round_up(end, COMMIT_BYTES);
        if (commit > arena->reserved)
            commit = arena->reserved;
        if (mprotect(arena->base + arena->committed, commit - arena->committed,
                     PROT_READ | PROT_WRITE) != 0)
            return NULL;
        POISON(arena->base + arena->committed, commit - arena->committed);
        arena->committed = commit;
    }
    void *const block = arena->base + arena->used;
    UNPOISON(block, bytes); /* fresh anonymous pages read as zero */
    arena->used = end;
    return block;
}

/* Poisoned gaps may begin a page, so this touch is not instrumented. */
__attribute__((no_sanitize("address"))) static void touch_pages(const wr_arena *arena)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < arena->used; i += page) {
        volatile unsigned char *const byte = arena->base + i;
        *byte = *byte;
    }
}

void wr_arena_seal(wr_arena *arena)
{
    touch_pages(arena);
    arena->is_sealed = 1;
}

size_t wr_arena_used_bytes(const wr_arena *arena) { return arena->used; }
