/* Options of benchmarks. The caller owns all texts. Thread: main. Real-time: no. */
#ifndef WR_BENCH_OPTIONS_H
#define WR_BENCH_OPTIONS_H

#include "offline/texts.h"

typedef struct wr_bench_options {
    int n_run;      /* rounds of the final measurement */
    int max_core;   /* relaxed runs use 1 ... max_core cores; 0: all cores */
    double error;   /* target error; 0: the error of the case */
    double warm_s;  /* simulated s before the measurement starts; negative: the value of the case */
    double limit_s; /* wall s after which the benchmark stops a run */
    double total_s; /* wall s after which measuring ends; 0: no limit */
    int n_load;     /* number of load processes of `wrsim bench busy` */
    int n_largest;  /* largest number of subsystems of `wrsim bench growth` */
    int has_curve;  /* flag: add curves of the error over rtol */
    int is_budget;  /* flag: the cases are for wrsim budget */
    int is_spent;   /* flag: runs spend the costs of points, instead of counting them */
    const char *json, *svg, *only, *peers;
    /* returns the path of a named output (/dev/stdout); NULL: names are paths */
    const char *(*place_of)(const char *name);
    const char *write; /* config that `wrsim budget` or `wrsim bench growth` writes; NULL: none */
    wr_texts override, signal, baseline;
    wr_texts cost; /* costs of points, PATTERN=TIME (offline/point_cost.h) */
} wr_bench_options;

#define WR_BENCH_DEFAULTS                                                                          \
    {                                                                                              \
        .n_run = 9, .warm_s = -1.0, .limit_s = 60.0, .n_load = 2, .n_largest = 10000               \
    }

#endif
