/* Probing whether a split makes sense. See advice.h.
 *
 * Both runs get the same tolerance for their solvers; that is near equal error, no more. The stretch
 * is doubled until either run has done BUDGET of work.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#include "runtime/sim/advice.h"

#include <math.h>
#include <stdio.h>

#include "runtime/base/check.h"
#include "runtime/base/clock.h"
#include "runtime/sim/counted_work.h"
#include "runtime/sim/simulation.h"

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
    wrsim *sim;
    double work, dearest, window_work; /* all; of the dearest subsystem; of what windows cost */
} probe;

static wrsim_status probe_open(probe *p, const wr_settings *settings)
{
    wr_settings set = *settings;
    set.output.file = set.output.json = "";
    /* Looking at the machine takes longer than some probes. */
    set.scheduler = (wr_set_scheduler){.workers = 1, .topology = "core:1 pu:1"};
    WR_TRY(wr_simulation_create(&set, &p->sim));
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

/* The tightest of the solvers' tolerances; 0: none has one. */
static double solver_rtol(const wrsim *sim, int n_subsystem)
{
    double rtol = (double)INFINITY;
    for (int i = 0; i < n_subsystem; i++) {
        wrsim_subsystem_stats s;
        wrsim_stats_subsystem(sim, i, &s);
        if (s.rtol > 0.0)
            rtol = wr_min(rtol, s.rtol);
    }
    return isfinite(rtol) ? rtol : 0.0;
}

static void judge(const probe *split, const probe *monolith, const wrsim_stats *stats, int n_worker,
                  double rtol, wrsim_advice *ret)
{
    const double sweeps = wr_max((double)stats->n_sweep, 1.0);
    wrsim_advice r = {.n_worker = n_worker,
                      .span_s = stats->time_s - stats->start_s,
                      .rtol = rtol,
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
             "%s: over %.3g s the split took %.3g times the work of one solver of "
             "rtol %.3g, its own solvers' tightest (%.3g sweeps per window, %.0f %% of it per "
             "window)%s; wrsim bench "
             "compares at equal error",
             r.is_monolithic ? "monolithic" : "the split as it is", r.span_s, r.work_ratio, r.rtol,
             r.sweeps_per_window, 100.0 * r.window_share, shared);
    *ret = r;
}

/* The split fails where one solver goes on. */
static void judge_failure(const wrsim_stats *stats, int n_worker, double rtol,
                          const wrsim_error *why, wrsim_advice *ret)
{
    *ret = (wrsim_advice){.is_monolithic = 1,
                          .n_worker = n_worker,
                          .span_s = stats->time_s - stats->start_s,
                          .rtol = rtol,
                          .work_ratio = (double)INFINITY,
                          .sweeps_per_window = (double)INFINITY,
                          .window_share = 1.0,
                          .shared_by = 1.0};
    snprintf(ret->text, sizeof ret->text,
             "monolithic: one solver goes on where the split fails: %s", why->text);
}

/* Little enough to be probed, and something to choose. */
static int is_probed(const wrsim_stats *stats)
{
    return stats->n_subsystem > 1 && stats->n_subsystem <= MOST_SUBSYSTEMS &&
           stats->n_state <= MOST_STATES;
}

/* 0 or -1, as wr_advice_find. */
static int compare(probe *split, probe *monolith, int n_worker, double rtol, wrsim_advice *ret)
{
    wrsim_stats stats;
    wrsim_error why = {0};
    wrsim_stats_get(split->sim, &stats);
    const double whole_s = stats.stop_s - stats.start_s;
    for (int k = DOUBLINGS; k >= 0 && split->work < BUDGET && monolith->work < BUDGET; k--) {
        const double time_s = stats.start_s + ldexp(whole_s, -k);
        if (wrsim_advance(monolith->sim, time_s, NULL) < 0)
            return -1;
        if (wrsim_advance(split->sim, time_s, &why) < 0) {
            wrsim_stats_get(split->sim, &stats);
            judge_failure(&stats, n_worker, rtol, &why, ret);
            return 0;
        }
        count(split, stats.n_subsystem);
        count(monolith, 1);
    }
    wrsim_stats_get(split->sim, &stats);
    if (!(split->work > 0.0) || !(monolith->work > 0.0))
        return -1;
    judge(split, monolith, &stats, n_worker, rtol, ret);
    return 0;
}

void wr_advice_follow(wr_settings *settings, double rtol)
{
    settings->simulation.monolithic = WR_GROUPING_MONOLITHIC;
    if (rtol > 0.0)
        settings->solver.rtol = rtol;
}

int wr_advice_find(const wr_settings *settings, int n_worker, wrsim_advice *ret)
{
    probe split = {0}, monolith = {0};
    wrsim_stats stats;
    int code = -1;
    const int64_t start_ns = wr_clock_monotonic_ns();
    wr_settings set = *settings;
    set.simulation.monolithic = WR_GROUPING_SPLIT;
    if (probe_open(&split, &set) >= 0 && wrsim_stats_get(split.sim, &stats) >= 0 &&
        is_probed(&stats)) {
        const double rtol = solver_rtol(split.sim, stats.n_subsystem);
        wr_advice_follow(&set, rtol);
        if (probe_open(&monolith, &set) >= 0)
            code = compare(&split, &monolith, n_worker, rtol, ret);
    }
    wrsim_destroy(&split.sim);
    wrsim_destroy(&monolith.sim);
    if (code == 0)
        ret->wall_s = (double)(wr_clock_monotonic_ns() - start_ns) * 1e-9;
    return code;
}

void wr_advice_json(wr_json *json, const char *key, const wrsim_advice *advice)
{
    wr_json_object(json, key);
    wr_json_bool(json, "monolithic", advice->is_monolithic);
    wr_json_integer(json, "n_worker", advice->n_worker);
    wr_json_number(json, "span_s", advice->span_s);
    wr_json_number(json, "rtol", advice->rtol);
    wr_json_number(json, "work_ratio", advice->work_ratio);
    wr_json_number(json, "sweeps_per_window", advice->sweeps_per_window);
    wr_json_number(json, "window_share", advice->window_share);
    wr_json_number(json, "shared_by", advice->shared_by);
    wr_json_string(json, "text", advice->text);
    wr_json_end(json);
}
