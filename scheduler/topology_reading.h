/* How a machine's hardware threads are found: by the module 'hwloc', or by the files of the system.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_TOPOLOGY_READING_H
#define WR_TOPOLOGY_READING_H

#include "scheduler/topology.h"

/* Numbers of packages, NUMA nodes and L3 caches are those of the source: >= 0, with gaps. */
typedef struct wr_topology_reading {
    int n_pu;
    wr_pu *pu; /* [n_pu] malloc'ed, by core, then sibling */
    int is_synthetic;
    int64_t l3_bytes; /* of the first L3 cache; 0: there is none */
} wr_topology_reading;

/* Operations of the module 'hwloc'. */
typedef struct wr_topology_ops {
    /* Reads this machine if synthetic is NULL or "". Failures go to diag, too. */
    wrsim_status (*read)(const char *synthetic, wr_topology_reading *ret, wr_diag *diag);
} wr_topology_ops;

/* Reads the hardware threads of the calling thread's affinity mask from a folder like
 * /sys/devices/system. What the folder does not tell is taken as one package, one NUMA node, one
 * core for each hardware thread and no L3 cache. WRSIM_OK, WRSIM_E_MEMORY, or WRSIM_E_INTERNAL: the
 * mask cannot be read. */
wrsim_status wr_topology_sysfs_read(const char *folder, wr_topology_reading *ret);

#endif
