#include "wr_test.h"

#include <errno.h>
#include <sched.h>

#include "base/clock.h"
#include "scheduler/jitter.h"

/* Starts a measurement, which must succeed. */
static wr_jitter *start(const wr_jitter_options *options)
{
    wr_jitter *jitter = NULL;
    assert_int_equal(wr_jitter_start(&jitter, options), WRSIM_OK);
    assert_non_null(jitter);
    return jitter;
}

static void wait_ns(int64_t span_ns)
{
    const int64_t start_ns = wr_clock_monotonic_ns();
    while (wr_clock_monotonic_ns() - start_ns < span_ns)
        sched_yield();
}

/* The test doubles its wait until the thread has counted a wake-up. A late thread catches up and skips no period. */
TEST(counts)
{
    enum { PERIOD_NS = 200000 };
    static const int64_t spins_ns[] = {0, 50000, WR_PACER_SPIN_ONLY};
    for (int i = 0; i < 3; i++) {
        const wr_jitter_options options = {
            .period_s = 1e-9 * PERIOD_NS, .spin_ns = spins_ns[i], .cpu = -1};
        const int64_t start_ns = wr_clock_monotonic_ns();
        wr_jitter *jitter = NULL;
        uint64_t n = 0;
        for (int64_t span_ns = 10 * PERIOD_NS; n == 0; span_ns *= 2) {
            wr_jitter_destroy(&jitter);
            jitter = start(&options);
            wait_ns(span_ns);
            n = wr_histogram_count(&wr_jitter_stop(jitter)->lateness);
        }
        const wr_jitter_result *const result = wr_jitter_stop(jitter);
        const int64_t spent_ns = wr_clock_monotonic_ns() - start_ns;
        const wr_histogram *const lateness = &result->lateness;
        /* No wake-up is early: at most one wake-up per period. */
        assert_true((int64_t)wr_histogram_count(lateness) <= spent_ns / PERIOD_NS);
        assert_true(wr_histogram_min(lateness) >= 0);
        assert_true(wr_histogram_max(lateness) <= spent_ns);
        assert_true(wr_histogram_quantile(lateness, 0.5) <= wr_histogram_max(lateness));
        assert_int_equal(wr_histogram_count(&result->lateness),
                         n); /* a second stop changes nothing */
        assert_false(result->pin.is_granted || result->raise.is_granted ||
                     result->sharpen.is_granted);
        wr_jitter_destroy(&jitter);
        assert_null(jitter);
    }
}

TEST(results_of_the_system)
{
    const wr_jitter_options options = {
        .period_s = 1e-3, .cpu = sched_getcpu(), .priority = 1, .timer_slack_ns = 1};
    AUTO(wr_jitter_destroy) wr_jitter *jitter = start(&options);
    const wr_jitter_result *const result = wr_jitter_stop(jitter);
    assert_int_equal(result->pin.asked, options.cpu);
    assert_true(result->pin.is_granted || result->pin.failure != 0);
    assert_int_equal(result->raise.asked, 1);
    assert_true(result->raise.is_granted || result->raise.failure == EPERM);
    assert_int_equal(result->sharpen.asked, 1);
    assert_true(result->sharpen.is_granted);
    wr_jitter_destroy(&jitter);
    /* A missing CPU is refused, but the measurement runs. */
    jitter = start(&(wr_jitter_options){.period_s = 1e-3, .cpu = 1000000});
    assert_int_equal(wr_jitter_stop(jitter)->pin.failure, EINVAL);
}

/* A stop does not wait for the end of the period of 1e9 s. */
TEST(stop_between_wake_ups)
{
    AUTO(wr_jitter_destroy)
    wr_jitter *jitter = start(&(wr_jitter_options){.period_s = 1e9, .cpu = -1});
    assert_int_equal(wr_histogram_count(&wr_jitter_stop(jitter)->lateness), 0);
    wr_jitter_destroy(&jitter);
    /* The destructor also stops a measurement. */
    jitter = start(&(wr_jitter_options){.period_s = 1e9, .cpu = -1});
    wr_jitter_destroy(&jitter);
    assert_null(jitter);
    wr_jitter_destroy(NULL);
}

TEST(two_at_once)
{
    const wr_jitter_options options = {.period_s = 1e-4, .cpu = -1};
    AUTO(wr_jitter_destroy) wr_jitter *one = start(&options), *two = start(&options);
    wait_ns(2000000);
    (void)wr_jitter_stop(two);
    (void)wr_jitter_stop(one);
}

TEST(wrong_options)
{
    static const wr_jitter_options wrong[] = {{.period_s = 0.0, .cpu = -1},
                                              {.period_s = 9e-6, .cpu = -1},
                                              {.period_s = -1.0, .cpu = -1},
                                              {.period_s = (double)NAN, .cpu = -1},
                                              {.period_s = (double)INFINITY, .cpu = -1},
                                              {.period_s = 1.0, .cpu = -2},
                                              {.period_s = 1.0, .cpu = -1, .priority = -1},
                                              {.period_s = 1.0, .cpu = -1, .priority = 100},
                                              {.period_s = 1.0, .cpu = -1, .timer_slack_ns = -1},
                                              {.period_s = 1.0, .cpu = -1, .spin_ns = -2}};
    for (size_t i = 0; i < WR_COUNT_OF(wrong); i++) {
        wr_jitter *jitter = NULL;
        assert_int_equal(wr_jitter_start(&jitter, &wrong[i]), WRSIM_E_ARG);
        assert_null(jitter);
    }
}
