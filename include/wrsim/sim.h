/* A simulation: create, prepare, run or advance, finish, destroy.
 *
 *     config -> wrsim_create -> wrsim_prepare -> (wrsim_run | wrsim_advance)* -> wrsim_finish
 *            -> wrsim_destroy
 *
 * Several simulations may exist in one process, each in a thread of its own or not. One simulation belongs to one thread at a
 * time, except wrsim_stop, which any thread or signal handler may call; it may be handed to another thread between two calls. A
 * call out of order returns WRSIM_E_STATE, says in err which call is missing, and changes nothing. So does a call while the
 * simulation runs, by another thread (but wrsim_stop) or by a callback of its own (but wrsim_stop, wrsim_time, and what reads
 * statistics and ports); wrsim_destroy asks for a stop then and leaves the pointer. docs/reference/calls.md has
 * the order of calls.
 *
 * The host's part: a process that has forked has none of the workers, so that a child may exec or exit but call nothing
 * here for a simulation that was prepared before. Where files have a limit (RLIMIT_FSIZE) ignore SIGXFSZ, so that a file
 * that gets too large is WRSIM_E_DISK and not the process's end.
 *
 * Units: simulated time in seconds (double), wall time in the unit of the name.
 */
#ifndef WRSIM_SIM_H
#define WRSIM_SIM_H

#include "wrsim/config.h"
#include "wrsim/host.h"
#include "wrsim/stats.h"
#include "wrsim/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wrsim wrsim; /* opaque */

/* Progress, passed to a callback on a worker thread between windows: it must be short. */
typedef struct wrsim_progress {
    double time_s, stop_s;     /* simulated time now and at the end, s */
    int64_t n_window, n_sweep; /* accepted windows and their sweeps since the start */
    double start_s;            /* simulated time at which the run began, s */
} wrsim_progress;
typedef void (*wrsim_progress_fn)(void *user, const wrsim_progress *progress);

/* Builds components, connections and subsystems from a config; runs no model. simulation.monolithic = "auto" is to be
 * decided before (wrsim/study.h), else it is refused with WRSIM_E_CONFIG. All errors go to report (may be
 * NULL); err (may be NULL) gets the first. The config may be destroyed afterwards. On success
 * *ret_sim is owned by the caller.
 * Returns WRSIM_OK, WRSIM_E_CONFIG, _E_GRAPH, _E_MODEL, _E_PLUGIN, _E_MEMORY. Phase: setup. */
WRSIM_API wrsim_status wrsim_create(const wrsim_config *config, wrsim_report_fn report, void *user,
                                    wrsim **ret_sim, wrsim_error *err);

/* The same for a host that has a logger, an allocator or a clock of its own (wrsim/host.h); host may be NULL, is copied, and what
 * it points to must live as long as the simulation and its snapshots. Also WRSIM_E_ARG: the host is not complete. */
WRSIM_API wrsim_status wrsim_create_hosted(const wrsim_config *config, const wrsim_host *host,
                                           wrsim_report_fn report, void *user, wrsim **ret_sim,
                                           wrsim_error *err);

/* Starts the workers, pins them to cores that no other simulation holds (scheduler.pin; the calling thread is worker 0, and
 * pinned only inside of wrsim_run and wrsim_advance), tries whether the summary can be written, opens the result file, finds
 * start values, seals memory: after it the window loop allocates nothing. Returns WRSIM_OK, _E_IO, _E_DISK,
 * _E_MEMORY, _E_STATE, or what a model reports. */
WRSIM_API wrsim_status wrsim_prepare(wrsim *sim, wrsim_error *err);

/* Called between windows from then on; NULL switches it off. Returns WRSIM_OK, WRSIM_E_ARG, or WRSIM_E_STATE while the
 * simulation runs. Phase: any, between two advances, also after the first one. */
WRSIM_API wrsim_status wrsim_set_progress(wrsim *sim, wrsim_progress_fn progress, void *user);

/* Runs to the config's stop time. WRSIM_OK; WRSIM_INACCURATE: complete, but the error of splitting is
 * estimated above relaxation.error_limit (wrsim_error_account_get); WRSIM_STOPPED after wrsim_stop (call again to go on);
 * WRSIM_DEADLINE_MISSED: realtime.policy = "stop" has ended it (likewise); a
 * negative status with err filled: results up to there are kept. A split run that takes long makes a second simulation
 * of the same models, in this thread between two windows, to compare it with the work of one solver
 * (relaxation.max_work; WRSIM_E_CONTRACT). Never starts again as one subsystem
 * (relaxation.on_failure): the `wrsim` command does that. Real-time: no. */
WRSIM_API wrsim_status wrsim_run(wrsim *sim, wrsim_error *err);

/* Runs to time_s (s), exactly; a time not after the present one, or within eight roundings of it or a trillionth of a
 * communication step, does nothing; one that is not finite, or that a subsystem of fixed steps cannot reach, is WRSIM_E_ARG
 * and changes nothing. The
 * config's stop is where wrsim_run ends: time_s may lie beyond it, but not beyond a recording that is played: there the
 * run fails. As wrsim_run, but takes as long as it
 * takes: no second simulation is made. Real-time: yes, with models and integrators that are. */
