/* Finds the hardware threads of a machine with the module 'hwloc' or with files of the system.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_TOPOLOGY_READING_H
#define WR_TOPOLOGY_READING_H

#include <stdint.h>

#include "base/diag.h"

typedef struct wr_pu { /* processing unit = hardware thread */
    int os_cpu;        /* number for affinity calls */
    int core;          /* number of the core among all cores of the machine */
    int sibling;       /* 0: first usable hardware thread of the core, 1: second, ... */
    int package;       /* number of the package; in a topology 0 .. n - 1 among the used packages */
    int numa;          /* number of the NUMA node; in a topology 0 .. n - 1 among the used nodes */
    int l3;            /* number of the L3 cache; in a topology 0 .. n - 1; -1: no L3 */
    int is_taken;      /* 1: another run has locked the core (core_lock.h) */
} wr_pu;

enum { WR_TOPOLOGY_MAX_PU = 1 << 14 }; /* most units of a synthetic machine (assumed) */

/* Result of reading a machine. Packages, NUMA nodes and L3 caches have the numbers of the source, possibly with gaps. */
typedef struct wr_topology_reading {
    int n_pu;
    wr_pu *pu; /* [n_pu] from malloc, by core, then sibling; the topology becomes the owner */
    int is_synthetic;
    int64_t l3_bytes; /* size of one L3 cache; 0: no L3 cache, or unknown */
} wr_topology_reading;

/* Table of functions of the module 'hwloc'. */
typedef struct wr_topology_ops {
    /* Reads this machine if synthetic is NULL or "". Failures go to diag, except WRSIM_E_INTERNAL: hwloc cannot read this machine, but the
     * sysfs reader may succeed. */
    wrsim_status (*read)(const char *synthetic, wr_topology_reading *ret, wr_diag *diag);
} wr_topology_ops;

/* Reads the hardware threads of the calling thread's affinity mask from a folder like /sys/devices/system. Defaults for missing
 * information: one package, one NUMA node, one core per hardware thread, no L3 cache. Returns WRSIM_OK, WRSIM_E_MEMORY, or WRSIM_E_INTERNAL
 * if the mask cannot be read. */
wrsim_status wr_topology_sysfs_read(const char *folder, wr_topology_reading *ret);

#endif
