/* Two workers against one on a busy machine.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_BENCH_BUSY_H
#define WR_BENCH_BUSY_H

#include "bench/bench.h"

/* Compares one worker with two while other processes load the machine. */
wrsim_status wr_bench_busy(wr_bench *bench, const wr_bench_case *c);

#endif
