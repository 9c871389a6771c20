/* Chooses the hardware threads for workers.
 *
 * A team spans as few memory and cache domains as possible. At each level the team gets units of the smallest domain with enough units. If
 * no domain has enough units, the team gets all units of the largest domain, and the search continues.
 *
 * Thread: any. Real-time: no (setup only). */
#ifndef WR_CORE_CHOICE_H
#define WR_CORE_CHOICE_H

#include "base/diag.h"
#include "scheduler/topology.h"

/* Chooses units for n_worker workers. Physical cores come first, cores with a common L3 cache and NUMA node together. SMT siblings
 * follow only with use_smt. n_cores > 0: only the listed cores; 0: all cores that are not taken. n_worker 0: one worker per core (with
 * use_smt: per hardware thread), at least one, at most max_worker > 0 (0: no limit). Writes at most cap_pu indices to ret_pu[]; -1: a
 * worker without a unit, which is not pinned. Returns the number of workers, or -1 with diag filled if a listed core is unknown or
 * memory is exhausted. */
int wr_core_choice_units(const wr_topology *topology, int n_worker, int max_worker,
                         const int *cores, int n_cores, int use_smt, int *ret_pu, int cap_pu,
                         wr_diag *diag);

#endif