WRSIM_API wrsim_status wrsim_advance(wrsim *sim, double time_s, wrsim_error *err);

/* Asks for a stop at the next window boundary, or at the last one where a window turns out to have very many events. Thread: any; async-signal-safe. */
WRSIM_API void wrsim_stop(wrsim *sim);

/* Present simulated time, s. */
WRSIM_API double wrsim_time(const wrsim *sim);

/* Index of "component.variable" for wrsim_get: an output, a continuous or discrete state, or an input, in that order where
 * several have the name; -1 if there is none (indicators and parameters have no index). Any thread. */
WRSIM_API int wrsim_find(const wrsim *sim, const char *name);

/* Values of n variables at the present time (wrsim_time), each in its own unit; after a failure those of the time up to
 * which results are kept (of subsystems that do not wait for one another: where each stands, that time or later). Outputs are evaluated, once for those of a subsystem that follow one another. An input has the value of the
 * output that drives it, else its start value. Of a subsystem that is played from a recording only inputs and the
 * outputs that others read are known, all else is NaN.
 * Allocates nothing. Returns WRSIM_OK, WRSIM_E_ARG if an index is out of range, WRSIM_E_STATE before wrsim_prepare and in a callback; the
 * values that are not to be had are NaN, with an output that cannot be evaluated all computed ones of its subsystem. By the thread that advances, between two advances. */
WRSIM_API wrsim_status wrsim_get_many(wrsim *sim, int n, const int *variable, double *ret_value);

/* The same for one; NaN where it is not to be had. */
WRSIM_API double wrsim_get(wrsim *sim, int variable);

/* Writes out and closes the result file, then writes the summary (output.json), which says whether the run
 * is complete and what ended it. Also after a failure or stop. Returns WRSIM_OK, or WRSIM_E_IO, _E_DISK,
 * _E_MEMORY for what wrsim_run and wrsim_advance have not returned before; WRSIM_E_STATE before
 * wrsim_prepare and the second time. */
WRSIM_API wrsim_status wrsim_finish(wrsim *sim, wrsim_error *err);

/* Frees all; accepts NULL and nulls the pointer. */
WRSIM_API void wrsim_destroy(wrsim **sim);

/* Statistics; arrays by index 0 .. n - 1. Return WRSIM_OK or WRSIM_E_ARG. */
WRSIM_API wrsim_status wrsim_stats_get(const wrsim *sim, wrsim_stats *ret_stats);
WRSIM_API wrsim_status wrsim_stats_subsystem(const wrsim *sim, int i, wrsim_subsystem_stats *ret);
/* Of connection i of wrsim_age_count(); 0 where nothing is slackened. WRSIM_E_ARG where there is none. */
WRSIM_API int wrsim_age_count(const wrsim *sim);
WRSIM_API wrsim_status wrsim_stats_age(const wrsim *sim, int i, wrsim_age *ret_age);
WRSIM_API wrsim_status wrsim_stats_worker(const wrsim *sim, int i, wrsim_worker_stats *ret);

/* Of a run against the wall clock: all steps, the worst ones, and the periods of a subsystem (ret_n_miss may be NULL).
 * Return WRSIM_OK or WRSIM_E_ARG. */
WRSIM_API wrsim_status wrsim_stats_realtime(const wrsim *sim, wrsim_realtime_stats *ret);
WRSIM_API wrsim_status wrsim_stats_worst(const wrsim *sim, int i, wrsim_worst_step *ret);
WRSIM_API wrsim_status wrsim_stats_compute(const wrsim *sim, int i_subsystem, wrsim_wall_times *ret,
                                           int64_t *ret_n_miss);

/* What splitting is believed to have cost in accuracy; ret stays the caller's, ret->subsystem is good until
 * wrsim_destroy. Returns WRSIM_OK or WRSIM_E_ARG. Thread: owner. Phase: any, between runs; before
 * wrsim_prepare all but the limit is 0. wrsim_run brings it up to the end, after wrsim_advance it may be some windows old. */
WRSIM_API wrsim_status wrsim_error_account_get(const wrsim *sim, wrsim_error_account *ret);

/* The structure as JSON: components, states, indicators, connections, algebraic loops, map of subsystems to workers,
 * warnings (as in the summary), and what a study of the split found. The caller frees it with free(); NULL when
 * out of memory. Phase: after create. */
WRSIM_API char *wrsim_structure(const wrsim *sim);

/* The run's summary as JSON, what the file output.json holds. is_complete is true only after wrsim_finish: before,
 * rows may still be to be written. The caller frees it with free(); NULL when out of memory. Phase: after prepare. */
WRSIM_API char *wrsim_summary(const wrsim *sim);

#ifdef __cplusplus
}
#endif
#endif
