/* Benchmarks: cases, runs, curves and rows, as structures and JSON; cli/ prints them.
 *
 * Errors and times come from trials (offline/trial.h). In every round all contestants run one after the other, so that
 * a disturbance of the machine affects all of them. Both sides of a ratio are first tuned to the same error
 * (work-precision diagrams: Hairer and Wanner, Solving Ordinary Differential Equations II, 1996, section IV.10).
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_BENCH_H
#define WR_BENCH_H

#include <math.h>
#include <stdint.h>

#include "offline/trial.h"

enum {
    WR_BENCH_SCHEMA = 1,
    WR_BENCH_POINTS = 40, /* maximum points of one curve */
    WR_BENCH_CONTESTANTS = 48,
    WR_BENCH_RUNS = 1000, /* maximum number of rounds */
    WR_BENCH_TEXT = 256
};

typedef struct wr_bench_options {
    int n_run;      /* rounds of the final measurement */
    int max_core;   /* relaxed runs use 1 ... max_core cores */
    double error;   /* target error; 0: the error of the case */
    double warm_s;  /* simulated s before the clock starts; negative: the value of the case */
    double limit_s; /* wall s after which a run is stopped */
    double total_s; /* wall s after which measuring ends; 0: no limit */
    int n_load;     /* busy: number of load processes */
    int n_largest;  /* growth: largest number of subsystems */
    int has_curve;  /* flag: sweep rtol for every contestant and add curves */
    int is_budget;  /* flag: cases are loaded for wrsim budget */
    const char *json, *svg, *only, *peers;
    /* maps the name of an output to a path (/dev/stdout); NULL: names are paths */
    const char *(*place_of)(const char *name);
    const char *write; /* budget: config to write; NULL: none */
    wr_texts override, signal, baseline;
} wr_bench_options;

/* One case of a suite. */
typedef struct wr_bench_case {
    wr_trial_case run;
    wr_texts solver;   /* overrides for the best monolithic run */
    wr_texts baseline; /* names of baselines: "monolithic" and peers */
    wr_texts *tune;    /* [n_tune] alternatives for relaxed runs: "key=value; key=value" */
    int n_tune;
    double rtol_first, rtol_last; /* tolerances of the curve, loose to tight */
    /* flag: every subsystem names its own solver, so solver.kind has no effect */
    int is_kind_fixed;
    const char *unit; /* "window" or "sweep": measure the cost of one, without tuning; NULL: tune */
    int is_windows;   /* flag: compare the window controller with the best fixed length */
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
    double floor;                          /* error that no tolerance improved; NaN: not reached */
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
    /* case, which with run repeats the measurement; NULL: not run from a config */
    const wr_bench_case *of;
    const wr_trial_setting *run;
    const char *note; /* reservation about the row, such as unequal errors; NULL: none */
    /* For rows of growth and unit; 0: not applicable. */
    double unit_ns, start_s, unit_bytes;
    int n_subsystem;
} wr_bench_row;

typedef struct wr_bench {
    wr_bench_options options;
    wr_trial trial; /* owns the memory of the benchmark */
    int64_t start_ns;
    int n_row, cap_row;
    wr_bench_row *row;
    int n_curve, cap_curve;
    wr_bench_curve *curve;
    const char **curve_case; /* [n_curve] */
    const wr_bench_case *at; /* the present case */
    struct wr_bench_known *known;
} wr_bench;

#define WR_BENCH_DEFAULTS                                                                          \
    {                                                                                              \
        .n_run = 9, .warm_s = -1.0, .limit_s = 60.0, .n_load = 2, .n_largest = 10000               \
    }
/* Copies options and listener, which receives messages. Returns WRSIM_E_MEMORY, or WRSIM_OK; then the caller destroys
 * the object. */
wrsim_status wr_bench_create(wr_bench *bench, const wr_bench_options *options,
                             const wr_listener *listener);
void wr_bench_destroy(wr_bench *bench);
/* Reports an error of the caller. Returns WRSIM_E_ARG. */
wrsim_status wr_bench_refuse(const wr_bench *bench, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void wr_bench_row_add(wr_bench *bench, const wr_bench_row *row);
wr_bench_curve *wr_bench_curve_add(wr_bench *bench, const char *case_name, const char *name);
/* Returns the number of cores that this process may use. */
int wr_bench_count_cores(void);
/* Returns the path of an output that the command line names. */
static inline const char *wr_bench_place(const wr_bench *bench, const char *name)
{
    return bench->options.place_of ? bench->options.place_of(name) : name;
}

/* Reports a file that cannot be written. error_number: errno; 0 returns WRSIM_OK. */
wrsim_status wr_bench_unwritten(const wr_bench *bench, const char *file, int error_number);

/* Writes a file and reports errors. text NULL: out of memory. */
wrsim_status wr_bench_write(const wr_bench *bench, const char *file, const char *text);
/* Refuses an output that would overwrite an input (what: "the config", ...). */
wrsim_status wr_bench_spare(const wr_bench *bench, const char *what, const char *file);
/* From now on SIGINT and SIGTERM set a flag; a second signal ends the program. */
void wr_bench_catch_signals(void);
/* In a child process: signals end the process. */
void wr_bench_obey_signals(void);
int wr_bench_is_interrupted(void);
/* Returns the wall s left of --total; INFINITY without a limit. */
double wr_bench_left_s(const wr_bench *bench);
/* Returns whether measuring ends: interrupted, or no time left. */
int wr_bench_is_over(const wr_bench *bench);

#endif
