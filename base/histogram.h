/* A histogram of durations with buckets of constant relative width, in fixed memory.
 *
 * Each power of two is divided linearly, as in HdrHistogram (G. Tene, 2012): 0 to 31 ns have one bucket per
 * nanosecond, and every octave up to 2^40 ns (1100 s) has 32 buckets. One last bucket holds longer times. Extremes,
 * count and sum are exact.
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

/* Size 9 KiB. May be copied by assignment. Only the functions below read the members. */
typedef struct wr_histogram {
    uint64_t n;                 /* number of values */
    uint64_t sum_low, sum_high; /* sum of the values, ns: sum_high * 2^64 + sum_low */
    int64_t min_ns, max_ns;     /* valid if n > 0 */
    uint64_t bucket[WR_HISTOGRAM_N_BUCKET];
} wr_histogram;

/* Number of values from low_ns to high_ns, both included. */
typedef struct wr_histogram_bucket {
    int64_t low_ns, high_ns;
    uint64_t n;
} wr_histogram_bucket;

/* Empties the histogram and writes to all its memory. */
void wr_histogram_init(wr_histogram *histogram);

/* Adds one value; a negative one counts as 0. */
void wr_histogram_add(wr_histogram *histogram, int64_t value_ns);

/* Adds all values of another histogram. */
void wr_histogram_merge(wr_histogram *histogram, const wr_histogram *other);

/* Returns the smallest value that at least the share q of all values does not exceed (nearest rank), rounded up to
 * the end of its bucket. The result is too large by less than 1/32; below 64 ns it is exact. From 2^40 ns on the
 * result is the largest value. q <= 0 gives the smallest and q >= 1 the largest value, exactly. An empty histogram
 * gives 0. */
int64_t wr_histogram_quantile(const wr_histogram *histogram, double q);

/* Exact values; 0 if the histogram is empty. */
uint64_t wr_histogram_count(const wr_histogram *histogram);
int64_t wr_histogram_min(const wr_histogram *histogram);
int64_t wr_histogram_max(const wr_histogram *histogram);
double wr_histogram_mean(const wr_histogram *histogram);

/* Finds the next non-empty bucket from index i on. Returns the index for the next call, or 0 at the end; then
 * *ret_bucket is unchanged. The last bucket ends at INT64_MAX.
 *
 *     for (int i = 0; (i = wr_histogram_next(histogram, i, &bucket)) > 0;) */
int wr_histogram_next(const wr_histogram *histogram, int i, wr_histogram_bucket *ret_bucket);

#endif
