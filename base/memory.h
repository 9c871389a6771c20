/* Memory from the functions of a host or from the system. Thread: as the host's functions; this file has no state. Real-time: no. */
#ifndef WR_MEMORY_H
#define WR_MEMORY_H

#include <stddef.h>

/* Functions of a host. The host sets both functions or neither. Without functions the memory comes from the system. */
typedef struct wr_memory {
    void *(*allocate)(void *context, size_t bytes, size_t alignment);
    void (*release)(void *context, void *block, size_t bytes);
    void *context;
} wr_memory;

/* Allocates bytes > 0, zeroed, aligned to `alignment` (a power of two, at least sizeof(void *)). If memory is NULL, the block comes from
 * the system. Returns NULL when memory is exhausted, or if the host returns a misaligned block, which the call releases. */
void *wr_memory_take(const wr_memory *memory, size_t bytes, size_t alignment);

/* Makes room for a zeroed item after the n items of a list from malloc. The capacity of a list is its length, rounded up to a power of two.
 * Returns the list; NULL without a change of the list if memory is short. */
void *wr_memory_grow(void *list, int n, size_t size);

/* Returns the bytes available for new blocks: the smaller of the bytes of the machine and of the control group at /sys/fs/cgroup.
 * SIZE_MAX: unknown. Linux grants larger blocks, but ends a process that uses more memory. Setup only. */
size_t wr_memory_available(void);

/* Returns the available bytes from a given meminfo file and a given folder of a control group (version 2). */
size_t wr_memory_available_by(const char *meminfo, const char *group_folder);

/* Releases a block with its requested size to its source. block may be NULL. */
void wr_memory_give(const wr_memory *memory, void *block, size_t bytes);

#endif
