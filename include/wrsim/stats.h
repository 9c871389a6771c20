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

/* Of the whole simulation. */
typedef struct wrsim_stats {
    double start_s, stop_s, time_s; /* simulated time at start, at the end, and now, s */
    double wall_s;                  /* wall-clock time inside run/advance, s */
    int n_component, n_subsystem, n_worker, n_active_worker;
    int n_state, n_indicator, n_connection;
    int64_t n_window, n_rejected;
    int64_t n_sweep;         /* rounds, in accepted windows */
    int64_t n_integration;   /* integrations of one subsystem over one accepted window */
    int64_t n_skipped;       /* integrations saved by the active set */
    int64_t n_wasted;        /* integrations in rejected windows */
    int64_t n_one_sweep;     /* windows that needed one sweep */
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

/* Of one subsystem, all sweeps and rejected windows included. */
typedef struct wrsim_subsystem_stats {
    const char *name; /* owned by the simulation */
    const char *solver;
    int n_component, n_state, n_indicator, n_input,
        n_output; /* inputs and outputs across the cut */
    int64_t n_integration, n_step, n_rejected, n_rhs, n_jacobian, n_factor, n_newton, n_start;
    int64_t n_jacobian_entry; /* written by the models' own Jacobians, the zeros, too */
    double factor_flop;       /* floating-point operations of n_factor, by the matrices' patterns */
    int64_t n_state_event, n_time_event, n_input_jump, n_indicator_evaluation, n_flip;
    /* Of the solver auto: steps of its implicit method, its share of the simulated time, changes. */
    int64_t n_implicit_step, n_method_change;
    double implicit_share;
    double rtol; /* tolerance of its solver; 0 = no states, or a fixed step */
} wrsim_subsystem_stats;

/* What a split run believes that splitting has cost in accuracy, up to now: an estimate, not a bound
 * (runtime/relax/account.h has its formulas, docs/NUMERICS.md what it was found to be worth). Errors are
 * those of `wrsim compare`, without unit: the largest over time and over all states and coupled outputs,
 * divided by the signal's range so far. The solvers' own errors are not in it. All 0, and "", where
 * there is one subsystem, and in slackened runs. */
typedef struct wrsim_error_account {
    double error;
    double limit;   /* relaxation.error_limit * simulation.rtol; 0 = none */
    int is_above;   /* the error is above the limit: wrsim_run() returns WRSIM_INACCURATE */
    double waves;   /* what waves miss between their nodes, ... */
    double readers; /* ... what steps miss of their inputs, ... */
    double
        sweeps; /* ... what further sweeps would change: shares of the error by the size of what came in */
    const char *subsystem; /* with the largest error; owned by the simulation */
    /* The first subsystem that cannot say what errors of its inputs do to it: what they come to there is not in the error;
     * "" = none. Owned by the simulation. */
    const char *not_covered;
    char connection[WRSIM_CONNECTION_BYTES]; /* "a.y -> b.u", through which most of it came */
} wrsim_error_account;

typedef struct wrsim_worker_stats {
    int cpu; /* OS number of the hardware thread, -1 = not pinned */
    int is_pinned;
    int64_t busy_ns, wait_ns; /* in tasks; at barriers; of tiny windows as above */
    int64_t n_task, n_sleep;
} wrsim_worker_stats;

#ifdef __cplusplus
}
#endif
#endif
