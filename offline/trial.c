/* One run with its time, counts and error. See trial.h. Thread: one owner, and a progress callback on a worker. Real-time: no. */
#include "offline/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/diag.h"
#include "runtime/sim/run.h"
#include "runtime/sim/simulation.h"

/* Smallest number of grid points, if a case has no grid of its own (assumed). */
enum { N_POINT_DEFAULT = 2000 };
/* Time limit of a reference in units of the limit of a run (assumed). A case has only two reference runs. */
static const double REFERENCE_PATIENCE = 20.0;

/* ---- folder ---- */

wrsim_status wr_trial_open(wr_trial *trial)
{
    wrsim_error err;
    const wrsim_status status = wr_trial_folder(trial->folder, &err);
    if (status < 0)
        wr_tell(&trial->listener, WR_NEWS_ERROR, "%s", err.text);
    return status;
}

void wr_trial_close(wr_trial *trial)
{
    wr_results_destroy(&trial->reference);
    if (trial->folder[0])
        rmdir(trial->folder); /* every run has removed its results */
    trial->folder[0] = '\0';
}

const char *wr_trial_file(wr_trial *trial, const char *name)
{
    return wr_text(trial->memory, "%s/%s.csv", trial->folder, name);
}

/* ---- the case ---- */

void wr_trial_choose(wr_trial *trial, const wr_trial_case *c) { trial->at = c; }

static wrsim_status load(wr_trial *trial, const wr_trial_case *c, const wr_texts *more,
                         wrsim_report_fn report, wrsim_config **ret_config, wrsim_error *err)
{
    wr_texts overrides = {0};
    wr_texts_add_all(trial->memory, &overrides, &c->override);
    if (more)
        wr_texts_add_all(trial->memory, &overrides, more);
    /* Overrides for a run without pacing, because the trial measures times. */
    static const char *const free_run[] = {"realtime.rate=0", "realtime.priority=0",
                                           "realtime.lock_memory=false", "realtime.jitter=false"};
    for (size_t i = 0; i < WR_COUNT_OF(free_run); i++)
        wr_texts_add(trial->memory, &overrides, free_run[i]);
    return wrsim_config_from_file(c->config, overrides.item, overrides.n, report,
                                  trial->listener.user, ret_config, err);
}

wrsim_status wr_trial_create(wr_trial *trial, const wr_trial_case *c, const wr_texts *more,
                             wrsim_report_fn report, wrsim **ret_sim, wrsim_split_probe *ret_choice,
                             wrsim_error *err)
{
    WR_AUTO(wrsim_config_destroy) wrsim_config *config = NULL;
    wrsim_split_probe choice = {0};
    wrsim_status status = load(trial, c, more, report, &config, err);
    if (status >= 0 && wrsim_config_is_undecided(config)) {
        status = wrsim_study_split(config, 0, &choice, err);
        if (status >= 0)
            status = wrsim_config_keep_split(config, &choice, err);
    }
    if (status >= 0)
        status = wrsim_create(config, report, trial->listener.user, ret_sim, err);
    if (ret_choice)
        *ret_choice = choice;
    return status;
}

const char *wr_trial_signals(wr_trial *trial, const wr_trial_case *c)
{
    const char *signals = "";
    for (int i = 0; i < c->signal.n; i++)
        signals = wr_text(trial->memory, "%s%s\"%s\"", signals, i ? ", " : "", c->signal.item[i]);
    return wr_text(trial->memory, "output.signals=[%s]", signals);
}

/* Returns a copy of a text, because wrsim frees the settings with their config. */
static const char *keep(wr_trial *trial, const char *text)
{
    return text ? wr_text(trial->memory, "%s", text) : "";
}

static void take_facts(wr_trial *trial, wr_trial_case *c, const wr_settings *set)
{
    wr_heap_pool *const memory = trial->memory;
    c->start_s = set->simulation.start_s;
    c->stop_s = set->simulation.stop_s;
    c->rtol = set->simulation.rtol;
    c->convergence = set->relaxation.convergence;
    c->window_initial_s = set->relaxation.window_initial_s;
    c->window_min_s = set->relaxation.window_min_s;
    c->window_max_s = set->relaxation.window_max_s;
    c->is_auto = set->simulation.monolithic == WR_GROUPING_AUTO;
    c->is_spent = set->simulation.points == WR_POINTS_SPEND;
    c->n_costly = 0;
    for (int i = 0; i < set->n_components; i++)
        c->n_costly += set->components[i].cost_s > 0.0;
    if (!(c->grid_s > 0.0))
        c->grid_s = wr_min(set->simulation.communication_step_s,
                           (c->stop_s - c->start_s) / N_POINT_DEFAULT);
    if (c->signal.n == 0)
        for (int i = 0; i < set->output.n_signals; i++)
            wr_texts_add(memory, &c->signal, keep(trial, set->output.signals[i]));
    for (int i = 0; i < set->n_subsystems && set->simulation.monolithic != WR_GROUPING_MONOLITHIC;
         i++) {
        wr_texts_add(memory, &c->subsystem, keep(trial, set->subsystems[i].name));
        wr_texts_add(memory, &c->history_source, keep(trial, set->subsystems[i].history_source));
    }
}

