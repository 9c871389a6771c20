/* Benchmarks: cases, runs, curves, rows. They are given as structures and JSON; cli/ prints them.
 *
 * Method: errors and times are those of trials (analysis/trial.h), one contestant after the other in every round, so
 * that what the machine does meanwhile hits all alike. Both sides of every ratio are first tuned to the same error (Hairer
 * and Wanner, Solving ODEs II, IV.10, compare solvers by such work-precision diagrams).
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_BENCH_H
#define WR_BENCH_H

#include <math.h>
#include <stdint.h>

#include "analysis/trial.h"

enum {
    WR_BENCH_SCHEMA = 1,
    WR_BENCH_POINTS = 40, /* of one curve */
    WR_BENCH_CONTESTANTS = 48,
    WR_BENCH_RUNS = 1000, /* most rounds */
    WR_BENCH_TEXT = 256
};

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
    int is_budget;  /* cases are loaded for a budget of errors, not for a comparison */
    const char *json, *svg, *only, *peers;
    const char *(*place_of)(const char *name); /* where what a name says really is; NULL: there */
    const char *write; /* budget: the config with the tolerances chosen; NULL = none */
    wr_texts override, signal, baseline;
} wr_bench_options;

/* One thing to be measured. */
typedef struct wr_bench_case {
    wr_trial_case run;
    wr_texts solver;   /* of ours, for the best monolithic run */
    wr_texts baseline; /* "monolithic" and peers */
    wr_texts *tune;    /* [n_tune] alternatives for relaxed runs: "key=value; key=value" */
    int n_tune;
    double rtol_first, rtol_last; /* of the curve, loose to tight */
    int is_kind_fixed; /* every subsystem has a solver of its own: solver.kind changes nothing */
    const char *unit;  /* "window", "sweep": nothing to be tuned, what one of them costs; or NULL */
    int is_windows;    /* the window controller against the best fixed length */
} wr_bench_case;

/* A relaxed run that chooses its grouping (simulation.monolithic = "auto"), on one core. */
#define WR_BENCH_AUTO "auto"

/* Who takes part in the rounds. */
typedef struct wr_bench_contestant {
    const char *name; /* "relaxed", WR_BENCH_AUTO, "monolithic", or a peer's */
    wr_trial_setting setting;
    int cores;
    double error, spent_s;
    wr_trial_sample *sample; /* [n_run] by round; wall_s 0 = sat out */
    wr_trial_sample work;    /* of the first round */
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
    wr_trial_sample work;
} wr_bench_point;

typedef struct wr_bench_curve {
    const char *name;
    wr_trial_setting setting; /* rtol: what it was tuned to, 0 = it was not */
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
    wr_trial_sample work, work_baseline;
    const char *setting, *setting_baseline; /* texts for people */
    const wr_bench_case *of; /* with run: how to run it again; NULL = not by a config */
    const wr_trial_setting *run;
    const char *note; /* what is to be known before it is believed, or NULL */
    /* Of growth and unit rows: 0 = does not apply. */
    double unit_ns, start_s, unit_bytes;
    int n_subsystem;
} wr_bench_row;

/* Who is cheapest at an error: of all, and of our own runs; NaN = nobody gets there. */
typedef struct wr_bench_winner {
    const char *name;
    double cost_s, monolithic_s, relaxed_s, auto_s;
} wr_bench_winner;

typedef struct wr_bench {
    wr_bench_options options;
    wr_trial trial; /* its memory is the bench's */
    int64_t start_ns;
    int n_row, cap_row;
    wr_bench_row *row;
    int n_curve, cap_curve;
    wr_bench_curve *curve;
    const char **curve_case; /* [n_curve] */
    const wr_bench_case *at; /* at work */
    struct wr_bench_known *known;
} wr_bench;

/* ---- bench.c ---- */
/* With the defaults of all options; tell and report are who is told. WRSIM_E_MEMORY, or WRSIM_OK and it is to be
 * destroyed. */
wrsim_status wr_bench_create(wr_bench *bench, const wr_listener *told);
void wr_bench_destroy(wr_bench *bench);

