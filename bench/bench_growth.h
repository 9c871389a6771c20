/* Time and memory per subsystem, for models of growing size.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_BENCH_GROWTH_H
#define WR_BENCH_GROWTH_H

#include "bench/bench.h"

/* Returns the names of the shapes of growth, ended by NULL. */
const char *const *wr_bench_shapes(void);
wrsim_status wr_bench_growth(wr_bench *bench);

#endif
