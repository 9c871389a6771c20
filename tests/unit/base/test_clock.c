#include "wr_test.h"

#include <pthread.h>

#include "base/clock.h"

/* Does work that the optimiser cannot remove; returns its result. */
static double burn(int n_round)
{
    volatile double sum = 0.0;
    for (int i = 0; i < n_round; i++)
        sum = sum + 1.0 / (1.0 + i);
    return sum;
}

TEST(monotonic_never_goes_back)
{
    const int64_t start_ns = wr_clock_monotonic_ns();
    int64_t last_ns = start_ns;
    assert_true(start_ns > 0);
    for (int i = 0; i < 100000; i++) {
        const int64_t now_ns = wr_clock_monotonic_ns();
        assert_true(now_ns >= last_ns);
        last_ns = now_ns;
    }
    assert_true(last_ns > start_ns);
}

TEST(cpu_time_grows_with_work_and_stays_below_wall_time)
{
    const int64_t wall_ns = wr_clock_monotonic_ns(), cpu_ns = wr_clock_thread_cpu_ns();
    assert_true(burn(2000000) > 0.0);
    const int64_t used_ns = wr_clock_thread_cpu_ns() - cpu_ns;
    const int64_t passed_ns = wr_clock_monotonic_ns() - wall_ns;
    assert_true(used_ns > 100000); /* 2e6 divisions take longer than 0.1 ms on any machine */
    /* The kernel may account the two clocks in different slices, so the test allows 2 ms. */
    assert_true(used_ns <= passed_ns + 2000000);
}

static void *read_cpu_time(void *ret_ns)
{
    *(int64_t *)ret_ns = wr_clock_thread_cpu_ns();
    return NULL;
}

TEST(cpu_time_is_per_thread)
{
    assert_true(burn(5000000) > 0.0);
    const int64_t own_ns = wr_clock_thread_cpu_ns();
    int64_t fresh_ns = -1;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_cpu_time, &fresh_ns), 0);
    pthread_join(thread, NULL);
    assert_true(fresh_ns >= 0);
    assert_true(fresh_ns < own_ns);
}
