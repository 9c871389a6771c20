/* A simulation: create, prepare, run or advance, finish, destroy.
 *
 *     config -> wrsim_create -> wrsim_prepare -> (wrsim_run | wrsim_advance)* -> wrsim_finish
 *            -> wrsim_destroy
 *
 * A process may have several simulations, in one thread or several. One thread at a time owns a simulation; another thread may become the
 * owner between two calls. Any thread or signal handler may call wrsim_stop. A call out of order returns WRSIM_E_STATE, names the missing
 * call in err, and changes nothing. While the simulation runs, calls by other threads and by callbacks also return WRSIM_E_STATE.
 * Exceptions for callbacks are wrsim_stop, wrsim_time, and functions that read statistics and ports. wrsim_destroy then only requests a
 * stop. docs/reference/calls.md has the order of calls.
 *
 * A forked child process has no workers. The child may exec or exit, but must not use a simulation that was prepared before the fork. If
 * the size of files is limited (RLIMIT_FSIZE), the host must ignore SIGXFSZ. Then a file that becomes too large gives WRSIM_E_DISK instead
 * of ending the process.
 *
 * Units: simulated time in seconds (double), wall time in the unit of the name. */
#ifndef WRSIM_SIM_H
#define WRSIM_SIM_H

#include "wrsim/config.h"
#include "wrsim/host.h"
#include "wrsim/model.h"
#include "wrsim/observer.h"
#include "wrsim/stats.h"
#include "wrsim/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wrsim wrsim; /* a simulation; opaque */

/* Progress of a run. wrsim passes the progress to a callback on a worker thread, between windows. The callback must be short. */
typedef struct wrsim_progress {
    double time_s, stop_s;     /* present simulated time and the config's stop time, s */
    int64_t n_window, n_sweep; /* accepted windows and their sweeps since the start */
    double start_s;            /* the config's start time, s */
} wrsim_progress;
/* Receives the progress of a run; see wrsim_progress. */
typedef void (*wrsim_progress_fn)(void *user, const wrsim_progress *progress);

/* Builds components, connections and subsystems from a config; calls only describe() of the models. If simulation.monolithic is still
 * "auto" (wrsim/study.h decides the value), the call returns WRSIM_E_CONFIG. report (may be NULL) receives all errors of the config; err
 * (may be NULL) receives the first error. The caller may destroy the config afterwards. On success the caller owns *ret_sim. Returns
 * WRSIM_OK, WRSIM_E_ARG (config or ret_sim is NULL), _E_CONFIG, _E_GRAPH, _E_MODEL, _E_PLUGIN, _E_IO (a recording), _E_MEMORY. Phase:
 * setup. */
WRSIM_API wrsim_status wrsim_create(const wrsim_config *config, wrsim_report_fn report, void *user,
                                    wrsim **ret_sim, wrsim_error *err);

/* Creates a simulation as wrsim_create does, for a host with a logger, an allocator, a clock or models of its own (wrsim/host.h). host may
 * be NULL. The call copies the struct; the objects that the struct points to must stay valid as long as the simulation and its snapshots.
 * Also returns WRSIM_E_ARG if size_bytes is wrong, an unknown later member is not 0, or one function of a pair is missing. */
WRSIM_API wrsim_status wrsim_create_hosted(const wrsim_config *config, const wrsim_host *host,
                                           wrsim_report_fn report, void *user, wrsim **ret_sim,
                                           wrsim_error *err);

/* Starts the workers, checks that the summary can be written, opens the result file and finds start values. The call allocates all
 * memory of the run; from then on the window loop allocates nothing. With scheduler.pin the call pins workers, without scheduler.cores
 * only to cores that no other simulation has locked. The calling thread of a run is worker 0, pinned only within wrsim_run and
 * wrsim_advance. Returns WRSIM_OK, WRSIM_E_CONFIG (a module is missing), _E_IO, _E_DISK, _E_MEMORY, _E_STATE, _E_PRIVILEGE
 * (realtime.strict), or the error of a model. */
WRSIM_API wrsim_status wrsim_prepare(wrsim *sim, wrsim_error *err);

/* Sets a function that the simulation calls between windows; NULL removes the function. Returns WRSIM_OK, WRSIM_E_ARG, or WRSIM_E_STATE
 * while the simulation runs. Phase: any, between two advances, also after the first advance. */
WRSIM_API wrsim_status wrsim_set_progress(wrsim *sim, wrsim_progress_fn progress, void *user);

