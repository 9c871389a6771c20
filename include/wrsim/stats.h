/* Statistics: counters of a simulation, its subsystems and its workers.
 *
 * Thread: owner, between calls of wrsim_run / wrsim_advance. Phase: any after wrsim_prepare. */
#ifndef WRSIM_STATS_H
#define WRSIM_STATS_H

#include <stdint.h>

#include "wrsim/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of entries of bound_core, bound_wall_s and bound_point_s of wrsim_stats. */
enum { WRSIM_BOUND_CASES = 4 };

/* Counters of windows, in the order of the JSON summary. A row has type, name, JSON member and meaning. A row makes the field of
 * wrsim_stats, the counter of the engine, the copy of the counter, and the JSON member. */
#define WRSIM_WINDOW_STATS(X)                                                                      \
    X(int, n_active_worker, "n_active_worker", "workers in use at the end")                        \
    X(int64_t, n_window, "n_window", "accepted windows")                                           \
    X(int64_t, n_rejected, "n_window_rejected", "rejected windows")                                \
    X(int64_t, n_one_sweep, "n_window_one_sweep", "windows accepted after one sweep")              \
    X(int64_t, n_sweep, "n_sweep", "sweeps in accepted windows")                                   \
    X(int64_t, n_integration, "n_integration", "integrations in accepted windows")                 \
    X(int64_t, n_skipped, "n_skipped", "integrations saved by the active set in later sweeps")     \
    X(int64_t, n_wasted, "n_wasted",                                                               \
      "integrations in windows that were rejected, cut, or begun ahead and taken back")            \
    X(int64_t, n_ahead, "n_ahead", "windows that the first level began ahead")                     \
    X(int64_t, n_ahead_undone, "n_ahead_undone", "windows begun ahead and taken back")             \
    X(int64_t, n_event_check, "n_event_check",                                                     \
      "integrations that checked events at instants with jumps of inputs")                         \
    X(int64_t, n_event_refuted, "n_event_refuted", "checks that found other events")

#define WRSIM_STATS_FIELD(type, name, text) type name;
#define WRSIM_STATS_NOTHING(type, name, text)
#define WRSIM_STATS_KEYED_FIELD(type, name, key, text) type name;

/* Statistics of the whole simulation. */
typedef struct wrsim_stats {
    double start_s, stop_s, time_s;         /* start, end and present simulated time, s */
    double wall_s;                          /* wall-clock time inside run/advance, s */
    int n_component, n_subsystem, n_worker; /* components, subsystems and workers of the run */
    int n_state, n_indicator, n_connection; /* sums over all components */
    WRSIM_WINDOW_STATS(WRSIM_STATS_KEYED_FIELD)
    double contraction_mean; /* mean contraction rate of the windows; 0: no measured rate */
    double window_shortest_s, window_longest_s; /* lengths of accepted windows, s */
    int64_t n_row; /* recorded rows in the result file, after wrsim_finish; 0 before */
    int64_t
        n_event_row; /* recorded rows of events in the result file, after wrsim_finish; 0 before */
    int64_t n_record_wait; /* after wrsim_finish: number of rows that waited for the disk */
    int64_t file_bytes;    /* after wrsim_finish: size of the result file */
    int64_t memory_bytes;  /* memory of subsystems and driver, bytes */
    int bound_core[WRSIM_BOUND_CASES]; /* numbers of cores of bound_wall_s: 1, 2, 5, 16 */
    /* Wall time that the measured tasks alone would take on bound_core[i] cores, s. If windows are very short, the run measures only every
     * 16th window, which counts for 16. */
    double bound_wall_s[WRSIM_BOUND_CASES];
    /* Time that the cost of points alone would take on bound_core[i] cores with the run's tasks, s (component.cost, simulation.points). The
     * time of a batch is the time of its tasks, the longest first, each on the core that is free first. */
    double bound_point_s[WRSIM_BOUND_CASES];
    /* Wall time of the last integration of each subsystem in each accepted window, summed over workers, s. With inputs that are known in
     * advance, a run would need only these integrations. */
    double accepted_s;
    int64_t n_rhs_accepted;       /* right-hand sides of the integrations in accepted_s */
    int64_t n_predicted;          /* predictions of one signal over one window */
    int64_t n_predicted_period;   /* predictions from the waveform one period earlier */
    int64_t n_predicted_followed; /* predictions along the phase of another signal */
    int64_t n_phase_fall;         /* instants at which the phase of the history decreased */
    /* simulated time from which a run with relaxation.acceleration = "none" accelerates its sweeps, because an algebraic loop
     * contracts too slowly, s; NaN: never */
    double fallback_s;
    /* Counts of a slackened run (relaxation.scheme = "slack"): */
    int64_t n_wait;  /* periods with a sweep that began after a wait for data or memory */
    int64_t n_stale; /* reads of data too old for extrapolation; the reader uses the last value */
} wrsim_stats;

