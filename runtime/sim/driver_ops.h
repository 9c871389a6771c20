/* Operations of a driver, which advances the subsystems of a simulation. A new driver is a file with its row of
 * operations, and an entry in runtime/config/scheme_list.h.
 *
 * Thread: the simulation's owner, except stop(). Real-time: run(), stop(), state(), time(), windows() and sweeps().
 */
#ifndef WR_DRIVER_OPS_H
#define WR_DRIVER_OPS_H

#include "base/state_io.h"
#include "runtime/sim/simulation.h"
#include "runtime/slack/slack.h"

typedef struct wr_driver_ops {
    const char *error_noun; /* name of the error in the account: "splitting" */
    int has_windows;        /* 1: the summary lists windows and times of workers; 0: periods */
    int has_error_account;  /* the driver has an error account even without slack.watch */

    /* Sets sim->driver_run, which calls sim->observers. links: [n_subsystem] of the assembly. Returns 0, or -1 when out of memory. */
    int (*place)(wrsim *sim, const wr_wiring *links);
    /* Operations with the contracts of wr_engine_start(), _check_end(), _run(), _stop(), _is_cut(), _time(), _opaque() and _state(). */
    wrsim_status (*start)(wrsim *sim, wrsim_error *err);
    wrsim_status (*check_end)(const wrsim *sim, double time_s, wrsim_error *err);
    wrsim_status (*run)(wrsim *sim, double time_s, wrsim_error *err);
    void (*stop)(wrsim *sim);
    int (*is_cut)(const wrsim *sim); /* NULL: the driver cuts no run */
    double (*time)(const wrsim *sim);
    void (*close)(wrsim *sim); /* frees memory outside of the arena; NULL: not needed */
    /* Sets the host's observer; NULL: none. Call between runs. */
    void (*observe)(wrsim *sim, const wrsim_observer *observer);
    int (*opaque)(const wrsim *sim);
    void (*state)(wrsim *sim, wr_state_io *io);

    /* Return the numbers of accepted windows or periods, and of their sweeps. Observers may call windows() and sweeps(). */
    int64_t (*windows)(const wrsim *sim);
    int64_t (*sweeps)(const wrsim *sim);

    /* Paces the run against the wall clock; NULL: the driver cannot pace. */
    wrsim_status (*set_pace)(wrsim *sim, const wr_slack_pace *pace);
    int64_t (*jumps)(const wrsim *sim); /* jumps of the wall clock; NULL if set_pace is NULL */

    /* Fill the results that apply to the driver, between runs. */
    void (*stats)(const wrsim *sim, wrsim_stats *stats);
    void (*account)(const wrsim *sim, wrsim_error_account *account); /* NULL: no account */
    void (*close_account)(wrsim *sim); /* completes the account of a whole run; NULL: not needed */
    /* Returns the largest change in the last sweep of a period; NULL: sweeps converge. */
    wr_slack_left (*sweep_left)(const wrsim *sim, int i_subsystem);
    /* Returns the age of input i_external of a subsystem. NULL: the driver has no stale inputs. */
    wr_slack_age (*age)(const wrsim *sim, int i_subsystem, int i_external);
    /* Finds the signal with the largest residual in the last sweep; -1: none. NULL: the driver does not iterate to convergence. */
    void (*worst_coupling)(const wrsim *sim, int *ret_subsystem, int *ret_signal);
} wr_driver_ops;

/* Relaxed runs (runtime/relax), slackened runs with delay errors (runtime/slack), and all further drivers of the list. */
#define WR_DRIVER_DECLARE(NAME, value, driver, relaxes, help)                                      \
    extern const wr_driver_ops wr_##driver##_driver;
WR_SCHEME_LIST(WR_DRIVER_DECLARE, WR_DRIVER_DECLARE)
#undef WR_DRIVER_DECLARE

/* Defines the operations that pass sim->driver_run to the functions of a driver's object, such as wr_engine_start(). */
#define WR_DRIVER_CALLS(object)                                                                    \
    static wrsim_status start(wrsim *sim, wrsim_error *err)                                        \
    {                                                                                              \
        return object##_start(sim->driver_run, err);                                               \
    }                                                                                              \
    static wrsim_status check_end(const wrsim *sim, double time_s, wrsim_error *err)               \
    {                                                                                              \
        return object##_check_end(sim->driver_run, time_s, err);                                   \
    }                                                                                              \
    static wrsim_status run(wrsim *sim, double time_s, wrsim_error *err)                           \
    {                                                                                              \
        return object##_run(sim->driver_run, time_s, err);                                         \
    }                                                                                              \
    static void observe(wrsim *sim, const wrsim_observer *observer)                                \
    {                                                                                              \
        object##_set_host_observer(sim->driver_run, observer);                                     \
    }                                                                                              \
    static void stop(wrsim *sim) { object##_stop(sim->driver_run); }                               \
    static double time_of(const wrsim *sim) { return object##_time(sim->driver_run); }             \
    static int opaque(const wrsim *sim) { return object##_opaque(sim->driver_run); }               \
    static void pass_state(wrsim *sim, wr_state_io *io) { object##_state(sim->driver_run, io); }

/* Members of wr_driver_ops for the functions of WR_DRIVER_CALLS. */
#define WR_DRIVER_CALL_ROWS                                                                        \
    .start = start, .check_end = check_end, .run = run, .observe = observe, .stop = stop,          \
    .time = time_of, .opaque = opaque, .state = pass_state

/* Returns the degree of prediction in the config; -1: the prediction chooses a degree per signal. */
static inline int wr_driver_ops_degree(const wr_settings *set)
{
    static const int degrees[WR_PREDICT_COUNT] = {[WR_PREDICT_AUTO] = -1,
                                                  [WR_PREDICT_HOLD] = 0,
                                                  [WR_PREDICT_LINEAR] = 1,
                                                  [WR_PREDICT_QUADRATIC] = 2,
                                                  [WR_PREDICT_CUBIC] = 3};
    return degrees[set->relaxation.prediction];
}

#endif
