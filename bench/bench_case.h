/* The cases of a suite or config.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_BENCH_CASE_H
#define WR_BENCH_CASE_H

#include "bench/bench.h"

/* Reads a suite (.toml with [[case]]), or makes one case of a config. Reports errors. */
wrsim_status wr_bench_cases_load(wr_bench *bench, const char *file, wr_bench_case **ret_case,
                                 int *ret_n);

#endif
