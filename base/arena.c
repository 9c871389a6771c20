/* Memory of a run in chunks. See arena.h.
 *
 * If a push exceeds the present chunk, the arena takes a new chunk, twice as large as the previous chunk up to LARGEST_BYTES. So small
 * models stay small, and ten thousand subsystems need a few dozen chunks. Pages of the system that the run never writes cost nothing.
 * Chunks of the system of at least HUGE_BYTES request huge pages. Huge pages and the separate region for cold data shorten a run of 2000
 * subsystems in a ring to 0.75 of its time (docs/lab/2026-11-22-what-helped.md).
 *
 * Thread: one owner at a time. Real-time: no (setup only).
 */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"

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
enum { GAP_BYTES = WR_CACHE_LINE };
#else
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
enum { GAP_BYTES = 0 };
#endif

enum {
    FIRST_BYTES = 1 << 18,   /* smallest chunk, bytes (assumed) */
    LARGEST_BYTES = 1 << 25, /* largest chunk, bytes, except for larger pushes (assumed) */
    /* size of a huge page; chunks of the system of at least this size request huge pages */
    HUGE_BYTES = 1 << 21,
    ALIGN_BYTES = 16 /* alignment of all types without an explicit alignment */
};
_Static_assert(ALIGN_BYTES % _Alignof(max_align_t) == 0, "a block may hold any type");

/* Head of a chunk, at the beginning of its mapping. */
typedef struct chunk {
    struct chunk *next;
    size_t bytes, used; /* size and used bytes of the chunk, including this head */
} chunk;

/* List of chunks, the newest first. */
typedef struct lane {
    chunk *first;      /* chunk that pushes fill */
    size_t next_bytes; /* smallest size of the next chunk */
} lane;

enum { NEAR, COLD, LANES };

struct wr_arena {
    lane lane[LANES];
    wr_memory memory; /* source of chunks; without functions: mmap */
    size_t limit, used;
    int is_cold, is_sealed;
};

static size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

static size_t page_bytes(void) { return (size_t)sysconf(_SC_PAGESIZE); }

wr_arena *wr_arena_create_from(const wr_memory *memory, size_t limit_bytes)
{
    wr_arena *const arena = wr_memory_take(memory, sizeof *arena, _Alignof(max_align_t));
    if (!arena)
        return NULL;
    if (memory)
        arena->memory = *memory;
    arena->limit = limit_bytes;
    for (int i = 0; i < LANES; i++)
        arena->lane[i].next_bytes = FIRST_BYTES;
    return arena;
}

wr_arena *wr_arena_create(size_t limit_bytes) { return wr_arena_create_from(NULL, limit_bytes); }

const wr_memory *wr_arena_memory(const wr_arena *arena) { return &arena->memory; }

void wr_arena_destroy(wr_arena **arena)
{
    if (!arena || !*arena)
        return;
    const wr_memory memory = (*arena)->memory;
    for (int i = 0; i < LANES; i++)
        for (chunk *c = (*arena)->lane[i].first; c;) {
            chunk *const next = c->next;
            UNPOISON(c, c->bytes);
            if (memory.allocate)
                wr_memory_give(&memory, c, c->bytes);
            else
                munmap(c, c->bytes);
            c = next;
        }
    wr_memory_give(&memory, *arena, sizeof **arena);
    *arena = NULL;
}

/* Returns zeroed pages from the system, or NULL when memory is exhausted. If `bytes` is at least the size of a huge page, the block begins
 * at a huge page and requests huge pages. The kernel may refuse huge pages. */
