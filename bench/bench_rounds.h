/* Rounds, in which contestants run one after the other, and rows with their results. Thread: main. Real-time: no. */
#ifndef WR_BENCH_ROUNDS_H
#define WR_BENCH_ROUNDS_H

#include "bench/bench.h"

/* A participant of the rounds. */
typedef struct wr_bench_contestant {
    const char *name; /* such as "relaxed", WR_BENCH_AUTO, "monolithic", or the name of a peer */
    wr_trial_setting setting;
    int cores;
    double error, spent_s;
    wr_trial_sample
        *sample; /* [n_run] sample of each round; wall_s 0: no run in that round, or a failed run */
    wr_trial_sample work; /* sample of the first round without a failure */
    int n_sample;
} wr_bench_contestant;

typedef struct wr_bench_field {
    int n;
    wr_bench_contestant contestant[WR_BENCH_CONTESTANTS];
} wr_bench_field;

/* Median, 10 % and 90 % quantile over n rounds; n 0: no rounds. */
typedef struct wr_bench_spread {
    int n;
    double low, middle, high;
} wr_bench_spread;

/* Returns the place of the next contestant; NULL if the field is full, or when out of memory. After filling the place, the caller
 * increments f->n. */
wr_bench_contestant *wr_bench_enter(wr_bench *bench, wr_bench_field *f, const char *name,
                                    int cores);

/* Runs n_run rounds, in rotating order. Ends early if wr_is_over() returns 1. */
void wr_bench_rounds(wr_bench *bench, wr_bench_field *f);

/* Returns the spread of the positive values among n values, at most WR_BENCH_RUNS. */
wr_bench_spread wr_bench_spread_of(const double *value, int n);

const char *wr_bench_describe(wr_bench *bench, const wr_trial_setting *setting);

/* Adds a row with the time of the baseline over the time of c. Returns the row; NULL if c and the baseline share no round. The caller may
 * change the row until the next row is added. */
wr_bench_row *wr_bench_row_against(wr_bench *bench, const wr_bench_contestant *c,
                                   const wr_bench_contestant *baseline);

/* Adds the rows of tuned contestants: relaxed runs against baselines, and the run that chooses its grouping against other runs. Without
 * counted costs also adds rows for real time, schedule bounds, and the costs of relaxation and scheduling. */
void wr_bench_rows_add(wr_bench *bench, const wr_bench_field *f);

#endif
