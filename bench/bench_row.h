/* Cases, curves and rows of a benchmark, whose memory the benchmark owns. Thread: main. Real-time: no. */
#ifndef WR_BENCH_ROW_H
#define WR_BENCH_ROW_H

#include "offline/texts.h"
#include "offline/trial_case.h"
#include "offline/trial_sample.h"

enum { WR_BENCH_POINTS = 40 }; /* maximum points of one curve (assumed) */

/* One case of a suite. */
typedef struct wr_bench_case {
    wr_trial_case run;
    wr_texts solver;   /* names of solvers to try for the best monolithic run */
    wr_texts baseline; /* names of baselines: "monolithic" and peers */
    wr_texts *tune;    /* [n_tune] lists of alternatives, each "key=value; key=value" */
    int n_tune;
    double rtol_first, rtol_last; /* tolerances of the curve, loose to tight */
    double rtol_guess; /* first tolerance of the search of relaxed runs; 0: a tenth of the error */
    /* flag: every subsystem names its own solver, so solver.kind has no effect */
    int is_kind_fixed;
    /* "window" or "sweep": measure the cost of one window or sweep, without tuning; NULL: tune */
    const char *unit;
    int is_windows; /* flag: compare the window controller with the best fixed length */
    wr_texts cost;  /* costs of points, PATTERN=TIME */
    int is_counted; /* flag: the case compares costs of points, which no run spends */
} wr_bench_case;

/* Name of the relaxed run that chooses its grouping (simulation.monolithic = "auto"), on one core. */
#define WR_BENCH_AUTO "auto"

typedef struct wr_bench_point {
    double rtol, error, cost_s;
    wr_trial_sample work;
} wr_bench_point;

typedef struct wr_bench_curve {
    const char *name;
    wr_trial_setting setting; /* rtol: the tuned tolerance; 0: not tuned */
    int n;
    wr_bench_point point[WR_BENCH_POINTS]; /* by falling rtol */
    int is_counted; /* flag: cost_s of the points is the cost of points, which no run spends */
    double floor;   /* error at which the curve stops falling; NaN: no such error */
} wr_bench_curve;

/* A row of the JSON table. ratio: time of the baseline / time. For costs (is_cost) the ratio is inverted, and smaller
 * is better. */
typedef struct wr_bench_row {
    const char *name, *baseline, *kind;
    int cores, is_cost, n_round; /* n_round: rounds of the ratio */
    double ratio, ratio_low, ratio_high, error, error_baseline;
    double error_reference; /* estimated error of the reference */
    double wall_s, wall_baseline_s;
    wr_trial_sample work, work_baseline;
    const char *setting, *setting_baseline; /* descriptions of both settings */
    /* case and setting that repeat the measurement; NULL: the row has no config */
    const wr_bench_case *of;
    const wr_trial_setting *run;
    const char *note; /* reservation about the row, such as unequal errors; NULL: none */
    /* The following members are 0 in rows to which they do not apply. */
    double cost_share; /* factor on the counted costs of points in the times; 0: none */
    double unit_ns, start_s, unit_bytes;
    int n_subsystem;
} wr_bench_row;

#endif
