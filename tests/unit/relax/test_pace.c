/* Machines on which all workers together are faster or slower than one. */
#include "wr_test.h"

#include "base/check.h"
#include "runtime/relax/pace.h"

/* What a machine does: the time of a stretch with all workers, where one takes 1 s, and how many of
 * them are at work at once. */
typedef struct machine {
    double all_s, at_once;
} machine;

static const machine IDLE = {0.55, 1.8}, BUSY = {1.8, 0.8};

/* Times in units of a stretch of 10 ms. */
static const double STRETCH_S = 0.01;

static int review(wr_pace *pace, double elapsed, double useful, double work)
{
    return wr_pace_review(pace, (wr_stretch){STRETCH_S * elapsed, STRETCH_S * useful, work});
}

/* Share of n stretches run by one worker. */
static double share_alone(wr_pace *pace, int n, machine m)
{
    int n_alone = 0;
    for (int i = 0; i < n; i++) {
        const double elapsed_s = pace->is_alone ? 1.0 : m.all_s;
        n_alone += pace->is_alone;
        review(pace, elapsed_s, pace->is_alone ? 1.0 : m.at_once * m.all_s, 1.0);
    }
    return (double)n_alone / n;
}

static void test_idle_machine(void **state)
{
    (void)state;
    wr_pace pace = {.wait = 0};
    assert_true(share_alone(&pace, 1000, IDLE) < 0.01);
}

/* One worker's CPU is taken by another process: every window waits for it. */
static void test_stalled(void **state)
{
    (void)state;
    static const machine STALLED = {10.0, 0.1};
    wr_pace pace = {.wait = 0};
    share_alone(&pace, 20, IDLE);
    assert_close(wr_pace_best(&pace), STRETCH_S * IDLE.all_s, 1e-12, 0);
    assert_int_equal(review(&pace, STALLED.all_s, STALLED.at_once * STALLED.all_s, 1.0), 1);
    assert_true(share_alone(&pace, 1000, STALLED) > 0.99);
    assert_close(wr_pace_best(&pace), STRETCH_S, 1e-12, 0);
    wr_pace first = {.wait = 0}; /* from the start */
    assert_true(wr_pace_best(&first) == 0.0);
    assert_true(share_alone(&first, 1000, STALLED) > 0.99);
}

/* All are at work at once, and yet slower than one: cores that share their units, or memory that is busy. */
static void test_at_once_but_slower(void **state)
{
    (void)state;
    static const machine slow[] = {{1.3, 1.9}, {1.5, 1.8}, {1.8, 1.25}, {3.0, 1.9}};
    for (size_t i = 0; i < WR_COUNT_OF(slow); i++) {
        wr_pace pace = {.wait = 0};
        share_alone(&pace, 1000, slow[i]);
        assert_true(share_alone(&pace, 1000, slow[i]) > 0.95);
        assert_true(share_alone(&pace, 2000, IDLE) < 0.25);
    }
}

static void test_busy_machine(void **state)
{
    (void)state;
    wr_pace pace = {.wait = 0};
    assert_true(share_alone(&pace, 1000, BUSY) > 0.97);
    assert_true(share_alone(&pace, 2000, IDLE) < 0.25); /* it becomes idle again */
    assert_true(share_alone(&pace, 2000, BUSY) > 0.99); /* and busy */
}

/* Who is alone from now on gets a CPU for itself only after a while: that stretch says nothing. */
static void test_machine_takes_a_while(void **state)
{
    (void)state;
    wr_pace pace = {.wait = 0};
    int n_alone_so_far = 0, n_alone = 0;
    for (int i = 0; i < 500; i++) {
        n_alone_so_far = pace.is_alone ? n_alone_so_far + 1 : 0;
        n_alone += pace.is_alone;
        const double elapsed_s = !pace.is_alone ? 1.3 : n_alone_so_far == 1 ? 2.5 : 1.0;
        review(&pace, elapsed_s, 0.9 * elapsed_s, 1.0);
    }
    assert_true(n_alone > 470);
}

/* One first, on a machine that seemed busy: if it was not, all run soon. */
static void test_one_first(void **state)
{
    (void)state;
    wr_pace idle = wr_pace_of_enough(1), busy = idle, shared = idle;
    assert_true(share_alone(&idle, 10, IDLE) < 0.3);
    assert_true(share_alone(&idle, 1000, IDLE) < 0.01);
    assert_true(share_alone(&busy, 1000, BUSY) > 0.97);
    /* Who shares its CPU does not try the others at once. */
    for (int i = 0; i < 20; i++) {
        assert_int_equal(shared.is_alone, 1);
        review(&shared, 1.5, 1.0, 1.0);
    }
}

