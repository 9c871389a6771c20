/* Probing whether a split makes sense. See recommend.h.
 *
 * Both runs get the same tolerance for their solvers; that is near equal error, no more. The stretch
 * is doubled until either run has done BUDGET of work.
 *
 * Thread: main. Real-time: no.
 */
#include "runtime/cli/recommend.h"

#include <math.h>
#include <stdio.h>

#include "runtime/base/check.h"
#include "runtime/bench/counted_work.h"
#include "wrsim/wrsim.h"

/* How much of each run is looked at: below a second with setup, where a first stretch is that short. */
static const double BUDGET = 1e8;
/* The first stretch, as a part of the run; it is doubled from there. */
enum { DOUBLINGS = 14 };
/* Preparing more takes longer than a check should. */
enum { MOST_SUBSYSTEMS = 256, MOST_STATES = 2000 };
/* Work per sweep and worker below which another worker gains nothing: some 50 us, what meeting at a
 * barrier and moving the data takes twenty times over. */
static const double SHARE_LEAST = 1.5e5;

typedef struct probe {
    wrsim_config *config;
    wrsim *sim;
    double work, dearest, window_work; /* all; of the dearest subsystem; of what windows cost */
} probe;

static void probe_close(probe *p)
{
    wrsim_destroy(&p->sim);
    wrsim_config_destroy(&p->config);
}

/* extra: one more override. */
static wrsim_status probe_open(probe *p, const char *path, const char *const *overrides,
                               int n_overrides, const char *extra)
{
    enum { MAX_OVERRIDE = 128 };
    static const char *const own[] = {"output.file=\"\"", "output.json=\"\"", "scheduler.workers=1",
                                      "scheduler.pin=false"};
    const char *all[MAX_OVERRIDE];
    int n = 0;
    if (n_overrides > MAX_OVERRIDE - (int)WR_COUNT_OF(own) - 2)
        return WRSIM_E_ARG;
    for (int i = 0; i < n_overrides; i++)
        all[n++] = overrides[i];
    for (size_t i = 0; i < WR_COUNT_OF(own); i++)
        all[n++] = own[i];
    if (extra) {
        all[n++] = "simulation.monolithic=true";
        all[n++] = extra;
    }
    WR_TRY(wrsim_config_from_file(path, all, n, NULL, NULL, &p->config, NULL));
    WR_TRY(wrsim_create(p->config, NULL, NULL, &p->sim, NULL));
    return wrsim_prepare(p->sim, NULL);
}

static void count(probe *p, int n_subsystem)
{
    p->work = p->dearest = p->window_work = 0.0;
    for (int i = 0; i < n_subsystem; i++) {
        wrsim_subsystem_stats s;
        wrsim_stats_subsystem(p->sim, i, &s);
        double window;
        const double work = wr_counted_work(&s, n_subsystem, &window);
        p->work += work;
        p->window_work += window;
        p->dearest = wr_max(p->dearest, work);
    }
}

/* The tightest of the solvers' tolerances. */
static double solver_rtol(const wrsim *sim, int n_subsystem)
{
    double rtol = (double)INFINITY;
    for (int i = 0; i < n_subsystem; i++) {
        wrsim_subsystem_stats s;
        wrsim_stats_subsystem(sim, i, &s);
        if (s.rtol > 0.0)
            rtol = wr_min(rtol, s.rtol);
    }
    return rtol;
}

static void judge(const probe *split, const probe *monolith, const wrsim_stats *stats, int n_worker,
                  wr_recommendation *ret)
{
    const double sweeps = wr_max((double)stats->n_sweep, 1.0);
    wr_recommendation r = {.n_worker = n_worker,
                           .span_s = stats->time_s - stats->start_s,
                           .work_ratio = split->work / monolith->work,
                           .sweeps_per_window = sweeps / wr_max((double)stats->n_window, 1.0),
                           .window_share = split->window_work / split->work,
                           .shared_by = wr_min((double)n_worker, split->work / split->dearest)};
    r.shared_by = wr_clamp(wr_min(r.shared_by, split->work / sweeps / SHARE_LEAST), 1.0, n_worker);
    r.is_monolithic = r.work_ratio > r.shared_by;
    char shared[160] = "";
    if (n_worker > 1 && r.shared_by > 1.0)
        snprintf(shared, sizeof shared, ", of which %d workers can share %.2g", n_worker,
                 r.shared_by);
    else if (n_worker > 1)
        snprintf(shared, sizeof shared, ", in windows too small to be shared by %d workers",
                 n_worker);
    snprintf(r.text, sizeof r.text,
             "recommended: %s: over %.3g s the split took %.3g times the work of one solver of the "
             "same tolerance (%.3g sweeps per window, %.0f %% of it per window)%s; wrsim bench "
             "compares at equal error",
             r.is_monolithic ? "monolithic" : "the split as it is", r.span_s, r.work_ratio,
             r.sweeps_per_window, 100.0 * r.window_share, shared);
    *ret = r;
}

/* The split fails where one solver goes on. */
static void judge_failure(const wrsim_stats *stats, int n_worker, const wrsim_error *why,
                          wr_recommendation *ret)
{
    *ret = (wr_recommendation){.is_monolithic = 1,
                               .n_worker = n_worker,
                               .span_s = stats->time_s - stats->start_s,
                               .work_ratio = (double)INFINITY,
                               .sweeps_per_window = (double)INFINITY,
                               .window_share = 1.0,
                               .shared_by = 1.0};
    snprintf(ret->text, sizeof ret->text,
             "recommended: monolithic: one solver goes on where the split fails: %s", why->text);
}

int wr_recommend_applies(const wrsim_stats *stats)
{
    return stats->n_subsystem > 1 && stats->n_subsystem <= MOST_SUBSYSTEMS &&
           stats->n_state <= MOST_STATES;
}

int wr_recommend(const char *path, const char *const *overrides, int n_overrides, int n_worker,
                 wr_recommendation *ret)
{
    probe split = {0}, monolith = {0};
    wrsim_stats stats;
    wrsim_error why = {0};
    int code = -1;
    if (probe_open(&split, path, overrides, n_overrides, NULL) < 0 ||
        wrsim_stats_get(split.sim, &stats) < 0)
        goto out;
    const double rtol = solver_rtol(split.sim, stats.n_subsystem);
    char extra[64];
    snprintf(extra, sizeof extra, "solver.rtol=%.17g", isfinite(rtol) ? rtol : 1e-6);
    if (probe_open(&monolith, path, overrides, n_overrides, extra) < 0)
        goto out;
    const double whole_s = stats.stop_s - stats.start_s;
    for (int k = DOUBLINGS; k >= 0 && split.work < BUDGET && monolith.work < BUDGET; k--) {
        const double time_s = stats.start_s + ldexp(whole_s, -k);
        if (wrsim_advance(monolith.sim, time_s, NULL) < 0)
            goto out;
        if (wrsim_advance(split.sim, time_s, &why) < 0) {
            wrsim_stats_get(split.sim, &stats);
            judge_failure(&stats, n_worker, &why, ret);
            code = 0;
            goto out;
        }
        count(&split, stats.n_subsystem);
        count(&monolith, 1);
    }
    wrsim_stats_get(split.sim, &stats);
    if (split.work > 0.0 && monolith.work > 0.0) {
        judge(&split, &monolith, &stats, n_worker, ret);
        code = 0;
    }
out:
    probe_close(&split);
    probe_close(&monolith);
    return code;
}