/* Size of the text of a connection, with its final 0. */
enum { WRSIM_CONNECTION_BYTES = 768 };
/* Size of a list of subsystems, with its final 0. */
enum { WRSIM_NOT_COVERED_BYTES = 640 };

/* Age of the data that a slackened run has read through one connection between subsystems, at the start of each period. Data of played
 * producers (recordings, ports) are known in advance and have no age. */
typedef struct wrsim_age {
    const char *reader, *producer;           /* names of the subsystems; owned by the simulation */
    int64_t n_read;                          /* number of periods */
    double mean_s;                           /* mean age, s */
    double most_s;                           /* largest age, s */
    char connection[WRSIM_CONNECTION_BYTES]; /* "a.y -> b.u", the first of several inputs */
} wrsim_age;

/* Members of wrsim_subsystem_stats that the JSON summary has, in the order of the summary. A row has type, name and meaning. A row makes
 * the field of the struct, the copy of the counter, and the JSON member. SOLVER and SUBSYSTEM rows also make the counter of the solver or
 * of the subsystem. A call of wrsim_stats_subsystem() computes REPORT rows. The simulation owns the strings. */
#define WRSIM_SUBSYSTEM_STATS(REPORT, SUBSYSTEM, SOLVER)                                           \
    REPORT(const char *, name, "name in the config")                                               \
    REPORT(const char *, solver, "integration method")                                             \
    REPORT(int, n_state, "continuous states")                                                      \
    REPORT(int, n_indicator, "event indicators")                                                   \
    SUBSYSTEM(int64_t, n_integration, "integrations over one window or period")                    \
    REPORT(double, integration_s,                                                                  \
           "wall time of the integrations, s; of very short windows, 16 times every 16th window")  \
    SOLVER(int64_t, n_step, "accepted steps")                                                      \
    SOLVER(int64_t, n_rejected, "steps rejected by the error test or a failed solve")              \
    SOLVER(int64_t, n_rhs, "right-hand sides, with those for Jacobians and restarts")              \
    SOLVER(int64_t, n_jacobian, "Jacobians")                                                       \
    SOLVER(int64_t, n_factor, "matrix factorisations")                                             \
    SOLVER(int64_t, n_other_pivots,                                                                \
           "factorisations with unusable fixed pivots, repeated as dense or failed")               \
    REPORT(int64_t, n_jacobian_entry,                                                              \
           "entries written by the models' own Jacobians, zeros included")                         \
    SOLVER(double, factor_flop,                                                                    \
           "floating-point operations of the factorisations, by the patterns of the matrices")     \
    SOLVER(int64_t, n_newton, "nonlinear iterations")                                              \
    SOLVER(int64_t, n_start, "starts of the solver, at the beginning and after discontinuities")   \
    SOLVER(int64_t, n_implicit_step,                                                               \
           "accepted steps of the implicit methods of auto, or of BDF of lsoda")                   \
    SOLVER(int64_t, n_method_change, "changes of method of the solvers auto and lsoda")            \
    REPORT(double, implicit_share,                                                                 \
           "share of the simulated time with the implicit method of the solver auto")              \
    SUBSYSTEM(int64_t, n_state_event, "stops at state events")                                     \
    SUBSYSTEM(int64_t, n_time_event, "stops at time events")                                       \
    SUBSYSTEM(int64_t, n_input_jump, "stops at jumps of inputs")                                   \
    REPORT(int64_t, n_stop, "stops in the accepted course, without repeated sweeps")               \
    REPORT(int64_t, n_stop_state, "stops in n_stop with a state event")                            \
    REPORT(int64_t, n_stop_time, "stops in n_stop with a time event")                              \
    REPORT(int64_t, n_stop_jump, "stops in n_stop with a jump of an input")                        \
    SUBSYSTEM(int64_t, n_indicator_evaluation, "evaluations of the indicators")                    \
    REPORT(int64_t, n_indicator_value, "values of indicators, one for each indicator evaluated")   \
    SUBSYSTEM(int64_t, n_node, "nodes of published waveforms, in all sweeps")                      \
    SUBSYSTEM(int64_t, n_output_evaluation,                                                        \
              "evaluations of published outputs that are no states; a slope is another one")       \
    SUBSYSTEM(int64_t, n_active_indicator, "indicators that triggered an event at least once")     \
    REPORT(int64_t, n_point, "points of components; 0: not counted (simulation.points)")           \
    REPORT(double, point_s, "cost of the points by component.cost, s")                             \
    REPORT(int, n_event_block, "blocks of indicators (simulation.event_blocks); 0: not divided")   \
    SUBSYSTEM(int64_t, n_flip, "changes of the sign of indicators at events")                      \
    SUBSYSTEM(int64_t, n_restart_rhs,                                                              \
              "right-hand sides of restarts at events, jumps of inputs and the start")             \
    SUBSYSTEM(int64_t, n_event_pass,                                                               \
              "rounds of events; several at an instant if events cause events")                    \
    SUBSYSTEM(int64_t, n_late_event,                                                               \
              "events handled late, at the end of a step, because the work is bounded")            \
    SUBSYSTEM(double, latest_s, "longest step with a late event, s")                               \
    SUBSYSTEM(int64_t, n_unsettled,                                                                \
              "instants that left due events to the next step, because the work is bounded")       \
    SUBSYSTEM(int64_t, n_spent,                                                                    \
              "communication steps, periods or windows in which solver.budget was spent")          \
    SOLVER(int64_t, n_unchecked_step,                                                              \
           "accepted steps with an error above the tolerance, because the budget was spent")       \
    SOLVER(double, unchecked_error,                                                                \
           "largest error of the steps in n_unchecked_step, in tolerances")                        \
    REPORT(double, sweep_rest,                                                                     \
           "largest change of an output by the last sweep of a period, in tolerances")             \
    REPORT(double, sweep_rest_s, "beginning of the period of sweep_rest, s")                       \
    REPORT(const char *, sweep_rest_output,                                                        \
           "name of the output that changes by sweep_rest; empty: no output changes")              \
    REPORT(double, sweep_rest_share,                                                               \
           "largest change by the last sweep, relative to the range of the output so far")         \
    REPORT(const char *, sweep_rest_share_output,                                                  \
           "name of the output that changes by sweep_rest_share")

