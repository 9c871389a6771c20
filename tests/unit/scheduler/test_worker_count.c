/* Tests the choice of the worker count on machines where several workers are faster or slower than one worker. */
#include "wr_test.h"

#include "base/check.h"
#include "scheduler/worker_count.h"

/* Times of a sample with several workers, relative to one worker. */
static const double IDLE = 0.55, BUSY = 1.8, STALLED = 10.0;
static const double SAMPLE_S = 0.01, MIN_WORK = 1000.0, ENOUGH = 5000.0, LITTLE = 500.0;

static wr_worker_count count_of(int most)
{
    wr_worker_count count;
    wr_worker_count_init(&count, most, MIN_WORK);
    return count;
}

/* Returns the share of n windows, one sample each, that one worker runs. */
static double share_of_one(wr_worker_count *count, int n, double several, double work)
{
    int n_one = 0;
    for (int i = 0; i < n; i++) {
        const int is_one = wr_worker_count_get(count) == 1;
        n_one += is_one;
        wr_worker_count_note(count, work, SAMPLE_S * (is_one ? 1.0 : several));
    }
    return (double)n_one / n;
}

TEST(idle_machine)
{
    wr_worker_count count = count_of(2);
    assert_int_equal(wr_worker_count_get(&count), 1); /* at the start */
    assert_true(share_of_one(&count, 1000, IDLE, ENOUGH) < 0.01);
    assert_int_equal(wr_worker_count_why(&count), WR_WORKER_COUNT_ALL);
}

TEST(busy_machine)
{
    wr_worker_count count = count_of(2);
    assert_true(share_of_one(&count, 1000, BUSY, ENOUGH) > 0.97);
    assert_int_equal(wr_worker_count_why(&count), WR_WORKER_COUNT_SLOWER);
    assert_true(share_of_one(&count, 2000, IDLE, ENOUGH) <
                0.25); /* the machine becomes idle again */
    assert_true(share_of_one(&count, 2000, BUSY, ENOUGH) > 0.98); /* and busy */
}

/* Each window waits for a worker whose CPU another process uses: the count changes at once. */
TEST(stalled)
{
    wr_worker_count count = count_of(2);
    share_of_one(&count, 200, IDLE, ENOUGH);
    assert_int_equal(wr_worker_count_get(&count), 2);
    assert_true(share_of_one(&count, 100, STALLED, ENOUGH) > 0.95);
    wr_worker_count first = count_of(2); /* from the start */
    assert_true(share_of_one(&first, 1000, STALLED, ENOUGH) > 0.99);
}

/* If several workers are slower, the intervals between trials of several workers grow. */
TEST(trials_become_rarer)
{
    wr_worker_count count = count_of(2);
    int at = 0, between = 0, n_trial = 0;
    for (int i = 0; i < 3000; i++) {
        const int is_one = wr_worker_count_get(&count) == 1;
        wr_worker_count_note(&count, ENOUGH, SAMPLE_S * (is_one ? 1.0 : BUSY));
        if (!count.is_trial || count.is_one)
            continue;
        n_trial++;
        assert_true(i - at + 1 >= between);
        between = i - at < 384 ? i - at : 384;
        at = i;
    }
    assert_in_range(n_trial, 5, 15);
    assert_in_range(between, 300, 384);
}

/* several: time with several workers over the time with one worker. least, most: limits of the share of windows with one worker. */
TEST(how_much_slower)
{
    static const struct {
        double several, least, most;
    } cases[] = {
        {0.7, 0.0, 0.03}, {0.9, 0.0, 0.06}, {1.1, 0.93, 1.0}, {1.3, 0.95, 1.0}, {3.0, 0.97, 1.0}};
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++)
        for (int is_little = 0; is_little < 2; is_little++) {
            wr_worker_count count = count_of(2);
            share_of_one(&count, 100, cases[i].several, is_little ? LITTLE : ENOUGH);
            const double share =
                share_of_one(&count, 2000, cases[i].several, is_little ? LITTLE : ENOUGH);
            assert_between(share, cases[i].least, cases[i].most);
        }
}

/* Waits for a CPU are rare and long: single samples do not decide. */
TEST(bursts)
{
    wr_worker_count count = count_of(2);
    int n_one = 0;
    for (int i = 0; i < 4000; i++) {
        /* Several workers take 0.6 or 1.0 in turn, one worker takes 0.7 or 1.5, so several are faster by a factor of 1.375. */
        const int is_one = wr_worker_count_get(&count) == 1;
        n_one += is_one;
        wr_worker_count_note(&count, ENOUGH,
                             SAMPLE_S * (is_one ? 0.7 + 0.8 * (i % 2) : 0.6 + 0.4 * (i % 2)));
    }
    assert_true(n_one < 400);
}

