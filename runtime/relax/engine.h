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

#include "base/diag.h"
#include "runtime/relax/engine_options.h"
#include "runtime/relax/engine_stats.h"
#include "runtime/relax/observer.h"

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

/* Tells an observer from now on, after those that were there before; it outlives the engine. Before
 * wr_engine_start(). */
void wr_engine_observe(wr_engine *engine, wr_observer *observer);

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

/* Right-hand sides spent on one subsystem, rejected sweeps included. */
int64_t wr_engine_rhs(const wr_engine *engine, int i_subsystem);

#endif