/* Tells an error of the caller; returns WRSIM_E_ARG. */
wrsim_status wr_bench_refuse(const wr_bench *bench, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void wr_bench_row_add(wr_bench *bench, const wr_bench_row *row);
wr_bench_curve *wr_bench_curve_add(wr_bench *bench, const char *case_name, const char *name);

/* Cores this process may use. */
int wr_bench_count_cores(void);

/* Writes a file (text NULL: there was no memory for it). What is wrong is told. */
wrsim_status wr_bench_write(const wr_bench *bench, const char *file, const char *text);

/* Refuses to write over a file that is read (what: "the config", ...). */
wrsim_status wr_bench_spare(const wr_bench *bench, const char *what, const char *file);

/* Does one thing with every case of a file; file NULL: growth. One that fails does not take the others' results away.
 * WRSIM_STOPPED where it was interrupted. */
typedef wrsim_status (*wr_bench_case_fn)(wr_bench *bench, const wr_bench_case *c);
wrsim_status wr_bench_file(wr_bench *bench, const char *file, wr_bench_case_fn fn);

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
/* Reads a suite (.toml with [[case]]) or makes one case of a config. What is wrong is told. */
wrsim_status wr_bench_cases_load(wr_bench *bench, const char *file, wr_bench_case **ret_case,
                                 int *ret_n);

/* ---- bench_peer.c ---- */
/* Solvers to compare with: names in order, NULL at the end; as one text. */
extern const char *const wr_bench_baselines[];
int wr_bench_is_baseline(const char *name);
const char *wr_bench_baselines_text(wr_bench *bench);
/* NULL when a peer can be run, else why not. */
const char *wr_bench_peer_missing(wr_bench *bench, const char *name);
/* One run of setting->peer, which is not NULL. */
void wr_bench_peer_run(wr_bench *bench, const wr_trial_setting *setting, const char *result,
                       wr_trial_sample *sample);

/* ---- bench_run.c ---- */
/* One run. workers counts for wrsim's own only. result: NULL = timed, nothing is kept; else results
 * go there. */
void wr_bench_run(wr_bench *bench, const wr_trial_setting *setting, int n_worker,
                  const char *result, wr_trial_sample *ret_sample);
/* Largest error over the signals against the reference: max|y - ref| / max|ref|; NaN when the run
 * fails. Equal settings are run once. */
double wr_bench_error(wr_bench *bench, const wr_trial_setting *setting);
/* Cost in seconds, the best of three: CPU time on one worker, wall time on more. NaN = failed.
 * ret_work, NULL or what was counted: only where the cost is a number. */
double wr_bench_cost(wr_bench *bench, const wr_trial_setting *setting, int n_worker,
                     wr_trial_sample *ret_work);
/* That of one run more; the least of all if runs are long. */
double wr_bench_cost_again(wr_bench *bench, const wr_trial_setting *setting, int n_worker);
void wr_bench_forget(wr_bench *bench);

/* ---- bench_rounds.c ---- */
/* A place in the field for one that is not counted yet (n is the caller's); NULL when it is full. */
wr_bench_contestant *wr_bench_enter(wr_bench *bench, wr_bench_field *f, const char *name,
                                    int cores);
/* All rounds, in rotating order. */
void wr_bench_rounds(wr_bench *bench, wr_bench_field *f);
/* Of the positive ones among n values, at most WR_BENCH_RUNS. */
wr_bench_spread wr_bench_spread_of(const double *value, int n);
const char *wr_bench_describe(wr_bench *bench, const wr_trial_setting *setting);
/* A row of how much longer the baseline takes; NULL if they have no round in common. The row may be
 * changed until the next one is added. */
wr_bench_row *wr_bench_row_against(wr_bench *bench, const wr_bench_contestant *c,
                                   const wr_bench_contestant *baseline);
/* All rows of tuned contestants: relaxed ones against all others, the schedule's bounds, and what
 * relaxation and scheduling cost. */
void wr_bench_rows_add(wr_bench *bench, const wr_bench_field *f);

/* ---- bench_busy.c ---- */
/* One worker against two while other processes keep the machine busy. */
wrsim_status wr_bench_busy(wr_bench *bench, const wr_bench_case *c);

/* ---- bench_curve.c ---- */
/* Of every solver of the monolithic run and of those who take part. */
void wr_bench_curves_add(wr_bench *bench, const wr_bench_field *f);

/* ---- bench_settle.c ---- */
/* rtol of the config is limited to this (keys.c). */
#define WR_BENCH_LOOSEST_RTOL 0.1

/* A copy of the list (or of none) with "a=1; b=2" set. */
wr_texts wr_bench_with(wr_bench *bench, const wr_texts *list, const char *texts);

/* One solver for all; monolithic: "true" or "auto". Its tolerance is the one that is swept, simulation.rtol, also
 * where the config gives the solvers their own. */
wr_texts wr_bench_one_solver(wr_bench *bench, const char *monolithic, const char *kind);

/* How near to the error asked for a search ends: roughly while settings are compared, finely for the one that is
 * measured: the cost of a method of order p goes with error^(-1/p). */
typedef enum wr_bench_precision { WR_BENCH_ROUGHLY, WR_BENCH_FINELY } wr_bench_precision;

/* The rtol at which the setting has the error asked for, or a little less, starting at its rtol; sets
 * it. Returns the error, NaN if there is no such rtol; ret_floor: the least error if it stopped falling
 * above the one asked for, else NaN. */
double wr_bench_settle(wr_bench *bench, wr_trial_setting *setting, wr_bench_precision precisely,
                       double *ret_floor);

/* Errors met while the tolerance falls. */
typedef struct wr_bench_descent {
    double error, rtol; /* that the later ones have been like; where it was first met */
} wr_bench_descent;
#define WR_BENCH_NOT_BEGUN                                                                         \
    {                                                                                              \
        (double)INFINITY, (double)INFINITY                                                         \
    }

/* All errors down to a hundredth of a tolerance are alike: what is left is of another origin. They may
 * rise, where an error at a loose tolerance was small by chance. Runs that fail say nothing. */
int wr_bench_is_floor(wr_bench_descent *d, double rtol, double error);

/* ---- bench_tune.c ---- */
/* Tunes all sides of a case, measures them and adds rows and curves. */
wrsim_status wr_bench_measure(wr_bench *bench, const wr_bench_case *c);

/* ---- bench_growth.c ---- */
/* "growth-ladder, growth-ring, ..." */
const char *wr_bench_shapes_text(wr_bench *bench);
wrsim_status wr_bench_growth(wr_bench *bench);

/* ---- bench_report.c ---- */
/* Errors that costs are told at; 0 at the end. */
extern const double wr_bench_errors[];
/* Cost at an error: that of the cheapest run that is at least so accurate, or, if that is less,
 * between neighbours in log-log; NaN where the curve does not reach. */
double wr_bench_cost_at(const wr_bench_curve *c, double error);
/* Of the curves first .. last - 1; one past the last curve of the case that begins with the first. */
wr_bench_winner wr_bench_winner_at(const wr_bench *bench, int first, int last, double error);
int wr_bench_end_of_case(const wr_bench *bench, int first);
wrsim_status wr_bench_write_json(const wr_bench *bench, const char *file);

/* ---- bench_svg.c ---- */
wrsim_status wr_bench_write_svg(const wr_bench *bench, const char *file);

#endif