/* Reports why a run with one solver cannot be created. Returns the status. */
static wrsim_status refuse_one_solver(wr_trial *trial, const wr_trial_case *c, const wr_texts *more)
{
    WR_AUTO(wrsim_destroy) wrsim *sim = NULL;
    wr_texts keys = {0};
    wr_texts_add(trial->memory, &keys, "simulation.monolithic=false");
    const wrsim_status status = wr_trial_create(trial, c, &keys, NULL, &sim, NULL, NULL);
    for (int i = 0; status >= 0 && i < sim->assembly->n_component; i++) {
        const wr_component *const component = sim->assembly->component[i];
        wrsim_error err = {0};
        if (!component->model->stepper)
            continue;
        wr_error_set_at(
            &err, WRSIM_E_CONFIG, &component->where,
            "bench and budget need a run with one solver for all components, but "
            "component '%s' advances itself, as an FMU of co-simulation does; set mode "
            "= \"me\" if the FMU has model exchange, or compare runs by `wrsim compare`",
            component->name);
        if (trial->listener.report)
            trial->listener.report(trial->listener.user, &err);
        return err.status;
    }
    wrsim_destroy(&sim);
    return wr_trial_create(trial, c, more, trial->listener.report, &sim, NULL, NULL);
}

wrsim_status wr_trial_look(wr_trial *trial, wr_trial_case *c)
{
    WR_AUTO(wrsim_config_destroy) wrsim_config *config = NULL;
    WR_TRY(load(trial, c, NULL, trial->listener.report, &config, NULL));
    take_facts(trial, c, config->settings);
    wr_texts more = {0};
    WR_AUTO(wrsim_destroy) wrsim *sim = NULL;
    wr_texts_add(trial->memory, &more, wr_trial_signals(trial, c));
    /* the override prevents a study of the split */
    wr_texts_add(trial->memory, &more, "simulation.monolithic=true");
    return wr_trial_create(trial, c, &more, NULL, &sim, NULL, NULL) < 0
               ? refuse_one_solver(trial, c, &more)
               : WRSIM_OK;
}

/* ---- one run ---- */

typedef struct wr_watch {
    const wr_trial *trial;
    wrsim *sim;
    int64_t until_ns;
} wr_watch;

static void stop_when_late(void *user, const wrsim_progress *progress)
{
    wr_watch *const watch = user;
    (void)progress;
    if (wr_clock_monotonic_ns() > watch->until_ns || wr_is_over(&watch->trial->listener))
        wrsim_stop(watch->sim);
}

static void add_counts(wr_trial *trial, const wrsim *sim, double sign, wr_trial_sample *sample)
{
    wrsim_stats stats;
    wrsim_subsystem_stats s;
    if (wrsim_stats_get(sim, &stats) != WRSIM_OK)
        return;
    if (trial->has_subsystems && trial->n_subsystem != stats.n_subsystem) {
        const int n = stats.n_subsystem;
        trial->subsystem = wr_heap_pool_take(trial->memory, (size_t)n, sizeof *trial->subsystem);
        trial->n_subsystem = trial->subsystem ? n : 0;
        for (int i = 0; i < trial->n_subsystem && wrsim_stats_subsystem(sim, i, &s) == WRSIM_OK;
             i++)
            trial->subsystem[i] = (wr_trial_subsystem){.name = keep(trial, s.name),
                                                       .solver = keep(trial, s.solver),
                                                       .n_state = s.n_state,
                                                       .n_input = s.n_input,
                                                       .rtol = s.rtol};
    }
    sample->n_window += sign * (double)stats.n_window;
    sample->n_sweep += sign * (double)stats.n_sweep;
    sample->n_integration += sign * (double)stats.n_integration;
    sample->accepted_s += sign * stats.accepted_s;
    sample->n_rhs_accepted += sign * (double)stats.n_rhs_accepted;
    memcpy(sample->bound_core, stats.bound_core, sizeof sample->bound_core);
    for (int i = 0; i < WRSIM_BOUND_CASES; i++) {
        sample->bound_s[i] += sign * stats.bound_wall_s[i];
        sample->bound_point_s[i] += sign * stats.bound_point_s[i];
    }
    for (int i = 0; wrsim_stats_subsystem(sim, i, &s) == WRSIM_OK; i++) {
        wrsim_points points[WRSIM_PURPOSE_COUNT];
        wrsim_stats_points(sim, i, points);
        for (int k = 0; k < WRSIM_PURPOSE_COUNT; k++) {
            wrsim_points *const to = &sample->points[k];
            to->n += (int64_t)sign * points[k].n;
            to->n_repeated += (int64_t)sign * points[k].n_repeated;
            to->cost_s += sign * points[k].cost_s;
            to->repeated_s += sign * points[k].repeated_s;
        }
        sample->point_s += sign * s.point_s;
        sample->n_step += sign * (double)s.n_step;
        sample->n_rhs += sign * (double)s.n_rhs;
        if (stats.n_state > 0)
            sample->n_rhs_whole += sign * (double)s.n_rhs * s.n_state / stats.n_state;
        sample->n_indicator += sign * (double)s.n_indicator_evaluation;
        sample->n_event += sign * (double)(s.n_state_event + s.n_time_event);
        if (i < trial->n_subsystem) {
            trial->subsystem[i].work += sign * wr_run_work(&s, NULL);
            trial->subsystem[i].n_integration += sign * (double)s.n_integration;
        }
    }
}

