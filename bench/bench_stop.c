/* Ends measuring on SIGINT, SIGTERM or when --total has passed. Completed results are reported. See bench.h.
 *
 * Thread: any. Real-time: no.
 */
#include <math.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "bench/bench.h"

/* Workers read it as well. A signal handler may write a lock-free atomic (C17, 7.14.1.1, paragraph 5), and an atomic is
 * no data race. */
static atomic_int is_signalled;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler must not wait");

/* A second signal ends the program at once. */
static void on_signal(int number)
{
    (void)number;
    wr_bench_obey_signals();
    atomic_store_explicit(&is_signalled, 1, memory_order_relaxed);
}

void wr_bench_catch_signals(void)
{
    /* Without SA_RESTART: reading from a peer returns on a signal. */
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void wr_bench_obey_signals(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

int wr_bench_is_interrupted(void)
{
    return atomic_load_explicit(&is_signalled, memory_order_relaxed);
}

double wr_bench_left_s(const wr_bench *bench)
{
    if (!(bench->options.total_s > 0.0))
        return (double)INFINITY;
    return bench->options.total_s - (double)(wr_clock_monotonic_ns() - bench->start_ns) * 1e-9;
}

int wr_bench_is_over(const wr_bench *bench)
{
    return wr_bench_is_interrupted() || !(wr_bench_left_s(bench) > 0.0);
}
