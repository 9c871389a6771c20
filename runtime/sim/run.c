/* wrsim_run: to the end, unless the run is endless.
 *
 * What a split run has taken is held against what one solver takes for all of it.
 * Couplings that do not contract end a run with an error; windows that must be very short, or need very many
 * sweeps, do not, and may take years. Nothing estimates beforehand what one solver would take: a twin of the
 * run, in one subsystem, follows with the permitted part of the run's work until it has reached the end.
 * Then the limit is known exactly, and no run is ended before it.
 *
 * Thread: one owner. Real-time: no (wrsim_run only; wrsim_advance has no guard).
 */
#include <math.h>
#include <stdio.h>

#include "base/fp_mode.h"
#include "runtime/sim/drive.h"
#include "runtime/sim/probe.h"

/* Below this much work, which is most of a second, nobody needs a guard; nor does a run that will end within
 * some seventy times that if it goes on as it did. */
static const double LEAST_WORK = 2e9, LEAST_RUN = 1.5e11;

typedef struct guard {
    wrsim *twin;
    const wrsim *sim; /* whose stop the twin heeds */
    double budget;    /* counted work that the twin may take */
    double limit;     /* of the run; inf until the twin has reached the end */
    int is_off;
} guard;

/* Of the whole run, if it goes on as it did. */
static double work_to_come(const wrsim *sim, double work)
{
    const wr_set_simulation *const set = &sim->settings->simulation;
    const double done_s = wrsim_time(sim) - set->start_s;
    return done_s > 0.0 ? work * (set->stop_s - set->start_s) / done_s : (double)INFINITY;
}

static void stop_at_budget(void *user, const wrsim_progress *progress)
{
    const guard *const g = user;
    (void)progress;
    /* relaxed: a flag and no more. */
    if (wr_probe_least_work(g->twin) >= g->budget ||
        atomic_load_explicit(&g->sim->is_stop_asked, memory_order_relaxed))
        wrsim_stop(g->twin);
}

static void open_twin(guard *g, const wrsim *sim)
{
    wr_settings set = *sim->settings;
    g->limit = (double)INFINITY;
    g->is_off = !wr_probe_is_fit(sim);
    if (g->is_off)
        return;
    wr_probe_merge(&set, wr_probe_rtol(sim));
    g->is_off = wr_probe_open(&set, &sim->memory, &g->twin, NULL) < 0 ||
                wrsim_set_progress(g->twin, stop_at_budget, g) < 0;
}

/* Has sim, which stands between two windows, taken too much work? Lets the twin follow. A twin is made only
 * for a run that will take long; where it cannot be, or fails, the answer is always no. */
static int is_endless(guard *g, const wrsim *sim)
{
    const wr_set_simulation *const set = &sim->settings->simulation;
    const double work = wr_probe_least_work(sim), most = sim->settings->relaxation.max_work;
    if (g->is_off || (!g->twin && (work < LEAST_WORK || work_to_come(sim, work) < LEAST_RUN)))
        return 0;
    if (!g->twin)
        open_twin(g, sim);
    if (!g->is_off && !isfinite(g->limit)) {
        g->budget = work / most;
        g->sim = sim;
        if (wr_probe_least_work(g->twin) >= g->budget)
            return 0;
        const wrsim_status status = wrsim_advance(g->twin, set->stop_s, NULL);
        g->is_off = status < 0;
        if (status == WRSIM_OK)
            g->limit = most * wr_probe_least_work(g->twin);
    }
    return !g->is_off && work > g->limit;
}

/* What then is to be said. */
static wrsim_status explain(const guard *g, const wrsim *sim, wrsim_error *err)
{
    const wr_set_simulation *const set = &sim->settings->simulation;
    const wr_engine_stats *const stats = wr_engine_stats_get(sim->engine);
    const double done_s = wrsim_time(sim) - set->start_s, n = (double)stats->n_window;
    int i_part, i_signal;
    wr_engine_worst_coupling(sim->engine, &i_part, &i_signal);
    const wr_setup *const m = i_part >= 0 ? &sim->assembly->setup[i_part] : NULL;
    char what[256] = "what is coupled tightly";
    if (m)
        snprintf(what, sizeof what, "'%s', whose waveform moves most, and what it drives",
                 m->signal_name[i_signal]);
    wr_error_set(err, WRSIM_E_CONTRACT,
                 "the split run has taken %.4g times the work that one solver takes for all of it "
                 "(relaxation.max_work = %.10g): windows of %.3g s with %.3g sweeps each, %.2g %% "
                 "of the way; "
                 "put %s into one subsystem, or run it with --monolithic",
                 wr_probe_least_work(sim) / wr_probe_least_work(g->twin),
                 sim->settings->relaxation.max_work, done_s / n, (double)stats->n_sweep / n,
                 100.0 * done_s / (set->stop_s - set->start_s), what);
    err->time_s = wrsim_time(sim);
    if (m)
        snprintf(err->subsystem, sizeof err->subsystem, "%s", m->name);
    return err->status;
}

/* ---- the run ---- */

/* To the end, but for an endless run: that is looked at after so many windows, and again when there are some more. */
static wrsim_status run_guarded(wrsim *sim, wrsim_error *err)
{
    static const double FIRST_LOOK = 1000.0, NEXT_LOOK = 1.1;
    const double n_before = (double)wr_drive_windows(sim);
    /* Slackened synchronisation iterates nothing: its work is known. */
    guard g = {.limit = (double)INFINITY, .is_off = sim->slack || sim->assembly->n_subsystem < 2};
    wrsim_error failure = {0};
    wrsim_status status;
    for (double n_window = n_before + FIRST_LOOK;; n_window *= NEXT_LOOK) {
        sim->pause_window = g.is_off ? 0 : (int64_t)n_window;
        status = wrsim_advance(sim, sim->settings->simulation.stop_s, err);
        if (status != WRSIM_STOPPED || !sim->is_paused)
            break;
        sim->is_paused = 0;
        if (wrsim_time(sim) < sim->settings->simulation.stop_s && is_endless(&g, sim)) {
            explain(&g, sim, &failure);
            status = wr_simulation_fail(sim, &failure, err);
            break;
        }
    }
    sim->pause_window = 0;
    wrsim_destroy(&g.twin);
    return status;
}

wrsim_status wrsim_run(wrsim *sim, wrsim_error *err)
{
    const wrsim_status order = wr_simulation_check(sim, WR_SIM_PREPARED, "wrsim_run", err);
    if (order < 0)
        return order;
    const wrsim_status status = run_guarded(sim, err);
    if (status != WRSIM_OK)
        return status;
    const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN); /* models are called */
    if (sim->engine)
        wr_engine_error_close(sim->engine);
    wr_fp_mode_restore(before);
    wrsim_error_account account;
    wrsim_error_account_get(sim, &account);
    return account.is_above ? WRSIM_INACCURATE : WRSIM_OK;
}
