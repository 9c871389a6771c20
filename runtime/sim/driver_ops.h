/* Operations of a driver, which advances the subsystems of a simulation. A new driver is a file pair with its row of
 * operations, and an entry in the table of driver.c.
 *
 * Thread: the simulation's owner, except stop(). Real-time: run(), as the code that it calls.
 */
#ifndef WR_DRIVER_OPS_H
#define WR_DRIVER_OPS_H

#include "base/state_io.h"
#include "runtime/sim/simulation.h"

typedef struct wr_driver_ops {
    unsigned schemes;       /* bits 1 << wr_scheme: values of relaxation.scheme that it serves */
    const char *error_noun; /* of the error that the account estimates: "splitting" */
    int has_windows;        /* one solver has none; counts tasks of workers */
    int has_error_account;  /* without slack.watch, too */

    /* Sets sim->driver_run, to be observed by sim->recording and sim->pacing. links: [n_subsystem] of the assembly.
     * 0, or -1: out of memory. */
    int (*place)(wrsim *sim, const wr_link *links);
    /* As wr_engine_start(), _check_end(), _run(), _stop(), _is_cut(), _time(), _opaque() and _state(). */
    wrsim_status (*start)(wrsim *sim, wrsim_error *err);
    wrsim_status (*check_end)(const wrsim *sim, double time_s, wrsim_error *err);
    wrsim_status (*run)(wrsim *sim, double time_s, wrsim_error *err);
    void (*stop)(wrsim *sim);
    int (*is_cut)(const wrsim *sim); /* NULL: never */
    double (*time)(const wrsim *sim);
    void (*close)(wrsim *sim); /* frees what is not in the arena; NULL: nothing */
    int (*opaque)(const wrsim *sim);
    void (*state)(wrsim *sim, wr_state_io *io);

    /* Accepted windows, or periods, and their sweeps. Also in observers. */
    int64_t (*windows)(const wrsim *sim);
    int64_t (*sweeps)(const wrsim *sim);

    /* Paces the run against the wall clock; NULL: it cannot be paced. */
    wrsim_status (*set_pace)(wrsim *sim, const wr_slack_pace *pace);
    int64_t (*jumps)(const wrsim *sim); /* of the clock; NULL as set_pace */

    /* Results, between runs. Each fills in what it knows. */
    void (*stats)(const wrsim *sim, wrsim_stats *stats);
    void (*account)(const wrsim *sim, wrsim_error_account *account);
    void (*close_account)(wrsim *sim); /* at the end of a whole run; NULL: nothing is left to do */
    wr_slack_left (*sweep_left)(const wrsim *sim, int i_subsystem); /* NULL: sweeps converge */
    /* Age of external input j; NULL: all inputs are of the present. */
    wr_slack_age (*age)(const wrsim *sim, int i_subsystem, int i_external);
    /* Names the coupling that converges worst, -1: none; NULL: the work of a run is known before. */
    void (*worst_coupling)(const wrsim *sim, int *ret_subsystem, int *ret_signal);
} wr_driver_ops;

/* Degree of prediction that the config asks for; -1: chosen per signal. */
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
