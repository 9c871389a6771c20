/* Shares of a batch. See share.h.
 *
 * Thread: see share.h. Real-time: yes.
 */
#include "scheduler/share.h"

#include <stdint.h>

typedef struct range {
    int first, end;
} range;

static unsigned long long packed(range r)
{
    return (unsigned long long)(uint32_t)r.first << 32 | (uint32_t)r.end;
}

static range unpacked(unsigned long long bits)
{
    return (range){.first = (int)(bits >> 32), .end = (int)(bits & UINT32_MAX)};
}

/* relaxed throughout: each position only has to be given once (partner: wr_share_take in other workers); what its
 * task reads was released by a barrier. */
static range left_of(const wr_share *share)
{
    return unpacked(atomic_load_explicit(&share->left, memory_order_relaxed));
}

void wr_share_set(wr_share *share, int first, int end)
{
    atomic_store_explicit(&share->left, packed((range){first, end}), memory_order_relaxed);
}

int wr_share_left(const wr_share *share)
{
    const range left = left_of(share);
    return left.end - left.first;
}

int wr_share_peek(const wr_share *share, wr_share_side side)
{
    const range left = left_of(share);
    return left.first >= left.end ? -1 : side == WR_SHARE_FIRST ? left.first : left.end - 1;
}

int wr_share_take(wr_share *share, wr_share_side side)
{
    unsigned long long seen = atomic_load_explicit(&share->left, memory_order_relaxed);
    range left;
    int position;
    do {
        left = unpacked(seen);
        if (left.first >= left.end)
            return -1;
        position = side == WR_SHARE_FIRST ? left.first++ : --left.end;
    } while (!atomic_compare_exchange_weak_explicit(&share->left, &seen, packed(left),
                                                    memory_order_relaxed, memory_order_relaxed));
    return position;
}
