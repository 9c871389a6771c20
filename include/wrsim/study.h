/* Studies of a config: a study simulates the config once or several times and answers a question before the actual run. The functions are
 * in libwrsim-offline (pkg-config wrsim-offline), which must have the version of libwrsim.
 *
 * Thread: one owner per config. Phase: setup. Calls allocate memory and take seconds or longer.
 */
#ifndef WRSIM_STUDY_H
#define WRSIM_STUDY_H

#include "wrsim/config.h"
#include "wrsim/stats.h"
#include "wrsim/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes of wrsim_split_probe.text and wrsim_split_probe.scheme, with their final 0. */
enum { WRSIM_SPLIT_TEXT_BYTES = 1024, WRSIM_SCHEME_TEXT_BYTES = 512 };

/* Result of wrsim_study_split, which compares the split into subsystems with one solver, for a number of workers. The study simulates the
 * beginning of the run on one worker and without output. One run has the subsystems of the config, another run has one solver. Further runs
 * give the tolerance of equal error, and the order of subsystems. The answer depends on counted work, so the same config gives the same
 * answer if the study does not exceed its CPU time. */
typedef struct wrsim_split_probe {
    /* 0: no comparison is possible, because simulation.monolithic is true, the config has an error or one subsystem, the run has no
     * work, or both runs fail. Then all members below except n_worker and failure are 0. */
    int has_answer;
    int is_monolithic; /* 1: one subsystem is better, or only one subsystem runs */
    /* 1: the study ended before the end of the run, and the rest of the run may reverse is_monolithic. Always 0 with
     * simulation.monolithic = "auto". */
    int is_undecided;
    int n_worker;   /* number of workers of the answer */
    double start_s; /* simulated time at which the comparison begins, s */
    double
        span_s; /* compared simulated time, s: the second half of the study, or a whole shorter run */
    /* Relative tolerance of the one solver, which has the error of the split with this tolerance. If `error` is NaN, the tightest tolerance
     * of the split's solvers; 0: no solver has a tolerance. work_ratio is for this tolerance. */
    double rtol;
    /* Error of both runs from the start of the run to start_s + span_s, max|y - ref| / max|ref| of the worst recorded signal, with the
     * signal ref of a run with a tighter tolerance. NaN: both runs have the same tolerance. Reasons are works that differ by more than a
     * factor of ten, too small errors, and too much work or CPU time for a comparison of errors. Another reason is a looser tolerance for
     * the same error with simulation.monolithic = "auto". */
    double error;
    /* Work of the split divided by the work of one solver. Infinite: only one solver runs. NaN: no comparison, and `text` has the reason.
     * Reasons are too little CPU time, a period of the history that is too long, a slackened run, and failure of the one solver. Another
     * reason is a model with more than 256 subsystems or 2000 states. */
    double work_ratio;
    double sweeps_per_window; /* mean number of sweeps of the split; infinite as work_ratio */
    /* share of the split's work for windows and published waveforms */
    double window_share;
    double shared_by; /* number of workers that the split can keep busy, 1 .. n_worker */
    double wall_s;    /* wall time of the study, s */
    /* Choice of relaxation.scheme = "auto" in a run that ends at start_s + span_s, for relaxation.scheme_workers. Unless
     * simulation.monolithic is "auto", also the choices of runs with other values of relaxation.scheme_workers. The text ends before the
     * first run that fails, or that exceeds 10 s of CPU time for all runs. "" if the scheme is fixed. */
    char scheme[WRSIM_SCHEME_TEXT_BYTES];
    /* answer and reason, such as "monolithic: ..." */
    char text[WRSIM_SPLIT_TEXT_BYTES];
    /* Error of the split if the studied part of the run fails with the split and with one solver; status 0: none. */
    wrsim_error failure;
} wrsim_split_probe;

/* Studies the split for n_worker workers; 0: the workers of the config. While simulation.monolithic is "auto", 0 means one worker,
 * because the number of workers must not change results.
 * If the study needs more than 10 s of CPU time, or a period of the history is too long, the study ends without a comparison. The study of
 * errors has a limit of 60 s. After this limit, a study for "auto" also ends without a comparison. Then has_answer is 1, is_monolithic is 0
 * and work_ratio is NaN.
 * If the rest of the run may reverse the answer, the study goes on to the end of the run. Exceptions are "auto", and a study that would
 * take more than 60 s of CPU time, or more than 2e9 counted instructions of one run.
 * The config stays unchanged. Returns WRSIM_OK, also without an answer, or WRSIM_E_ARG. wrsim_create reports errors of the config itself.
 * err may be NULL. */
