/* The relaxation engine: turns one window after the other into sweeps of tasks until the waveforms
 * agree (Ben Khaled et al. (2011), section 5.2; docs/METHODS.md, Acceptance).
 *
 * Life of a window [T_n, T_n + H]:
 *   1. every subsystem's outputs are predicted (by their producer, at the end of the last window);
 *   2. a sweep: the active subsystems integrate the window against the published waves, each in a
 *      task of its own, and publish theirs;
 *   3. judge: a subsystem whose inputs have changed since it last integrated is active again if that
 *      change can matter. What it comes to is judged from an estimate at the window's end
 *      (wr_subsystem_effect) and from what earlier changes came to (sensitivity.h). No active subsystem:
 *      the window is accepted, without a confirming sweep;
 *   4. a window that does not contract, needs too many sweeps, or in which a solver fails is
 *      rejected and tried again shorter, down to the shortest one allowed.
 *
 * All decisions are taken from counts and from numbers that do not depend on who computed them, in
 * subsystem order, by whichever worker arrives last: the results have the same bits on any number
 * of workers.
 *
 * Thread: one owner; tasks run on the team's workers. Real-time: wr_engine_run, after start, except
 * that observers are the caller's.
 */
#ifndef WR_ENGINE_H
#define WR_ENGINE_H

#include <stdatomic.h>
#include <stdint.h>

#include "runtime/relax/accelerate.h"
#include "runtime/relax/account.h"
#include "runtime/relax/link.h"
#include "runtime/relax/observer.h"
#include "runtime/relax/window_rules.h"
#include "scheduler/crew.h"
#include "scheduler/schedule_bound.h"
#include "scheduler/team.h"
#include "subsystems/subsystem.h"
#include "wrsim/stats.h"

typedef struct wr_engine_options {
    double start_s;
    int is_gauss_seidel;
    const wr_window_rule *window_rule;
    double window_initial_s, window_min_s, window_max_s;
    double
        communication_step_s; /* windows end at points of that grid, not beside them; 0 = there is none */
    int max_sweeps;
    double convergence;     /* accepted effect of unconverged inputs, tolerance units */
    double tolerance_first; /* factor >= 1 on solver tolerances in the first sweep of a window */
    int fixed_degree;       /* of prediction; -1 = chosen per signal */
    double period;          /* of the model, phase units; 0 = no history */
    int phase_part;         /* subsystem whose signal is the phase; -1: time is */
    int phase_signal;
    int cap_history;    /* nodes of history per subsystem */
    int has_active_set; /* 0: integrate all subsystems in every sweep */
    wr_accelerate_kind acceleration;
    double event_tolerance_s; /* 0: it follows from the steps */
    double chatter_time_s;    /* events in it may be chattering, which their subsystem knows */
    int max_event_iterations; /* at one instant: the start */
    double min_work;          /* work units per window and worker below which fewer workers run */
    int most_workers;         /* take part where min_work > 0; 0 = no limit */
    int cap_node;             /* nodes per wave; ... */
    int is_room_given;        /* ... the user's number: where it does not do, that is said */
    const atomic_int *
        stop_asked; /* set by whoever wants the run to pause soon; NULL: wr_engine_stop() alone does */
} wr_engine_options;

typedef struct wr_engine_stats {
    WRSIM_WINDOW_STATS(WRSIM_STATS_KEYED_FIELD)
    double contraction_mean; /* mean of measured ratios of successive differences */
    int64_t n_contraction;
    /* Simulated time from which acceleration was automatic, as sweeps contracted too slowly, s; NaN = never. */
    double fallback_s;
    double bound_wall_s[WR_SCHEDULE_BOUND_CASES]; /* of all batches; measured, not deterministic */
    double accepted_s;      /* wall time of the integrations that accepted windows ended with */
    int64_t n_rhs_accepted; /* their right-hand sides */
    double window_shortest_s, window_longest_s;
    wr_crew_reason crew_reason; /* why no more, when that was last asked */
    double work_per_window;     /* work units, as it was then */
    int64_t n_worker_change;
} wr_engine_stats;

