/* Which processing units get workers.
 *
 * Units are taken so that a team spans as few memory and cache domains as it can: at each level the
 * smallest domain that holds all that is wanted, else the largest one whole, then again for the rest.
 *
 * Thread: any. Real-time: no (setup only).
 */
#ifndef WR_PICK_H
#define WR_PICK_H

#include "base/diag.h"
#include "scheduler/topology.h"

/* Picks the PUs for n_worker workers: physical cores first, those sharing an L3 and a NUMA node
 * together; SMT siblings only with use_smt; only cores listed, if n_cores > 0, else only those that are not
 * taken. n_worker 0 = as many as there are cores (with use_smt: hardware threads) to use, at least one, but
 * not more than max_worker, if that is > 0. Writes at most cap_pu indices into pu[] and returns how many workers there are; workers
 * beyond the PUs available get -1 (unpinned). Errors (unknown core) go to diag and give -1. */
int wr_pick_units(const wr_topology *topology, int n_worker, int max_worker, const int *cores,
                  int n_cores, int use_smt, int *ret_pu, int cap_pu, wr_diag *diag);

#endif
