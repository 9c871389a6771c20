/* The relaxation engine: turns one window after the other into sweeps of tasks until the waveforms
 * agree (Ben Khaled et al. (2011), section 5.2; docs/METHODS.md, Acceptance).
 *
 * Life of a window [T_n, T_n + H]:
 *   1. every subsystem's outputs are predicted (by their producer, at the end of the last window);
 *   2. a sweep: the active subsystems integrate the window against the published waves, each in a
 *      task of its own, and publish theirs;
 *   3. judge: a subsystem whose inputs have changed since its last integration is active again if the change
 *      can matter. The effect of the change is judged by an estimate at the window's end (wr_subsystem_effect)
 *      and by the effects of earlier changes (sensitivity.h). If no subsystem is active, the window is accepted
 *      without a confirming sweep;
 *   4. a window that does not contract, needs too many sweeps, or in which a solver fails is
 *      rejected and tried again shorter, down to the shortest one allowed.
 *
 * The last worker to arrive at the barrier takes all decisions, in subsystem order, from counts and from numbers that
 * do not depend on the workers. So any number of workers gives results with the same bits.
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
#include "wrsim/observer.h"

/* Accepted predictions, each of one signal over one window, by their origin. */
typedef struct wr_engine_predicted {
    int64_t n_polynomial, n_own, n_followed; /* own, followed: of history, own or a source's */
    int64_t n_phase_fall;                    /* decreases of the phase */
} wr_engine_predicted;

/* The run's estimate of the splitting error; errors relative to a signal's range. */
typedef struct wr_engine_error {
    double error;                  /* the largest of all states and published outputs */
    double waves, readers, sweeps; /* parts of error, in proportion to its sources */
    int i_subsystem;          /* subsystem with the largest error, -1: one subsystem, or none */
    int i_reader, i_external; /* input with the largest share, -1: none */
    int i_producer, i_signal; /* output that drives this input */
    int i_opaque; /* first subsystem that is not covered: effects of its input errors are unknown; -1: none */
} wr_engine_error;

/* Adds an observer behind the others; it outlives the engine. Before wr_engine_start(). */
void wr_engine_observe(wr_engine *engine, wr_observer *observer);

/* Sets the host's observer of tasks, waits, sweeps and windows, which outlives the engine; NULL: none. Between runs. */
void wr_engine_set_host_observer(wr_engine *engine, const wrsim_observer *observer);

/* Can the engine run to t_end_s? WRSIM_E_ARG with err set if a subsystem of communication steps cannot. Changes nothing. */
wrsim_status wr_engine_check_end(const wr_engine *engine, double t_end_s, wrsim_error *err);

/* Runs to exactly t_end_s; if the present time is within rounding or 1e-12 communication steps of t_end_s, does nothing. Returns
 * WRSIM_OK, WRSIM_STOPPED after wr_engine_stop(), or a failure with err set. All accepted windows have been committed. */
wrsim_status wr_engine_run(wr_engine *engine, double t_end_s, wrsim_error *err);

/* Asks for a stop at the next window boundary. Thread: any, async-signal-safe. */
void wr_engine_stop(wr_engine *engine);

/* Has the last run stopped inside a window (wr_subsystem.stop)? That window is undone. */
int wr_engine_is_cut(const wr_engine *engine);

double wr_engine_time(const wr_engine *engine);
const wr_engine_stats *wr_engine_stats_get(const wr_engine *engine);

wr_engine_predicted wr_engine_predicted_get(const wr_engine *engine);

/* The estimate of the splitting error, between runs. Close extends it to the last window, at the cost of some integrations. */
void wr_engine_error_close(wr_engine *engine);
wr_engine_error wr_engine_error_get(const wr_engine *engine);

#endif
