/* Checks before the first run. See run_sweep.h. Thread: one owner. Real-time: no. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "offline/runs/run_sweep.h"
#include "runtime/sim/simulation.h"
#include "wrsim/study.h"

enum { MOST_CHECKED = 1000 }; /* largest number of runs to check (assumed) */

/* A run to check. If with_files is 1, the config names result files, so that the simulation lists the recorded signals. */
typedef struct checked {
    const wr_run_sweep *sweep;
    int i_run, with_files;
} checked;

/* Creates the simulation of a run, without opening result files. report receives the errors of its config. Returns the status. */
static wrsim_status create(const checked *at, wrsim_report_fn report, void *user, wrsim **ret_sim)
{
    const wr_run_sweep *const sweep = at->sweep;
    wr_run_overrides o;
    wrsim_config *config = NULL;
    if (wr_run_overrides_make(&o, sweep, at->i_run, at->with_files) < 0) {
        wrsim_error err = {0};
        wr_run_overrides_done(&o);
        wr_error_memory(&err);
        if (report)
            report(user, &err);
        return WRSIM_E_MEMORY;
    }
    wrsim_status status = wrsim_config_from_file(sweep->config, (const char *const *)o.text, o.n,
                                                 report, user, &config, NULL);
    /* The check needs no study of the split, because the grouping does not change the recorded signals. */
    if (status >= 0 && wrsim_config_is_undecided(config)) {
        wrsim_config_destroy(&config);
        o.text[o.n] = strdup("simulation.monolithic=false");
        o.n += o.text[o.n] != NULL;
        status = wrsim_config_from_file(sweep->config, (const char *const *)o.text, o.n, report,
                                        user, &config, NULL);
    }
    if (status >= 0)
        status = wrsim_create(config, report, user, ret_sim, NULL);
    wrsim_config_destroy(&config);
    wr_run_overrides_done(&o);
    return status;
}

static wrsim_status check_signals(const wr_run_sweep *sweep, const wrsim *sim, wrsim_error *err)
{
    const wr_assembly *const a = sim->assembly;
    int n = 0;
    for (int i = 0; i < a->n_subsystem; i++)
        n += a->setup[i].n_recorded;
    WR_AUTO_FREE const char **const name = malloc(((size_t)n + 1) * sizeof *name);
    if (!name)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for %d signals", n);
    n = 0;
    for (int i = 0; i < a->n_subsystem; i++)
        for (int k = 0; k < a->setup[i].n_recorded; k++)
            name[n++] = a->setup[i].channel[k].name;
    return wr_run_results_check(&sweep->results, n, name, err);
}

/* Checks the numbers of the summary. If the preparation of a run fails, returns WRSIM_OK, because the row of the run reports missing
 * numbers. */
static wrsim_status check_stats(const checked *at, wrsim_error *err)
{
    char why[256];
    int is_asked = 0;
    WR_AUTO(wrsim_destroy) wrsim *sim = NULL;
    for (int i = 0; i < at->sweep->results.n; i++)
        is_asked |= at->sweep->results.result[i].kind == WR_RUN_STAT;
    if (!is_asked || create(at, NULL, NULL, &sim) < 0)
        return WRSIM_OK;
    WR_AUTO_FREE char *const text = wrsim_prepare(sim, NULL) >= 0 ? wrsim_summary(sim) : NULL;
    WR_AUTO(wr_json_tree_free)
    wr_json_tree *summary = text ? wr_json_tree_parse(text, why) : NULL;
    return summary ? wr_run_results_check_stats(&at->sweep->results, summary, err) : WRSIM_OK;
}

/* Reports the errors of the first run, because the config of every checked run is invalid. Returns the exit code. */
static int refuse(const wr_run_sweep *sweep, wrsim_report_fn report, void *user)
{
    char text[WR_RUN_PLAN_TEXT_BYTES];
    WR_AUTO(wrsim_destroy) wrsim *sim = NULL;
    wrsim_error err = {0};
    const wrsim_status status = create(&(checked){sweep, 0, 1}, report, user, &sim);
    const int code = wrsim_status_exit_code(status);
    if (code == wrsim_status_exit_code(WRSIM_E_CONFIG) ||
        code == wrsim_status_exit_code(WRSIM_E_MODEL)) {
        wr_error_set(
            &err, status,
            "no checked run has a valid config; correct the errors above, of the first run, %.200s",
            wr_run_plan_text(&sweep->plan, 0, text));
        report(user, &err);
    }
    return wrsim_status_exit_code(status);
}

int wr_run_sweep_check(const wr_run_sweep *sweep, wrsim_report_fn report, void *user)
{
    const int n_run = sweep->plan.n_run;
    const int n = n_run < MOST_CHECKED ? n_run : MOST_CHECKED;
    checked at = {sweep, 0, 1};
    WR_AUTO(wrsim_destroy) wrsim *sim = NULL;
    wrsim_error err = {0};
    for (int i = 0; i < n && !sim; i++) {
        at.i_run = n > 1 ? (int)((int64_t)i * (n_run - 1) / (n - 1)) : 0;
        (void)create(&at, NULL, NULL, &sim);
    }
    if (!sim)
        return refuse(sweep, report, user);
    wrsim_status status =
        sim->settings->slack.log[0]
            ? wr_error_set(&err, WRSIM_E_ARG,
                           "slack.log: all runs would write '%.200s'; add -D slack.log=\"\"",
                           sim->settings->slack.log)
            : WRSIM_OK;
    WR_THEN(status, check_signals(sweep, sim, &err));
    /* If runs end at different times, the row of each run reports missing values. */
    int has_times = 0;
    for (int k = 0; k < sweep->plan.n_key; k++)
        has_times |= strcmp(sweep->plan.key[k].name, "simulation.start") == 0 ||
                     strcmp(sweep->plan.key[k].name, "simulation.stop") == 0;
    if (status == WRSIM_OK && !has_times)
        status = wr_run_results_check_times(&sweep->results, sim->settings->simulation.start_s,
                                            sim->settings->simulation.stop_s, &err);
    wrsim_destroy(&sim); /* a model may allow only one instance */
    at.with_files = 0;
    WR_THEN(status, check_stats(&at, &err));
    if (status < 0)
        report(user, &err);
    return wrsim_status_exit_code(status);
}