/* Other processes sometimes slow all windows by more than the gain; the better count mostly stays. */
TEST(uneven_machine)
{
    wr_worker_count count = count_of(2);
    int n_one = 0;
    for (int i = 0; i < 2000; i++) {
        const int is_one = wr_worker_count_get(&count) == 1;
        n_one += is_one;
        wr_worker_count_note(&count, ENOUGH,
                             SAMPLE_S * (is_one ? 1.0 : 0.7) * (i % 7 == 0 ? 3.0 : 1.0));
    }
    assert_true(n_one < 400);
}

/* One worker runs first. After two samples several workers run, and stay if they are faster. */
TEST(little_work)
{
    wr_worker_count count = count_of(2);
    wr_worker_count_note(&count, LITTLE, 1e-6);
    assert_int_equal(wr_worker_count_get(&count), 1);
    assert_int_equal(wr_worker_count_why(&count), WR_WORKER_COUNT_BEGIN);
    for (int i = 0; i < 15; i++) /* less than two samples */
        wr_worker_count_note(&count, LITTLE, 1e-3);
    assert_int_equal(wr_worker_count_get(&count), 1);
    wr_worker_count_note(&count, LITTLE, 1.1e-3);
    assert_int_equal(wr_worker_count_get(&count), 2);
    for (int i = 0; i < 8; i++)
        wr_worker_count_note(&count, LITTLE, 2.1e-3); /* twice as slow */
    assert_int_equal(wr_worker_count_get(&count), 1);
    assert_int_equal(wr_worker_count_why(&count), WR_WORKER_COUNT_SLOWER);
}

/* The work limits the number of workers. */
TEST(workers_by_work)
{
    static const struct {
        double work;
        int size;
        wr_worker_count_reason why;
    } cases[] = {{0.0, 1, WR_WORKER_COUNT_WORK},    {99.0, 1, WR_WORKER_COUNT_WORK},
                 {100.0, 2, WR_WORKER_COUNT_WORK},  {999.0, 2, WR_WORKER_COUNT_WORK},
                 {1000.0, 2, WR_WORKER_COUNT_WORK}, {2000.0, 2, WR_WORKER_COUNT_WORK},
                 {2500.0, 3, WR_WORKER_COUNT_WORK}, {3500.0, 4, WR_WORKER_COUNT_ALL},
                 {9e9, 4, WR_WORKER_COUNT_ALL}};
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        wr_worker_count count = count_of(4);
        wr_worker_count_note(&count, cases[i].work, 1e-6);
        assert_int_equal(wr_worker_count_get(&count), 1);
        assert_int_equal(wr_worker_count_why(&count),
                         cases[i].size > 1 ? WR_WORKER_COUNT_BEGIN : WR_WORKER_COUNT_WORK);
        share_of_one(&count, 5, IDLE, cases[i].work);
        assert_int_equal(wr_worker_count_get(&count), cases[i].size);
        assert_int_equal(wr_worker_count_why(&count), cases[i].why);
    }
}

/* If the work ends during a trial of several workers and returns, the trial has no effect. */
TEST(work_comes_and_goes)
{
    wr_worker_count count = count_of(2);
    share_of_one(&count, 20, BUSY, ENOUGH);
    while (!count.is_trial)
        share_of_one(&count, 1, BUSY, ENOUGH);
    assert_int_equal(wr_worker_count_get(&count), 2);
    share_of_one(&count, 1, BUSY, 10.0);
    assert_int_equal(wr_worker_count_get(&count), 1);
    assert_false(count.is_trial);
    share_of_one(&count, 5, BUSY, ENOUGH);
    assert_int_equal(wr_worker_count_get(&count), 1);
}

TEST(fixed)
{
    wr_worker_count one = count_of(1), all;
    wr_worker_count_init(&all, 3, 0.0);
    assert_true(wr_worker_count_is_fixed(&one) && wr_worker_count_is_fixed(&all));
    share_of_one(&one, 100, BUSY, ENOUGH);
    share_of_one(&all, 100, BUSY, 1.0);
    assert_int_equal(wr_worker_count_get(&one), 1);
    assert_int_equal(wr_worker_count_get(&all), 3);
    assert_int_equal(wr_worker_count_why(&one), WR_WORKER_COUNT_ALL);
    assert_int_equal(wr_worker_count_why(&all), WR_WORKER_COUNT_ALL);
}