static void *map_pages(size_t bytes)
{
    const size_t spare = bytes >= HUGE_BYTES ? HUGE_BYTES - page_bytes() : 0;
    unsigned char *const room = mmap(NULL, bytes + spare, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return NULL;
    if (spare == 0)
        return room;
    const size_t before = round_up((uintptr_t)room, HUGE_BYTES) - (uintptr_t)room;
    if (before > 0)
        munmap(room, before);
    if (before < spare)
        munmap(room + before + bytes, spare - before);
    (void)madvise(room + before, bytes, MADV_HUGEPAGE);
    return room + before;
}

/* Adds a chunk with room for `bytes` bytes. Returns 0 or -1. */
static int add_chunk(const wr_memory *memory, lane *to, size_t bytes)
{
    const size_t head = round_up(sizeof(chunk), WR_CACHE_LINE);
    size_t all = round_up(head + bytes, page_bytes());
    if (all < to->next_bytes)
        all = to->next_bytes;
    if (all >= HUGE_BYTES)
        all = round_up(all, HUGE_BYTES);
    chunk *const c = memory->allocate ? wr_memory_take(memory, all, page_bytes()) : map_pages(all);
    if (!c)
        return -1;
    *c = (chunk){.next = to->first, .bytes = all, .used = head};
    POISON((unsigned char *)c + head, all - head);
    to->first = c;
    if (to->next_bytes < LARGEST_BYTES)
        to->next_bytes *= 2;
    return 0;
}

void *wr_arena_push(wr_arena *arena, size_t count, size_t size)
{
    WR_ASSERT(!arena->is_sealed);
    if (arena->is_sealed || (size > 0 && count > SIZE_MAX / 2 / size))
        return NULL;
    const size_t bytes = round_up(count * size, ALIGN_BYTES) + GAP_BYTES;
    if (bytes > arena->limit - arena->used)
        return NULL;
    lane *const to = &arena->lane[arena->is_cold];
    if ((!to->first || bytes > to->first->bytes - to->first->used) &&
        add_chunk(&arena->memory, to, bytes) != 0)
        return NULL;
    void *const block = (unsigned char *)to->first + to->first->used;
    UNPOISON(block, bytes - GAP_BYTES); /* the memory of a chunk is zero */
    to->first->used += bytes;
    arena->used += bytes;
    return block;
}

int wr_arena_cold(wr_arena *arena, int is_cold)
{
    const int before = arena->is_cold;
    arena->is_cold = is_cold ? COLD : NEAR;
    return before;
}

const void *wr_arena_mark(const wr_arena *arena)
{
    const chunk *const c = arena->lane[NEAR].first;
    return c ? (const unsigned char *)c + c->used : NULL;
}

size_t wr_arena_bytes_since(const wr_arena *arena, const void *mark)
{
    const chunk *const c = arena->lane[NEAR].first;
    const uintptr_t first = (uintptr_t)c, from = (uintptr_t)mark;
    return from > first && from <= first + c->used ? first + c->used - from : 0;
}

void wr_arena_line(wr_arena *arena)
{
    for (int i = 0; i < LANES; i++) {
        chunk *const c = arena->lane[i].first;
        if (!c) /* the lane is empty, and its first chunk begins at a cache line */
            continue;
        const size_t skipped = round_up(c->used, WR_CACHE_LINE) - c->used;
        if (skipped > c->bytes - c->used || skipped > arena->limit - arena->used)
            continue; /* the next block begins a new chunk, or exceeds the limit */
        c->used += skipped;
        arena->used += skipped;
    }
}

/* A page may begin with a poisoned gap, so ASan must not check the accesses of this function. */
__attribute__((no_sanitize("address"))) static void touch_pages(chunk *c)
{
#ifdef MADV_POPULATE_WRITE
    if (madvise(c, round_up(c->used, page_bytes()), MADV_POPULATE_WRITE) == 0)
        return; /* kernels before 5.14 refuse MADV_POPULATE_WRITE */
#endif
    for (size_t i = 0; i < c->used; i += page_bytes()) {
        volatile unsigned char *const byte = (unsigned char *)c + i;
        *byte = *byte;
    }
}

void wr_arena_seal(wr_arena *arena)
{
    for (int i = 0; i < LANES; i++)
        for (chunk *c = arena->lane[i].first; c; c = c->next)
            touch_pages(c);
    arena->is_sealed = 1;
}

size_t wr_arena_used_bytes(const wr_arena *arena) { return arena->used; }
