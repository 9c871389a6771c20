/* Memory of the host or the system. See memory.h.
 *
 * Thread: as there. Real-time: no.
 */
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
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

/* The number behind name in a file of the system, or at its beginning for a name of ""; SIZE_MAX if absent. */
static size_t number_in(const char *path, const char *name, size_t unit)
{
    char line[256];
    size_t found = SIZE_MAX;
    FILE *const file = fopen(path, "r");
    while (file && found == SIZE_MAX && fgets(line, sizeof line, file)) {
        const size_t n = strlen(name);
        unsigned long long value;
        if (strncmp(line, name, n) == 0 && sscanf(line + n, "%llu", &value) == 1)
            found = value < SIZE_MAX / unit ? (size_t)value * unit : SIZE_MAX;
    }
    if (file)
        (void)fclose(file);
    return found;
}

size_t wr_memory_available(void)
{
    const size_t machine = number_in("/proc/meminfo", "MemAvailable:", 1024);
    const size_t group = number_in("/sys/fs/cgroup/memory.max", "", 1);
    return machine < group ? machine : group;
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