/* Windows of little work: one first, two after a while, and so on if they are measured to be faster. */
static void test_little_work(void **state)
{
    (void)state;
    static const struct {
        machine machine;
        double alone_least, alone_most;
    } cases[] = {{{0.55, 1.8}, 0.0, 0.03},
                 {{0.85, 1.1}, 0.0, 0.05},
                 {{1.15, 1.25}, 0.95, 1.0},
                 {{1.0, 1.5}, 0.95, 1.0},
                 {{2.4, 0.7}, 0.98, 1.0}};
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        wr_pace pace = wr_pace_of_little(0);
        assert_false(wr_pace_roams(&pace));
        assert_true(share_alone(&pace, 4, cases[i].machine) > 0.99);
        assert_true(pace.is_trial && !pace.is_alone);
        share_alone(&pace, 60, cases[i].machine);
        assert_in_range(1000.0 * share_alone(&pace, 2000, cases[i].machine),
                        1000.0 * cases[i].alone_least, 1000.0 * cases[i].alone_most);
        /* Who has lost a trial may go where there is room. */
        assert_int_equal(wr_pace_roams(&pace), pace.is_alone);
    }
    wr_pace crowded = wr_pace_of_little(1);
    assert_true(wr_pace_roams(&crowded));
    assert_true(share_alone(&crowded, 300, BUSY) > 0.99);
    assert_true(share_alone(&crowded, 1000, BUSY) > 0.97);
}

/* What is given up is as if it had not begun. */
static void test_trial_given_up(void **state)
{
    (void)state;
    wr_pace pace = wr_pace_of_little(0);
    wr_pace_drop_trial(&pace);
    assert_true(pace.is_alone && !pace.is_trial);
    while (!pace.is_trial)
        share_alone(&pace, 1, IDLE);
    assert_false(pace.is_alone);
    wr_pace_drop_trial(&pace);
    assert_true(pace.is_alone && !pace.is_trial);
    share_alone(&pace, 10, IDLE);
    assert_false(pace.is_alone);
}

/* Stretches of long windows: one is enough for a trial that is plain, two for any. */
static void test_long_stretches(void **state)
{
    (void)state;
    static const struct {
        double one_s;
        int n;
    } cases[] = {{5.0, 1}, {2.0, 1}, {1.25, 2}, {0.9, 2}, {0.5, 1}};
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        wr_pace pace = {.wait = 0};
        while (!pace.is_trial)
            wr_pace_review(&pace, (wr_stretch){1.0, 0.9, 1.0});
        int n = 0;
        for (; pace.is_trial; n++)
            wr_pace_review(&pace, (wr_stretch){cases[i].one_s, cases[i].one_s, 1.0});
        assert_in_range(n, 1, cases[i].n);
        assert_int_equal(pace.is_alone, cases[i].one_s < 0.95);
    }
}

/* What is close is tried again before long, what is far worse seldom. */
static void test_trials_become_rarer(void **state)
{
    (void)state;
    static const double all_s[] = {1.2, 2.0};
    static const int n_until[][2] = {{20, 110}, {300, 400}};
    for (int i = 0; i < 2; i++) {
        wr_pace pace = {.wait = 0};
        share_alone(&pace, 5000, (machine){all_s[i], 0.8});
        while (pace.is_trial || !pace.is_alone)
            share_alone(&pace, 1, (machine){all_s[i], 0.8});
        int n = 0;
        for (; pace.is_alone; n++)
            share_alone(&pace, 1, IDLE);
        assert_in_range(n + (int)(pace.n_review > 0), 1, n_until[i][1]);
        assert_true(pace.wait <= n_until[i][1] && pace.wait >= n_until[i][0]);
    }
}

/* Who waits for a CPU does so now and then, for long: single stretches do not decide. */
static void test_bursts(void **state)
{
    (void)state;
    wr_pace pace = {.wait = 0};
    int n_alone = 0;
    for (int i = 0; i < 4000; i++) {
        /* All: 0.6 or 1.0, one: 0.7 or 1.5 in turn, so that all are faster by 1.375. */
        const double elapsed_s = pace.is_alone ? 0.7 + 0.8 * (i % 2) : 0.6 + 0.4 * (i % 2);
        n_alone += pace.is_alone;
        review(&pace, elapsed_s, 0.95 * elapsed_s, 1.0);
    }
    assert_true(n_alone < 200);
}

