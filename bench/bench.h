/* What the files of `wrsim bench` share: cases, runs, curves, rows.
 *
 * Method: errors come from runs of their own that record at a fine grid; times from runs without
 * output, after a warm-up, one contestant after the other in every round, so that what the machine
 * does meanwhile hits all alike. Both sides of every ratio are first tuned to the same error (Hairer
 * and Wanner, Solving ODEs II, IV.10, compare solvers by such work-precision diagrams).
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_BENCH_H
#define WR_BENCH_H

#include <stdint.h>
#include <stdio.h>

#include "runtime/config/settings_memory.h"
#include "runtime/record/results.h"
#include "wrsim/wrsim.h"

enum {
    WR_BENCH_SCHEMA = 1,
    WR_BENCH_POINTS = 40, /* of one curve */
    WR_BENCH_CONTESTANTS = 48,
    WR_BENCH_RUNS = 1000, /* most rounds */
    WR_BENCH_TEXT = 256
};

/* A list of texts; in the bench's memory. */
typedef struct wr_bench_list {
    int n, cap;
    const char **item;
} wr_bench_list;

typedef struct wr_bench_options {
    int n_run;      /* rounds of the final measurement */
    int max_core;   /* relaxed runs on 1, 2, ... this many */
    double error;   /* > 0: instead of the case's */
    double warm_s;  /* >= 0: instead of the case's */
    double limit_s; /* wall time of one run above which it is given up */
    double total_s; /* > 0: wall time after which nothing more is measured */
    int n_load;     /* busy: processes that keep the machine busy */
    int n_largest;  /* growth: most subsystems */
    int has_curve;  /* sweep all of rtol for every contestant and draw it */
    int is_quiet;   /* nothing is said about what is under way */
    int is_budget;  /* the command is budget */
    const char *json, *svg, *only, *peers;
    const char *write; /* budget: the config with the tolerances chosen; NULL = none */
    wr_bench_list override, signal, baseline;
} wr_bench_options;

/* One thing to be measured. */
typedef struct wr_bench_case {
    const char *name, *config; /* config: the file as runs read it */
    wr_bench_list override, signal;
    wr_bench_list solver;   /* of ours, for the best monolithic run */
    wr_bench_list baseline; /* "monolithic" and peers */
    wr_bench_list *tune;    /* [n_tune] alternatives for relaxed runs: "key=value; key=value" */
    int n_tune;
    double warm_s, grid_s, start_s, stop_s, error;
    double rtol_first, rtol_last; /* of the curve, loose to tight */
    double reference_rtol, reference_event_s;
    const char *reference_solver;
    /* As the config says. */
    double window_initial_s, window_min_s, window_max_s, rtol, convergence;
    wr_bench_list subsystem, follows; /* those it names, unless monolithic; "" = follows none */
    int is_auto;                      /* simulation.monolithic */
    int is_kind_fixed; /* every subsystem has a solver of its own: solver.kind changes nothing */
    const char *unit;  /* "window", "sweep": nothing to be tuned, what one of them costs; or NULL */
    int is_windows;    /* the window controller against the best fixed length */
} wr_bench_case;

/* What one run took, warm-up left out. */
typedef struct wr_bench_sample {
    char why[WR_BENCH_TEXT]; /* "" = fine, else why there is nothing */
    double wall_s, cpu_s;    /* cpu_s: of the calling thread; all there is on one core */
    double n_step, n_rhs, n_indicator, n_event, n_window, n_sweep, n_integration;
    double n_rhs_whole; /* right-hand sides, a subsystem's counted by its share of the states */
    double accepted_s, n_rhs_accepted; /* as in wrsim_stats */
    wrsim_split_probe choice;          /* has_answer 0: nothing was chosen */
    int bound_core[WRSIM_BOUND_CASES];
    double bound_s[WRSIM_BOUND_CASES]; /* NaN: not available */
} wr_bench_sample;

/* What one subsystem did in a run, warm-up left out. */
typedef struct wr_bench_part {
    const char *name, *solver;
    int n_state, n_input;
    double rtol; /* 0 = none */
    double work; /* counted_work.h */
    double n_integration;
} wr_bench_part;

/* Who runs and how; texts in the bench's memory. */
typedef struct wr_bench_setting {
    const char *peer; /* NULL: wrsim itself */
    wr_bench_list override;
    double rtol; /* 0: the config's */
} wr_bench_setting;

/* A relaxed run that chooses its grouping (simulation.monolithic = "auto"), on one core. */
#define WR_BENCH_AUTO "auto"