/* Purposes of points. A point is one place (t, x, u) at which a component is evaluated. Derivatives, indicators, algebra and outputs of the
 * component at one place count once. A row has name, JSON member and meaning. */
#define WRSIM_PURPOSES(X)                                                                          \
    X(OTHER, "other", "start values, loops across subsystems, and diagnosis of slow solvers")      \
    X(STAGE, "stages", "steps of the solver, and indicators at their ends")                        \
    X(RETAKE, "retaken",                                                                           \
      "repeated steps: after the error test (not with auto and CVODE), at an event, or after a "   \
      "missed change of an input")                                                                 \
    X(LOCATE, "locating", "search for the time of an event")                                       \
    X(LOOK, "looks", "indicators inside steps, to find hidden events")                             \
    X(STOP, "stops", "both sides of a stop, and the restart of the solver")                        \
    X(EVENT, "events", "rounds of events at a stop")                                               \
    X(ENTRY, "window_entry", "start of a window with other inputs")                                \
    X(EFFECT, "effects", "effect of input changes, which decides on further sweeps")               \
    X(RESOLUTION, "input_resolution", "tests of steps for missed changes of inputs or of f")       \
    X(PUBLISH, "publishing", "nodes of waveforms, and recorded rows")                              \
    X(ACCOUNT, "account", "error account")

