/* Counts of a subsystem's steps by length and cause of the end. The counts show how often events interrupt an integration (Ben Khaled et
 * al. (2011), Figs. 3 and 4; docs/METHODS.md, Sources).
 *
 * A bin counts the lengths from one power of two, in seconds, to the next, in all sweeps.
 *
 * Thread: one at a time. Real-time: yes.
 */
#ifndef WR_STEP_LENGTHS_H
#define WR_STEP_LENGTHS_H

#include <stdint.h>
#include <string.h>

/* Cause of a step's end. */
typedef enum wr_step_end {
    WR_STEP_EVENT,  /* a state event in the step */
    WR_STEP_KNOWN,  /* a time event, or a jump of an input */
    WR_STEP_LIMIT,  /* the end of the window, or another limit */
    WR_STEP_CHOSEN, /* the method: error control, or the fixed step */
    WR_STEP_END_COUNT
} wr_step_end;

/* The first bin begins at 2^WR_STEP_FIRST_POWER s (limits assumed). The first and last bins also count shorter and longer steps. */
enum { WR_STEP_FIRST_POWER = -40, WR_STEP_BINS = 48 };

typedef struct wr_step_lengths {
    int64_t n[WR_STEP_END_COUNT][WR_STEP_BINS];
} wr_step_lengths;

/* Counts a step of length_s > 0. */
static inline void wr_step_lengths_add(wr_step_lengths *lengths, wr_step_end end, double length_s)
{
    uint64_t bits; /* the exponent field of a double (IEEE 754) is the power of 2 plus 1023 */
    memcpy(&bits, &length_s, sizeof bits);
    const int bin = (int)(bits >> 52 & 0x7ff) - 1023 - WR_STEP_FIRST_POWER;
    lengths->n[end][bin < 0 ? 0 : bin < WR_STEP_BINS ? bin : WR_STEP_BINS - 1]++;
}

/* Returns the number of steps that have the given end. */
static inline int64_t wr_step_lengths_sum(const wr_step_lengths *lengths, wr_step_end end)
{
    int64_t sum = 0;
    for (int i = 0; i < WR_STEP_BINS; i++)
        sum += lengths->n[end][i];
    return sum;
}

/* Returns the name of an end: "event", "known", "limit", "chosen". */
static inline const char *wr_step_end_name(wr_step_end end)
{
    static const char *const names[WR_STEP_END_COUNT] = {"event", "known", "limit", "chosen"};
    return names[end];
}

#endif
