#include "wr_test.h"

#include <pthread.h>

#include "base/clock.h"
#include "scheduler/pacer.h"

enum { MS = 1000000 }; /* ns */

/* A test clock: advances by sleeps, and slightly with every reading. */
typedef struct fake {
    int64_t now_ns, reading_ns;
    int64_t over_ns;    /* lateness of the end of sleeps */
    int64_t longest_ns; /* longest requested sleep */
    int n_sleep, n_reading;
    int early;          /* sleeps last only 1/early of their time; 0 = all of it */
    int i_jump;         /* the sleep in which the clock jumps, from 1; 0 = none */
    int64_t jump_ns;    /* size of the jump */
    int i_stop;         /* the sleep in which the flag is set, from 1; 0 = none */
    atomic_int is_stop; /* relaxed throughout: one thread */
    int is_still;
} fake;

static int64_t read_fake(void *context)
{
    fake *const f = context;
    f->n_reading++;
    f->now_ns += f->reading_ns;
    return f->now_ns;
}

static void sleep_fake(void *context, int64_t due_ns)
{
    fake *const f = context;
    const int64_t asked_ns = due_ns - f->now_ns;
    f->n_sleep++;
    f->longest_ns = asked_ns > f->longest_ns ? asked_ns : f->longest_ns;
    if (f->n_sleep == f->i_stop)
        atomic_store_explicit(&f->is_stop, 1, memory_order_relaxed);
    if (f->is_still)
        return;
    if (f->early)
        f->now_ns += (asked_ns + f->early - 1) / f->early;
    else if (asked_ns > 0)
        f->now_ns += asked_ns + f->over_ns;
    if (f->n_sleep == f->i_jump)
        f->now_ns += f->jump_ns;
}

static wr_pacer_options options_of(fake *f)
{
    return (wr_pacer_options){.rate = 1.0,
                              .clock = {.now = read_fake, .sleep_until = sleep_fake, .context = f},
                              .most_late_s = (double)INFINITY,
                              .jump_s = 0.2};
}

static void start(wr_pacer *pacer, const wr_pacer_options *options, double t_s)
{
    assert_int_equal(wr_pacer_init(pacer, options), WRSIM_OK);
    wr_pacer_begin(pacer, t_s);
}

static void assert_counts(const wr_pacer *pacer, int n_wait, int n_overrun, int n_reanchor,
                          int n_jump)
{
    assert_int_equal(pacer->n_wait, n_wait);
    assert_int_equal(pacer->n_overrun, n_overrun);
    assert_int_equal(pacer->n_reanchor, n_reanchor);
    assert_int_equal(pacer->n_jump, n_jump);
}

/* Steps of 1 ms of simulated time last 1 ms / rate. A late end of a sleep does not delay later sleeps. */
TEST(rates)
{
    static const struct {
        double rate;
        int64_t step_ns;
    } rates[] = {{1.0, MS}, {0.5, 2 * MS}, {20.0, MS / 20}};
    for (size_t i_rate = 0; i_rate < WR_COUNT_OF(rates); i_rate++) {
        fake f = {.now_ns = 77, .over_ns = 1234};
        wr_pacer_options options = options_of(&f);
        options.rate = rates[i_rate].rate;
        wr_pacer pacer;
        start(&pacer, &options, 3.0);
        for (int i = 1; i <= 10000; i++) {
            const int64_t late_ns = wr_pacer_wait(&pacer, 3.0 + 1e-3 * i);
            const int64_t expected_ns = 77 + i * rates[i_rate].step_ns;
            assert_true(llabs(wr_pacer_due_ns(&pacer, 3.0 + 1e-3 * i) - expected_ns) <= 1);
            assert_true(llabs(late_ns - 1234) <= 1);
            assert_true(llabs(f.now_ns - expected_ns - 1234) <= 1);
        }
        assert_counts(&pacer, 10000, 0, 0, 0);
        assert_int_equal(f.n_sleep, 10000);
    }
}