WRSIM_API wrsim_status wrsim_study_split(const wrsim_config *config, int n_worker,
                                         wrsim_split_probe *ret, wrsim_error *err);

/* Stores the result of a study in the config. Structure and summary of later simulations contain the result. If simulation.monolithic is
 * "auto", the call also sets simulation.monolithic from the result, or to false without an answer. If the answer is one solver, the call
 * also sets solver.rtol. Returns WRSIM_OK, or WRSIM_E_ARG if config or found is NULL, or if the study of "auto" was for several workers.
 * err may be NULL. */
WRSIM_API wrsim_status wrsim_config_keep_split(wrsim_config *config, const wrsim_split_probe *found,
                                               wrsim_error *err);

/* Options of wrsim_study_budget, which finds the tolerances for a required error of the outputs with the least work. The study varies the
 * tolerance of every solver and of the coupling (relaxation.convergence). First one factor multiplies all tolerances ("uniform"), then each
 * tolerance follows its share of error and counted work. The error of a signal y is max|y - ref| / max|ref|, with the signal ref of a run
 * with tight tolerances. The worst signal counts. The study reads no clock, so the same config gives the same answer. */
typedef struct wrsim_budget_options {
    int n_override, n_signal;    /* lengths of the two lists */
    const char *const *override; /* [n_override] "key=value", as in wrsim_config_from_file */
    /* [n_signal] glob patterns of the signals that count; none: all recorded signals count */
    const char *const *signal;
    double error;  /* required relative error; 0: simulation.rtol */
    double warm_s; /* simulated time before the study counts work, s */
    /* Receives lines of text about the progress; NULL: not called. Thread: any. */
    void (*progress)(void *user, const char *text);
    /* Returns 1 to stop the study; NULL: never. Thread: any. */
    int (*is_over)(void *user);
    void *user; /* argument of both functions */
} wrsim_budget_options;

/* One tolerance that the study varies. */
typedef struct wrsim_budget_tolerance {
    const char *name;   /* names of the subsystems that share the tolerance, or "coupling" */
    const char *solver; /* kind of the solver; "convergence" for the coupling */
    double now;         /* value in the config */
    double uniform;     /* best value if one factor multiplies all tolerances */
    double chosen;      /* best value if the study chooses each tolerance separately */
    double error_share; /* share of the sum of all errors; NaN: not measured */
    double work_share;  /* share of the counted work */
} wrsim_budget_tolerance;

/* Result of a run with one set of tolerances. */
typedef struct wrsim_budget_outcome {
    double error; /* relative error of the worst signal; -1: not run */
    /* larger error with all tolerances divided or multiplied by 1.25; -1: not run */
    double error_beside;
    double work; /* counted work of the run */
} wrsim_budget_outcome;

/* Result of wrsim_study_budget. */
typedef struct wrsim_budget {
    double error;           /* required relative error */
    double reference_error; /* estimated error of the reference run itself */
    double start_s, stop_s; /* simulated time of the runs, s */
    int n_signal;           /* number of signals in the error */
    /* 0: a stop has ended the study, and `chosen` has the best tolerances up to the stop */
    int is_complete;
    int n_tolerance;                           /* number of varied tolerances */
    const wrsim_budget_tolerance *tolerance;   /* [n_tolerance] each varied tolerance */
    wrsim_budget_outcome now, uniform, chosen; /* results with each set of tolerances */
    int n_override;                            /* length of override */
    /* [n_override] "key=value" that set the chosen tolerances and simulation.rtol */
    const char *const *override;
    void *memory; /* private data of wrsim */
} wrsim_budget;

/* Runs the study, which takes seconds to hours for some hundred runs. On success the caller owns *ret (wrsim_budget_destroy). The study
 * writes results to a folder in TMPDIR and removes the folder. Returns WRSIM_OK; WRSIM_E_ARG; WRSIM_E_IO; WRSIM_E_MEMORY; an error of the
 * config. Returns WRSIM_STOPPED after a stop by is_over, with *ret set if the study has a result. Returns WRSIM_E_SOLVER if the config does
 * not run, or no tolerances give the required error. err may be NULL. */
