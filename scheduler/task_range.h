/* A worker's range of a batch: contiguous positions. The worker gets the first remaining position; workers without own positions get the
 * last remaining position.
 *
 * So a worker mostly executes the same tasks in successive batches of the same size, in the order of memory. The next task is mostly
 * predictable.
 *
 * Thread: wr_task_range_set in serial code; all other functions any. Real-time: yes.
 */
#ifndef WR_TASK_RANGE_H
#define WR_TASK_RANGE_H

#include <stdatomic.h>

#include "base/check.h"

typedef struct wr_task_range {
    /* First remaining position and end of the range, 32 bits each. */
    _Alignas(WR_CACHE_LINE) atomic_ullong left;
} wr_task_range;

/* Sets the range to positions first .. end - 1. */
void wr_task_range_set(wr_task_range *range, int first, int end);

/* Returns the number of remaining positions, which other workers may reduce at any time. */
int wr_task_range_left(const wr_task_range *range);

/* Return the first or last remaining position, or -1 for an empty range. wr_task_range_take() also removes the position, so only one
 * worker gets each position. */
typedef enum wr_task_range_side { WR_TASK_RANGE_FIRST, WR_TASK_RANGE_LAST } wr_task_range_side;
int wr_task_range_peek(const wr_task_range *range, wr_task_range_side side);
int wr_task_range_take(wr_task_range *range, wr_task_range_side side);

#endif