/* After 116 days the grid is as exact as the simulated times. */
TEST(long_times)
{
    fake f = {.now_ns = INT64_C(1) << 60};
    const wr_pacer_options options = options_of(&f);
    wr_pacer pacer;
    start(&pacer, &options, 0.0);
    static const int64_t far[] = {1, 20000, 20000000000, 20000000001}; /* steps of 0.5 ms */
    for (size_t i = 0; i < WR_COUNT_OF(far); i++) {
        const int64_t due_ns = wr_pacer_due_ns(&pacer, (double)far[i] / 2000.0);
        assert_true(llabs(due_ns - (INT64_C(1) << 60) - 500000 * far[i]) <= 2);
    }
    wr_pacer_begin(&pacer, 1e7);
    for (int i = 1; i <= 20000; i++) {
        assert_int_equal(wr_pacer_wait(&pacer, (20000000000.0 + i) / 2000.0), 0);
        assert_true(llabs(f.now_ns - (INT64_C(1) << 60) - INT64_C(500000) * i) <= 2);
    }
    assert_true(wr_pacer_due_ns(&pacer, 1e300) == INT64_MAX);
    assert_true(wr_pacer_due_ns(&pacer, -1e300) == INT64_MIN);
    assert_true(wr_pacer_due_ns(&pacer, (double)INFINITY) == INT64_MAX);
}

/* Runs steps of 1 ms; the third takes 3.5 ms, each other step 0.25 ms. */
static void run_overrun(double most_late_s, const int64_t *late_ns, wr_pacer *ret_pacer, fake *f)
{
    *f = (fake){.now_ns = 0};
    wr_pacer_options options = options_of(f);
    options.most_late_s = most_late_s;
    start(ret_pacer, &options, 0.0);
    for (int i = 1; i <= 8; i++) {
        f->now_ns += i == 3 ? 3 * MS + MS / 2 : MS / 4;
        assert_int_equal(wr_pacer_wait(ret_pacer, 1e-3 * i), late_ns[i - 1]);
    }
}

TEST(overruns)
{
    wr_pacer pacer;
    fake f;
    static const int64_t caught_up[8] = {0, 0, 5 * MS / 2, 7 * MS / 4, MS, MS / 4, 0, 0};
    run_overrun((double)INFINITY, caught_up, &pacer, &f);
    assert_counts(&pacer, 8, 4, 0, 0);
    assert_int_equal(f.now_ns, 8 * MS);
    run_overrun(0.0025, caught_up, &pacer, &f); /* the limit itself is within the allowance */
    assert_counts(&pacer, 8, 4, 0, 0);
    static const int64_t moved[8] = {0, 0, 5 * MS / 2, 0, 0, 0, 0, 0};
    run_overrun(0.0024, moved, &pacer, &f);
    assert_counts(&pacer, 8, 1, 1, 0);
    assert_int_equal(f.now_ns, 8 * MS + 5 * MS / 2);
}

/* Each jump of the clock moves the anchor, so later waits are unaffected. */
TEST(jumps_while_computing)
{
    static const int64_t jumps_ns[] = {-3600000 * (int64_t)MS, -300 * MS, 3600000 * (int64_t)MS,
                                       300 * MS};
    for (size_t i = 0; i < WR_COUNT_OF(jumps_ns); i++) {
        fake f = {.now_ns = 4000000 * (int64_t)MS};
        const wr_pacer_options options = options_of(&f);
        wr_pacer pacer;
        start(&pacer, &options, 0.0);
        assert_int_equal(wr_pacer_wait(&pacer, 0.001), 0);
        f.now_ns += MS / 4 + jumps_ns[i];
        const int64_t before_ns = f.now_ns;
        const int64_t late_ns = wr_pacer_wait(&pacer, 0.002);
        assert_int_equal(late_ns, jumps_ns[i] < 0 ? 0 : jumps_ns[i] - 3 * MS / 4);
        assert_int_equal(f.now_ns, before_ns);
        assert_counts(&pacer, 1, 0, 0, 1);
        f.now_ns += MS / 4;
        assert_int_equal(wr_pacer_wait(&pacer, 0.003), 0);
        assert_int_equal(f.now_ns, before_ns + MS);
        assert_counts(&pacer, 2, 0, 0, 1);
        assert_int_equal(f.longest_ns, MS);
    }
}

