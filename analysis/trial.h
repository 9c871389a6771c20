/* One run of a config with some keys changed: what it takes, and how far it is from a tight reference.
 *
 * Method: errors come from runs of their own that record at a fine grid, against a reference run by one solver at a
 * tight tolerance; the reference's own error is estimated from a looser one. Times come from runs without output,
 * after a warm-up.
 *
 * Thread: one owner, and a progress callback on a worker. Real-time: no.
 */
#ifndef WR_TRIAL_H
#define WR_TRIAL_H

#include "analysis/texts.h"
#include "runtime/record/results.h"
#include "wrsim/wrsim.h"

enum { WR_TRIAL_WHY_BYTES = 256 };

/* Who is told what is under way and what is wrong: the library prints nothing. */
typedef enum wr_news {
    WR_NEWS_PROGRESS, /* a line about what is under way */
    WR_NEWS_NOTE,     /* to be known, but it goes on */
    WR_NEWS_ERROR,
    WR_NEWS_USAGE /* an error of who called */
} wr_news;
typedef struct wr_listener {
    void (*tell)(void *user, wr_news news, const char *text); /* one sentence */
    wrsim_report_fn report;                                   /* errors of a config */
    int (*is_over)(
        void *user); /* nothing more is to be run: interrupted, or no time left; any thread */
    void *user;
} wr_listener;

/* What is run. */
typedef struct wr_trial_case {
    const char *name, *config; /* config: the file as runs read it */
    wr_texts override, signal; /* whose errors count */
    double warm_s;             /* simulated, before the clock starts */
    double grid_s;             /* where errors are looked at */
    double error;              /* asked for */
    double reference_rtol, reference_event_s;
    const char *reference_solver;
    /* As the config says. */
    double start_s, stop_s, rtol, convergence;
    double window_initial_s, window_min_s, window_max_s;
    wr_texts subsystem, history_source; /* those it names, unless monolithic; "" = none */
    int is_auto;                        /* simulation.monolithic */
} wr_trial_case;

/* What one run took, warm-up left out. */
typedef struct wr_trial_sample {
    char why[WR_TRIAL_WHY_BYTES]; /* "" = fine, else why there is nothing */
    double wall_s, cpu_s;         /* cpu_s: of the calling thread; all there is on one core */
    double n_step, n_rhs, n_indicator, n_event, n_window, n_sweep, n_integration;
    double n_rhs_whole; /* right-hand sides, a subsystem's counted by its share of the states */
    double accepted_s, n_rhs_accepted; /* as in wrsim_stats */
    wrsim_split_probe choice;          /* has_answer 0: nothing was chosen */
    int bound_core[WRSIM_BOUND_CASES];
    double bound_s[WRSIM_BOUND_CASES]; /* NaN: not available */
} wr_trial_sample;

/* What one subsystem did in a run, warm-up left out. */
typedef struct wr_trial_subsystem {
    const char *name, *solver;
    int n_state, n_input;
    double rtol; /* 0 = none */
    double work; /* run.h */
    double n_integration;
} wr_trial_subsystem;

/* How it is run; texts in the trial's memory. */
typedef struct wr_trial_setting {
    const char *peer; /* who runs it instead of wrsim: the caller's business; NULL here */
    wr_texts override;
    double rtol; /* 0: the config's */
} wr_trial_setting;

typedef struct wr_trial {
    wr_listener listener;
    wr_settings_memory *memory; /* the caller's */
    char folder[64];            /* temporary, for results */
    double limit_s;             /* wall time of one run above which it is given up */
    const wr_trial_case *at;    /* at work */
    wr_results *reference;
    double reference_error;   /* of the reference itself, estimated */
    const char *worst_signal; /* of the last error; belongs to the reference */
    /* Of the last run, where it is wanted. */
    int has_subsystems, n_subsystem;
    wr_trial_subsystem *subsystem; /* [n_subsystem] */
} wr_trial;

/* The folder for results. WRSIM_E_IO where it cannot be made, which is told. wr_trial_close removes it, and the
 * reference; it must be empty. */
wrsim_status wr_trial_open(wr_trial *trial);
void wr_trial_close(wr_trial *trial);

/* Tells the listener. */
void wr_tell(const wr_listener *listener, wr_news news, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int wr_is_over(const wr_listener *listener);

/* Fills in what a case's config says, the grid and the signals where they are not given, and tells of what is wrong,
 * signals that fit nothing, too. */
wrsim_status wr_trial_look(wr_trial *trial, wr_trial_case *c);

/* Creates a simulation of the case with overrides more; decides simulation.monolithic = "auto" (ret_choice: NULL, or
 * what was found then). report: NULL or who gets all errors. */
wrsim_status wr_trial_create(wr_trial *trial, const wr_trial_case *c, const wr_texts *more,
                             wrsim_report_fn report, wrsim **ret_sim, wrsim_split_probe *ret_choice,
                             wrsim_error *err);

/* The override that records the case's signals. */
const char *wr_trial_signals(wr_trial *trial, const wr_trial_case *c);

/* One run. result: NULL = timed, nothing is kept; else results go there. */
void wr_trial_run(wr_trial *trial, const wr_trial_setting *setting, int n_worker,
                  const char *result, wr_trial_sample *ret_sample);

/* Integrates and keeps the reference of trial->at. WRSIM_OK, also where it is over; else it is told why. */
wrsim_status wr_trial_reference(wr_trial *trial);

/* Largest error over the signals of a result file against the reference, max|y - ref| / max|ref|, after the run that
 * sample is of; takes the file away. NaN when there is none: sample->why. */
double wr_trial_error(wr_trial *trial, const char *file, wr_trial_sample *sample);

/* A file for wr_trial_error. */
const char *wr_trial_file(wr_trial *trial, const char *name);

/* A run that is recorded, and its error. */
double wr_trial_try(wr_trial *trial, const wr_trial_setting *setting, wr_trial_sample *ret_sample);

#endif
