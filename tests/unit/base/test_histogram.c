#include "wr_test.h"

#include "base/histogram.h"

enum { MANY = 20000 };
static const int64_t TOP_NS = INT64_C(1) << 40;

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Returns the quantile q = part / whole by the nearest rank in integers. */
static int64_t sorted_quantile(const int64_t *sorted, int n, int64_t part, int64_t whole)
{
    const int64_t rank = (part * n + whole - 1) / whole;
    return sorted[rank > 1 ? rank - 1 : 0];
}

static void assert_quantiles(const wr_histogram *histogram, const int64_t *sorted, int n)
{
    enum { WHOLE = 1000 };
    for (int part = 0; part <= WHOLE; part++) {
        const int64_t expected = sorted_quantile(sorted, n, part, WHOLE);
        const int64_t actual = wr_histogram_quantile(histogram, (double)part / WHOLE);
        assert_true(actual >= expected);
        if (expected < 64 || part == 0 || part == WHOLE)
            assert_int_equal(actual, expected);
        else
            assert_true(32 * (actual - expected) < expected);
    }
}

TEST(quantiles_against_sorting)
{
    static const int sizes[] = {1, 2, 7, 100, 1000, MANY};
    static int64_t value[MANY];
    static wr_histogram histogram;
    for (size_t i_size = 0; i_size < sizeof sizes / sizeof sizes[0]; i_size++)
        for (int n_bit = 3; n_bit <= 40; n_bit += 4) {
            const int n = sizes[i_size];
            /* The values spread over the octaves up to 2^n_bit. */
            uint64_t seed = 17 + i_size;
            for (int i = 0; i < n; i++) {
                const int bits = 1 + (int)(wr_random_bits(&seed) % (uint64_t)n_bit);
                value[i] = (int64_t)(wr_random_bits(&seed) & ((UINT64_C(1) << bits) - 1));
            }
            wr_histogram_init(&histogram);
            double sum = 0.0;
            for (int i = 0; i < n; i++) {
                wr_histogram_add(&histogram, value[i]);
                sum += (double)value[i];
            }
            qsort(value, (size_t)n, sizeof value[0], compare);
            assert_int_equal(wr_histogram_count(&histogram), n);
            assert_int_equal(wr_histogram_min(&histogram), value[0]);
            assert_int_equal(wr_histogram_max(&histogram), value[n - 1]);
            assert_close(wr_histogram_mean(&histogram), sum / n, 1e-12, 0.0);
            assert_quantiles(&histogram, value, n);
        }
}

/* In doubles 0.07 * 100 > 7 and 0.29 * 100 < 29. */
TEST(ranks_are_not_rounded_up)
{
    static wr_histogram histogram;
    wr_histogram_init(&histogram);
    for (int i = 1; i <= 100; i++)
        wr_histogram_add(&histogram, i <= 50 ? i : 1000 * i);
    for (int i = 1; i <= 50; i++)
        assert_int_equal(wr_histogram_quantile(&histogram, i / 100.0), i);
    assert_int_equal(wr_histogram_quantile(&histogram, 0.0701), 8);
}

TEST(empty)
{
    wr_histogram histogram;
    memset(&histogram, 'x', sizeof histogram);
    wr_histogram_init(&histogram);
    assert_int_equal(wr_histogram_count(&histogram), 0);
    assert_int_equal(wr_histogram_min(&histogram), 0);
    assert_int_equal(wr_histogram_max(&histogram), 0);
    assert_true(wr_histogram_mean(&histogram) == 0.0);
    assert_int_equal(wr_histogram_quantile(&histogram, 0.5), 0);
}

TEST(extremes)
{
    wr_histogram histogram;
    wr_histogram_init(&histogram);
    wr_histogram_add(&histogram, INT64_MIN);
    wr_histogram_add(&histogram, -1);
    wr_histogram_add(&histogram, 0);
    assert_int_equal(wr_histogram_max(&histogram), 0);
    assert_int_equal(wr_histogram_quantile(&histogram, 0.9), 0);
    wr_histogram_add(&histogram, TOP_NS - 1);
    assert_int_equal(wr_histogram_quantile(&histogram, 1.0), TOP_NS - 1);
    wr_histogram_add(&histogram, TOP_NS);
    wr_histogram_add(&histogram, INT64_MAX);
    wr_histogram_add(&histogram, INT64_MAX);
    assert_int_equal(wr_histogram_count(&histogram), 7);
    assert_int_equal(wr_histogram_min(&histogram), 0);
    assert_int_equal(wr_histogram_max(&histogram), INT64_MAX);
    assert_int_equal(wr_histogram_quantile(&histogram, 0.8), INT64_MAX);
    /* The sum of the values exceeds 64 bits. */
    assert_close(wr_histogram_mean(&histogram), 2.0 * 0x1p63 / 7.0, 1e-6, 0.0);
    /* Ranks 3, 4 and 5: three values are 0, one is in the last octave, three are in the last bucket. */
    assert_int_equal(wr_histogram_quantile(&histogram, 0.42), 0);
    assert_int_equal(wr_histogram_quantile(&histogram, 0.57), TOP_NS - 1);
    assert_int_equal(wr_histogram_quantile(&histogram, 0.58), INT64_MAX);
}

/* The sum of three of these values exceeds 2^64. */
TEST(sum_has_128_bits)
{
    wr_histogram one;
    wr_histogram_init(&one);
    for (int i = 0; i < 10; i++)
        wr_histogram_add(&one, INT64_MAX);
    assert_close(wr_histogram_mean(&one), 0x1p63, 1e-15, 0.0);
}

/* Returns the end of the bucket of a value, by the quantile of two values. */
static int64_t end_of_bucket(int64_t value)
{
    static wr_histogram histogram;
    wr_histogram_init(&histogram);
    wr_histogram_add(&histogram, value);
    wr_histogram_add(&histogram, INT64_MAX);
    return wr_histogram_quantile(&histogram, 0.5);
}

TEST(buckets_have_no_gaps)
{
    int64_t low = 0;
    int n_bucket = 1; /* counts the last bucket */
    for (; low < TOP_NS; n_bucket++) {
        const int64_t high = end_of_bucket(low);
        assert_true(high >= low && end_of_bucket(high) == high);
        assert_true(32 * (high - low) < high || high == low);
        low = high + 1;
    }
    assert_int_equal(low, TOP_NS);
    assert_int_equal(n_bucket, WR_HISTOGRAM_N_BUCKET);
}

/* Groups are disjoint, ascending, and together have all values. */
TEST(groups)
{
    static wr_histogram histogram;
    int64_t from_ns, before_ns = -1;
    uint64_t n, n_all = 0;
    wr_histogram_init(&histogram);
    for (int64_t value = 1; value < TOP_NS; value *= 3)
        wr_histogram_add(&histogram, value);
    wr_histogram_add(&histogram, 2 * TOP_NS);
    for (int i = 0; wr_histogram_group(&histogram, i, &from_ns, &n); i++) {
        assert_true(from_ns > before_ns);
        before_ns = from_ns;
        n_all += n;
        if (from_ns == 1024)
            assert_int_equal(n, 0); /* 3^6 = 729 and 3^7 = 2187 */
        if (from_ns == 2048)
            assert_int_equal(n, 1);
    }
    assert_int_equal(n_all, wr_histogram_count(&histogram));
    assert_false(wr_histogram_group(&histogram, -1, &from_ns, &n));
}
