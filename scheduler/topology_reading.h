/* How a machine's hardware threads are found: by the module 'hwloc', or by the files of the system.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_TOPOLOGY_READING_H
#define WR_TOPOLOGY_READING_H

#include <stdint.h>

#include "base/diag.h"

typedef struct wr_pu { /* processing unit = hardware thread */
    int os_cpu;        /* number for affinity calls */
    int core;          /* number of its core among all cores of the machine, used or not */
    int sibling;       /* 0 = first usable hardware thread of the core, 1 = second, ... */
    int package, numa; /* 0 .. n - 1 among those in use, once the topology is made */
    int l3;            /* likewise; -1 = no L3 */
    int is_taken;      /* another run holds its core (claim.h) */
} wr_pu;

enum { WR_TOPOLOGY_MAX_PU = 1 << 14 }; /* of a synthetic machine */

/* Packages, NUMA nodes and L3 caches have the numbers of the source: >= 0, with gaps. */
typedef struct wr_topology_reading {
    int n_pu;
    wr_pu *pu; /* [n_pu] malloc'ed, by core, then sibling; the topology takes it over */
    int is_synthetic;
    int64_t l3_bytes; /* of the first L3 cache; 0: no L3 cache */
} wr_topology_reading;

/* Operations of the module 'hwloc'. */
typedef struct wr_topology_ops {
    /* Reads this machine if synthetic is NULL or "". Failures go to diag, too, but for
     * WRSIM_E_INTERNAL: hwloc cannot read this machine, and other ways may. */
    wrsim_status (*read)(const char *synthetic, wr_topology_reading *ret, wr_diag *diag);
} wr_topology_ops;

/* Reads the hardware threads of the calling thread's affinity mask from a folder like
 * /sys/devices/system. What the folder does not tell is taken as one package, one NUMA node, one
 * core for each hardware thread and no L3 cache. WRSIM_OK, WRSIM_E_MEMORY, or WRSIM_E_INTERNAL: the
 * mask cannot be read. */
wrsim_status wr_topology_sysfs_read(const char *folder, wr_topology_reading *ret);

#endif
