/* Locks of cores: two runs on one machine, or in one process, pin no workers to the same core.
 *
 * A lock of a core is an exclusive flock() on a file of its CPU in /sys. Every process sees this lock, and the
 * kernel releases it when the process ends. Without such a file a core counts as free.
 *
 * Thread: one owner. Real-time: no (setup only). */
#ifndef WR_CLAIM_H
#define WR_CLAIM_H

#include "scheduler/topology.h"

typedef struct wr_claim wr_claim;

/* Creates an object without locks, which the topology and `folder` outlive. folder has the files
 * cpu0/topology/core_id ... (NULL: /sys/devices/system/cpu). NULL when out of memory. */
wr_claim *wr_claim_create(wr_topology *topology, const char *folder);

/* Locks the cores of the n units pu[] (-1: none) and releases all others. Returns how many of these cores other runs
 * hold; their units are marked as taken, so that wr_pick_units() skips them. */
int wr_claim_cores(wr_claim *claim, const int *pu, int n);

/* Releases all locks and frees the object. Accepts NULL. */
void wr_claim_destroy(wr_claim **claim);

#endif
