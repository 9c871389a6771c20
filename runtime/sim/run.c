/* wrsim_run(): runs to the end, unless the run is endless. A run with very short windows or very many sweeps ends with
 * no error, but may take years. So a guard compares the work of the split run with the work of one solver for the whole
 * model. A twin of the run, in one subsystem, measures that work. Until the twin reaches the end, the twin takes a
 * hundredth of the run's work, or more if relaxation.max_work is below 100. The guard ends a run after relaxation.max_work times
 * the twin's work, or earlier if the run exceeds that limit at its present pace. The guard measures the pace over at least the
 * last half of the work, so a phase of short windows counts only during the phase. Work is a count and no clock time, so the
 * guard ends a run in the same window with any number of workers.
 *
 * Thread: one owner. Real-time: no (wrsim_run only; wrsim_advance has no guard). */
#include "runtime/sim/run.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "base/check.h"
#include "base/fp_mode.h"
#include "runtime/sim/build_simulation.h"
#include "runtime/sim/driver.h"

/* Limits in instructions. A run below LEAST_WORK, about a second, needs no guard (docs/lab/2026-11-23-split-or-monolithic.md). A run that
 * ends below LEAST_RUN, about a minute, at its present pace needs no guard either. */
static const double LEAST_WORK = 2e9, LEAST_RUN = 1.5e11;
/* Least ratio (assumed) of the run's work to the work of one solver at which the guard ends a slow run, unless relaxation.max_work is less.
 * With this ratio the twin takes a hundredth of the run's work. */
static const double LEAST_RATIO = 100.0;

/* Progress of a run between two windows. */
typedef struct mark {
    double work, time_s;
    double n_window, n_sweep;
} mark;

typedef struct guard {
    wrsim *twin;
    const wrsim *sim; /* a stop of this run stops the twin */
    double budget;    /* largest counted work of the twin */
    double one; /* work of one solver for the whole model; inf until the twin has reached the end */
    mark older; /* start of the measured pace, at most half of the present work */
    mark old;   /* becomes `older` when the work has doubled */
    int is_off;
} guard;

static mark mark_now(const wrsim *sim)
{
    return (mark){.work = wr_run_own_work(sim),
                  .time_s = wrsim_time(sim),
                  .n_window = (double)sim->driver->windows(sim),
                  .n_sweep = (double)sim->driver->sweeps(sim)};
}

/* Returns the work of the whole run at its present pace. */
static double work_at_pace(const guard *g, const wrsim *sim, const mark *now)
{
    const double done_s = now->time_s - g->older.time_s;
    const double left_s = sim->settings->simulation.stop_s - now->time_s;
    return now->work +
           (done_s > 0.0 ? (now->work - g->older.work) * left_s / done_s : (double)INFINITY);
}

static void stop_at_budget(void *user, const wrsim_progress *progress)
{
    const guard *const g = user;
    (void)progress;
    /* relaxed, because the flag guards no other data */
    if (wr_run_own_work(g->twin) >= g->budget ||
        atomic_load_explicit(&g->sim->is_stop_asked, memory_order_relaxed))
        wrsim_stop(g->twin);
}

/* Creates the twin and advances the twin up to the budget. A twin that cannot be created, or that fails, turns the guard off. */
static void follow(guard *g, const wrsim *sim, double budget)
{
    if (!g->twin) {
        wr_settings set = *sim->settings;
        wr_run_make_monolithic(&set, 0.0);
        g->is_off = !wr_run_is_small(sim) || wr_run_open_second(&set, sim, &g->twin, NULL) < 0 ||
                    wrsim_set_progress(g->twin, stop_at_budget, g) < 0;
    }
    if (g->is_off || isfinite(g->one) || wr_run_own_work(g->twin) >= budget)
        return;
    g->budget = budget;
    g->sim = sim;
    const wrsim_status status = wrsim_advance(g->twin, sim->settings->simulation.stop_s, NULL);
    g->is_off = status < 0;
    if (status == WRSIM_OK)
        g->one = wr_run_own_work(g->twin);
}