/* Who takes part in the rounds. */
typedef struct wr_bench_contestant {
    const char *name; /* "relaxed", WR_BENCH_AUTO, "monolithic", or a peer's */
    wr_bench_setting setting;
    int cores;
    double error, spent_s;
    wr_bench_sample *sample; /* [n_run] by round; wall_s 0 = sat out */
    wr_bench_sample work;    /* of the first round */
    int n_sample;
} wr_bench_contestant;

typedef struct wr_bench_field {
    int n;
    wr_bench_contestant who[WR_BENCH_CONTESTANTS];
} wr_bench_field;

/* Of several rounds: median, 10 % and 90 % quantile; n 0 = there is none. */
typedef struct wr_bench_spread {
    int n;
    double low, middle, high;
} wr_bench_spread;

typedef struct wr_bench_point {
    double rtol, error, cost_s;
    wr_bench_sample work;
} wr_bench_point;

typedef struct wr_bench_curve {
    const char *name;
    wr_bench_setting setting; /* rtol: what it was tuned to, 0 = it was not */
    int n;
    wr_bench_point point[WR_BENCH_POINTS]; /* rtol falling */
    double floor; /* error below which no tolerance brought it; NaN = was not met */
} wr_bench_curve;

/* A line of the JSON's table. ratio: time of the baseline / time; of a cost, time / what it is
 * compared with, so that less is better. */
typedef struct wr_bench_row {
    const char *name, *baseline, *kind;
    int cores, is_cost, n_round; /* n_round: of ratio */
    double ratio, ratio_low, ratio_high, error, error_baseline;
    double error_reference; /* estimated, of what errors are taken against */
    double wall_s, wall_baseline_s;
    wr_bench_sample work, work_baseline;
    const char *setting, *setting_baseline; /* texts for people */
    const wr_bench_case *of; /* with run: how to run it again; NULL = not by a config */
    const wr_bench_setting *run;
    const char *note; /* what is to be known before it is believed, or NULL */
    /* Of growth and unit rows: 0 = does not apply. */
    double unit_ns, start_s, unit_bytes;
    int n_subsystem;
} wr_bench_row;

typedef struct wr_bench {
    wr_bench_options options;
    wr_settings_memory *memory;
    char folder[64]; /* temporary, for results */
    int64_t start_ns;
    int n_row, cap_row;
    wr_bench_row *row;
    int n_curve, cap_curve;
    wr_bench_curve *curve;
    const char **curve_case; /* [n_curve] */
    /* Of the case at work. */
    const wr_bench_case *at;
    wr_results *reference;
    double reference_error;   /* of the reference itself, estimated */
    const char *worst_signal; /* of the last error; belongs to the reference */
    int has_parts, n_part;    /* whether they are wanted; of the last run of wrsim's own */
    wr_bench_part *part;      /* [n_part] */
    struct wr_bench_known *known;
} wr_bench;

