/* Chooses the hardware threads for workers.
 *
 * A team spans as few memory and cache domains as possible. At each level the smallest domain with enough units is
 * taken; else the largest domain is taken completely, and the search continues for the rest.
 *
 * Thread: any. Real-time: no (setup only). */
#ifndef WR_PICK_H
#define WR_PICK_H

#include "base/diag.h"
#include "scheduler/topology.h"

/* Chooses units for n_worker workers. Physical cores come first, cores with a common L3 cache and NUMA node
 * together; SMT siblings only with use_smt. If n_cores > 0, only the listed cores are used, else all that are not
 * taken. n_worker 0 = one per core (with use_smt: hardware thread), at least one, at most max_worker if that is > 0.
 * Writes at most cap_pu indices to pu[] and returns the number of workers. Workers without a unit get -1 (unpinned).
 * An unknown core is reported to diag and gives -1. */
int wr_pick_units(const wr_topology *topology, int n_worker, int max_worker, const int *cores,
                  int n_cores, int use_smt, int *ret_pu, int cap_pu, wr_diag *diag);

#endif