/* Of predictions: accepted ones of one signal over one window, by where they came from. */
typedef struct wr_engine_predicted {
    int64_t n_polynomial, n_own,
        n_followed;       /* own: a period ago; followed: of the history source */
    int64_t n_phase_fall; /* how often the phase fell */
} wr_engine_predicted;

/* What a run believes splitting has cost in accuracy: errors relative to a signal's range. */
typedef struct wr_engine_error {
    double error;                  /* the largest of all states and published outputs */
    double waves, readers, sweeps; /* its parts, by the sizes of what came in */
    int i_subsystem;               /* whose error is largest, -1: there is only one, or none */
    int i_reader, i_external;      /* through which input most came, -1 = none */
    int i_producer, i_signal;      /* and what drives it */
    int i_opaque; /* the first that cannot say what errors of its inputs do to it: not covered; -1 = none */
} wr_engine_error;

typedef struct wr_engine wr_engine;

/* Places an engine in arena. The team and the parts' arrays outlive it. NULL when memory is exhausted. */
wr_engine *wr_engine_place(wr_arena *arena, const wr_engine_options *options, const wr_link *parts,
                           int n_part, wr_team *team);

/* Tells an observer from now on, after those that were there before; it outlives the engine. Before
 * wr_engine_start(). */
void wr_engine_observe(wr_engine *engine, wr_observer *observer);

/* Finds consistent start values of all subsystems and the first prediction. On failure err says
 * why. */
wrsim_status wr_engine_start(wr_engine *engine, wrsim_error *err);

/* Gives back what wr_engine_start() has allocated; no more runs after it. Accepts NULL. */
void wr_engine_close(wr_engine *engine);

/* The connection whose waveform moved most in the last sweep, in units of its tolerance: the subsystem that
 * drives it and the index among what that publishes. Returns by how much; 0 = none, -1 are the indices. */
double wr_engine_worst_coupling(const wr_engine *engine, int *ret_part, int *ret_signal);

/* Can it run to t_end_s? WRSIM_E_ARG with err set where a subsystem of communication steps cannot. Changes nothing. */
wrsim_status wr_engine_check_end(const wr_engine *engine, double t_end_s, wrsim_error *err);

/* Runs to t_end_s (exactly; where that is within rounding or 1e-12 communication steps of the present, not at all). Returns WRSIM_OK, WRSIM_STOPPED after wr_engine_stop(), or a failure
 * with err set; everything accepted before it has been committed. */
wrsim_status wr_engine_run(wr_engine *engine, double t_end_s, wrsim_error *err);

/* Asks for a stop at the next window boundary. Thread: any, async-signal-safe. */
void wr_engine_stop(wr_engine *engine);

/* Has the last run ended in the midst of a window, which is left as if it had not begun (wr_subsystem.stop)? */
int wr_engine_is_cut(const wr_engine *engine);

double wr_engine_time(const wr_engine *engine);
const wr_engine_stats *wr_engine_stats_get(const wr_engine *engine);

wr_engine_predicted wr_engine_predicted_get(const wr_engine *engine);

/* Between runs; close: up to the last window, which costs as much as some integrations. */
void wr_engine_error_close(wr_engine *engine);
wr_engine_error wr_engine_error_get(const wr_engine *engine);

/* Nodes of history per subsystem: siblings read one half while a window's are written to the other. */
static inline int wr_engine_history_nodes(int cap_history, int cap_node)
{
    return cap_history > 2 * cap_node ? cap_history : 2 * cap_node;
}

/* The first subsystem whose state cannot be passed over; -1: there is none. */
int wr_engine_opaque(const wr_engine *engine);

/* Between two runs: passes over all that changes, subsystems included (base/state_io.h), in sections; but for what only
 * speed depends on, such as times that were measured and how many workers take part. Where there is none that is opaque.
 * Real-time: yes. */
void wr_engine_state(wr_engine *engine, wr_state_io *io);

/* Right-hand sides spent on one subsystem, rejected sweeps included. */
int64_t wr_engine_rhs(const wr_engine *engine, int i_subsystem);

#endif
