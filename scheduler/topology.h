/* What the machine looks like: cores, caches, NUMA nodes, SMT siblings, and where to put workers.
 *
 * Thread: one owner. Real-time: no (setup only), but for wr_placement_order.
 */
#ifndef WR_TOPOLOGY_H
#define WR_TOPOLOGY_H

#include <stdio.h>

#include "base/diag.h"

typedef struct wr_pu { /* processing unit = hardware thread */
    int os_cpu;        /* number for affinity calls */
    int core;          /* number of its physical core as lstopo -l shows it (may leave gaps) */
    int sibling;       /* 0 = first usable hardware thread of the core, 1 = second, ... */
    int package, numa; /* 0 .. n - 1 among those in use */
    int l3;            /* likewise; -1 = no L3 */
    int is_taken;      /* another run holds its core (claim.h) */
} wr_pu;

enum { WR_TOPOLOGY_MAX_PU = 1 << 14 }; /* of a synthetic machine */

typedef struct wr_topology {
    int n_pu, n_core, n_package, n_numa, n_l3;
    wr_pu *pu;        /* [n_pu] those this process may use, by core, then sibling */
    int is_synthetic; /* workers are then not pinned */
    char name[128];   /* one line for people: "2 cores, 1 package, 4 MiB L3" */
} wr_topology;

/* Reads this machine, as far as this process may use it, or a synthetic hwloc description such as
 * "pack:2 core:4 pu:2" if it is not NULL or "". Call it before wr_team_create: a pinned caller
 * sees little of the machine. NULL on failure; errors go to diag. */
wr_topology *wr_topology_create(const char *synthetic, wr_diag *diag);
void wr_topology_destroy(wr_topology **topology);

/* Picks the PUs for n_worker workers: physical cores first, those sharing an L3 and a NUMA node
 * together; SMT siblings only with use_smt; only cores listed, if n_cores > 0, else only those that are not
 * taken. n_worker 0 = as many as there are cores (with use_smt: hardware threads) to use, at least one, but
 * not more than max_worker, if that is > 0. Writes at most cap_pu indices into pu[] and returns how many workers there are; workers
 * beyond the PUs available get -1 (unpinned). Errors (unknown core) go to diag and give -1. */
int wr_topology_pick(const wr_topology *topology, int n_worker, int max_worker, const int *cores,
                     int n_cores, int use_smt, int *ret_pu, int cap_pu, wr_diag *diag);

/* Longest-processing-time placement: gives each task to the least loaded worker, longest first;
 * ties by lower number, so equal input gives equal output. Costs that are not positive numbers
 * count as 0. Writes worker[n_task]; returns the load of the fullest worker, -1 when out of memory.
 */
double wr_placement_lpt(const double *cost, int n_task, int n_worker, int *ret_worker);

/* Order of tasks by falling cost, ties by lower number. Works in place: also in the window loop. */
void wr_placement_order(const double *cost, int n_task, int *ret_order);

#endif