/* Lists the overrides of a run, which follow the overrides of the run's case. */
static void set_keys(wr_trial *trial, const wr_trial_setting *setting, int n_worker,
                     const char *result, wr_texts *to)
{
    const wr_trial_case *const c = trial->at;
    wr_heap_pool *const memory = trial->memory;
    wr_texts_add_all(memory, to, &setting->override);
    if (setting->rtol > 0.0)
        wr_texts_add(memory, to, wr_text(memory, "simulation.rtol=%.17g", setting->rtol));
    wr_texts_add(memory, to, wr_text(memory, "scheduler.workers=%d", n_worker));
    wr_texts_add(memory, to, "output.json=\"\"");
    wr_texts_add(memory, to, "output.events=false");
    wr_texts_add(memory, to, "output.log=false");
    wr_texts_add(memory, to, "output.decimation=1");
    wr_texts_add(memory, to, "output.points=true");
    wr_texts_add(memory, to, wr_text(memory, "output.start=%.17g", c->start_s));
    wr_texts_add(memory, to, wr_text(memory, "output.file=\"%s\"", result ? result : ""));
    /* If a reference exists, a run without a file records one signal, the smallest possible number of signals. */
    wr_texts_add(memory, to,
                 result || !trial->reference
                     ? wr_trial_signals(trial, c)
                     : wr_text(memory, "output.signals=[\"%s\"]", trial->reference->name[0]));
    if (result)
        wr_texts_add(memory, to, wr_text(memory, "simulation.communication_step=%.17g", c->grid_s));
    /* Only timed runs wait for the costs of points. The wait changes no result. */
    if (result && c->is_spent)
        wr_texts_add(memory, to, "simulation.points=count");
}

/* Runs the warm-up and the measured interval. Returns the status of the run, but WRSIM_OK for WRSIM_INACCURATE. */
static wrsim_status drive(wr_trial *trial, wrsim *sim, wr_trial_sample *sample, wrsim_error *err)
{
    const wr_trial_case *const c = trial->at;
    wr_watch watch = {trial, sim, wr_clock_monotonic_ns() + (int64_t)(trial->limit_s * 1e9)};
    wrsim_set_progress(sim, stop_when_late, &watch);
    wrsim_status status = wrsim_prepare(sim, err);
    if (status >= 0 && c->warm_s > 0.0)
        status = wrsim_advance(sim, c->start_s + c->warm_s, err);
    if (status != WRSIM_OK)
        return status;
    add_counts(trial, sim, -1.0, sample);
    const int64_t cpu_ns = wr_clock_thread_cpu_ns(), wall_ns = wr_clock_monotonic_ns();
    status = wrsim_run(sim, err);
    sample->wall_s = (double)(wr_clock_monotonic_ns() - wall_ns) * 1e-9;
    sample->cpu_s = (double)(wr_clock_thread_cpu_ns() - cpu_ns) * 1e-9;
    add_counts(trial, sim, 1.0, sample);
    return status == WRSIM_INACCURATE ? WRSIM_OK : status; /* the trial measures the error */
}