TEST(jumps_while_sleeping)
{
    static const int64_t jumps_ns[] = {-3600000 * (int64_t)MS, 3600000 * (int64_t)MS};
    for (size_t i = 0; i < WR_COUNT_OF(jumps_ns); i++) {
        fake f = {.now_ns = 4000000 * (int64_t)MS, .i_jump = 2, .jump_ns = jumps_ns[i]};
        const wr_pacer_options options = options_of(&f);
        wr_pacer pacer;
        start(&pacer, &options, 0.0);
        assert_int_equal(wr_pacer_wait(&pacer, 0.001), 0);
        assert_int_equal(wr_pacer_wait(&pacer, 0.002), jumps_ns[i] < 0 ? 0 : jumps_ns[i]);
        assert_counts(&pacer, 1, 0, 0, 1);
        const int64_t before_ns = f.now_ns;
        assert_int_equal(wr_pacer_wait(&pacer, 0.003), 0);
        assert_int_equal(f.now_ns, before_ns + MS);
        assert_int_equal(f.n_sleep, 3);
    }
}

/* A change below the limit is no jump: the wait lasts longer or shorter, and the anchor stays. */
TEST(small_jumps_are_waited_for)
{
    fake f = {.now_ns = 0};
    const wr_pacer_options options = options_of(&f);
    wr_pacer pacer;
    start(&pacer, &options, 0.0);
    f.now_ns -= 100 * MS;
    assert_int_equal(wr_pacer_wait(&pacer, 0.001), 0);
    assert_int_equal(f.now_ns, MS);
    f.now_ns += 100 * MS;
    assert_int_equal(wr_pacer_wait(&pacer, 0.002), 99 * MS);
    assert_counts(&pacer, 2, 1, 0, 0);
    /* After a small change, a jump during the sleep: the pacer detects the jump before a second sleep. */
    f = (fake){.i_jump = 1, .jump_ns = -300 * MS};
    start(&pacer, &options, 0.0);
    f.now_ns -= 150 * MS;
    assert_int_equal(wr_pacer_wait(&pacer, 0.001), 0);
    assert_counts(&pacer, 0, 0, 0, 1);
    assert_int_equal(f.n_sleep, 1);
    /* A large jump during a long computation: its visible part is below the limit. */
    f = (fake){.now_ns = 0};
    start(&pacer, &options, 0.0);
    f.now_ns += 500 * MS - 650 * MS;
    assert_int_equal(wr_pacer_wait(&pacer, 0.001), 0);
    assert_counts(&pacer, 1, 0, 0, 0);
    assert_int_equal(f.longest_ns, 151 * MS);
}

/* For any clock a loop ends, and no sleep is longer than the span of a step plus the limit. */
TEST(wild_clock)
{
    uint64_t seed = 1;
    fake f = {.now_ns = INT64_C(1) << 61};
    wr_pacer_options options = options_of(&f);
    options.stop = &f.is_stop;
    wr_pacer pacer;
    start(&pacer, &options, 0.0);
    for (int i = 1; i <= 20000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const int64_t jump_ns =
            (int64_t)(seed >> 11 & 0xffffffffff) - (INT64_C(1) << 39); /* 9 min */
        f.now_ns += seed >> 60 < 3 ? jump_ns : MS / 4;
        f.i_jump = seed >> 60 == 4 ? f.n_sleep + 1 : 0;
        f.jump_ns = jump_ns;
        assert_true(wr_pacer_wait(&pacer, 1e-3 * i) >= 0);
    }
    assert_true(f.longest_ns <= 201 * MS);
    assert_true(pacer.n_jump > 3000);
    assert_int_equal(pacer.n_wait + pacer.n_jump, 20000);
}

