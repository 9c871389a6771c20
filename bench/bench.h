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

/* A participant of the rounds. */
typedef struct wr_bench_contestant {
    const char *name; /* "relaxed", WR_BENCH_AUTO, "monolithic", or the name of a peer */
    wr_trial_setting setting;
    int cores;
    double error, spent_s;
    wr_trial_sample *sample; /* [n_run] sample of each round; wall_s 0: not run in that round */
    wr_trial_sample work;    /* sample of the first round */
    int n_sample;
} wr_bench_contestant;

typedef struct wr_bench_field {
    int n;
    wr_bench_contestant who[WR_BENCH_CONTESTANTS];
} wr_bench_field;

/* Median, 10 % and 90 % quantile over n rounds; n 0: no rounds. */
typedef struct wr_bench_spread {
    int n;
    double low, middle, high;
} wr_bench_spread;

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

/* The cheapest contestant at an error, among all and among runs of wrsim; NaN: none reaches the error. */
typedef struct wr_bench_winner {
    const char *name;
    double cost_s, monolithic_s, relaxed_s, auto_s;
} wr_bench_winner;

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

/* Sets the defaults of all options; `told` receives messages. Returns WRSIM_E_MEMORY, or WRSIM_OK, and then the caller
 * destroys the object. */
wrsim_status wr_bench_create(wr_bench *bench, const wr_listener *told);
void wr_bench_destroy(wr_bench *bench);

