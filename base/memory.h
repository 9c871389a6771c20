/* Where memory comes from: the host's functions, or the system's.
 *
 * Thread: as the host's functions; nothing is kept here. Real-time: no.
 */
#ifndef WR_MEMORY_H
#define WR_MEMORY_H

#include <stddef.h>

/* Both functions, or neither: the system's are used then. */
typedef struct wr_memory {
    void *(*allocate)(void *context, size_t bytes, size_t alignment);
    void (*release)(void *context, void *block, size_t bytes);
    void *context;
} wr_memory;

/* bytes > 0, zeroed, aligned to alignment (a power of two, at least that of a pointer). memory may be NULL: the system's.
 * NULL where there is none, and where the host's is not aligned as asked: that is given back. */
void *wr_memory_take(const wr_memory *memory, size_t bytes, size_t alignment);

/* Bytes that the machine has available for new blocks, at most what the limit of the process's control
 * group leaves. The system promises more than it has, and ends a process that uses more. SIZE_MAX:
 * not known. Setup only. */
size_t wr_memory_available(void);

/* The same by other files: meminfo as in /proc, and the folder of a control group (version 2). */
size_t wr_memory_available_by(const char *meminfo, const char *group_folder);

/* Gives back what was taken from the same memory, with the same number of bytes. Accepts a block of NULL. */
void wr_memory_give(const wr_memory *memory, void *block, size_t bytes);

#endif
