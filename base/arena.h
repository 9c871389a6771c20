/* Memory of a run: setup places blocks one after the other, then seals the arena.
 *
 * The memory of the window loop is in arenas, so nothing allocates after wrsim_prepare(). A push returns zeroed memory, directly after the
 * previous block of the same chunk. The arrays of a subsystem are small, so padding would take more memory than the data. The caller calls
 * wr_arena_line() before data of another worker, which then begin a cache line. Blocks of different arenas never share a page. Under ASan
 * poisoned gaps separate the blocks.
 *
 * Thread: one owner at a time. Real-time: reading and writing of placed memory; all functions are setup only.
 */
#ifndef WR_ARENA_H
#define WR_ARENA_H

#include <stddef.h>

#include "base/memory.h"

typedef struct wr_arena wr_arena;

/* Creates an empty arena for up to limit_bytes. Returns NULL when memory is exhausted. */
wr_arena *wr_arena_create(size_t limit_bytes);

/* Creates an arena with memory of a host (NULL: memory of the system), and copies the functions of the host. Each chunk from the host has
 * at least 256 KiB and begins at a page. */
wr_arena *wr_arena_create_from(const wr_memory *memory, size_t limit_bytes);

/* Returns the source of the arena's memory, for another arena of the same owner. */
const wr_memory *wr_arena_memory(const wr_arena *arena);

/* Frees all blocks of the arena and sets *arena to NULL. arena and *arena may be NULL. */
void wr_arena_destroy(wr_arena **arena);

/* Places count elements of size bytes, zeroed, 16-byte aligned. Returns NULL if the limit or the machine's memory is exhausted, count *
 * size overflows, or the arena is sealed. count 0 gives a valid pointer that must not be dereferenced. */
void *wr_arena_push(wr_arena *arena, size_t count, size_t size);

/* If is_cold is 1, places later blocks in a separate region, for data that most windows do not read. So frequently read data is contiguous.
 * Returns the previous setting. */
int wr_arena_cold(wr_arena *arena, int is_cold);

/* Aligns the next block to a new cache line, unless the alignment exceeds the arena's limit. */
void wr_arena_line(wr_arena *arena);

/* wr_arena_mark returns the place of the next block that is not cold. wr_arena_bytes_since returns the bytes placed after a mark, or 0 if
 * the blocks are not contiguous. */
const void *wr_arena_mark(const wr_arena *arena);
size_t wr_arena_bytes_since(const wr_arena *arena, const void *mark);

/* Forbids further pushes, and writes to every page of the placed blocks. So later accesses cause no page faults. Pages without an
 * earlier write are then in the NUMA node of the calling thread. */
void wr_arena_seal(wr_arena *arena);

/* Returns the bytes placed so far, gaps included. */
size_t wr_arena_used_bytes(const wr_arena *arena);

#define WR_NEW(arena, type) ((type *)wr_arena_push((arena), 1, sizeof(type)))
#define WR_NEW_ARRAY(arena, type, count)                                                           \
    ((type *)wr_arena_push((arena), (size_t)(count), sizeof(type)))

/* Places n doubles for each of n_array arrays. Returns 0, or -1 when the arena is exhausted. */
static inline int wr_arena_doubles(wr_arena *arena, size_t n, double **const *array, size_t n_array)
{
    for (size_t i = 0; i < n_array; i++)
        if (!(*array[i] = WR_NEW_ARRAY(arena, double, n)))
            return -1;
    return 0;
}

/* Places n doubles for each pointer of a list: WR_NEW_DOUBLES(arena, n, &a, &b). */
#define WR_NEW_DOUBLES(arena, n, ...)                                                              \
    wr_arena_doubles((arena), (size_t)(n), (double **const[]){__VA_ARGS__},                        \
                     sizeof((double **const[]){__VA_ARGS__}) / sizeof(double **))

#endif
