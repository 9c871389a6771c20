/* Reads the machine from the affinity mask and the files of the system. See topology_reading.h.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#include <dirent.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "scheduler/topology_reading.h"

enum {
    MAX_CPU = 1 << 20, /* largest CPU number + 1 for which the reader builds a mask (assumed) */
    MAX_CACHE = 16     /* largest number of caches of one CPU that the reader reads (assumed) */
};

/* Returns the first integer in FOLDER/cpu/cpuN/LEAF, or `missing` if the integer is absent or negative. */
static int read_int(const char *folder, int cpu, const char *leaf, int missing)
{
    char path[PATH_MAX];
    int value = missing;
    snprintf(path, sizeof path, "%s/cpu/cpu%d/%s", folder, cpu, leaf);
    FILE *const file = fopen(path, "re");
    if (!file)
        return missing;
    if (fscanf(file, "%d", &value) != 1 || value < 0)
        value = missing;
    fclose(file);
    return value;
}

/* Returns the NUMA node in the folder of a CPU, or 0. */
static int read_numa(const char *folder, int cpu)
{
    char path[PATH_MAX];
    int node = 0, number;
    snprintf(path, sizeof path, "%s/cpu/cpu%d", folder, cpu);
    DIR *const entries = opendir(path);
    if (!entries)
        return 0;
    for (const struct dirent *entry = readdir(entries); entry; entry = readdir(entries))
        if (sscanf(entry->d_name, "node%d", &number) == 1 && number >= 0)
            node = number;
    closedir(entries);
    return node;
}

/* Returns the L3 cache of a CPU, named by the first CPU that shares the cache, or -1. Sets *l3_bytes if *l3_bytes is 0. */
static int read_l3(const char *folder, int cpu, int64_t *l3_bytes)
{
    char leaf[64];
    for (int i = 0; i < MAX_CACHE; i++) {
        snprintf(leaf, sizeof leaf, "cache/index%d/level", i);
        if (read_int(folder, cpu, leaf, 0) != 3)
            continue;
        snprintf(leaf, sizeof leaf, "cache/index%d/size", i); /* in KiB, as in "32768K" */
        if (*l3_bytes == 0)
            *l3_bytes = (int64_t)read_int(folder, cpu, leaf, 0) << 10;
        snprintf(leaf, sizeof leaf, "cache/index%d/shared_cpu_list", i);
        return read_int(folder, cpu, leaf, cpu);
    }
    return -1;
}

/* A core of the machine, including cores whose CPUs this process may not use. */
typedef struct found_core {
    int package, core_id;
} found_core;

static int compare_pus(const void *a_at, const void *b_at)
{
    const wr_pu *const a = a_at, *const b = b_at;
    return a->core != b->core ? a->core - b->core : a->os_cpu - b->os_cpu;
}

static wrsim_status read_pus(const char *folder, const cpu_set_t *mask, size_t mask_bytes,
                             int n_cpu, wr_topology_reading *ret)
{
    int last = n_cpu - 1;
    while (last > 0 && !CPU_ISSET_S((size_t)last, mask_bytes, mask))
        last--;
    found_core *const core = calloc((size_t)last + 1, sizeof *core);
    wr_topology_reading reading = {.pu = calloc((size_t)last + 1, sizeof *reading.pu)};
    int n_core = 0;
    if (!core || !reading.pu) {
        free(core);
        free(reading.pu);
        return WRSIM_E_MEMORY;
    }
    for (int cpu = 0; cpu <= last; cpu++) {
        const int is_usable = CPU_ISSET_S((size_t)cpu, mask_bytes, mask);
        const int core_id = read_int(folder, cpu, "topology/core_id", -1);
        if (!is_usable && core_id < 0)
            continue;
        const int package = read_int(folder, cpu, "topology/physical_package_id", 0);
        /* A CPU without a core number counts as a core. */
        const found_core found = {package, core_id < 0 ? MAX_CPU + cpu : core_id};
        int i_core = 0;
        while (i_core < n_core &&
               (core[i_core].package != found.package || core[i_core].core_id != found.core_id))
            i_core++;
        n_core += i_core == n_core;
        core[i_core] = found;
        if (is_usable)
            reading.pu[reading.n_pu++] = (wr_pu){.os_cpu = cpu,
                                                 .core = i_core,
                                                 .package = package,
                                                 .numa = read_numa(folder, cpu),
                                                 .l3 = read_l3(folder, cpu, &reading.l3_bytes)};
    }
    free(core);
    qsort(reading.pu, (size_t)reading.n_pu, sizeof *reading.pu, compare_pus);
    for (int i = 1; i < reading.n_pu; i++)
        if (reading.pu[i].core == reading.pu[i - 1].core)
            reading.pu[i].sibling = reading.pu[i - 1].sibling + 1;
    *ret = reading;
    return WRSIM_OK;
}

wrsim_status wr_topology_sysfs_read(const char *folder, wr_topology_reading *ret)
{
    /* The system refuses a mask that is too small, so the size doubles. */
    for (int n_cpu = CPU_SETSIZE; n_cpu <= MAX_CPU; n_cpu *= 2) {
        cpu_set_t *const mask = CPU_ALLOC((size_t)n_cpu);
        const size_t bytes = CPU_ALLOC_SIZE((size_t)n_cpu);
        if (!mask)
            return WRSIM_E_MEMORY;
        if (sched_getaffinity(0, bytes, mask) == 0) {
            const wrsim_status status = read_pus(folder, mask, bytes, n_cpu, ret);
            CPU_FREE(mask);
            return status;
        }
        CPU_FREE(mask);
    }
    return WRSIM_E_INTERNAL;
}
