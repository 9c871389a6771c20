/* Tunes all sides of a case and measures them.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_BENCH_TUNE_H
#define WR_BENCH_TUNE_H

#include "bench/bench.h"

/* Tunes all sides of a case, measures them, and adds rows and curves. */
wrsim_status wr_bench_measure(wr_bench *bench, const wr_bench_case *c);

#endif
