/* Memory of the host or the system. See memory.h. Thread: as in memory.h. Real-time: no. */
#include "base/memory.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

static int is_hosted(const wr_memory *memory) { return memory && memory->allocate; }

void *wr_memory_take(const wr_memory *memory, size_t bytes, size_t alignment)
{
    if (bytes > SIZE_MAX - alignment)
        return NULL;
    void *const block =
        is_hosted(memory)
            ? memory->allocate(memory->context, bytes, alignment)
            : aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (!block)
        return NULL;
    if ((uintptr_t)block % alignment != 0) {
        wr_memory_give(memory, block, bytes);
        return NULL;
    }
    memset(block, 0, bytes); /* writing also makes the pages resident */
    return block;
}

/* Finds a line of a system file that begins with `name` and a number. Returns the number times unit, or SIZE_MAX without such a line. */
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

/* Returns the free memory of a control group: its limit less its use, the limit if the use is unknown, or SIZE_MAX without a limit.
 * Cached pages of files count as available, because the kernel drops such pages before the group exceeds its limit. */
static size_t left_in_group(const char *folder)
{
    static const char *const cached[] = {"inactive_file ", "active_file "};
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/memory.max", folder);
    const size_t limit = number_in(path, "", 1);
    snprintf(path, sizeof path, "%s/memory.current", folder);
    size_t used = number_in(path, "", 1);
    if (limit == SIZE_MAX || used == SIZE_MAX)
        return limit;
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    for (size_t i = 0; i < WR_COUNT_OF(cached); i++) {
        const size_t n = number_in(path, cached[i], 1);
        used -= n == SIZE_MAX ? 0 : n < used ? n : used;
    }
    return used < limit ? limit - used : 0;
}

size_t wr_memory_available_by(const char *meminfo, const char *group_folder)
{
    const size_t machine = number_in(meminfo, "MemAvailable:", 1024);
    const size_t group = left_in_group(group_folder);
    return machine < group ? machine : group;
}

size_t wr_memory_available(void)
{
    return wr_memory_available_by("/proc/meminfo", "/sys/fs/cgroup");
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

void *wr_memory_grow(void *list, int n, size_t size)
{
    void *grown = list;
    if ((n & (n - 1)) == 0) {
        const size_t cap = n > 0 ? 2 * (size_t)n : 1;
        grown = cap > INT_MAX / 2 ? NULL : realloc(list, cap * size);
    }
    if (grown)
        memset((char *)grown + (size_t)n * size, 0, size);
    return grown;
}
