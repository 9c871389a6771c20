#include "wr_test.h"

#include "base/histogram.h"

enum { MANY = 20000 };
static const int64_t TOP_NS = INT64_C(1) << 40;

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Spread over the octaves up to 2^n_bit. */
static void fill_random(int64_t *value, int n, int n_bit, uint64_t seed)
{
    for (int i = 0; i < n; i++) {
        const int bits = 1 + (int)(wr_random_bits(&seed) % (uint64_t)n_bit);
        value[i] = (int64_t)(wr_random_bits(&seed) & ((UINT64_C(1) << bits) - 1));
    }
}

/* The nearest rank in whole numbers: q = part / whole. */
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
            fill_random(value, n, n_bit, 17 + i_size);
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

/* 0.07 * 100 > 7 in doubles, and 0.29 * 100 < 29. */
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
    wr_histogram_bucket bucket = {.low_ns = -5};
    memset(&histogram, 'x', sizeof histogram);
    wr_histogram_init(&histogram);
    assert_int_equal(wr_histogram_count(&histogram), 0);
    assert_int_equal(wr_histogram_min(&histogram), 0);
    assert_int_equal(wr_histogram_max(&histogram), 0);
    assert_true(wr_histogram_mean(&histogram) == 0.0);
    assert_int_equal(wr_histogram_quantile(&histogram, 0.5), 0);
    assert_int_equal(wr_histogram_next(&histogram, 0, &bucket), 0);
    assert_int_equal(bucket.low_ns, -5);
}

TEST(extremes)
{
    wr_histogram histogram;
    wr_histogram_bucket bucket;
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
    /* The sum of these does not fit into 64 bits. */
    assert_close(wr_histogram_mean(&histogram), 2.0 * 0x1p63 / 7.0, 1e-6, 0.0);
    int i = wr_histogram_next(&histogram, 0, &bucket);
    assert_true(bucket.low_ns == 0 && bucket.high_ns == 0 && bucket.n == 3);
    i = wr_histogram_next(&histogram, i, &bucket);
    assert_true(bucket.high_ns == TOP_NS - 1 && bucket.n == 1);
    i = wr_histogram_next(&histogram, i, &bucket);
    assert_true(bucket.low_ns == TOP_NS && bucket.high_ns == INT64_MAX && bucket.n == 3);
    assert_int_equal(wr_histogram_next(&histogram, i, &bucket), 0);
}

/* Three of these go past 2^64. */
TEST(sum_has_128_bits)
{
    wr_histogram one, two;
    wr_histogram_init(&one);
    wr_histogram_init(&two);
    for (int i = 0; i < 5; i++) {
        wr_histogram_add(&one, INT64_MAX);
        wr_histogram_add(&two, INT64_MAX);
    }
    assert_close(wr_histogram_mean(&one), 0x1p63, 1e-15, 0.0);
    wr_histogram_merge(&one, &two);
    assert_close(wr_histogram_mean(&one), 0x1p63, 1e-15, 0.0);
}

/* Every edge: the value and its neighbours are where low and high say, buckets follow one another. */
TEST(buckets_have_no_gaps)
{
    static wr_histogram histogram;
    wr_histogram_bucket bucket;
    int64_t next_low = 0;
    int n_bucket = 0;
    for (; next_low <= TOP_NS; n_bucket++) {
        wr_histogram_init(&histogram);
        wr_histogram_add(&histogram, next_low);
        assert_true(wr_histogram_next(&histogram, 0, &bucket) > 0);
        assert_int_equal(bucket.low_ns, next_low);
        assert_true(bucket.high_ns >= bucket.low_ns);
        wr_histogram_add(&histogram, bucket.high_ns);
        assert_true(wr_histogram_next(&histogram, 0, &bucket) > 0);
        assert_int_equal(bucket.n, 2);
        if (bucket.high_ns == INT64_MAX)
            break;
        assert_true(32 * (bucket.high_ns - bucket.low_ns) < wr_histogram_max(&histogram) ||
                    bucket.high_ns == bucket.low_ns);
        next_low = bucket.high_ns + 1;
    }
    assert_int_equal(next_low, TOP_NS);
    assert_int_equal(n_bucket + 1, WR_HISTOGRAM_N_BUCKET);
}

/* What two have is what one has that got all; empty ones change nothing. */
TEST(merge)
{
    static int64_t value[MANY];
    static wr_histogram all, part[3];
    fill_random(value, MANY, 45, 5);
    wr_histogram_init(&all);
    for (int i = 0; i < 3; i++)
        wr_histogram_init(&part[i]);
    for (int i = 0; i < MANY; i++) {
        wr_histogram_add(&all, value[i]);
        wr_histogram_add(&part[i % 2], value[i]);
    }
    wr_histogram_merge(&part[0], &part[2]);
    assert_int_equal(wr_histogram_count(&part[0]), MANY / 2);
    wr_histogram_merge(&part[2], &part[1]);
    assert_int_equal(wr_histogram_min(&part[2]), wr_histogram_min(&part[1]));
    wr_histogram_merge(&part[0], &part[1]);
    assert_memory_equal(&part[0], &all, sizeof all);
    uint64_t n = 0;
    wr_histogram_bucket bucket;
    for (int i = 0; (i = wr_histogram_next(&all, i, &bucket)) > 0;)
        n += bucket.n;
    assert_int_equal(n, MANY);
}