/* ---- bench.c ---- */
/* `wrsim bench ...` and `wrsim budget ...`: argv[0] is that word. Returns the exit code. */
int wr_bench_main(int argc, char **argv);
void wr_bench_list_add(wr_bench *bench, wr_bench_list *list, const char *text);
/* A line on standard error about what is under way. */
void wr_bench_say(const wr_bench *bench, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A usage error that points to the command's --help; returns its exit code. */
int wr_bench_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes a file; prints what is wrong (text NULL: memory). Returns the exit code. */
int wr_bench_write(const char *file, const char *text);
/* A copy of a printed text in the bench's memory; ends the program's patience, never NULL. */
const char *wr_bench_text(wr_bench *bench, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void wr_bench_row_add(wr_bench *bench, const wr_bench_row *row);
wr_bench_curve *wr_bench_curve_add(wr_bench *bench, const char *case_name, const char *name);

/* Refuses to write over a file that is read (what: "the config", ...); prints it. 0, or the exit code. */
int wr_bench_spare(const wr_bench *bench, const char *what, const char *file);

/* ---- bench_stop.c ---- */
/* Ctrl-C and SIGTERM are taken note of from now on; a second one ends the program. */
void wr_bench_catch_signals(void);
/* In a process of one's own: they end it. */
void wr_bench_obey_signals(void);
int wr_bench_is_interrupted(void);
/* Wall time left of --total; infinite without one. */
double wr_bench_left_s(const wr_bench *bench);
/* Nothing more is to be measured: interrupted, or no time left. */
int wr_bench_is_over(const wr_bench *bench);

/* ---- bench_case.c ---- */
/* Reads a suite (.toml with [[case]]) or makes one case of a config. Prints what is wrong. Returns
 * the exit code; 0 = fine. */
int wr_bench_cases_load(wr_bench *bench, const char *file, wr_bench_case **ret_case, int *ret_n);

/* ---- bench_run.c ---- */
/* Solvers to compare with: names in order, NULL at the end; as one text. */
extern const char *const wr_bench_baselines[];
int wr_bench_is_baseline(const char *name);
const char *wr_bench_baselines_text(wr_bench *bench);
/* The override that records the case's signals. */
const char *wr_bench_signals_text(wr_bench *bench, const wr_bench_case *c);
/* One run. workers counts for wrsim's own only. result: NULL = timed, nothing is kept; else results
 * go there. */
void wr_bench_run(wr_bench *bench, const wr_bench_setting *setting, int n_worker,
                  const char *result, wr_bench_sample *ret_sample);
/* NULL when a peer can be run, else why not. */
const char *wr_bench_peer_missing(wr_bench *bench, const char *name);
/* Integrates and keeps the reference of bench->at. 0, or prints and gives an exit code. */
int wr_bench_reference(wr_bench *bench);
/* Largest error over the signals against the reference: max|y - ref| / max|ref|; NaN when the run
 * fails. Equal settings are run once. */
double wr_bench_error(wr_bench *bench, const wr_bench_setting *setting);
/* The same of a run that is made in any case; with its counts. */
double wr_bench_try(wr_bench *bench, const wr_bench_setting *setting, wr_bench_sample *ret_sample);
/* Cost in seconds, the best of three: CPU time on one worker, wall time on more. NaN = failed.
 * ret_work, NULL or what was counted: only where the cost is a number. */
double wr_bench_cost(wr_bench *bench, const wr_bench_setting *setting, int n_worker,
                     wr_bench_sample *ret_work);
/* That of one run more; the least of all if runs are long. */
double wr_bench_cost_again(wr_bench *bench, const wr_bench_setting *setting, int n_worker);
void wr_bench_forget(wr_bench *bench);

/* ---- bench_rounds.c ---- */
/* A place in the field for one that is not counted yet (n is the caller's); NULL when it is full. */
wr_bench_contestant *wr_bench_enter(wr_bench *bench, wr_bench_field *f, const char *name,
                                    int cores);
/* All rounds, in rotating order. */
void wr_bench_rounds(wr_bench *bench, wr_bench_field *f);
/* Of the positive ones among n values, at most WR_BENCH_RUNS. */
wr_bench_spread wr_bench_spread_of(const double *value, int n);
const char *wr_bench_describe(wr_bench *bench, const wr_bench_setting *setting);
/* A row of how much longer the baseline takes; NULL if they have no round in common. The row may be
 * changed until the next one is added. */
wr_bench_row *wr_bench_row_against(wr_bench *bench, const wr_bench_contestant *c,
                                   const wr_bench_contestant *baseline);
/* All rows of tuned contestants: relaxed ones against all others, the schedule's bounds, and what
 * relaxation and scheduling cost. */
void wr_bench_rows_add(wr_bench *bench, const wr_bench_field *f);

/* ---- bench_busy.c ---- */
/* One worker against two while other processes keep the machine busy. */
int wr_bench_busy(wr_bench *bench, const wr_bench_case *c);

/* ---- bench_budget.c ---- */
/* Chooses a case's tolerances and prints them. Returns the exit code. */
int wr_bench_budget(wr_bench *bench, const wr_bench_case *c);

/* ---- bench_tune.c ---- */
/* Tunes all sides of a case, measures them and adds rows and curves. Returns the exit code. */
int wr_bench_measure(wr_bench *bench, const wr_bench_case *c);

/* ---- bench_growth.c ---- */
/* "growth-ladder, growth-ring, ..." */
const char *wr_bench_shapes_text(wr_bench *bench);
int wr_bench_growth(wr_bench *bench);

/* ---- bench_report.c ---- */
void wr_bench_print_rows(const wr_bench *bench, FILE *out);
void wr_bench_print_curves(const wr_bench *bench, FILE *out);
int wr_bench_write_json(const wr_bench *bench, const char *file);

/* ---- bench_compare.c: what is made of JSON ---- */
/* `wrsim bench compare A B` and `wrsim bench table FILE...`. */
int wr_bench_compare(const char *file_a, const char *file_b);
int wr_bench_table(int n, char *const *file);

/* ---- bench_svg.c ---- */
int wr_bench_write_svg(const wr_bench *bench, const char *file);

#endif
