/* Benchmarks: cases, runs, curves and rows, as structures and JSON; cli/ prints them.
 *
 * Errors and times come from trials (offline/trial.h). In every round all contestants run one after the other, so that a disturbance of the
 * machine affects all contestants. The benchmark first tunes both sides of a ratio to equal error (work-precision diagrams: Hairer and
 * Wanner, Solving Ordinary Differential Equations II, 1996, section IV.10).
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
    double warm_s;  /* simulated s before the measurement starts; negative: the value of the case */
    double limit_s; /* wall s after which the benchmark stops a run */
    double total_s; /* wall s after which measuring ends; 0: no limit */
    int n_load;     /* number of load processes of `wrsim bench busy` */
    int n_largest;  /* largest number of subsystems of `wrsim bench growth` */
    int has_curve;  /* flag: sweep rtol for every contestant and add curves */
    int is_budget;  /* flag: the cases are for wrsim budget */
    const char *json, *svg, *only, *peers;
    /* returns the path of a named output (/dev/stdout); NULL: names are paths */
    const char *(*place_of)(const char *name);
    const char *write; /* config that `wrsim budget` writes; NULL: none */
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
    /* "window" or "sweep": measure the cost of one window or sweep, without tuning; NULL: tune */
    const char *unit;
    int is_windows; /* flag: compare the window controller with the best fixed length */
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
    double floor; /* error at which the curve stops falling; NaN: no such error */
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
    /* Values of rows of growth and unit; 0: not applicable. */
    double unit_ns, start_s, unit_bytes;
    int n_subsystem;
} wr_bench_row;

typedef struct wr_bench {
    wr_bench_options options;
    wr_trial trial; /* owner of the memory of the benchmark */
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
/* Creates a benchmark with a copy of options and listener, which receives messages. Returns WRSIM_E_MEMORY, or WRSIM_OK; after WRSIM_OK the
 * caller destroys the object. */
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

/* Reports a file that the program cannot write. error_number: errno; 0: no report. Returns the status, which is WRSIM_OK for 0. */
wrsim_status wr_bench_unwritten(const wr_bench *bench, const char *file, int error_number);

/* Writes a file and reports errors. text NULL: out of memory. Returns the status. */
wrsim_status wr_bench_write(const wr_bench *bench, const char *file, const char *text);
/* Refuses an output that would overwrite an input (what: "the config", ...). Returns the status. */
wrsim_status wr_bench_spare(const wr_bench *bench, const char *what, const char *file);
/* Makes SIGINT and SIGTERM set a flag; a second signal ends the program. */
void wr_bench_catch_signals(void);
/* Restores the default actions of SIGINT and SIGTERM, which end the process. */
void wr_bench_obey_signals(void);
int wr_bench_is_interrupted(void);
/* Returns the remaining wall s of --total; INFINITY without a limit. */
double wr_bench_left_s(const wr_bench *bench);
/* Returns whether the measurement ends: after a signal, or without remaining time. */
int wr_bench_is_over(const wr_bench *bench);

/* Calls fn for every case of a file; file NULL: for the cases of growth. A failed case does not stop the other cases. Returns WRSIM_STOPPED
 * after an interrupt. */
typedef wrsim_status (*wr_bench_case_fn)(wr_bench *bench, const wr_bench_case *c);
wrsim_status wr_bench_file(wr_bench *bench, const char *file, wr_bench_case_fn fn);

/* Returns the names of the shapes of growth, ended by NULL. */
const char *const *wr_bench_shapes(void);
wrsim_status wr_bench_growth(wr_bench *bench);

/* Compares one worker with two workers while other processes load the machine. */
wrsim_status wr_bench_busy(wr_bench *bench, const wr_bench_case *c);

/* Tunes all sides of a case, measures them, and adds rows and curves. */
wrsim_status wr_bench_measure(wr_bench *bench, const wr_bench_case *c);

#endif