#define WRSIM_PURPOSE_ENUM(name, key, text) WRSIM_PURPOSE_##name,
#define WRSIM_PURPOSE_KEY(name, key, text) key,
/* The purpose of a point: the reason for the evaluation. */
typedef enum wrsim_purpose { WRSIM_PURPOSES(WRSIM_PURPOSE_ENUM) WRSIM_PURPOSE_COUNT } wrsim_purpose;

/* Points of one purpose, summed over the components of a subsystem. The cost is the number of points times component.cost. */
typedef struct wrsim_points {
    int64_t n;          /* points of accepted and of repeated integrations */
    int64_t n_repeated; /* points of integrations that another sweep or window has replaced */
    double cost_s, repeated_s; /* cost of n and of n_repeated, s */
} wrsim_points;

/* Statistics of one subsystem, including all sweeps and rejected windows. */
typedef struct wrsim_subsystem_stats {
    WRSIM_SUBSYSTEM_STATS(WRSIM_STATS_FIELD, WRSIM_STATS_FIELD, WRSIM_STATS_FIELD)
    /* Numbers of components, of outputs of other subsystems that the subsystem reads, and of its published outputs. */
    int n_component, n_input, n_output;
    int n_event_thread; /* threads that evaluate the indicators */
    double rtol;        /* relative tolerance of the solver; 0: no states, or a fixed step */
} wrsim_subsystem_stats;

/* Estimate of the splitting error up to now; no bound. runtime/relax/splitting_error.h has the formulas, docs/NUMERICS.md the measured
 * quality. As in `wrsim compare`, errors have no unit. The error is the largest error of any state or coupled output at any time,
 * divided by the range of the signal so far. The estimate excludes errors of the solvers. In a run of one subsystem, all members except
 * the limit are 0 or "". In a slackened run (wrsim/delay.h) the error comes from stale inputs and is not divided into shares. */
typedef struct wrsim_error_account {
    double error; /* estimated splitting error */
    double limit; /* relaxation.error_limit * simulation.rtol; 0: none */
    int is_above; /* 1: the error is above the limit */
    /* 1: the error is above 1 % of the range and above 1000 simulation.rtol, so the results may be wrong. An undeclared dependency of a
     * model may be the cause. */
    int is_large;
    /* Shares of the error by its cause, in proportion to the size of the causes: */
    double waves;          /* interpolation of waveforms between nodes */
    double readers;        /* inputs that change within a step of the reader */
    double sweeps;         /* changes that further sweeps would make */
    const char *subsystem; /* subsystem with the largest error; owned by the simulation */
    /* The subsystems with an unknown error, such as "a, b and 2 further subsystems"; "": none. The error is unknown if the subsystem reads
     * other subsystems but has no derivatives by its inputs, or the errors may create or remove an event. The error is also unknown if a
     * window has too many events to store. */
    char not_covered[WRSIM_NOT_COVERED_BYTES];
    /* "a.y -> b.u", in a slackened run "producer -> reader": the connection with the largest contribution to the error */
    char connection[WRSIM_CONNECTION_BYTES];
} wrsim_error_account;

/* Statistics of one worker. */
typedef struct wrsim_worker_stats {
    int cpu;         /* OS number of the hardware thread; -1: not pinned */
    int is_pinned;   /* 1: the system has granted the pin to this CPU */
    int64_t busy_ns; /* wall time in tasks; of very short windows, 16 times every 16th window */
    int64_t wait_ns; /* wall time of waits for workers; weighted as busy_ns */
    int64_t n_task;  /* executed tasks */
    int64_t n_sleep; /* waits at barriers and ends of runs in which the thread slept */
} wrsim_worker_stats;