WRSIM_API wrsim_status wrsim_study_budget(const char *path, const wrsim_budget_options *options,
                                          wrsim_budget **ret, wrsim_error *err);

/* Frees a result and sets *budget to NULL. budget and *budget may be NULL. */
WRSIM_API void wrsim_budget_destroy(wrsim_budget **budget);

/* Options of wrsim_study_realtime, which predicts whether a run on these cores meets its deadlines. The study simulates the beginning of
 * the run period by period. After each period the study sleeps, so that caches are as cold as in a paced run. The study measures the
 * computing times and the wake-up delay of a thread; the verdict includes a margin. The study requests memory, priority and cores as the
 * run does. The study writes no results. Measurements vary, so the verdict may vary near its limits. */
typedef struct wrsim_rtcheck_options {
    double limit_s; /* wall time of the measurement, s; 0: 10 s */
} wrsim_rtcheck_options;

/* A case of the verdict: all steps take `factor` times the measured time. The quick case limits measured times to their 99.9 % quantile.
 * A step that waits for its start begins at least lateness_s late. In the measured and slow case the delay is also at least `factor`
 * times a measured delay. */
typedef struct wrsim_rtcheck_case {
    double factor;       /* multiple of the measured times */
    double lateness_s;   /* smallest delay of a start, s */
    int64_t n_miss;      /* measured steps that miss the deadline in this case */
    int64_t n_violation; /* measured steps at whose end the misses exceed the limit in this case */
} wrsim_rtcheck_case;

/* Computing times of one subsystem. */
typedef struct wrsim_rtcheck_subsystem {
    const char *name;         /* name of the subsystem; owned by the result */
    wrsim_wall_times compute; /* wall times of the subsystem's periods */
} wrsim_rtcheck_subsystem;

/* Index into wrsim_rtcheck.at. */
enum {
    WRSIM_RTCHECK_QUICK,    /* times multiplied by 1 - margin */
    WRSIM_RTCHECK_MEASURED, /* times as measured */
    WRSIM_RTCHECK_SLOW,     /* times multiplied by 1 + margin */
    WRSIM_RTCHECK_CASES     /* number of cases */
};
/* Result of wrsim_study_realtime. */
typedef struct wrsim_rtcheck {
    /* WRSIM_OK: the run meets its deadlines even in the slow case. WRSIM_INFEASIBLE: the run fails even in the quick case. WRSIM_UNDECIDED:
     * neither. */
    wrsim_status verdict;
    double margin; /* margin of the factors: 0.3 is 30 % in both directions */
    wrsim_rtcheck_case at[WRSIM_RTCHECK_CASES]; /* the three cases of the verdict */
    int64_t n_step;                             /* number of measured steps */
    double whole_steps;                         /* number of steps of the whole run */
    wrsim_wall_times span;                      /* wall times of steps, from start to end */
    wrsim_wall_times jitter;                    /* lateness of a thread without work */
    double rate_holds; /* largest rate that meets the deadlines in the slow case; NaN: none */
    /* smallest rate that fails in the quick case; NaN: none */
    double rate_fails;
    wrsim_realtime_stats run;  /* requests of the config, and refusals of the system */
    int n_worker, n_subsystem; /* lengths of the two lists below */
    const int *cpu;            /* [n_worker] core of each worker, as in wrsim_worker_stats */
    const wrsim_rtcheck_subsystem
        *subsystem; /* [n_subsystem] results of subsystems that integrate */
    void *memory;   /* private data of wrsim */
} wrsim_rtcheck;

/* Runs the study. options may be NULL. On success the caller owns *ret (wrsim_rtcheck_destroy). Returns WRSIM_OK with any verdict;
 * WRSIM_E_ARG; WRSIM_E_CONFIG without realtime.rate or a whole period; WRSIM_E_PRIVILEGE with realtime.strict; an error of the config or
 * of the run. err may be NULL. */
WRSIM_API wrsim_status wrsim_study_realtime(const wrsim_config *config,
                                            const wrsim_rtcheck_options *options,
                                            wrsim_rtcheck **ret, wrsim_error *err);

/* Frees a result and sets *check to NULL. check and *check may be NULL. */
WRSIM_API void wrsim_rtcheck_destroy(wrsim_rtcheck **check);

#ifdef __cplusplus
}
#endif

#endif
