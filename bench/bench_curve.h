/* Work-precision curves.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_BENCH_CURVE_H
#define WR_BENCH_CURVE_H

#include "bench/bench_rounds.h"

/* Adds curves of every solver of the monolithic run and of every contestant. */
void wr_bench_curves_add(wr_bench *bench, const wr_bench_field *f);

#endif
