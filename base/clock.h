/* Wall clock and CPU time, for statistics and waiting only: numerical decisions never read a clock.
 *
 * Thread: any. Real-time: yes. */
#ifndef WR_CLOCK_H
#define WR_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Time since some fixed moment in the past, ns; never goes back. */
int64_t wr_clock_monotonic_ns(void);

/* CPU time of the calling thread, ns. Costs a system call. */
int64_t wr_clock_thread_cpu_ns(void);

#endif
