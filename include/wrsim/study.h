/* Studies of a config: questions that are answered by running simulations of it, before the run that counts.
 * The functions are in libwrsim-offline (pkg-config wrsim-offline), of the same version as libwrsim.
 *
 * Thread: one owner per config. Phase: setup. Each call takes up to seconds and allocates.
 */
#ifndef WRSIM_STUDY_H
#define WRSIM_STUDY_H

#include "wrsim/config.h"
#include "wrsim/stats.h"
#include "wrsim/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Does the split into subsystems pay? The beginning of the run is simulated twice, on one worker and
 * without output: as [[subsystem]] says, and by one solver of the tightest tolerance of the split's
 * solvers. Counted work decides, not time: the same config gives the same answer, unless the probe is
 * given up for time. */
enum { WRSIM_SPLIT_TEXT_BYTES = 1024 };
typedef struct wrsim_split_probe {
    /* 0: there is nothing to compare: simulation.monolithic is true, one subsystem, no work, or neither runs. All below but n_worker
     * is 0 then. */
    int has_answer;
    int is_monolithic; /* one solver is to be preferred, or the only one that runs */
    int n_worker;      /* that the split would be run on */
    double start_s;    /* simulated time at which the comparison begins, and how long it is: */
    double span_s;     /* the latter half of the probe, or all of a run that is shorter */
    double
        rtol; /* of the one solver: the tightest of the split's; 0 = its own, as they have none */
    double work_ratio; /* work of the split over that of one solver; infinite: only that one runs;
                          NaN: was not compared, text says why: given up, a slackened run, more
                          than 256 subsystems or 2000 states, or one solver fails */
    double sweeps_per_window; /* of the split */
    double window_share;      /* part of the split's work that is wrsim's own, per window */
    double shared_by;         /* workers that the split can keep busy, 1 .. n_worker */
    double wall_s;            /* wall time of the probe */
    char text[WRSIM_SPLIT_TEXT_BYTES]; /* "monolithic: ..." or "the split as it is: ...", why */
} wrsim_split_probe;

/* Probes for n_worker workers. 0 stands for those of the config; for one while simulation.monolithic is "auto", for the
 * number of workers must not change results. A probe that takes more than 10 s of CPU time, or too much for a period
 * of the history, is given up: is_monolithic 0, work_ratio NaN, and text says why. The config stays as it is.
 * Returns WRSIM_OK, also where there is no answer, WRSIM_E_ARG, WRSIM_E_MEMORY; errors of the config itself
 * are left to wrsim_create. err may be NULL. */
WRSIM_API wrsim_status wrsim_study_split(const wrsim_config *config, int n_worker,
                                         wrsim_split_probe *ret, wrsim_error *err);

/* Keeps what was found with the config: structure and summary of simulations that are made from it later say it. Where
 * simulation.monolithic is "auto" it is set as found, and solver.rtol with it (without an answer: to the split).
 * Returns WRSIM_OK, or WRSIM_E_ARG: "auto" was not probed for one worker. err may be NULL. */
WRSIM_API wrsim_status wrsim_config_keep_split(wrsim_config *config, const wrsim_split_probe *found,
                                               wrsim_error *err);

/* Which tolerances give an error at the outputs with the least work? For every subsystem's solver, and for the agreement
 * between them (relaxation.convergence), one is chosen by many runs: first all by one factor ("uniform"), then each by
 * what it adds to the error and to the counted work. Errors are max|y - ref| / max|ref|, worst signal, against a tight
 * reference run. No clock is read: the same config gives the same answer. */
typedef struct wrsim_budget_options {
    int n_override, n_signal;
    const char *const *override; /* [n_override] "key=value", as in wrsim_config_from_file */
    const char *const *signal;   /* [n_signal] globs: whose errors count; none = those recorded */
    double error;                /* asked for; 0 = simulation.rtol */
    double warm_s;               /* simulated time before work is counted, s */
    /* NULL, or who is told in one line what is under way, and who is asked whether to stop (from any thread). */
    void (*progress)(void *user, const char *text);
    int (*is_over)(void *user);
    void *user;
} wrsim_budget_options;

typedef struct wrsim_budget_tolerance {
    const char *name;   /* of the subsystems that share it, or "coupling" */
    const char *solver; /* its kind; of the coupling "convergence" */
    double now, uniform, chosen;
    double error_share; /* of the sum of all errors; NaN: was not measured */
    double work_share;  /* of the counted work */
} wrsim_budget_tolerance;

