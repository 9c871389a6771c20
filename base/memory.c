/* Memory of the host or the system. See memory.h.
 *
 * Thread: as there. Real-time: no.
 */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int is_hosted(const wr_memory *memory) { return memory && memory->allocate; }

static void *take_of_system(size_t bytes, size_t alignment)
{
    if (bytes > SIZE_MAX - alignment)
        return NULL;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void *wr_memory_take(const wr_memory *memory, size_t bytes, size_t alignment)
{
    void *const block = is_hosted(memory) ? memory->allocate(memory->context, bytes, alignment)
                                          : take_of_system(bytes, alignment);
    if (!block)
        return NULL;
    if ((uintptr_t)block % alignment != 0) {
        wr_memory_give(memory, block, bytes);
        return NULL;
    }
    memset(block, 0, bytes); /* its pages are there from now on */
    return block;
}

void wr_memory_give(const wr_memory *memory, void *block, size_t bytes)
{
    if (!block)
        return;
    if (is_hosted(memory))
        memory->release(memory->context, block, bytes);
    else
        free(block);
}
