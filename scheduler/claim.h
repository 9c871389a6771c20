/* Cores that runs hold: two runs on one machine, or in one process, pin no workers to the same core.
 *
 * A core is held by an exclusive flock() on a file of its CPU in /sys, which every process sees and the kernel lets go
 * when its holder ends, however that happens. Where there is no such file cores count as free.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_CLAIM_H
#define WR_CLAIM_H

#include "scheduler/topology.h"

typedef struct wr_claim wr_claim;

/* Holds nothing yet. The topology outlives it; so does folder, where the files cpu0/topology/core_id ... are
 * (NULL: /sys/devices/system/cpu). NULL when out of memory. */
wr_claim *wr_claim_create(wr_topology *topology, const char *folder);

/* Holds the cores of the n units pu[] (-1: none) from now on, and no others. Returns how many of these cores others
 * hold; their units are then marked as taken, for wr_pick_units() to leave them out. */
int wr_claim_cores(wr_claim *claim, const int *pu, int n);

/* Lets all go. Accepts NULL. */
void wr_claim_destroy(wr_claim **claim);

#endif
