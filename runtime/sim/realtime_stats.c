/* What a run against the wall clock has measured (wrsim/stats.h), and as JSON.
 *
 * Thread: the simulation's owner, between runs. Real-time: no.
 */
#include <string.h>

#include "runtime/sim/realtime.h"
#include "runtime/sim/report.h"

static wrsim_wall_times times_of(const wr_histogram *h)
{
    static const double PER_MILLE = 1e-3;
    return (wrsim_wall_times){.n = (int64_t)wr_histogram_count(h),
                              .mean_ns = wr_histogram_mean(h),
                              .least_ns = wr_histogram_min(h),
                              .per_mille_ns = wr_histogram_quantile(h, PER_MILLE),
                              .median_ns = wr_histogram_quantile(h, 0.5),
                              .all_but_per_mille_ns = wr_histogram_quantile(h, 1.0 - PER_MILLE),
                              .most_ns = wr_histogram_max(h)};
}

static void fill_answers(const wrsim *sim, wrsim_realtime_stats *r)
{
    const wr_realtime *const realtime = sim->realtime;
    for (int i = 0; i < sim->n_worker && r->priority_refusal == 0; i++)
        r->priority_refusal = realtime->raise[i].failure;
    r->lock_refusal = realtime->lock.failure;
    r->n_not_pinned = realtime->n_not_pinned;
}

wrsim_status wrsim_stats_realtime(const wrsim *sim, wrsim_realtime_stats *ret)
{
    static const char *const policies[WR_POLICY_COUNT] = {[WR_POLICY_REPORT] = "report",
                                                          [WR_POLICY_HOLD] = "hold",
                                                          [WR_POLICY_DEGRADE] = "degrade",
                                                          [WR_POLICY_STOP] = "stop"};
    if (!sim || !ret)
        return WRSIM_E_ARG;
    *ret = (wrsim_realtime_stats){.policy = "", .first_violation = -1};
    const wr_realtime *const realtime = sim->realtime;
    if (!realtime)
        return WRSIM_OK;
    const wr_set_realtime *const set = &sim->settings->realtime;
    wr_deadlines_stats d;
    wr_deadlines_stats_get(realtime->deadlines, &d);
    const double period_s = wr_settings_slack_period(sim->settings);
    *ret = (wrsim_realtime_stats){.rate = set->rate,
                                  .period_s = period_s,
                                  .deadline_s = set->deadline_s > 0.0 ? set->deadline_s
                                                : set->rate > 0.0     ? period_s / set->rate
                                                                      : period_s,
                                  .misses = set->misses,
                                  .of = set->of,
                                  .policy = set->soft ? "soft" : policies[set->policy],
                                  .n_step = d.n_step,
                                  .n_miss = d.n_miss,
                                  .n_violation = d.n_violation,
                                  .first_violation = d.first_violation,
                                  .longest_run = d.longest_run,
                                  .n_held = d.n_held,
                                  .n_degraded = d.n_degraded,
                                  .n_jump = wr_slack_jumps(sim->slack),
                                  .n_dropped_row = sim->recorded.n_dropped,
                                  .most_over_ns = d.most_over_ns,
                                  .compute = times_of(wr_deadlines_compute(realtime->deadlines)),
                                  .lateness = times_of(wr_deadlines_lateness(realtime->deadlines)),
                                  .margin = times_of(wr_deadlines_margin(realtime->deadlines)),
                                  .n_worst = d.n_worst};
    if (realtime->has_lateness)
        ret->jitter = times_of(&realtime->lateness);
    fill_answers(sim, ret);
    return WRSIM_OK;
}

wrsim_status wrsim_stats_worst(const wrsim *sim, int i, wrsim_worst_step *ret)
{
    wr_deadlines_stats d = {0};
    if (sim && sim->realtime)
        wr_deadlines_stats_get(sim->realtime->deadlines, &d);
    if (!ret || i < 0 || i >= d.n_worst)
        return WRSIM_E_ARG;
    const wr_worst_step *const w = &d.worst[i];
    *ret = (wrsim_worst_step){.i_step = w->i_step,
                              .time_s = w->time.t_s,
                              .over_ns = w->over_ns,
                              .subsystem = sim->assembly->setup[w->i_part].name,
                              .compute_ns = w->time.compute_ns,
                              .late_ns = w->time.late_ns,
                              .n_rhs = w->time.work.n_rhs,
                              .n_jacobian = w->time.work.n_jacobian,
                              .n_event = w->time.work.n_event};
    return WRSIM_OK;
}

