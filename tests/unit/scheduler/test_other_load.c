#include "wr_test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "scheduler/other_load.h"

/* Computes on this thread for at least 0.7 s of wall time and 0.3 s of CPU time. */
static void compute(void)
{
    const int64_t begin_ns = wr_clock_monotonic_ns(), cpu_ns = wr_clock_thread_cpu_ns();
    while (wr_clock_monotonic_ns() - begin_ns < 700000000 ||
           wr_clock_thread_cpu_ns() - cpu_ns < 300000000)
        ;
}

TEST(own_work_does_not_count_and_work_of_another_process_does)
{
    static const int all = -1;
    const wr_other_load begin = wr_other_load_read(&all, 1);
    assert_int_equal(begin.n_cpu, 1);
    compute();
    const wr_other_load own = wr_other_load_read(&all, 1);
    assert_true(own.own_ns - begin.own_ns >= 300000000);
    assert_true(own.all_ns - begin.all_ns >= 250000000);
    const int64_t others_ns = own.all_ns - begin.all_ns - (own.own_ns - begin.own_ns);
    assert_true(wr_other_load_between(&begin, &own) <=
                (double)(others_ns > 0 ? others_ns : 0) * 1e-9 / 0.7 + 1e-9);
    /* A second process computes for at least 0.3 s of CPU time, while this process waits. */
    const wr_other_load before = wr_other_load_read(&all, 1);
    const pid_t child = fork();
    if (child == 0) {
        compute();
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    const wr_other_load after = wr_other_load_read(&all, 1);
    const double wall_s = 1e-9 * (double)(after.now_ns - before.now_ns);
    assert_true(after.own_ns - before.own_ns < 100000000);
    assert_true(wr_other_load_between(&before, &after) >= 0.25 / wall_s);
}

TEST(unknown_cpus_and_short_times_give_no_load)
{
    static const int none = 1 << 20, all = -1;
    assert_int_equal(wr_other_load_read(&none, 1).n_cpu, 0);
    const wr_other_load now = wr_other_load_read(&all, 1), later = wr_other_load_read(&all, 1);
    assert_true(wr_other_load_between(&now, &later) == 0.0);
}
