/* POSIX clocks as nanosecond counts. See clock.h. Thread: any. Real-time: yes. */
#include "base/clock.h"

enum { NS_PER_S = 1000000000 };

/* Returns the time of a clock, ns. clock_gettime() cannot fail, because every Linux has the clocks of this file. */
static int64_t read_ns(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t wr_clock_monotonic_ns(void) { return read_ns(CLOCK_MONOTONIC); }

int64_t wr_clock_thread_cpu_ns(void) { return read_ns(CLOCK_THREAD_CPUTIME_ID); }
