/* Counts of steps by length and end. See step_lengths.h. Thread: one at a time. Real-time: yes. */
#include <math.h>

#include "subsystems/step_lengths.h"

void wr_step_lengths_add(wr_step_lengths *lengths, wr_step_end end, double length_s)
{
    int power;
    frexp(length_s, &power); /* length_s = m 2^power, 0.5 <= m < 1 */
    const int bin = power - 1 - WR_STEP_FIRST_POWER;
    lengths->n[end][bin < 0 ? 0 : bin < WR_STEP_BINS ? bin : WR_STEP_BINS - 1]++;
}

int64_t wr_step_lengths_sum(const wr_step_lengths *lengths, wr_step_end end)
{
    int64_t sum = 0;
    for (int i = 0; i < WR_STEP_BINS; i++)
        sum += lengths->n[end][i];
    return sum;
}

const char *wr_step_end_name(wr_step_end end)
{
    static const char *const names[WR_STEP_END_COUNT] = {"event", "known", "limit", "chosen"};
    return names[end];
}
