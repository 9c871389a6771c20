/* What a run has cost: counters of the simulation, its subsystems and its workers.
 *
 * Thread: owner, between calls of wrsim_run / wrsim_advance. Phase: any after wrsim_prepare.
 */
#ifndef WRSIM_STATS_H
#define WRSIM_STATS_H

#include <stdint.h>

#include "wrsim/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many numbers of cores there is a schedule bound for. */
enum { WRSIM_BOUND_CASES = 4 };

/* Counters of windows, in the order of the JSON summary: type, name, JSON member, meaning. A row makes the field here,
 * the counter of the engine, its copy, and the JSON member. */
#define WRSIM_WINDOW_STATS(X)                                                                      \
    X(int, n_active_worker, "n_active_worker", "workers in use at the end")                        \
    X(int64_t, n_window, "n_window", "accepted windows")                                           \
    X(int64_t, n_rejected, "n_window_rejected", "rejected windows")                                \
    X(int64_t, n_one_sweep, "n_window_one_sweep", "windows accepted after one sweep")              \
    X(int64_t, n_sweep, "n_sweep", "sweeps in accepted windows")                                   \
    X(int64_t, n_integration, "n_integration",                                                     \
      "integrations of one subsystem over one accepted window")                                    \
    X(int64_t, n_skipped, "n_skipped", "integrations saved by the active set in later sweeps")     \
    X(int64_t, n_wasted, "n_wasted", "integrations in rejected windows")                           \
    X(int64_t, n_event_check, "n_event_check",                                                     \
      "integrations that checked events at instants with jumps of inputs")                         \
    X(int64_t, n_event_refuted, "n_event_refuted", "checks that found other events")

#define WRSIM_STATS_FIELD(type, name, text) type name;
#define WRSIM_STATS_NOTHING(type, name, text)
#define WRSIM_STATS_KEYED_FIELD(type, name, key, text) type name;

/* Of the whole simulation. */
typedef struct wrsim_stats {
    double start_s, stop_s, time_s; /* simulated time at start, at the end, and now, s */
    double wall_s;                  /* wall-clock time inside run/advance, s */
    int n_component, n_subsystem, n_worker;
    int n_state, n_indicator, n_connection;
    WRSIM_WINDOW_STATS(WRSIM_STATS_KEYED_FIELD)
    double contraction_mean; /* mean ratio of successive differences; 0 = none measured */
    double window_shortest_s, window_longest_s;
    int64_t n_row,
        n_event_row;       /* recorded; known after wrsim_finish (those in the file), 0 before */
    int64_t n_record_wait; /* after wrsim_finish: pushes that waited for the disk */
    int64_t file_bytes;    /* after wrsim_finish */
    int64_t memory_bytes;  /* sealed run memory */
    /* What the measured tasks alone would take on so many cores, s. Of tiny windows only every 16th is
     * measured, here and below, and counts for all. */
    int bound_core[WRSIM_BOUND_CASES];
    double bound_wall_s[WRSIM_BOUND_CASES];
    /* The integrations that accepted windows ended with, one per subsystem and window, without what
     * is done around them: what it takes when the inputs are known beforehand. */
    double accepted_s; /* wall time, all workers together */
    int64_t n_rhs_accepted;
    /* Predictions of one signal over one window: all, from a period ago, from what is followed. */
    int64_t n_predicted, n_predicted_period, n_predicted_followed;
    int64_t n_phase_fall; /* how often the phase of the history fell */
    /* Simulated time from which acceleration = "auto" was used, as sweeps contracted too slowly, s; NaN = never. */
    double fallback_s;
    /* Of a slackened run (relaxation.scheme = "slack"), where windows are periods: */
    int64_t n_wait;  /* periods of a subsystem that had to wait for others */
    int64_t n_stale; /* reads older than predictions reach: held from there on */
} wrsim_stats;

/* What a slackened run has read through one connection between subsystems: how old it was where each period began. What is
 * played (recordings, ports) is known ahead and has no age. */
enum { WRSIM_CONNECTION_BYTES = 256 };
typedef struct wrsim_age {
    const char *reader, *producer; /* subsystems; owned by the simulation */
    int64_t n_read;                /* periods */
    double mean_s, most_s;
    char connection[WRSIM_CONNECTION_BYTES]; /* "a.y -> b.u", of several inputs the first */
} wrsim_age;

/* Statistics of one subsystem, all sweeps and rejected windows included, in the order of the JSON summary: type, name, meaning.
 * A row makes the field here, the counter of the solver (SOLVER) or of the subsystem (SUBSYSTEM), its copy, and the
 * JSON member. A REPORT row is computed when asked for. The simulation owns the strings. */