/* Returns 1 if the work of sim exceeds the lesser of max_work and LEAST_RATIO, and the work of the whole run will exceed max_work. Unit:
 * the work of one solver. sim is between two windows. */
static int is_endless(guard *g, const wrsim *sim)
{
    const double most = sim->settings->relaxation.max_work, soon = wr_min(most, LEAST_RATIO);
    const mark now = mark_now(sim);
    if (now.work >= 2.0 * g->old.work) {
        g->older = g->old;
        g->old = now;
    }
    const double whole = work_at_pace(g, sim, &now);
    if (now.work < LEAST_WORK || whole < LEAST_RUN)
        return 0;
    follow(g, sim, now.work / soon);
    return !g->is_off && now.work > soon * g->one && whole > most * g->one;
}

/* Sets the error of an endless run. */
static wrsim_status explain(const guard *g, const wrsim *sim, wrsim_error *err)
{
    const wr_set_simulation *const set = &sim->settings->simulation;
    const mark now = mark_now(sim);
    const double n = now.n_window - g->older.n_window;
    int i_part, i_signal;
    sim->driver->worst_coupling(sim, &i_part, &i_signal);
    const wr_setup *const m = i_part >= 0 ? &sim->assembly->setup[i_part] : NULL;
    char what[256] = "the tightly coupled components";
    if (m)
        snprintf(what, sizeof what, "'%s', whose waveform changes most, and its readers",
                 m->link.signal_name[i_signal]);
    wr_error_set(err, WRSIM_E_CONTRACT,
                 "at its present pace the split run needs %.4g times the work of one solver, above "
                 "relaxation.max_work = %.10g. Windows of %.3g s with %.3g sweeps took %.4g times "
                 "this work for %.2g %% of the run. Put %s into one subsystem, or set "
                 "simulation.monolithic = true",
                 work_at_pace(g, sim, &now) / g->one, sim->settings->relaxation.max_work,
                 (now.time_s - g->older.time_s) / n, (now.n_sweep - g->older.n_sweep) / n,
                 now.work / g->one,
                 100.0 * (now.time_s - set->start_s) / (set->stop_s - set->start_s), what);
    err->time_s = wrsim_time(sim);
    if (m)
        snprintf(err->subsystem, sizeof err->subsystem, "%s", m->name);
    return err->status;
}

/* ---- the run ---- */

/* Runs to the end, or until the guard finds the run endless. The guard checks after FIRST (assumed) windows, and again each time the
 * number of windows has grown by the factor NEXT (assumed). */
