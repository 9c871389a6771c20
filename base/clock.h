/* Wall clock and CPU time, for statistics and waiting. Results depend on a clock only in a slackened run with live delays, or if
 * deadlines change the run. Thread: any. Real-time: yes. */
#ifndef WR_CLOCK_H
#define WR_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns the time since a fixed moment in the past, ns. The time never decreases. */
int64_t wr_clock_monotonic_ns(void);

/* Returns the CPU time of the calling thread, ns, by a system call. */
int64_t wr_clock_thread_cpu_ns(void);

#endif
