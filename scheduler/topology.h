/* What the machine looks like: cores, caches, NUMA nodes, SMT siblings, and where to put workers.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_TOPOLOGY_H
#define WR_TOPOLOGY_H

#include <stdio.h>

#include "runtime/base/diag.h"

typedef struct wr_pu { /* processing unit = hardware thread */
    int os_cpu;        /* number for affinity calls */
    int core;          /* logical number of its physical core */
    int sibling;       /* 0 = first hardware thread of the core, 1 = second, ... */
    int package, numa, l3;
} wr_pu;

typedef struct wr_topology {
    int n_pu, n_core, n_package, n_numa, n_l3;
    wr_pu *pu;        /* [n_pu] allowed for this process, by core, then sibling */
    int is_synthetic; /* workers are then not pinned */
    char name[128];   /* one line for people: "2 cores, 1 package, 4 MiB L3" */
} wr_topology;

/* Reads this machine, or a synthetic hwloc description such as "pack:2 core:4 pu:2" if it is not
 * NULL or "". Errors go to diag. */
wr_topology *wr_topology_create(const char *synthetic, wr_diag *diag);
void wr_topology_destroy(wr_topology **topology);

/* Picks the PUs for n_worker workers: physical cores first, those sharing an L3 and a NUMA node
 * together; SMT siblings only with use_smt; only cores listed, if n_cores > 0. n_worker 0 = as many
 * as there are cores to use (and never more than max_worker). Writes indices into pu[] and returns
 * how many workers there are; workers beyond the PUs available get -1 (unpinned). Errors (unknown
 * core) go to diag and give -1. */
int wr_topology_pick(const wr_topology *topology, int n_worker, int max_worker, const int *cores,
                     int n_cores, int use_smt, int *ret_pu, int cap_pu, wr_diag *diag);

/* Longest-processing-time placement: gives each task to the least loaded worker, longest first;
 * ties by lower number, so equal input gives equal output. Writes worker[n_task]; returns the load
 * of the fullest worker. */
double wr_placement_lpt(const double *cost, int n_task, int n_worker, int *ret_worker);

/* Order of tasks by falling cost, ties by lower number. */
void wr_placement_order(const double *cost, int n_task, int *ret_order);

#endif
