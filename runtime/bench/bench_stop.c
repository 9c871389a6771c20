/* When to stop: Ctrl-C, or no time left (--total). What was measured until then is reported. See
 * bench.h.
 *
 * Thread: any. Real-time: no.
 */
#include <math.h>
#include <signal.h>

#include "runtime/base/clock.h"
#include "runtime/bench/bench.h"

/* A signal handler can be told in no other way. */
static volatile sig_atomic_t is_signalled;

static void on_signal(int number)
{
    (void)number;
    is_signalled = 1;
}

void wr_bench_catch_signals(void)
{
    /* One-shot: a second Ctrl-C ends the program at once. Reading from a peer is not taken up again. */
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void wr_bench_obey_signals(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

int wr_bench_is_interrupted(void) { return is_signalled != 0; }

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
