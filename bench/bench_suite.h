/* The loop over the cases of a file.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_BENCH_SUITE_H
#define WR_BENCH_SUITE_H

#include "bench/bench.h"

/* Calls fn for every case of a file; file NULL: of growth. A failed case does not stop the others. Returns
 * WRSIM_STOPPED if interrupted. */
typedef wrsim_status (*wr_bench_case_fn)(wr_bench *bench, const wr_bench_case *c);
wrsim_status wr_bench_file(wr_bench *bench, const char *file, wr_bench_case_fn fn);

#endif
