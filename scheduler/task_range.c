/* Ranges of positions; workers take positions from both ends. See task_range.h. Thread: see task_range.h. Real-time: yes. */
#include "scheduler/task_range.h"

#include <stdint.h>

typedef struct ends {
    int first, end;
} ends;

static unsigned long long packed(ends r)
{
    return (unsigned long long)(uint32_t)r.first << 32 | (uint32_t)r.end;
}

static ends unpacked(unsigned long long bits)
{
    return (ends){.first = (int)(bits >> 32), .end = (int)(bits & UINT32_MAX)};
}

/* Returns the two ends of a range. relaxed in all functions: only one worker gets each position (partner: wr_task_range_take in other
 * workers). A barrier or start gate has released the data of the tasks. */
static ends left_of(const wr_task_range *range)
{
    return unpacked(atomic_load_explicit(&range->left, memory_order_relaxed));
}

void wr_task_range_set(wr_task_range *range, int first, int end)
{
    atomic_store_explicit(&range->left, packed((ends){first, end}), memory_order_relaxed);
}

int wr_task_range_left(const wr_task_range *range)
{
    const ends left = left_of(range);
    return left.end - left.first;
}

int wr_task_range_peek(const wr_task_range *range, wr_task_range_side side)
{
    const ends left = left_of(range);
    return left.first >= left.end ? -1 : side == WR_TASK_RANGE_FIRST ? left.first : left.end - 1;
}

int wr_task_range_take(wr_task_range *range, wr_task_range_side side)
{
    unsigned long long seen = atomic_load_explicit(&range->left, memory_order_relaxed);
    ends left;
    int position;
    do {
        left = unpacked(seen);
        if (left.first >= left.end)
            return -1;
        position = side == WR_TASK_RANGE_FIRST ? left.first++ : --left.end;
    } while (!atomic_compare_exchange_weak_explicit(&range->left, &seen, packed(left),
                                                    memory_order_relaxed, memory_order_relaxed));
    return position;
}
