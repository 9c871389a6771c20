/* Locks of cores: two runs on one machine, or in one process, pin no workers to the same core.
 *
 * A lock of a core is an exclusive flock() on a file of its CPU in /sys. The lock excludes every process, and the
 * kernel releases it when its process ends. Without such a file a core counts as free.
 *
 * Thread: one owner. Real-time: no (setup only). */
#ifndef WR_CORE_LOCK_H
#define WR_CORE_LOCK_H

#include "scheduler/topology.h"

typedef struct wr_core_lock wr_core_lock;

/* Creates an object without locks, which the topology and `folder` outlive. folder has the files
 * cpu0/topology/core_id ... (NULL: /sys/devices/system/cpu). NULL when out of memory. */
wr_core_lock *wr_core_lock_create(wr_topology *topology, const char *folder);

/* Locks the cores of the n units pu[] (-1: none) and releases all others. Returns the number of these cores that
 * other runs hold, and marks their units as taken, which wr_core_choice_units() skips. */
int wr_core_lock_take(wr_core_lock *claim, const int *pu, int n);

/* Releases all locks and frees the object. Accepts NULL. */
void wr_core_lock_destroy(wr_core_lock **claim);

#endif
