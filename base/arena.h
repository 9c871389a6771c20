/* Memory of a run: bump through it during setup, seal it.
 *
 * Everything the window loop touches lives in one arena, so that after wrsim_prepare() nothing
 * allocates. A push returns zeroed memory, close behind the block before: ten thousand subsystems
 * of a hundred small arrays each would otherwise mostly be padding. What is written by different
 * workers is kept off one another's cache lines by wr_arena_line() between them. Blocks of different
 * arenas never share a page. Under ASan blocks are separated by poisoned gaps.
 *
 * Thread: one owner at a time. Real-time: reading what was placed; pushing is setup only.
 */
#ifndef WR_ARENA_H
#define WR_ARENA_H

#include <stddef.h>

#include "base/memory.h"

typedef struct wr_arena wr_arena;

/* An empty arena that takes up to limit_bytes. NULL when out of memory. */
wr_arena *wr_arena_create(size_t limit_bytes);

/* The same from a host's memory (NULL: the system's), which is asked for chunks of at least 256 KiB, aligned to a page.
 * What it needs of *memory it copies. */
wr_arena *wr_arena_create_from(const wr_memory *memory, size_t limit_bytes);

/* Where its memory comes from: for another arena of the same owner. */
const wr_memory *wr_arena_memory(const wr_arena *arena);

/* Frees everything placed in it. Accepts NULL and sets *arena to NULL. */
void wr_arena_destroy(wr_arena **arena);

/* Places count elements of size bytes, zeroed, 16-byte aligned. NULL when the limit or the
 * machine's memory is exhausted, on overflow of count * size, or after the seal. count 0 gives a
 * valid pointer that must not be dereferenced. */
void *wr_arena_push(wr_arena *arena, size_t count, size_t size);

/* What is placed while is_cold is 1 is not read in most windows, or little of it: it is kept apart, so
 * that what is read lies close together. Returns what held before. */
int wr_arena_cold(wr_arena *arena, int is_cold);

/* What is placed next shares no cache line with what was placed before, and is aligned to one; but for
 * what just fits below the limit. */
void wr_arena_line(wr_arena *arena);

/* Where the next block that is not cold will lie, if there is room; and how many bytes were placed from
 * there on, side by side: 0 where that is not known. */
const void *wr_arena_mark(const wr_arena *arena);
size_t wr_arena_bytes_since(const wr_arena *arena, const void *mark);

/* Forbids further pushes and touches every page from the calling thread, so that no page fault
 * comes later and memory lies near that thread's core. */
void wr_arena_seal(wr_arena *arena);

/* Bytes placed so far, gaps included. */
size_t wr_arena_used_bytes(const wr_arena *arena);

#define WR_NEW(arena, type) ((type *)wr_arena_push((arena), 1, sizeof(type)))
#define WR_NEW_ARRAY(arena, type, count)                                                           \
    ((type *)wr_arena_push((arena), (size_t)(count), sizeof(type)))

#endif