/* Others slow all down now and then, by more than is gained: no reason to leave what runs well. */
static void test_uneven_machine(void **state)
{
    (void)state;
    wr_pace pace = {.wait = 0};
    int n_alone = 0;
    for (int i = 0; i < 1000; i++) {
        const double elapsed_s = (pace.is_alone ? 1.0 : 0.7) * (i % 7 == 0 ? 3.0 : 1.0);
        n_alone += review(&pace, elapsed_s, 1.4 * elapsed_s, 1.0);
    }
    assert_true(n_alone < 10);
}

/* Little is done at once: only a trial tells. */
static void test_little_at_once(void **state)
{
    (void)state;
    wr_pace faster = {.wait = 0}, slower = {.wait = 0};
    assert_true(share_alone(&faster, 1000, (machine){0.9, 1.15}) < 0.06);
    assert_true(share_alone(&slower, 1000, (machine){1.15, 1.0}) > 0.94);
}

static void test_nothing_is_learned_from_nothing(void **state)
{
    (void)state;
    wr_pace pace = {.wait = 0};
    for (int i = 0; i < 100; i++)
        assert_int_equal(review(&pace, 1.0, 1.0, 0.0), 0);
}

/* How many there is work for, each with 2000 units. */
static void test_workers_by_work(void **state)
{
    (void)state;
    static const struct {
        double work;
        int n_worker, is_little;
    } cases[] = {{0.0, 1, 1},    {199.0, 1, 1},  {200.0, 2, 1},  {2000.0, 2, 1}, {2001.0, 2, 0},
                 {4000.0, 2, 0}, {5000.0, 3, 0}, {7000.0, 4, 0}, {9e9, 4, 0}};
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        assert_int_equal(wr_pace_by_work(cases[i].work, 2000.0, 4), cases[i].n_worker);
        assert_int_equal(wr_pace_is_little(cases[i].work, 2000.0), cases[i].is_little);
    }
}

/* How many run, and why no more. */
static void test_reasons(void **state)
{
    (void)state;
    static const struct {
        wr_pace pace;
        int n_by_work, n_worker;
        wr_pace_reason reason;
    } cases[] = {
        {{.is_alone = 0}, 4, 4, WR_PACE_ALL},
        {{.is_alone = 0, .is_trial = 1}, 4, 4, WR_PACE_ALL},
        {{.is_alone = 0}, 3, 3, WR_PACE_WORK},
        {{.is_alone = 0}, 1, 1, WR_PACE_WORK},
        {{.is_alone = 1, .is_crowded = 1}, 1, 1, WR_PACE_WORK},
        {{.is_alone = 1, .cost_s = {1.0, 2.0}}, 4, 1, WR_PACE_SLOWER},
        {{.is_alone = 1, .cost_s = {1.0, 2.0}, .is_crowded = 1}, 4, 1, WR_PACE_SLOWER},
        {{.is_alone = 1, .is_crowded = 1}, 4, 1, WR_PACE_CROWD},
        {{.is_alone = 1, .is_trial = 1}, 4, 1, WR_PACE_TRIAL},
        {{.is_of_little = 1, .is_alone = 0}, 2, 2, WR_PACE_WORK},
        {{.is_of_little = 1, .is_alone = 1}, 2, 1, WR_PACE_WORK},
        {{.is_of_little = 1, .is_alone = 1, .is_crowded = 1}, 2, 1, WR_PACE_CROWD},
        {{.is_of_little = 1, .is_alone = 1, .cost_s = {1.0, 2.0}}, 2, 1, WR_PACE_WAITS},
        {{.is_of_little = 1, .is_alone = 1, .is_trial = 1}, 2, 1, WR_PACE_TRIAL},
    };
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        wr_pace_reason reason;
        assert_int_equal(wr_pace_workers(&cases[i].pace, cases[i].n_by_work, 4, &reason),
                         cases[i].n_worker);
        assert_int_equal(reason, cases[i].reason);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idle_machine),
        cmocka_unit_test(test_stalled),
        cmocka_unit_test(test_at_once_but_slower),
        cmocka_unit_test(test_busy_machine),
        cmocka_unit_test(test_machine_takes_a_while),
        cmocka_unit_test(test_one_first),
        cmocka_unit_test(test_little_work),
        cmocka_unit_test(test_trial_given_up),
        cmocka_unit_test(test_long_stretches),
        cmocka_unit_test(test_trials_become_rarer),
        cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_uneven_machine),
        cmocka_unit_test(test_little_at_once),
        cmocka_unit_test(test_workers_by_work),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_nothing_is_learned_from_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
