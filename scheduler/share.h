/* A worker's share of a batch: positions side by side, of which it takes the first that is left and others,
 * when they have none of their own any more, the last.
 *
 * So a worker has the same tasks in every batch that is shared out alike, in the order in which they lie in
 * memory, and mostly knows what comes next.
 *
 * Thread: setting in serial code; the rest any. Real-time: yes.
 */
#ifndef WR_SHARE_H
#define WR_SHARE_H

#include <stdatomic.h>

#include "base/check.h"

typedef struct wr_share {
    /* The first position that is left, and behind the last: 32 bits each. */
    _Alignas(WR_CACHE_LINE) atomic_ullong left;
} wr_share;

/* Positions first .. end - 1. */
void wr_share_set(wr_share *share, int first, int end);

/* How many are left; others may take some any time. */
int wr_share_left(const wr_share *share);

/* The first position that is left, or the last; -1 when there is none. Taken, it is nobody else's. */
typedef enum wr_share_side { WR_SHARE_FIRST, WR_SHARE_LAST } wr_share_side;
int wr_share_peek(const wr_share *share, wr_share_side side);
int wr_share_take(wr_share *share, wr_share_side side);

#endif
