/* Results as JSON and SVG, and costs read from curves. Thread: main. Real-time: no. */
#ifndef WR_BENCH_REPORT_H
#define WR_BENCH_REPORT_H

#include "bench/bench.h"

/* Least cost at an error, s, of all contestants, and of monolithic, relaxed and auto runs; NaN: no run reaches the error. name: the
 * cheapest contestant. */
typedef struct wr_bench_winner {
    const char *name;
    double cost_s, monolithic_s, relaxed_s, auto_s;
} wr_bench_winner;

/* Errors at which the report has costs; ended by 0. */
extern const double wr_bench_errors[];

/* Returns the cost at an error; NaN if the curve does not reach the error. The cost is the smaller of two values: the cost of the cheapest
 * run that is at least as accurate, and the log-log interpolation. */
double wr_bench_cost_at(const wr_bench_curve *c, double error);

/* Return the winner among curves first .. last - 1, and the index after the last curve of the case of `first`. */
wr_bench_winner wr_bench_winner_at(const wr_bench *bench, int first, int last, double error);

int wr_bench_end_of_case(const wr_bench *bench, int first);

wrsim_status wr_bench_write_json(const wr_bench *bench, const char *file);

wrsim_status wr_bench_write_svg(const wr_bench *bench, const char *file);

#endif
