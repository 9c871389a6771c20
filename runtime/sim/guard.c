/* No endless run. See guard.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/sim/guard.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "runtime/sim/probe.h"

/* Below this much work, which is most of a second, nobody needs a guard; nor does a run that will end within
 * some seventy times that if it goes on as it did. */
static const double LEAST_WORK = 2e9, LEAST_RUN = 1.5e11;

/* Windows of the twin: they begin short and grow by twos, so that its budget, which is looked at after each, is never
 * exceeded by much. */
static const double FIRST_PART = 1e-9, TWIN_WINDOW = 64.0; /* of the run; in communication points */

/* Of the whole run, if it goes on as it did. */
static double work_to_come(const wrsim *sim, double work)
{
    const wr_set_simulation *const set = &sim->settings->simulation;
    const double done_s = wrsim_time(sim) - set->start_s;
    return done_s > 0.0 ? work * (set->stop_s - set->start_s) / done_s : (double)INFINITY;
}

static void stop_at_budget(void *user, const wrsim_progress *progress)
{
    const wr_guard *const guard = user;
    (void)progress;
    /* relaxed: a flag and no more. */
    if (wr_probe_least_work(guard->twin) >= guard->budget ||
        atomic_load_explicit(&guard->sim->is_stop_asked, memory_order_relaxed))
        wrsim_stop(guard->twin);
}

static void open_twin(wr_guard *guard, const wrsim *sim)
{
    wr_settings set = *sim->settings;
    guard->limit = (double)INFINITY;
    guard->is_off = !wr_probe_is_fit(sim);
    if (guard->is_off)
        return;
    wr_probe_merge(&set, wr_probe_rtol(sim));
    /* One solver needs no windows: what short ones cost is the split's. */
    wr_set_relaxation *const r = &set.relaxation;
    r->window_control = WR_WINDOW_RATIO;
    r->window_max_s = wr_max(r->window_max_s, TWIN_WINDOW * set.simulation.communication_step_s);
    r->window_initial_s =
        wr_min(r->window_max_s, FIRST_PART * (set.simulation.stop_s - set.simulation.start_s));
    r->window_min_s = wr_min(r->window_min_s, r->window_initial_s);
    guard->is_off = wr_probe_open(&set, &guard->twin, NULL) < 0 ||
                    wrsim_set_progress(guard->twin, stop_at_budget, guard) < 0;
}

int wr_guard_is_endless(wr_guard *guard, const wrsim *sim)
{
    const wr_set_simulation *const set = &sim->settings->simulation;
    const double work = wr_probe_least_work(sim), most = sim->settings->relaxation.max_work;
    if (guard->is_off ||
        (!guard->twin && (work < LEAST_WORK || work_to_come(sim, work) < LEAST_RUN)))
        return 0;
    if (!guard->twin)
        open_twin(guard, sim);
    if (!guard->is_off && !isfinite(guard->limit)) {
        guard->budget = work / most;
        guard->sim = sim;
        if (wr_probe_least_work(guard->twin) >= guard->budget)
            return 0;
        const wrsim_status status = wrsim_advance(guard->twin, set->stop_s, NULL);
        guard->is_off = status < 0;
        if (status == WRSIM_OK)
            guard->limit = most * wr_probe_least_work(guard->twin);
    }
    return !guard->is_off && work > guard->limit;
}

wrsim_status wr_guard_explain(const wr_guard *guard, const wrsim *sim, wrsim_error *err)
{
    const wr_set_simulation *const set = &sim->settings->simulation;
    const wr_engine_stats *const stats = wr_engine_stats_get(sim->engine);
    const double done_s = wrsim_time(sim) - set->start_s, n = (double)stats->n_window;
    int i_part, i_signal;
    wr_engine_worst_coupling(sim->engine, &i_part, &i_signal);
    const wr_member *const m = i_part >= 0 ? &sim->assembly->member[i_part] : NULL;
    char what[256] = "what is coupled tightly";
    if (m)
        snprintf(what, sizeof what, "'%s', whose waveform moves most, and what it drives",
                 m->signal_name[i_signal]);
    wr_error_set(err, WRSIM_E_CONTRACT,
                 "the split run has taken %.4g times the work that one solver takes for all of it "
                 "(relaxation.max_work = %.10g): windows of %.3g s with %.3g sweeps each, %.2g %% "
                 "of the way; "
                 "put %s into one subsystem, or run it with --monolithic",
                 wr_probe_least_work(sim) / wr_probe_least_work(guard->twin),
                 sim->settings->relaxation.max_work, done_s / n, (double)stats->n_sweep / n,
                 100.0 * done_s / (set->stop_s - set->start_s), what);
    err->time_s = wrsim_time(sim);
    if (m)
        snprintf(err->subsystem, sizeof err->subsystem, "%s", m->name);
    return err->status;
}

void wr_guard_done(wr_guard *guard) { wrsim_destroy(&guard->twin); }
