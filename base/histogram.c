/* Logarithmic buckets. See histogram.h.
 *
 * A value of 2^(e - 5) s ns, with 32 <= s < 64 and e >= 5, belongs to bucket 32 (e - 5) + floor(s). So buckets of successive octaves have
 * successive numbers. The bucket of a value below 32 ns has the number of the value.
 *
 * Thread: one owner. Real-time: yes. */
#include "base/histogram.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

enum { N_SUB = 1 << WR_HISTOGRAM_SUB_BITS, LAST = WR_HISTOGRAM_N_BUCKET - 1 };
static const uint64_t TOP_NS = UINT64_C(1) << WR_HISTOGRAM_TOP_BITS;

static int bucket_of(uint64_t value_ns)
{
    if (value_ns < N_SUB)
        return (int)value_ns;
    if (value_ns >= TOP_NS)
        return LAST;
    const int shift = 63 - __builtin_clzll(value_ns) - WR_HISTOGRAM_SUB_BITS;
    return N_SUB * shift + (int)(value_ns >> shift);
}

/* Returns the largest value of bucket i, which is not the last bucket. */
static int64_t high_of(int i)
{
    if (i + 1 < N_SUB)
        return i;
    const int shift = (i + 1) / N_SUB - 1;
    return ((int64_t)((i + 1) % N_SUB + N_SUB) << shift) - 1;
}

void wr_histogram_init(wr_histogram *histogram) { memset(histogram, 0, sizeof *histogram); }

void wr_histogram_add(wr_histogram *histogram, int64_t value_ns)
{
    const int64_t value = value_ns > 0 ? value_ns : 0;
    if (histogram->n == 0 || value < histogram->min_ns)
        histogram->min_ns = value;
    if (histogram->n == 0 || value > histogram->max_ns)
        histogram->max_ns = value;
    histogram->n++;
    histogram->bucket[bucket_of((uint64_t)value)]++;
    histogram->sum_low += (uint64_t)value;
    histogram->sum_high += histogram->sum_low < (uint64_t)value;
}

int64_t wr_histogram_quantile(const wr_histogram *histogram, double q)
{
    WR_ASSERT(!isnan(q));
    if (histogram->n == 0)
        return 0;
    if (q <= 0.0)
        return histogram->min_ns;
    /* The factor below 1 prevents a rounding up to the next rank: 0.07 * 100 exceeds 7 in floating point. */
    const double few_roundings = 4.0 * 2.220446049250313e-16;
    const double rank = ceil(q * (double)histogram->n * (1.0 - few_roundings));
    uint64_t n_seen = 0;
    for (int i = 0; i < LAST; i++) {
        n_seen += histogram->bucket[i];
        if ((double)n_seen >= rank && n_seen > 0)
            return high_of(i) < histogram->max_ns ? high_of(i) : histogram->max_ns;
    }
    return histogram->max_ns;
}

int wr_histogram_group(const wr_histogram *histogram, int i_group, int64_t *ret_from_ns,
                       uint64_t *ret_n)
{
    enum { BUCKETS = N_SUB / 4 };
    const int first = i_group * BUCKETS;
    if (i_group < 0 || first >= WR_HISTOGRAM_N_BUCKET)
        return 0;
    *ret_from_ns = first == 0 ? 0 : high_of(first - 1) + 1;
    *ret_n = 0;
    for (int i = first; i < first + BUCKETS && i < WR_HISTOGRAM_N_BUCKET; i++)
        *ret_n += histogram->bucket[i];
    return 1;
}

uint64_t wr_histogram_count(const wr_histogram *histogram) { return histogram->n; }

int64_t wr_histogram_min(const wr_histogram *histogram) { return histogram->min_ns; }

int64_t wr_histogram_max(const wr_histogram *histogram) { return histogram->max_ns; }

double wr_histogram_mean(const wr_histogram *histogram)
{
    if (histogram->n == 0)
        return 0.0;
    const double two_to_64 = 18446744073709551616.0;
    return ((double)histogram->sum_high * two_to_64 + (double)histogram->sum_low) /
           (double)histogram->n;
}