static wrsim_status run_guarded(wrsim *sim, wrsim_error *err)
{
    static const double FIRST = 100.0, NEXT = 1.25;
    const double n_before = (double)sim->driver->windows(sim);
    /* A driver that does not iterate to convergence needs no guard. */
    guard g = {.one = (double)INFINITY,
               .is_off = !sim->driver->worst_coupling || sim->assembly->n_subsystem < 2 ||
                         !(sim->settings->relaxation.max_work > 0.0)};
    g.older.time_s = g.old.time_s = sim->settings->simulation.start_s;
    wrsim_error failure = {0};
    wrsim_status status;
    for (double n_window = n_before + FIRST;; n_window *= NEXT) {
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
    const wr_fp_mode before = wr_fp_mode_set(WR_FP_MODE_RUN); /* the last estimate calls models */
    if (sim->driver->close_account)
        sim->driver->close_account(sim);
    wr_fp_mode_restore(before);
    wrsim_error_account account;
    wrsim_error_account_get(sim, &account);
    return account.is_above ? WRSIM_INACCURATE : WRSIM_OK;
}

/* ---- second runs ---- */

wrsim_status wr_run_open_second(const wr_settings *settings, const wrsim *like, wrsim **ret_sim,
                                wrsim_error *err)
{
    wr_settings set = *settings;
    set.output.file = set.output.json = set.slack.log = "";
    set.realtime.rate = 0.0;
    set.realtime.priority = set.realtime.lock_memory = set.realtime.jitter = 0;
    /* Reading the machine's topology takes longer than some second runs. */
    set.scheduler = (wr_set_scheduler){.workers = 1, .topology = "core:1 pu:1"};
    WR_TRY(wr_build_simulation_create(&set, like, ret_sim, err));
    return wrsim_prepare(*ret_sim, err);
}

int wr_run_is_small(const wrsim *sim)
{
    wrsim_stats stats;
    return wrsim_stats_get(sim, &stats) >= 0 && stats.n_subsystem > 1 &&
           stats.n_subsystem <= WR_SECOND_RUN_SUBSYSTEMS && stats.n_state <= WR_SECOND_RUN_STATES;
}

double wr_run_tightest_rtol(const wrsim *sim)
{
    double rtol = (double)INFINITY;
    for (int i = 0; i < sim->assembly->n_subsystem; i++) {
        wrsim_subsystem_stats s;
        wrsim_stats_subsystem(sim, i, &s);
        if (s.rtol > 0.0)
            rtol = wr_min(rtol, s.rtol);
    }
    return isfinite(rtol) ? rtol : 0.0;
}

void wr_run_make_monolithic(wr_settings *settings, double rtol)
{
    settings->simulation.monolithic = WR_GROUPING_MONOLITHIC;
    if (rtol > 0.0)
        settings->solver.rtol = rtol;
}

double wr_run_own_work(const wrsim *sim)
{
    double work = 0.0;
    for (int i = 0; i < sim->assembly->n_subsystem; i++) {
        wrsim_subsystem_stats s;
        wrsim_stats_subsystem(sim, i, &s);
        work += wr_run_work(&s, NULL) - WR_RUN_PER_SECOND * s.point_s;
    }
    return work;
}

/* ---- counted work ---- */

/* Instructions per count, as callgrind counts them: a fit to 98 runs (docs/lab/2026-11-29-counted-work.md). RHS: evaluation of f, with the
 * stage and the control of a step, and with its growth per state, component and input. INDICATORS: evaluation of the indicators and the
 * search for events around it, with the states inside the step. INDICATOR: value of one indicator. FACTOR: matrix of an implicit step.
 * WINDOW: integration of a window. NODE: node of a wave, which its producer writes, and readers compare, read and predict.
 * OUTPUTS: evaluation of published outputs with the states inside the step, with its growth per component. */
static const double RHS = 400.0, RHS_STATE = 30.0, RHS_COMPONENT = 210.0, RHS_INPUT = 70.0;
static const double INDICATORS = 1900.0, INDICATOR = 33.0, FACTOR = 2800.0;
static const double WINDOW = 2000.0, NODE = 2650.0, OUTPUTS = 760.0, OUTPUTS_COMPONENT = 80.0;
/* Instructions (assumed) per operation of elimination, and per entry of a model's own full Jacobian, where memory access
 * dominates. */
static const double ELIMINATION = 1.5, JACOBIAN_ENTRY = 3.0;

double wr_run_work(const wrsim_subsystem_stats *s, double *ret_coupling)
{
    const double rhs =
        RHS + RHS_STATE * s->n_state + RHS_COMPONENT * s->n_component + RHS_INPUT * s->n_input;
    const double outputs = OUTPUTS + OUTPUTS_COMPONENT * s->n_component;
    const double coupling = WINDOW * (double)s->n_integration + NODE * (double)s->n_node +
                            outputs * (double)s->n_output_evaluation;
    if (ret_coupling)
        *ret_coupling = coupling;
    return rhs * (double)s->n_rhs + INDICATORS * (double)s->n_indicator_evaluation +
           INDICATOR * (double)s->n_indicator_value + WR_RUN_PER_SECOND * s->point_s +
           FACTOR * (double)s->n_factor + ELIMINATION * s->factor_flop +
           JACOBIAN_ENTRY * (double)s->n_jacobian_entry + coupling;
}