TEST(extreme_clock)
{
    static const int64_t readings[] = {INT64_MIN, INT64_MAX, 0, INT64_MAX, INT64_MIN};
    fake f = {.now_ns = INT64_MAX - 1};
    const wr_pacer_options options = options_of(&f);
    wr_pacer pacer;
    start(&pacer, &options, 0.0);
    for (size_t i = 0; i < WR_COUNT_OF(readings); i++) {
        f.now_ns = readings[i];
        assert_true(wr_pacer_wait(&pacer, 1e-3 * (double)(i + 1)) >= 0);
    }
    assert_int_equal(pacer.n_jump, WR_COUNT_OF(readings));
}

TEST(standing_clock)
{
    for (int i = 0; i < 2; i++) {
        fake f = {.is_still = 1};
        wr_pacer_options options = options_of(&f);
        options.spin_ns = i ? WR_PACER_SPIN_ONLY : 0;
        wr_pacer pacer;
        start(&pacer, &options, 0.0);
        assert_int_equal(wr_pacer_wait(&pacer, 0.001), 0);
        assert_counts(&pacer, 0, 0, 0, 1);
    }
}

TEST(stop)
{
    fake f = {.i_stop = 3};
    wr_pacer_options options = options_of(&f);
    options.stop = &f.is_stop;
    wr_pacer pacer;
    start(&pacer, &options, 0.0);
    assert_int_equal(wr_pacer_wait(&pacer, 10.0), WR_PACER_STOPPED);
    assert_int_equal(f.n_sleep, 3);
    assert_int_equal(f.now_ns, 150 * MS);
    assert_int_equal(wr_pacer_wait(&pacer, 10.0), WR_PACER_STOPPED); /* at once */
    assert_int_equal(f.n_sleep, 3);
    /* After a reset of the stop flag the wait continues on the old grid. */
    atomic_store_explicit(&f.is_stop, 0, memory_order_relaxed);
    assert_int_equal(wr_pacer_wait(&pacer, 10.0), 0);
    assert_int_equal(f.now_ns, 10000 * (int64_t)MS);
    assert_int_equal(f.n_sleep, 200);
    assert_int_equal(f.longest_ns, 50 * MS);
    assert_counts(&pacer, 1, 0, 0, 0);
    /* Without a stop flag the pacer sleeps without slices. */
    f = (fake){0};
    options.stop = NULL;
    start(&pacer, &options, 0.0);
    assert_int_equal(wr_pacer_wait(&pacer, 10.0), 0);
    assert_int_equal(f.n_sleep, 1);
}

/* Returns the time, and after 100 readings sets the stop flag, which ends spinning. */
static int64_t read_and_stop(void *context)
{
    fake *const f = context;
    if (f->n_reading > 100)
        atomic_store_explicit(&f->is_stop, 1, memory_order_relaxed);
    return read_fake(f);
}

TEST(spinning)
{
    fake f = {.reading_ns = 10};
    wr_pacer_options options = options_of(&f);
    options.spin_ns = 2000;
    wr_pacer pacer;
    start(&pacer, &options, 0.0);
    int64_t late_ns = wr_pacer_wait(&pacer, 0.001);
    assert_true(late_ns >= 0 && late_ns < 10);
    assert_int_equal(f.n_sleep, 1);
    assert_true(f.n_reading >= 200);
    options.spin_ns = WR_PACER_SPIN_ONLY;
    start(&pacer, &options, 0.0);
    late_ns = wr_pacer_wait(&pacer, 0.001);
    assert_true(late_ns >= 0 && late_ns < 10);
    assert_int_equal(f.n_sleep, 1);
    options.stop = &f.is_stop;
    options.clock.now = read_and_stop;
    f.n_reading = 0;
    start(&pacer, &options, 0.0);
    assert_int_equal(wr_pacer_wait(&pacer, 0.001), WR_PACER_STOPPED);
    assert_true(f.n_reading < 110);
}

