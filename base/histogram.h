/* A histogram of durations in fixed memory. From 32 ns on, the width of a bucket is at most 1/32 of each duration in the bucket.
 *
 * Buckets divide each octave linearly, as in HdrHistogram (G. Tene, 2012). 0 to 31 ns have one bucket per nanosecond, and every octave
 * up to 2^40 ns (1100 s) has 32 buckets. The last bucket counts times from 2^40 ns on. Extremes, count and sum are exact.
 *
 * Thread: one owner. Real-time: yes. */
#ifndef WR_HISTOGRAM_H
#define WR_HISTOGRAM_H

#include <stdint.h>

enum {
    WR_HISTOGRAM_SUB_BITS = 5, /* 2^5 buckets in an octave */
    WR_HISTOGRAM_TOP_BITS = 40,
    WR_HISTOGRAM_N_BUCKET =
        ((WR_HISTOGRAM_TOP_BITS - WR_HISTOGRAM_SUB_BITS + 1) << WR_HISTOGRAM_SUB_BITS) + 1
};

/* A histogram of 9 KiB, with private members. Assignment may copy a histogram. */
typedef struct wr_histogram {
    uint64_t n;                 /* number of values */
    uint64_t sum_low, sum_high; /* sum of the values, ns: sum_high * 2^64 + sum_low */
    int64_t min_ns, max_ns;     /* smallest and largest value; valid if n > 0 */
    uint64_t bucket[WR_HISTOGRAM_N_BUCKET];
} wr_histogram;

/* Empties the histogram and writes to all its memory. */
void wr_histogram_init(wr_histogram *histogram);

/* Adds one value; a negative value counts as 0. */
void wr_histogram_add(wr_histogram *histogram, int64_t value_ns);

/* Returns the smallest value that at least the share q of all values does not exceed (nearest rank), as the largest value of its bucket.
 * The result is too large by less than 1/32, and exact below 64 ns. From 2^40 ns on the result is the largest value. q <= 0 gives the
 * smallest and q >= 1 the largest value, exactly. An empty histogram gives 0. */
int64_t wr_histogram_quantile(const wr_histogram *histogram, double q);

/* Finds the groups of values for a picture: four groups per octave, from 2^k ns on. *ret_from_ns is the smallest duration of group i_group,
 * and *ret_n the number of its values. Groups have ascending durations. Returns 0 if no group has the number i_group. */
int wr_histogram_group(const wr_histogram *histogram, int i_group, int64_t *ret_from_ns,
                       uint64_t *ret_n);

/* Return the exact count, and the exact minimum, maximum and mean, ns. An empty histogram gives 0. */
uint64_t wr_histogram_count(const wr_histogram *histogram);
int64_t wr_histogram_min(const wr_histogram *histogram);
int64_t wr_histogram_max(const wr_histogram *histogram);
double wr_histogram_mean(const wr_histogram *histogram);

#endif
