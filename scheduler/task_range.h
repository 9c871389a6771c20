/* A worker's range of a batch: positions side by side, of which it takes the first that is left and others,
 * when they have none of their own any more, the last.
 *
 * So a worker has the same tasks in every batch of the same size, in the order in which they lie in memory, and
 * mostly knows what comes next.
 *
 * Thread: setting in serial code; the rest any. Real-time: yes.
 */
#ifndef WR_TASK_RANGE_H
#define WR_TASK_RANGE_H

#include <stdatomic.h>

#include "base/check.h"

typedef struct wr_task_range {
    /* The first position that is left, and behind the last: 32 bits each. */
    _Alignas(WR_CACHE_LINE) atomic_ullong left;
} wr_task_range;

/* Positions first .. end - 1. */
void wr_task_range_set(wr_task_range *range, int first, int end);

/* How many are left; others may take some any time. */
int wr_task_range_left(const wr_task_range *range);

/* The first position that is left, or the last; -1 when there is none. Taken, it is nobody else's. */
typedef enum wr_task_range_side { WR_TASK_RANGE_FIRST, WR_TASK_RANGE_LAST } wr_task_range_side;
int wr_task_range_peek(const wr_task_range *range, wr_task_range_side side);
int wr_task_range_take(wr_task_range *range, wr_task_range_side side);

#endif