#define WRSIM_SUBSYSTEM_STATS(REPORT, SUBSYSTEM, SOLVER)                                           \
    REPORT(const char *, name, "name in the config")                                               \
    REPORT(const char *, solver, "integration method")                                             \
    REPORT(int, n_state, "continuous states")                                                      \
    REPORT(int, n_indicator, "event indicators")                                                   \
    SUBSYSTEM(int64_t, n_integration, "integrations over one window or period")                    \
    SOLVER(int64_t, n_step, "accepted steps")                                                      \
    SOLVER(int64_t, n_rejected, "steps rejected by the error test or a failed solve")              \
    SOLVER(int64_t, n_rhs, "right-hand sides, with those for Jacobians and restarts")              \
    SOLVER(int64_t, n_jacobian, "Jacobians")                                                       \
    SOLVER(int64_t, n_factor, "matrix factorisations")                                             \
    SOLVER(int64_t, n_other_pivots,                                                                \
           "sparse factorisations with bad fixed pivots: made dense, or the step failed")          \
    REPORT(int64_t, n_jacobian_entry,                                                              \
           "entries written by the models' own Jacobians, zeros included")                         \
    SOLVER(double, factor_flop,                                                                    \
           "floating-point operations of the factorisations, by the patterns of the matrices")     \
    SOLVER(int64_t, n_newton, "nonlinear iterations")                                              \
    SOLVER(int64_t, n_start, "starts at a discontinuity")                                          \
    SOLVER(int64_t, n_implicit_step, "accepted steps of the implicit method of the solver auto")   \
    SOLVER(int64_t, n_method_change, "changes of method of the solver auto")                       \
    REPORT(double, implicit_share,                                                                 \
           "share of the simulated time with the implicit method of the solver auto")              \
    SUBSYSTEM(int64_t, n_state_event, "stops at state events")                                     \
    SUBSYSTEM(int64_t, n_time_event, "stops at time events")                                       \
    SUBSYSTEM(int64_t, n_input_jump, "stops at jumps of inputs")                                   \
    SUBSYSTEM(int64_t, n_indicator_evaluation, "evaluations of the indicators")                    \
    REPORT(int64_t, n_indicator_value, "evaluated indicators, each time each")                     \
    SUBSYSTEM(int64_t, n_active_indicator, "indicators that fired at least once")                  \
    REPORT(int, n_event_block, "blocks of indicators (simulation.event_blocks); 0: all together")  \
    SUBSYSTEM(int64_t, n_flip, "firings of indicators")                                            \
    SUBSYSTEM(int64_t, n_restart_rhs,                                                              \
              "right-hand sides of restarts at events, jumps of inputs and the start")             \
    SUBSYSTEM(int64_t, n_event_pass,                                                               \
              "passes of event handling; several at an instant if events cause events")            \
    SUBSYSTEM(int64_t, n_late_event,                                                               \
              "events handled late, at the end of a step, as the work is bounded")                 \
    SUBSYSTEM(double, latest_s, "longest step with a late event, s")                               \
    SUBSYSTEM(int64_t, n_unsettled,                                                                \
              "instants that were left with events due, as the work is bounded")                   \
    SUBSYSTEM(int64_t, n_spent,                                                                    \
              "communication steps, periods or windows in which solver.budget was spent")          \
    SOLVER(int64_t, n_unchecked_step,                                                              \
           "accepted steps with an error above the tolerance, as the budget was spent")            \
    SOLVER(double, unchecked_error, "largest error of these steps, in tolerances")                 \
    REPORT(double, sweep_rest,                                                                     \
           "largest change of an output by the last sweep of a period, in tolerances")             \
    REPORT(double, sweep_rest_s, "beginning of that period, s")                                    \
    REPORT(const char *, sweep_rest_output, "that output; empty: none changed")                    \
    REPORT(double, sweep_rest_share,                                                               \
           "largest change by the last sweep as a share of the range of the output so far")        \
    REPORT(const char *, sweep_rest_share_output, "the output of that share")

typedef struct wrsim_subsystem_stats {
    WRSIM_SUBSYSTEM_STATS(WRSIM_STATS_FIELD, WRSIM_STATS_FIELD, WRSIM_STATS_FIELD)
    int n_component, n_input, n_output; /* inputs and outputs across the cut */
    int n_event_thread;                 /* threads that evaluate the indicators */
    double rtol; /* tolerance of the solver; 0 = no states, or a fixed step */
} wrsim_subsystem_stats;