/* Reports an error of the caller. Returns WRSIM_E_ARG. */
wrsim_status wr_bench_refuse(const wr_bench *bench, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void wr_bench_row_add(wr_bench *bench, const wr_bench_row *row);
wr_bench_curve *wr_bench_curve_add(wr_bench *bench, const char *case_name, const char *name);

/* Returns the number of cores that this process may use. */
int wr_bench_count_cores(void);

/* Writes a file and reports errors. text NULL: out of memory. */
wrsim_status wr_bench_write(const wr_bench *bench, const char *file, const char *text);

/* Refuses an output that would overwrite an input (what: "the config", ...). */
wrsim_status wr_bench_spare(const wr_bench *bench, const char *what, const char *file);

/* Calls fn for every case of a file; file NULL: of growth. A failed case does not stop the others. Returns
 * WRSIM_STOPPED if interrupted. */
typedef wrsim_status (*wr_bench_case_fn)(wr_bench *bench, const wr_bench_case *c);
wrsim_status wr_bench_file(wr_bench *bench, const char *file, wr_bench_case_fn fn);

/* From now on SIGINT and SIGTERM set a flag; a second signal ends the program. */
void wr_bench_catch_signals(void);
/* In a child process: signals end the process. */
void wr_bench_obey_signals(void);
int wr_bench_is_interrupted(void);
/* Returns the wall s left of --total; INFINITY without a limit. */
double wr_bench_left_s(const wr_bench *bench);
/* Returns whether measuring ends: interrupted, or no time left. */
int wr_bench_is_over(const wr_bench *bench);

/* Reads a suite (.toml with [[case]]), or makes one case of a config. Reports errors. */
wrsim_status wr_bench_cases_load(wr_bench *bench, const char *file, wr_bench_case **ret_case,
                                 int *ret_n);

/* Names of the baselines, ended by NULL; and all names as one text. */
extern const char *const wr_bench_baselines[];
int wr_bench_is_baseline(const char *name);
const char *wr_bench_baselines_text(wr_bench *bench);
/* Returns NULL if the peer can run, else the reason. */
const char *wr_bench_peer_missing(wr_bench *bench, const char *name);
/* One run of setting->peer, which must not be NULL. */
void wr_bench_peer_run(wr_bench *bench, const wr_trial_setting *setting, const char *result,
                       wr_trial_sample *sample);

/* One run. n_worker applies to wrsim, not to peers. result: file of the results; NULL: a timed run without results. */
void wr_bench_run(wr_bench *bench, const wr_trial_setting *setting, int n_worker,
                  const char *result, wr_trial_sample *ret_sample);
/* Returns the largest error of the signals against the reference, max|y - ref| / max|ref|; NaN if the run fails. Equal
 * settings run once. */
double wr_bench_error(wr_bench *bench, const wr_trial_setting *setting);
/* Returns the cost in s, the best of three runs: CPU time on one worker, wall time on more; NaN if a run fails.
 * *ret_work (may be NULL) is set only if the cost is a number. */
double wr_bench_cost(wr_bench *bench, const wr_trial_setting *setting, int n_worker,
                     wr_trial_sample *ret_work);
/* Adds one run and returns its cost; for long runs, the least cost of all runs. */
double wr_bench_cost_again(wr_bench *bench, const wr_trial_setting *setting, int n_worker);
void wr_bench_forget(wr_bench *bench);

/* Returns the place of the next contestant, which the caller counts (n); NULL: the field is full. */
wr_bench_contestant *wr_bench_enter(wr_bench *bench, wr_bench_field *f, const char *name,
                                    int cores);
/* Runs all rounds, in rotating order. */
void wr_bench_rounds(wr_bench *bench, wr_bench_field *f);
/* Spread of the positive values among n values, at most WR_BENCH_RUNS. */
wr_bench_spread wr_bench_spread_of(const double *value, int n);
const char *wr_bench_describe(wr_bench *bench, const wr_trial_setting *setting);
/* Adds a row with the time of the baseline over the time of c; NULL if they share no round. The caller may change the
 * row until the next one is added. */
wr_bench_row *wr_bench_row_against(wr_bench *bench, const wr_bench_contestant *c,
                                   const wr_bench_contestant *baseline);
/* Adds all rows of tuned contestants: relaxed ones against all others, bounds by schedule, and costs of relaxation and
 * scheduling. */
void wr_bench_rows_add(wr_bench *bench, const wr_bench_field *f);

/* Compares one worker with two while other processes load the machine. */
wrsim_status wr_bench_busy(wr_bench *bench, const wr_bench_case *c);

/* Adds curves of every solver of the monolithic run and of every contestant. */
void wr_bench_curves_add(wr_bench *bench, const wr_bench_field *f);

/* Upper limit of the config's rtol (runtime/config/keys.c). */
#define WR_BENCH_LOOSEST_RTOL 0.1

/* Returns a copy of the list (NULL: an empty list) with "a=1; b=2" set. */
wr_texts wr_bench_with(wr_bench *bench, const wr_texts *list, const char *texts);

/* Overrides for one solver of all subsystems; monolithic: "true" or "auto". Solvers' own tolerances are removed, so
 * that simulation.rtol sets the error. */
wr_texts wr_bench_one_solver(wr_bench *bench, const char *monolithic, const char *kind);

/* Precision of the search for a tolerance: rough while settings are compared, fine for the final setting. The cost of a
 * method of order p is proportional to error^(-1/p). */
typedef enum wr_bench_precision { WR_BENCH_ROUGHLY, WR_BENCH_FINELY } wr_bench_precision;

/* Sets the setting's rtol such that its error is the requested one or slightly less; the search starts at the present
 * rtol. Returns the error; NaN if no rtol reaches it. ret_floor: the least error, if errors stop falling above the
 * requested one; else NaN. */
double wr_bench_settle(wr_bench *bench, wr_trial_setting *setting, wr_bench_precision precisely,
                       double *ret_floor);

/* State of the check for a floor while the tolerance falls. */
typedef struct wr_bench_descent {
    /* error that later errors resemble, and the rtol at which it was first met */
    double error, rtol;
} wr_bench_descent;
#define WR_BENCH_NOT_BEGUN                                                                         \
    {                                                                                              \
        (double)INFINITY, (double)INFINITY                                                         \
    }

/* Returns whether errors have reached a floor: all errors down to a hundredth of a tolerance resemble one another, so
 * another error source dominates. Errors may rise, if the error at a loose tolerance was small by chance. Failed runs
 * are ignored. */
int wr_bench_is_floor(wr_bench_descent *d, double rtol, double error);

/* Tunes all sides of a case, measures them, and adds rows and curves. */
wrsim_status wr_bench_measure(wr_bench *bench, const wr_bench_case *c);

/* Returns "growth-ladder, growth-ring, ...". */
const char *wr_bench_shapes_text(wr_bench *bench);
wrsim_status wr_bench_growth(wr_bench *bench);

/* Errors at which costs are reported; ended by 0. */
extern const double wr_bench_errors[];
/* Returns the cost at an error: the cost of the cheapest run that is at least as accurate, or the log-log interpolation
 * between neighbours, whichever is less; NaN if the curve does not reach the error. */
double wr_bench_cost_at(const wr_bench_curve *c, double error);
/* Winner among curves first .. last - 1. wr_bench_end_of_case() returns the index after the last curve of the case of
 * `first`. */
wr_bench_winner wr_bench_winner_at(const wr_bench *bench, int first, int last, double error);
int wr_bench_end_of_case(const wr_bench *bench, int first);
wrsim_status wr_bench_write_json(const wr_bench *bench, const char *file);

wrsim_status wr_bench_write_svg(const wr_bench *bench, const char *file);

#endif