wrsim_status wrsim_stats_compute(const wrsim *sim, int i_subsystem, wrsim_wall_times *ret,
                                 int64_t *ret_n_miss)
{
    if (!sim || !ret || i_subsystem < 0 || i_subsystem >= sim->assembly->n_subsystem)
        return WRSIM_E_ARG;
    const wr_realtime *const realtime = sim->realtime;
    *ret = (wrsim_wall_times){0};
    if (realtime)
        *ret = times_of(wr_deadlines_part_compute(realtime->deadlines, i_subsystem));
    if (ret_n_miss)
        *ret_n_miss = realtime ? wr_deadlines_part_misses(realtime->deadlines, i_subsystem) : 0;
    return WRSIM_OK;
}

/* ---- JSON ---- */

static void times_json(wr_json *j, const char *key, const wrsim_wall_times *t)
{
    wr_json_object(j, key);
    wr_json_integer(j, "n", t->n);
    wr_json_number(j, "mean_ns", t->mean_ns);
    wr_json_integer(j, "least_ns", t->least_ns);
    wr_json_integer(j, "quantile_0.001_ns", t->per_mille_ns);
    wr_json_integer(j, "median_ns", t->median_ns);
    wr_json_integer(j, "quantile_0.999_ns", t->all_but_per_mille_ns);
    wr_json_integer(j, "most_ns", t->most_ns);
    wr_json_end(j);
}

static void worst_json(wr_json *j, const wrsim *sim, int n)
{
    wr_json_array(j, "worst_steps");
    for (int i = 0; i < n; i++) {
        wrsim_worst_step w;
        wrsim_stats_worst(sim, i, &w);
        wr_json_object(j, NULL);
        wr_json_integer(j, "step", w.i_step);
        wr_json_number(j, "time_s", w.time_s);
        if (w.over_ns < INT64_MAX)
            wr_json_integer(j, "over_ns", w.over_ns);
        else
            wr_json_null(j, "over_ns");
        wr_json_string(j, "subsystem", w.subsystem);
        wr_json_integer(j, "compute_ns", w.compute_ns);
        wr_json_integer(j, "late_ns", w.late_ns);
        wr_json_integer(j, "n_rhs", w.n_rhs);
        wr_json_integer(j, "n_jacobian", w.n_jacobian);
        wr_json_integer(j, "n_event", w.n_event);
        wr_json_end(j);
    }
    wr_json_end(j);
}

static void compute_json(wr_json *j, const wrsim *sim)
{
    wr_json_array(j, "subsystems");
    for (int i = 0; i < sim->assembly->n_subsystem; i++) {
        wrsim_wall_times t;
        int64_t n_miss;
        wrsim_stats_compute(sim, i, &t, &n_miss);
        if (t.n == 0)
            continue;
        wr_json_object(j, NULL);
        wr_json_string(j, "name", sim->assembly->setup[i].name);
        wr_json_integer(j, "n_miss", n_miss);
        times_json(j, "compute", &t);
        wr_json_end(j);
    }
    wr_json_end(j);
}

void wr_report_realtime_json(wr_json *j, const wrsim *sim)
{
    wrsim_realtime_stats r;
    if (!sim->realtime || wrsim_stats_realtime(sim, &r) < 0)
        return;
    wr_json_object(j, "realtime");
    wr_json_number(j, "rate", r.rate);
    wr_json_number(j, "period_s", r.period_s);
    wr_json_number(j, "deadline_s", r.deadline_s);
    wr_json_integer(j, "misses", r.misses);
    wr_json_integer(j, "of", r.of);
    wr_json_string(j, "policy", r.policy);
    wr_json_integer(j, "n_step", r.n_step);
    wr_json_integer(j, "n_miss", r.n_miss);
    wr_json_integer(j, "n_violation", r.n_violation);
    wr_json_integer(j, "first_violation", r.first_violation);
    wr_json_integer(j, "longest_run", r.longest_run);
    wr_json_integer(j, "n_held", r.n_held);
    wr_json_integer(j, "n_degraded", r.n_degraded);
    wr_json_integer(j, "n_jump", r.n_jump);
    wr_json_integer(j, "n_dropped_row", r.n_dropped_row);
    wr_json_integer(j, "most_over_ns", r.most_over_ns);
    times_json(j, "compute", &r.compute);
    times_json(j, "lateness", &r.lateness);
    times_json(j, "margin", &r.margin);
    if (r.jitter.n > 0)
        times_json(j, "jitter", &r.jitter);
    wr_json_string(j, "priority_refused", r.priority_refusal ? strerror(r.priority_refusal) : "");
    wr_json_string(j, "lock_refused", r.lock_refusal ? strerror(r.lock_refusal) : "");
    wr_json_integer(j, "n_not_pinned", r.n_not_pinned);
    compute_json(j, sim);
    worst_json(j, sim, r.n_worst);
    wr_json_end(j);
}