typedef struct wrsim_budget_outcome {
    double error, error_beside; /* and with all tolerances a step to either side; -1: was not run */
    double work;                /* counted */
} wrsim_budget_outcome;

typedef struct wrsim_budget {
    double error;           /* asked for */
    double reference_error; /* of the reference itself, estimated */
    double start_s, stop_s;
    int n_signal;    /* whose errors count */
    int is_complete; /* 0: stopped; what is chosen is the best that was run */
    int n_tolerance;
    const wrsim_budget_tolerance *tolerance;
    wrsim_budget_outcome now, uniform, chosen;
    int n_override; /* that set what was chosen, and the error as simulation.rtol */
    const char *const *override;
    void *memory; /* wrsim's own */
} wrsim_budget;

/* Takes seconds to hours: the config is run some hundred times. On success *ret is the caller's
 * (wrsim_budget_destroy). Returns WRSIM_OK; WRSIM_STOPPED: is_over said so, *ret is set if there was time for something;
 * WRSIM_E_ARG, what is wrong with the config, WRSIM_E_SOLVER: it does not run, or no tolerances bring the error asked
 * for, WRSIM_E_IO, WRSIM_E_MEMORY, with err (may be NULL) filled. Writes results to a folder in TMPDIR and takes them
 * away. */
WRSIM_API wrsim_status wrsim_study_budget(const char *path, const wrsim_budget_options *options,
                                          wrsim_budget **ret, wrsim_error *err);

/* Accepts NULL and nulls the pointer. */
WRSIM_API void wrsim_budget_destroy(wrsim_budget **budget);

/* Will deadlines hold on these cores? The beginning of the run is simulated period by period, with a sleep after each, so
 * that caches are as cold as in a paced run; how long each takes decides, with a margin to either side, and how late the
 * machine wakes a thread, which is measured by itself. Memory, priority and cores are asked for as in the run; nothing is
 * written. Another measurement may differ: so does another run. */
typedef struct wrsim_rtcheck_options {
    double limit_s; /* wall time of measuring; 0 = 10 s */
} wrsim_rtcheck_options;

/* A case that is reckoned through: all periods take `factor` times what was measured, and all begin that late at least; but
 * for the quick case, they also begin `factor` times as late as threads were, moment by moment. */
typedef struct wrsim_rtcheck_case {
    double factor, lateness_s;
    int64_t n_miss, n_violation; /* of the steps measured */
} wrsim_rtcheck_case;

typedef struct wrsim_rtcheck_subsystem {
    const char *name;
    wrsim_wall_times compute;
} wrsim_rtcheck_subsystem;

enum { WRSIM_RTCHECK_QUICK, WRSIM_RTCHECK_MEASURED, WRSIM_RTCHECK_SLOW, WRSIM_RTCHECK_CASES };
typedef struct wrsim_rtcheck {
    /* WRSIM_OK: will hold, no violation even in the slow case; WRSIM_INFEASIBLE: will not, one even in the quick case;
     * WRSIM_UNDECIDED: too close to say. */
    wrsim_status verdict;
    double margin; /* of factors: 0.3 is 30 % to either side */
    wrsim_rtcheck_case at[WRSIM_RTCHECK_CASES];
    int64_t n_step;          /* measured, */
    double whole_steps;      /* of so many */
    wrsim_wall_times span;   /* of steps, from begin to end */
    wrsim_wall_times jitter; /* lateness of a thread that does nothing */
    double rate_holds,
        rate_fails;           /* the same answers at other rates: up to, and from, NaN: at none */
    wrsim_realtime_stats run; /* what the config asks for, and what the system refuses */
    int n_worker, n_subsystem;
    const int *cpu;                           /* [n_worker] as wrsim_worker_stats */
    const wrsim_rtcheck_subsystem *subsystem; /* [n_subsystem] */
    void *memory;                             /* wrsim's own */
} wrsim_rtcheck;

/* options may be NULL. On success *ret is the caller's (wrsim_rtcheck_destroy). Returns WRSIM_OK, whatever the verdict;
 * WRSIM_E_ARG; WRSIM_E_CONFIG without realtime.rate; WRSIM_E_PRIVILEGE with realtime.strict; what is wrong with the config or
 * ends the run, with err (may be NULL) filled. */
WRSIM_API wrsim_status wrsim_study_realtime(const wrsim_config *config,
                                            const wrsim_rtcheck_options *options,
                                            wrsim_rtcheck **ret, wrsim_error *err);

/* Accepts NULL and nulls the pointer. */
WRSIM_API void wrsim_rtcheck_destroy(wrsim_rtcheck **check);

#ifdef __cplusplus
}
#endif

#endif