/* Sets the observer of a simulation (wrsim/observer.h) from now on; the observer replaces an earlier observer. NULL removes the observer.
 * Returns WRSIM_OK, or WRSIM_E_ARG if sim is NULL, size_bytes is wrong, or an unknown later member is not 0. Returns WRSIM_E_STATE while
 * the simulation runs and after wrsim_finish. Thread: owner. Phase: after create, between two advances. */
WRSIM_API wrsim_status wrsim_observe(wrsim *sim, const wrsim_observer *observer, wrsim_error *err);

/* Runs to the config's stop time. Returns WRSIM_OK, or WRSIM_INACCURATE if the run is complete but the estimated splitting error is above
 * relaxation.error_limit (wrsim_error_account_get). If an event ends the run (WRSIM_TERMINATE in wrsim/model.h), the run is complete at
 * the time of this event. Further calls then return WRSIM_OK at once. Returns WRSIM_STOPPED after wrsim_stop, WRSIM_DEADLINE_MISSED after
 * a stop by realtime.policy = "stop", and WRSIM_DELAY_EXCEEDED after a stop by slack.on_loc or slack.on_glo. A further call continues a
 * stopped run. A negative status fills err; results up to the failure stay. During a long split run, between two windows, this thread may
 * simulate the same models as one subsystem to compare the work (relaxation.max_work; WRSIM_E_CONTRACT). Only the `wrsim` command starts
 * again as one subsystem (relaxation.on_failure). Real-time: no. */
WRSIM_API wrsim_status wrsim_run(wrsim *sim, wrsim_error *err);

/* Runs exactly to time_s (s). If time_s is at most the present time plus eight roundings, or plus 1e-12 communication steps, the time
 * does not advance. If time_s is not finite, or a subsystem with fixed steps cannot end at time_s, the call returns WRSIM_E_ARG and
 * changes nothing. time_s may be later than the config's stop time. If a played recording ends before time_s, the run fails. Otherwise
 * the call is as wrsim_run, but never creates a second simulation to compare the work. Real-time: yes, if models and solvers are. */
WRSIM_API wrsim_status wrsim_advance(wrsim *sim, double time_s, wrsim_error *err);

/* Requests a stop at the end of the present window, or at the window's start if the window has very many events. Thread: any;
 * async-signal-safe. */
WRSIM_API void wrsim_stop(wrsim *sim);

/* Returns the present simulated time, s, the config's start time before wrsim_prepare, or NaN if sim is NULL. Thread: owner, also in its
 * callbacks. */
WRSIM_API double wrsim_time(const wrsim *sim);

/* Returns the index of "component.variable" for wrsim_get: an output, a continuous or discrete state, or an input.
 * If several variables have the name, this order decides. Returns -1 if no variable has the name; indicators and
 * parameters have no index. Thread: any. */
WRSIM_API int wrsim_find(const wrsim *sim, const char *name);

/* Finds n variables as wrsim_find() does. Returns WRSIM_OK, or WRSIM_E_ARG if an argument is NULL or a name is unknown. err (may be NULL)
 * then has the unknown name and the most similar name, and ret_variable is unchanged. Thread: owner. Real-time: no. */
WRSIM_API wrsim_status wrsim_find_many(const wrsim *sim, int n, const char *const *name,
                                       int *ret_variable, wrsim_error *err);

/* A variable of a simulation; the simulation owns the strings. */
typedef struct wrsim_named_variable {
    const char *component;   /* name of its component in the config */
    const char *name;        /* name in the model; wrsim_find() takes "component.name" */
    const char *unit;        /* unit; "": not declared */
    const char *description; /* one line; "": none */
    wrsim_kind kind;         /* state, discrete state, input or output */
    int variable;            /* index for wrsim_get() */
} wrsim_named_variable;

/* Returns the number of variables with an index for wrsim_get(), or 0 if sim is NULL. Phase: after create. */
WRSIM_API int wrsim_variable_count(const wrsim *sim);

/* Describes variable i, from 0 to wrsim_variable_count() less 1. Returns WRSIM_OK, or WRSIM_E_ARG if ret is NULL or i is out of range.
 * Phase: after create. */
WRSIM_API wrsim_status wrsim_variable_info(const wrsim *sim, int i, wrsim_named_variable *ret);

/* Reads n variables at the present time (wrsim_time), each in its unit. After a failure the time is the end of the kept results; for
 * subsystems of a slackened run the time may be later. The call evaluates outputs; consecutive outputs of one subsystem share one
 * evaluation. An input has the value of its driving output, else its start value. If a recording replaces a subsystem, only the inputs and
 * coupled outputs of the subsystem have values. All other values, and all computed outputs of a subsystem after a failed evaluation, are
 * NaN. If a model without rollback has failed, subsystems at another time have no values. The call allocates nothing. Returns WRSIM_OK,
 * WRSIM_E_ARG if an index is out of range, WRSIM_E_STATE before wrsim_prepare and in a callback. Thread: owner, between two advances. */