/* Every sleep ends early, as if by a signal. */
TEST(sleeps_that_end_early)
{
    fake f = {.early = 2};
    const wr_pacer_options options = options_of(&f);
    wr_pacer pacer;
    start(&pacer, &options, 0.0);
    for (int i = 1; i <= 10; i++) {
        assert_int_equal(wr_pacer_wait(&pacer, 1e-3 * i), 0);
        assert_int_equal(f.now_ns, i * MS);
    }
    assert_true(f.n_sleep > 100);
    assert_counts(&pacer, 10, 0, 0, 0);
}

TEST(wrong_options)
{
    fake f = {0};
    wr_pacer pacer;
    const double wrong[] = {0.0, -1.0, (double)NAN};
    for (size_t i = 0; i < 3 * WR_COUNT_OF(wrong); i++) {
        wr_pacer_options options = options_of(&f);
        *(i % 3 == 0   ? &options.rate
          : i % 3 == 1 ? &options.jump_s
                       : &options.most_late_s) = wrong[i / 3];
        assert_int_equal(wr_pacer_init(&pacer, &options), WRSIM_E_ARG);
    }
    wr_pacer_options options = options_of(&f);
    options.rate = (double)INFINITY;
    assert_int_equal(wr_pacer_init(&pacer, &options), WRSIM_E_ARG);
    options = options_of(&f);
    options.spin_ns = -2;
    assert_int_equal(wr_pacer_init(&pacer, &options), WRSIM_E_ARG);
    options = options_of(&f);
    options.clock.now = NULL;
    assert_int_equal(wr_pacer_init(&pacer, &options), WRSIM_E_ARG);
    options = options_of(&f);
    options.clock.sleep_until = NULL;
    assert_int_equal(wr_pacer_init(&pacer, &options), WRSIM_E_ARG);
}

/* With the machine's clock no wait ends early. */
TEST(real_clock)
{
    static const int64_t spins_ns[] = {0, 20000, WR_PACER_SPIN_ONLY};
    for (size_t i_spin = 0; i_spin < WR_COUNT_OF(spins_ns); i_spin++) {
        const wr_pacer_options options = {.rate = 20.0,
                                          .spin_ns = spins_ns[i_spin],
                                          .most_late_s = (double)INFINITY,
                                          .jump_s = (double)INFINITY};
        wr_pacer pacer;
        const int64_t start_ns = wr_clock_monotonic_ns();
        start(&pacer, &options, 100.0);
        for (int i = 1; i <= 50; i++) {
            assert_true(wr_pacer_wait(&pacer, 100.0 + 0.01 * i) >= 0);
            assert_true(wr_clock_monotonic_ns() - start_ns >= i * (MS / 2));
        }
        assert_counts(&pacer, 50, (int)pacer.n_overrun, 0, 0);
    }
}

static void *wait_for_years(void *argument)
{
    const wr_pacer_options options = {
        .rate = 1.0, .most_late_s = (double)INFINITY, .jump_s = (double)INFINITY, .stop = argument};
    wr_pacer pacer;
    start(&pacer, &options, 0.0);
    return wr_pacer_wait(&pacer, 1e9) == WR_PACER_STOPPED ? argument : NULL;
}

TEST(another_thread_stops)
{
    atomic_int is_stop = 0;
    pthread_t thread;
    void *end = NULL;
    assert_int_equal(pthread_create(&thread, NULL, wait_for_years, &is_stop), 0);
    atomic_store_explicit(&is_stop, 1, memory_order_relaxed); /* partner: is_stopped() */
    pthread_join(thread, &end);
    assert_ptr_equal(end, &is_stop);
}
