/* The relaxation engine: integrates one window after the other in sweeps of tasks until the waveforms
 * agree (Ben Khaled et al. (2011), section 5.2; docs/METHODS.md, Acceptance).
 *
 * Life of a window [T_n, T_n + H]:
 *   1. At the end of the last window the producers predict their outputs, if a reader needs the prediction.
 *   2. In a sweep each active subsystem integrates the window against the published waves, in a task of its own, and
 *      publishes its wave.
 *   3. A subsystem whose inputs have changed since its last integration is active again if the change can matter. The effect of the change
 *      comes from an estimate at the window's end (wr_subsystem_effect) and from the effects of earlier changes (sensitivity.h). If no
 *      subsystem is active, no confirming sweep is necessary.
 *   4. The engine rejects a window if the sweeps do not contract, if a window needs too many sweeps, or if a solver fails. Events of one
 *      instant may also lead to a rejection (engine_causes.h). Most retries use a shorter window.
 *
 * The last worker to arrive at the barrier takes the decisions on sweeps and windows, in subsystem order. The numbers in these decisions
 * are counts, or do not depend on the workers. So any number of workers gives results with the same bits.
 *
 * Thread: one owner; tasks run on the team's workers. Real-time: wr_engine_run() after the start, with real-time observers. */
#ifndef WR_ENGINE_H
#define WR_ENGINE_H

#include "base/diag.h"
#include "runtime/relax/engine_options.h"
#include "runtime/relax/engine_stats.h"
#include "runtime/relax/observer.h"
#include "wrsim/observer.h"

/* Numbers of accepted predictions, each of one signal over one window, by their origin. */
typedef struct wr_engine_predicted {
    int64_t n_polynomial, n_own, n_followed; /* polynomials, own history, history of a source */
    int64_t n_phase_fall;                    /* number of decreases of the phase */
} wr_engine_predicted;

/* The run's estimate of the splitting error; errors are relative to the ranges of the variables. */
typedef struct wr_engine_error {
    double error; /* largest error of all states, discrete states and published outputs */
    /* shares of `error` by source: waves, steps of readers, sweeps */
    double waves, readers, sweeps;
    int i_subsystem;          /* subsystem with the largest error; -1: the run has one subsystem */
    int i_reader, i_external; /* input with the largest share; -1: no input */
    int i_producer, i_signal; /* output that drives input i_external */
    double through;           /* share of input i_external; only ratios of shares have a meaning */
} wr_engine_error;

/* Appends observers, which outlive the engine, to the list. Call before wr_engine_start(). */
void wr_engine_observe(wr_engine *engine, wr_observer *observers);

/* Sets the host's observer of tasks, waits, sweeps and windows, which outlives the engine; or NULL. Call between runs. */
void wr_engine_set_host_observer(wr_engine *engine, const wrsim_observer *observer);

/* Returns WRSIM_OK if the engine can run to t_end_s, or is there. Returns WRSIM_E_ARG with err set if a subsystem advances by whole
 * communication steps only, and t_end_s is no communication point. Changes nothing. */
wrsim_status wr_engine_check_end(const wr_engine *engine, double t_end_s, wrsim_error *err);

/* Runs to exactly t_end_s. If t_end_s is at most rounding or 1e-12 communication steps after the present time, the function does nothing.
 * Returns WRSIM_OK, WRSIM_STOPPED after wr_engine_stop() or a stop inside a window, or a failure. err is set, unless an observer has
 * failed. On return all accepted windows are committed. */
wrsim_status wr_engine_run(wr_engine *engine, double t_end_s, wrsim_error *err);

/* Requests a stop at the end of the present window. Thread: any, async-signal-safe. */
void wr_engine_stop(wr_engine *engine);

/* Returns 1 if the last run has stopped inside a window (wr_subsystem.stop). The engine has undone that window. */
int wr_engine_is_cut(const wr_engine *engine);
/* Returns the event that has ended the run, and its subsystem; NULL: none. */
const struct wr_run_end *wr_engine_run_end(const wr_engine *engine, int *ret_subsystem);

double wr_engine_time(const wr_engine *engine);
const wr_engine_stats *wr_engine_stats_get(const wr_engine *engine);

wr_engine_predicted wr_engine_predicted_get(const wr_engine *engine);

/* wr_engine_error_get() returns the estimate of the splitting error. wr_engine_error_close() first extends the estimate to the last
 * window, at the cost of some right-hand sides. Phase: between runs. */
void wr_engine_error_close(wr_engine *engine);
wr_engine_error wr_engine_error_get(const wr_engine *engine);
/* Returns whether the estimate lacks the error of subsystem i (is_uncovered in splitting_error.h). Phase: between runs. */
int wr_engine_is_uncovered(const wr_engine *engine, int i);
/* Fills *ret with the input of a subsystem that has the largest share of all its inputs, and this share. Returns 0 if no input of the
 * subsystem has a share. Phase: between runs. */
int wr_engine_error_input(const wr_engine *engine, int i_subsystem, wr_engine_error *ret);

#endif
