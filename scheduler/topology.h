/* Hardware of the machine: cores, caches, NUMA nodes, SMT siblings. Thread: one owner. Real-time: no (setup only). */
#ifndef WR_TOPOLOGY_H
#define WR_TOPOLOGY_H

#include "scheduler/topology_reading.h"

typedef struct wr_topology {
    int n_pu, n_core, n_package, n_numa, n_l3;
    wr_pu *pu;        /* [n_pu] units that this process may use, by core, then sibling */
    int is_synthetic; /* 1: the topology comes from a description; workers are not pinned */
    char name[128];   /* one line of text: "2 cores, 1 package, 4 MiB L3" */
} wr_topology;

/* Reads the units of this machine that the process may use. If synthetic is not NULL or "", reads a synthetic hwloc description such as
 * "pack:2 core:4 pu:2". The module 'hwloc' reads both. If the module is missing or cannot read this machine, the system's files describe
 * this machine. Without the module the call refuses a description. The caller must be outside wr_team_run(), which may pin the thread to
 * some units of the machine. Returns NULL on failure; errors go to diag. */
wr_topology *wr_topology_create(const char *synthetic, wr_diag *diag);
void wr_topology_destroy(wr_topology **topology);

#endif