/* Statistics of n wall times, ns. Quantiles are too large by less than 1/32 of their value. All 0 if n is 0. */
typedef struct wrsim_wall_times {
    int64_t n;        /* number of times */
    double mean_ns;   /* mean of the times */
    int64_t least_ns; /* smallest time */
    /* least time that 0.1 % of the times do not exceed; the worst case of margins */
    int64_t per_mille_ns;
    int64_t median_ns;            /* median of the times */
    int64_t all_but_per_mille_ns; /* least time that 99.9 % of the times do not exceed */
    int64_t most_ns;              /* largest time */
} wrsim_wall_times;

/* Statistics of a run against the wall clock ([realtime]). A step consists of one period of each subsystem. A step is a miss if a period
 * of any subsystem ends after its deadline. If no key of [realtime] is set, first_violation is -1, and all other members are 0 or "". */
typedef struct wrsim_realtime_stats {
    double rate;        /* simulated s per wall s; 0: not paced */
    double period_s;    /* simulated time of a period, s */
    double deadline_s;  /* wall time from the start of a period to its deadline, s */
    int misses, of;     /* at most `misses` of `of` successive steps may be misses */
    const char *policy; /* realtime.policy, the reaction to more misses, or "soft"; constant text */
    int64_t n_step, n_miss;  /* steps, and missed steps */
    int64_t n_violation;     /* steps at whose end the misses exceed the limit */
    int64_t first_violation; /* number of the first violating step, from 0; -1: none */
    int64_t longest_run;     /* largest number of successive misses */
    int64_t n_held;          /* steps at whose end the run held the outputs */
    int64_t n_degraded;      /* steps with the cheaper settings of realtime.policy = "degrade" */
    /* number of shifts of the schedule, each after a jump of the clock or after a delay too long to catch up */
    int64_t n_jump;
    /* after wrsim_finish: rows of the results, of the event log and of slack.log that are lost, because the disk was too slow */
    int64_t n_dropped_row;
    /* longest time from a deadline to the end of a period in complete steps, ns; <= 0: all these periods ended in time */
    int64_t most_over_ns;
    wrsim_wall_times compute;  /* computing time of a step, all subsystems together */
    wrsim_wall_times lateness; /* smallest delay of a period's start in each step */
    wrsim_wall_times margin;   /* time left before the deadline; 0 for a missed step */
    wrsim_wall_times
        jitter;  /* after wrsim_finish: lateness of a thread without work (realtime.jitter) */
    int n_worst; /* number of steps that wrsim_stats_worst can return */
    /* errno if the system refused realtime.priority; 0: granted or not requested */
    int priority_refusal;
    /* errno if the system refused realtime.lock_memory; 0: granted or not requested */
    int lock_refusal;
    int n_not_pinned; /* workers that are not pinned to a core; 0 without scheduler.pin */
} wrsim_realtime_stats;

/* One of the steps with the latest ends, relative to their deadlines. */
typedef struct wrsim_worst_step {
    int64_t i_step; /* number of the step, from 0 */
    double time_s;  /* simulated time at the start of the step, s */
    /* time from the deadline to the end of the step, ns. INT64_MAX: unknown, because a subsystem has not finished the step, or its record
     * of the step is overwritten */
    int64_t over_ns;
    /* first subsystem without a record of the step (then the members below are 0), else the first subsystem with the latest end;
     * owned by the simulation */
    const char *subsystem;
    int64_t compute_ns;        /* computing time of this subsystem in the step */
    int64_t late_ns;           /* delay of the start of this subsystem's period */
    int64_t n_rhs, n_jacobian; /* right-hand sides and Jacobians of this subsystem in the step */
    int64_t n_event;           /* events of this subsystem in the step */
} wrsim_worst_step;

#ifdef __cplusplus
}
#endif
#endif