/* What a split run believes that splitting has cost in accuracy, up to now: an estimate, not a bound
 * (runtime/relax/account.h has its formulas, docs/NUMERICS.md what it was found to be worth). Errors are
 * those of `wrsim compare`, without unit: the largest over time and over all states and coupled outputs,
 * divided by the signal's range so far. The solvers' own errors are not in it. All 0, and "", where
 * there is one subsystem. Of a slackened run (wrsim/delay.h) it is what stale inputs have cost, and there are no shares. */
typedef struct wrsim_error_account {
    double error;
    double limit;   /* relaxation.error_limit * simulation.rtol; 0 = none */
    int is_above;   /* the error is above the limit: wrsim_run() returns WRSIM_INACCURATE */
    double waves;   /* what waves miss between their nodes, ... */
    double readers; /* ... what steps miss of their inputs, ... */
    double
        sweeps; /* ... what further sweeps would change: shares of the error by the size of what came in */
    const char *subsystem; /* with the largest error; owned by the simulation */
    /* The first subsystem with an unknown error. Either its kind has no derivatives by its inputs,
     * or an event may be lost or gained within the errors, or a window has more events than are
     * kept. "" = none. Owned by the simulation. */
    const char *not_covered;
    char connection[WRSIM_CONNECTION_BYTES]; /* "a.y -> b.u", through which most of it came */
} wrsim_error_account;

typedef struct wrsim_worker_stats {
    int cpu; /* OS number of the hardware thread, -1 = not pinned */
    int is_pinned;
    int64_t busy_ns, wait_ns; /* in tasks; at barriers; of tiny windows as above */
    int64_t n_task, n_sleep;
} wrsim_worker_stats;

/* Of a number of wall times, ns. Quantiles are too large by less than 1/32 of themselves. All 0 where n is. */
typedef struct wrsim_wall_times {
    int64_t n;
    double mean_ns;
    int64_t least_ns, per_mille_ns; /* 0.1 % are below it; of margins these are the worst */
    int64_t median_ns, all_but_per_mille_ns, most_ns; /* 99.9 % are not above it */
} wrsim_wall_times;

/* Of a run against the wall clock ([realtime]): its steps, which are the periods of all subsystems. A step is missed where
 * any subsystem was not done by the deadline. All 0, and "", where nothing is asked of [realtime]. */
typedef struct wrsim_realtime_stats {
    double rate;        /* simulated s per wall s; 0 = not paced */
    double period_s;    /* of simulated time */
    double deadline_s;  /* of wall time */
    int misses, of;     /* as many may be missed in so many steps in a row */
    const char *policy; /* what is done where more are; owned by the program */
    int64_t n_step, n_miss;
    int64_t n_violation;        /* steps at whose end more had been missed */
    int64_t first_violation;    /* number of the first of them, from 0; -1 = none */
    int64_t longest_run;        /* of misses */
    int64_t n_held, n_degraded; /* steps whose outputs were held; that had the cheaper setting */
    int64_t
        n_jump; /* how often the schedule was moved: the clock jumped, or too much was to be caught up */
    int64_t n_dropped_row;     /* after wrsim_finish: that the disk could not take */
    int64_t most_over_ns;      /* after the deadline, < 0: before it */
    wrsim_wall_times compute;  /* of a step, all subsystems together */
    wrsim_wall_times lateness; /* at which a step was begun */
    wrsim_wall_times margin;   /* that was left before the deadline; 0 where it was missed */
    wrsim_wall_times
        jitter;  /* after wrsim_finish: lateness of the machine itself (realtime.jitter) */
    int n_worst; /* steps that wrsim_stats_worst() has */
    /* What was asked of the system and refused: error numbers as of errno, 0 = granted or not asked. */
    int priority_refusal, lock_refusal;
    int n_not_pinned; /* workers without a core */
} wrsim_realtime_stats;

/* One of the steps that missed the deadline by most, or came closest to it. */
typedef struct wrsim_worst_step {
    int64_t i_step;
    double time_s;   /* simulated, where it begins */
    int64_t over_ns; /* of the last subsystem after the deadline; INT64_MAX: one was far behind */
    const char *
        subsystem; /* that one, else which computed longest; owned by the simulation. Of its period: */
    int64_t compute_ns, late_ns; /* late: begun after its moment */
    int64_t n_rhs, n_jacobian, n_event;
} wrsim_worst_step;

#ifdef __cplusplus
}
#endif
#endif