void wr_trial_run(wr_trial *trial, const wr_trial_setting *setting, int n_worker,
                  const char *result, wr_trial_sample *ret_sample)
{
    WR_AUTO(wrsim_destroy) wrsim *sim = NULL;
    wrsim_error err = {0};
    wr_texts keys = {0};
    *ret_sample = (wr_trial_sample){.wall_s = 0.0};
    for (int i = 0; i < trial->n_subsystem; i++)
        trial->subsystem[i].work = trial->subsystem[i].n_integration = 0.0;
    if (wr_is_over(&trial->listener)) {
        snprintf(ret_sample->why, sizeof ret_sample->why, "stopped");
        return;
    }
    set_keys(trial, setting, n_worker, result, &keys);
    wrsim_status status =
        wr_heap_pool_is_short(trial->memory)
            ? wr_error_memory(&err)
            : wr_trial_create(trial, trial->at, &keys, NULL, &sim, &ret_sample->choice, &err);
    if (status >= 0)
        status = drive(trial, sim, ret_sample, &err);
    if (sim && result && status == WRSIM_OK)
        status = wrsim_finish(sim, &err);
    if (status == WRSIM_STOPPED && wr_is_over(&trial->listener))
        snprintf(ret_sample->why, sizeof ret_sample->why, "stopped");
    else if (status == WRSIM_STOPPED)
        snprintf(ret_sample->why, sizeof ret_sample->why, "took more than %g s; raise --limit",
                 trial->limit_s);
    else if (status < 0)
        snprintf(ret_sample->why, sizeof ret_sample->why, "%.200s", err.text);
    else if (!(ret_sample->wall_s > 0.0))
        snprintf(ret_sample->why, sizeof ret_sample->why,
                 "no time was measured; raise simulation.stop");
}

/* ---- errors ---- */

static wr_results *load_results(const char *file, wr_trial_sample *sample)
{
    wrsim_error err = {0};
    wr_results *const results = sample->why[0] ? NULL : wr_results_load(file, &err);
    if (!results && !sample->why[0])
        snprintf(sample->why, sizeof sample->why, "%.200s", err.text);
    wr_results_remove(file);
    return results;
}

double wr_trial_error(wr_trial *trial, const char *file, wr_trial_sample *sample)
{
    WR_AUTO(wr_results_destroy) wr_results *results = load_results(file, sample);
    return results ? wr_trial_difference(results, trial->reference, &trial->worst_signal)
                   : (double)NAN;
}

double wr_trial_try(wr_trial *trial, const wr_trial_setting *setting, wr_trial_sample *ret_sample)
{
    const char *const file = wr_trial_file(trial, "run");
    wr_trial_run(trial, setting, 1, file, ret_sample);
    return wr_trial_error(trial, file, ret_sample);
}

static wr_results *run_reference(wr_trial *trial, double rtol, wr_trial_sample *sample)
{
    const wr_trial_case *const c = trial->at;
    wr_heap_pool *const memory = trial->memory;
    const double limit_s = trial->limit_s;
    const char *const file = wr_trial_file(trial, "reference");
    wr_trial_setting setting = {.rtol = rtol};
    wr_texts_add(memory, &setting.override, "solver.rtol=0"); /* simulation.rtol applies */
    wr_texts_add(memory, &setting.override, "simulation.monolithic=true");
    wr_texts_add(memory, &setting.override, wr_text(memory, "solver.kind=%s", c->reference_solver));
    wr_texts_add(memory, &setting.override,
                 wr_text(memory, "simulation.event_tolerance=%.17g", c->reference_event_s));
    trial->limit_s = REFERENCE_PATIENCE * limit_s;
    wr_trial_run(trial, &setting, 1, file, sample);
    trial->limit_s = limit_s;
    return load_results(file, sample);
}

/* A run with a tolerance ten times looser estimates the error of the reference. */
wrsim_status wr_trial_reference(wr_trial *trial)
{
    const wr_trial_case *const c = trial->at;
    wr_trial_sample sample;
    wr_results_destroy(&trial->reference);
    trial->reference = run_reference(trial, c->reference_rtol, &sample);
    wr_results *looser =
        trial->reference ? run_reference(trial, 10.0 * c->reference_rtol, &sample) : NULL;
    if (!looser && wr_is_over(&trial->listener))
        return WRSIM_OK; /* the caller reports the stop */
    if (!looser) {
        wr_tell(&trial->listener, WR_NEWS_ERROR, "case '%s': the reference run failed: %s", c->name,
                sample.why);
        return WRSIM_E_SOLVER;
    }
    trial->reference_error = wr_trial_difference(looser, trial->reference, &trial->worst_signal);
    wr_results_destroy(&looser);
    if (!(trial->reference_error < 0.1 * c->error))
        wr_tell(&trial->listener, WR_NEWS_NOTE,
                "case '%s': with ten times its tolerance the reference changes by %.2g, too much "
                "to judge an error of %.2g; request a larger error",
                c->name, trial->reference_error, c->error);
    return WRSIM_OK;
}
