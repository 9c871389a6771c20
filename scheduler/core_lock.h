/* Locks of cores: runs on one machine or in one process pin workers to different cores. A config may still name a
 * core that another run has locked.
 *
 * A lock of a core is an exclusive flock() on a file of its first CPU in /sys. The lock excludes all other runs. The kernel releases the
 * lock when the locking process and its forked children have ended. Without such a file a core counts as free.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_CORE_LOCK_H
#define WR_CORE_LOCK_H

#include "scheduler/topology.h"

typedef struct wr_core_lock wr_core_lock;

/* Creates an object without locks. The topology and `folder` must outlive the object. folder has the files cpu0/topology/core_id ... (NULL:
 * /sys/devices/system/cpu). Returns NULL when memory is exhausted. */
wr_core_lock *wr_core_lock_create(wr_topology *topology, const char *folder);

/* Locks the cores of the n units pu[] (-1: none) and releases all other cores. If another run has locked one of these cores, marks the
 * core's units as taken. Returns the number of newly taken cores. Without a list of cores wr_core_choice_units() skips taken units. */
int wr_core_lock_take(wr_core_lock *claim, const int *pu, int n);

/* Releases all locks, frees the object and sets *claim to NULL. *claim may be NULL. */
void wr_core_lock_destroy(wr_core_lock **claim);

#endif