WRSIM_API wrsim_status wrsim_get_many(wrsim *sim, int n, const int *variable, double *ret_value);

/* Returns the value of one variable like wrsim_get_many, or NaN if the variable has no value. */
WRSIM_API double wrsim_get(wrsim *sim, int variable);

/* Completes and closes the result file, then writes the summary (output.json), which states whether the run is complete and why
 * the run ended. The call is also allowed after a failure or stop. Returns WRSIM_OK; WRSIM_E_IO, _E_DISK or _E_MEMORY for
 * failures that wrsim_run and wrsim_advance have not returned; WRSIM_E_STATE before wrsim_prepare and in a second call. */
WRSIM_API wrsim_status wrsim_finish(wrsim *sim, wrsim_error *err);

/* Stops the workers, frees the simulation and sets *sim to NULL. sim and *sim may be NULL. In a callback the call only requests a stop and
 * leaves *sim unchanged. */
WRSIM_API void wrsim_destroy(wrsim **sim);

/* Copies the statistics of the simulation into *ret_stats. This function and the other wrsim_stats functions return
 * WRSIM_OK, or WRSIM_E_ARG if an argument is NULL or a number is out of range. Strings in a result are valid until
 * wrsim_destroy. Thread: owner, also in its callbacks. Phase: after prepare, also after a failure. */
WRSIM_API wrsim_status wrsim_stats_get(const wrsim *sim, wrsim_stats *ret_stats);
/* Copies the statistics of subsystem i, from 0 to n_subsystem less 1. */
WRSIM_API wrsim_status wrsim_stats_subsystem(const wrsim *sim, int i, wrsim_subsystem_stats *ret);
/* Copies the points of subsystem i, from 0 to n_subsystem less 1, into an array of the caller with one entry per purpose. All members are 0
 * if simulation.points is "off". Returns WRSIM_OK, or WRSIM_E_ARG for another i or a NULL pointer. */
WRSIM_API wrsim_status wrsim_stats_points(const wrsim *sim, int i,
                                          wrsim_points ret[WRSIM_PURPOSE_COUNT]);
/* Returns the number of connections with an age, or 0 if the run is not slackened. */
WRSIM_API int wrsim_age_count(const wrsim *sim);
/* Copies the ages of connection i, from 0 to wrsim_age_count() less 1. */
WRSIM_API wrsim_status wrsim_stats_age(const wrsim *sim, int i, wrsim_age *ret_age);
/* Copies the statistics of worker i, from 0 to n_worker less 1. */
WRSIM_API wrsim_status wrsim_stats_worker(const wrsim *sim, int i, wrsim_worker_stats *ret);

/* Copies the statistics of a run against the wall clock. */
WRSIM_API wrsim_status wrsim_stats_realtime(const wrsim *sim, wrsim_realtime_stats *ret);
/* Copies the i-th worst step, from 0 to n_worst less 1. */
WRSIM_API wrsim_status wrsim_stats_worst(const wrsim *sim, int i, wrsim_worst_step *ret);
/* Copies the computing times of the periods of a subsystem, and the number of missed periods (ret_n_miss may be NULL). */
WRSIM_API wrsim_status wrsim_stats_compute(const wrsim *sim, int i_subsystem, wrsim_wall_times *ret,
                                           int64_t *ret_n_miss);

/* Estimates the splitting error. The caller owns ret; ret->subsystem is valid until wrsim_destroy. Returns WRSIM_OK or WRSIM_E_ARG.
 * Before wrsim_prepare all members except the limit are 0 or "". wrsim_run updates the estimate at the stop time; before, the
 * estimate may be some windows old. Thread: owner. Phase: any, between runs. */
WRSIM_API wrsim_status wrsim_error_account_get(const wrsim *sim, wrsim_error_account *ret);

/* Returns the structure as JSON: subsystems (solver, worker, components, algebraic loops, numbers of states and indicators), connections,
 * unconnected inputs, ports, scenarios, histories, warnings, and the result of a study of the split. Returns NULL when memory is exhausted.
 * The caller frees the text with free(). Phase: after create. */
WRSIM_API char *wrsim_structure(const wrsim *sim);

/* Returns the summary as JSON, as in the file output.json. Returns NULL before wrsim_prepare and when memory is exhausted. is_complete is
 * true only after wrsim_finish, because rows may still be unwritten before. The caller frees the text with free(). Phase: after prepare. */
WRSIM_API char *wrsim_summary(const wrsim *sim);

#ifdef __cplusplus
}
#endif
#endif
