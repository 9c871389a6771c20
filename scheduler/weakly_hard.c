/* A cyclic buffer of bits and the number of its ones. See weakly_hard.h. Thread: one owner. Real-time: all except wr_weakly_hard_place. */
#include "scheduler/weakly_hard.h"

#include <string.h>

wrsim_status wr_weakly_hard_init(wr_weakly_hard *monitor, int m, int k, uint64_t *bit)
{
    if (k < 1 || k > WR_WEAKLY_HARD_MOST_STEPS || m < 0 || m > k || !bit)
        return WRSIM_E_ARG;
    *monitor = (wr_weakly_hard){.m = m, .k = k, .bit = bit};
    wr_weakly_hard_reset(monitor);
    return WRSIM_OK;
}

wr_weakly_hard *wr_weakly_hard_place(wr_arena *arena, int m, int k)
{
    wr_weakly_hard *const monitor = WR_NEW(arena, wr_weakly_hard);
    const int is_long = k > 0 && k <= WR_WEAKLY_HARD_MOST_STEPS;
    uint64_t *const bit = is_long ? WR_NEW_ARRAY(arena, uint64_t, wr_weakly_hard_words(k)) : NULL;
    return monitor && wr_weakly_hard_init(monitor, m, k, bit) == WRSIM_OK ? monitor : NULL;
}

void wr_weakly_hard_reset(wr_weakly_hard *monitor)
{
    uint64_t *const bit = monitor->bit;
    *monitor =
        (wr_weakly_hard){.m = monitor->m, .k = monitor->k, .first_violation = -1, .bit = bit};
    memset(bit, 0, (size_t)wr_weakly_hard_words(monitor->k) * sizeof bit[0]);
}

int wr_weakly_hard_add(wr_weakly_hard *monitor, int is_missed)
{
    const int is_miss = is_missed != 0, place = monitor->i_next % 64;
    uint64_t *const word = &monitor->bit[monitor->i_next / 64]; /* contains the oldest step */
    monitor->n_window += is_miss - (int)(*word >> place & 1);
    *word = (*word & ~(UINT64_C(1) << place)) | (uint64_t)is_miss << place;
    monitor->i_next = monitor->i_next + 1 < monitor->k ? monitor->i_next + 1 : 0;
    monitor->n_miss += is_miss;
    monitor->run = is_miss ? monitor->run + 1 : 0;
    if (monitor->run > monitor->longest_run)
        monitor->longest_run = monitor->run;
    const int is_violated = monitor->n_window > monitor->m;
    monitor->n_violation += is_violated;
    if (is_violated && monitor->first_violation < 0)
        monitor->first_violation = monitor->n_step;
    monitor->n_step++;
    WR_ASSERT(monitor->n_window >= 0 && monitor->n_window <= monitor->k);
    return is_violated;
}
