/* Tables of benchmark measurements (bench) and of chosen tolerances (budget).
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_PRINT_BENCH_H
#define WR_PRINT_BENCH_H

#include <stdio.h>

#include "bench/bench.h"

void wr_print_bench_rows(const wr_bench *bench, FILE *out);
void wr_print_bench_curves(const wr_bench *bench, FILE *out);
void wr_print_budget(FILE *out, const char *name, const wrsim_budget *budget);

#endif
