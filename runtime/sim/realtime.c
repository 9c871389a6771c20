/* Real time of a simulation. See realtime.h. Thread: as realtime.h. Real-time: as realtime.h. */
#include "runtime/sim/realtime.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "runtime/sim/driver.h"
#include "subsystems/ode/ode_subsystem.h"

/* Spin time at the end of a mixed wait, ns: twice the wake-up time of an ordinary kernel, 50 us (assumed). */
enum { MIXED_NS = 100000 };
/* Longest delay that the kernel may add to a sleep, ns: the smallest possible. The kernel's default is 50000. */
enum { TIMER_SLACK_NS = 1 };
/* Stack that each worker touches before the run, bytes (assumed: more than a task needs). */
enum { STACK_BYTES = 1 << 18 };

/* ---- checks ---- */

/* Returns 1 if diag has an error at the place of a key. */
static int is_refused(const wr_settings *set, const char *key, const wr_diag *diag)
{
    const wr_where where = wr_settings_place(set, key);
    const int is_given = where.file && wr_settings_is_given(set, key);
    for (int i = 0; i < diag->n_items && is_given; i++)
        if (strcmp(diag->items[i].file, where.file) == 0 && diag->items[i].line == where.line &&
            diag->items[i].column == where.column)
            return 1;
    return 0;
}

static void check_scheme(const wr_settings *set, wr_diag *diag)
{
    static const char *const keys[] = {"realtime.rate", "realtime.priority", "realtime.lock_memory",
                                       "realtime.jitter"};
    const wr_set_realtime *const r = &set->realtime;
    const int is_set[] = {r->rate > 0.0, r->priority > 0, r->lock_memory, r->jitter};
    for (size_t i = 0; i < WR_COUNT_OF(keys); i++) {
        if (is_set[i] && !wr_driver_of(set)->set_pace &&
            !is_refused(set, "relaxation.scheme", diag)) {
            WR_SETTINGS_REFUSE(
                set, keys[i], diag,
                "%s needs relaxation.scheme = \"slack\", because the time of sweeps until "
                "convergence is unknown; set the scheme, or remove the key",
                keys[i]);
            return;
        }
    }
}

void wr_realtime_check(const wr_settings *set, wr_diag *diag)
{
    static const double LEAST_RATE = 1e-6;
    const wr_set_realtime *const r = &set->realtime;
    check_scheme(set, diag);
    if (r->rate > 0.0 && r->rate < LEAST_RATE)
        WR_SETTINGS_REFUSE(set, "realtime.rate", diag,
                           "realtime.rate is %g, but must be 0 or at least %g", r->rate,
                           LEAST_RATE);
    if (r->misses > r->of)
        WR_SETTINGS_REFUSE(set, "realtime.misses", diag,
                           "realtime.misses = %d is more than realtime.of = %d; lower "
                           "realtime.misses, or raise realtime.of%s",
                           r->misses, r->of,
                           r->rate > 0.0 ? ""
                                         : "; also set realtime.rate, because without a rate no "
                                           "step has a deadline");
    if (r->rate > 0.0 && set->output.waves)
        WR_SETTINGS_REFUSE(set, "output.waves", diag,
                           "output.waves needs every node, but a paced run does not wait for the "
                           "disk; remove output.waves or realtime.rate");
}

/* ---- placing ---- */

static void count_work(void *context, int i_part, wr_period_work *ret_work)
{
    const wrsim *const sim = context;
    const wr_setup *const m = &sim->assembly->setup[i_part];
    const wr_subsystem *const s = m->subsystem;
    const wr_integ_stats *const solver = wr_setup_group(m) ? wr_ode_solver_stats(s) : NULL;
    *ret_work = (wr_period_work){.n_rhs = wr_subsystem_n_rhs(s),
                                 .n_jacobian = solver ? solver->n_jacobian : 0,
                                 .n_event = s->stats.n_state_event + s->stats.n_time_event +
                                            s->stats.n_input_jump};
}

/* Passes a stop to the driver while worker 0 waits for the wall clock. */
static void look_for_stop(void *context)
{
    wrsim *const sim = context;
    if (atomic_exchange_explicit(&sim->is_stop_asked, 0, memory_order_relaxed))
        sim->driver->stop(sim);
}

/* Shows a step to the viewers of the run. */
static void show_step(void *live, const wr_judged_step *step)
{
    wr_live_step(live, &(wr_live_step_time){.t_s = step->t_s,
                                            .compute_ns = step->compute_ns,
                                            .late_ns = step->late_ns,
                                            .over_ns = step->over_ns});
}

static wr_deadlines *place_deadlines(wrsim *sim)
{
    static const wr_deadline_policy policies[WR_POLICY_COUNT] = {
        [WR_POLICY_REPORT] = WR_DEADLINE_REPORT,
        [WR_POLICY_HOLD] = WR_DEADLINE_HOLD,
        [WR_POLICY_DEGRADE] = WR_DEADLINE_DEGRADE,
        [WR_POLICY_STOP] = WR_DEADLINE_STOP};
    const wr_set_realtime *const r = &sim->settings->realtime;
    const wr_assembly *const a = sim->assembly;
    unsigned char *const is_watched = WR_NEW_ARRAY(a->arena, unsigned char, a->n_subsystem);
    for (int i = 0; is_watched && i < a->n_subsystem; i++)
        is_watched[i] = !(a->setup[i].subsystem->flags & WR_SUBSYSTEM_IS_PLAYED);
    const wr_deadlines_options options = {.n_part = a->n_subsystem,
                                          .is_watched = is_watched,
                                          .m = r->misses,
                                          .k = r->of,
                                          .policy =
                                              r->soft ? WR_DEADLINE_REPORT : policies[r->policy],
                                          .judged = sim->live ? show_step : NULL,
                                          .context = sim->live};
    return is_watched ? wr_deadlines_place(a->arena, &options) : NULL;
}

/* Returns spin_ns of wr_pacer_options for the key realtime.wait. */
static int64_t spin_of(const wr_set_realtime *set)
{
    static const int64_t spins_ns[WR_WAIT_COUNT] = {
        [WR_WAIT_SLEEP] = 0, [WR_WAIT_MIXED] = MIXED_NS, [WR_WAIT_SPIN] = WR_PACER_SPIN_ONLY};
    return spins_ns[set->wait];
}

int wr_realtime_place(wrsim *sim)
{
    const wr_set_realtime *const r = &sim->settings->realtime;
    wr_arena *const arena = sim->assembly->arena;
    if (!sim->driver->set_pace || !(wr_settings_is_realtime(sim->settings) || sim->is_timed))
        return 0;
    wr_realtime *const realtime = WR_NEW(arena, wr_realtime);
    if (!realtime)
        return -1;
    realtime->raise = WR_NEW_ARRAY(arena, wr_rt_answer, sim->n_worker);
    realtime->sharpen = WR_NEW_ARRAY(arena, wr_rt_answer, sim->n_worker);
    realtime->deadlines = place_deadlines(sim);
    if (!realtime->raise || !realtime->sharpen || !realtime->deadlines)
        return -1;
    const wr_slack_pace pace = {.rate = r->rate,
                                .clock = sim->pace_clock,
                                .spin_ns = spin_of(r),
                                .deadline_s = r->deadline_s,
                                .catch_up_s = r->catch_up_s,
                                .degraded_factor = r->degraded_tolerance,
                                .deadlines = realtime->deadlines,
                                .work = count_work,
                                .poll = look_for_stop,
                                .context = sim};
    if (sim->driver->set_pace(sim, &pace) < 0)
        return -1;
    sim->realtime = realtime;
    return 0;
}

/* ---- requests to the operating system ---- */

static void ask_thread(const wrsim *sim, int i_worker, wr_rt_thread *before)
{
    wr_realtime *const realtime = sim->realtime;
    const int priority = sim->settings->realtime.priority;
    realtime->sharpen[i_worker] = wr_rt_thread_sharpen(before, TIMER_SLACK_NS);
    if (priority > 0)
        realtime->raise[i_worker] = wr_rt_thread_raise(before, priority);
}

/* Makes the requests of one worker. Worker 0 is the caller's thread, so wr_realtime_enter() repeats the requests of worker 0. Other workers
 * keep their settings. */
static void ask_worker(void *context, int i_worker)
{
    wr_rt_thread before = {0};
    (void)wr_rt_thread_touch_stack(STACK_BYTES); /* a smaller stack is no failure */
    ask_thread(context, i_worker, &before);
    if (i_worker == 0)
        (void)wr_rt_thread_restore(&before);
}

static wrsim_status start_jitter(wrsim *sim)
{
    const wr_set_realtime *const r = &sim->settings->realtime;
    static const double LEAST_PERIOD_S = 1e-5, USUAL_PERIOD_S = 1e-3;
    const double period_s =
        r->rate > 0.0 ? wr_settings_slack_period(sim->settings) / r->rate : USUAL_PERIOD_S;
    const wr_jitter_options options = {.period_s = wr_max(period_s, LEAST_PERIOD_S),
                                       .cpu = -1,
                                       .priority = r->priority,
                                       .timer_slack_ns = TIMER_SLACK_NS};
    return wr_jitter_start(&sim->realtime->jitter, &options);
}

/* Reports the first refused request, if any, and a remedy. */
static wrsim_status report_refusal(const wrsim *sim, wrsim_error *err)
{
    const wr_realtime *const realtime = sim->realtime;
    const int priority = sim->settings->realtime.priority;
    for (int i = 0; i < sim->n_worker && priority > 0; i++)
        if (!realtime->raise[i].is_granted)
            return wr_error_set(err, WRSIM_E_PRIVILEGE,
                                "the system refuses SCHED_FIFO priority %d (%s): allow it with "
                                "`ulimit -r` or rtprio in /etc/security/limits.conf, or set "
                                "realtime.strict = false",
                                priority, strerror(realtime->raise[i].failure));
    if (sim->settings->realtime.lock_memory && !realtime->lock.is_granted)
        return wr_error_set(err, WRSIM_E_PRIVILEGE,
                            "the system refuses to lock memory (%s): raise `ulimit -l` or memlock "
                            "in /etc/security/limits.conf, or set realtime.strict = false",
                            strerror(realtime->lock.failure));
    if (realtime->n_not_pinned > 0)
        return wr_error_set(err, WRSIM_E_PRIVILEGE,
                            "%d of %d workers have no core of their own: end other runs, lower "
                            "scheduler.workers, or set realtime.strict = false",
                            realtime->n_not_pinned, sim->n_worker);
    return WRSIM_OK;
}

wrsim_status wr_realtime_ask(wrsim *sim, wrsim_error *err)
{
    wr_realtime *const realtime = sim->realtime;
    const wr_set_realtime *const r = &sim->settings->realtime;
    if (!realtime)
        return WRSIM_OK;
    wr_team_run(sim->team, sim->n_worker, ask_worker, sim);
    if (r->lock_memory)
        realtime->lock = wr_rt_thread_lock_memory();
    for (int i = 0; i < sim->n_worker && sim->settings->scheduler.pin; i++)
        realtime->n_not_pinned += !wr_team_stats(sim->team, i)->is_pinned;
    if (r->strict)
        WR_TRY(report_refusal(sim, err));
    if (r->jitter && start_jitter(sim) < 0)
        return wr_error_set(err, WRSIM_E_MEMORY,
                            "the system refuses memory or a thread for realtime.jitter; set "
                            "realtime.jitter = false");
    return WRSIM_OK;
}

/* ---- runs ---- */

void wr_realtime_enter(wrsim *sim)
{
    if (sim->realtime)
        ask_thread(sim, 0, &sim->realtime->before);
}

void wr_realtime_leave(wrsim *sim)
{
    if (sim->realtime)
        (void)wr_rt_thread_restore(&sim->realtime->before); /* lower rights are always allowed */
}

int wr_realtime_is_holding(const wrsim *sim)
{
    return sim->realtime && wr_deadlines_is_holding(sim->realtime->deadlines);
}

int64_t wr_realtime_last_span_ns(const wrsim *sim)
{
    wr_deadlines_stats d = {0};
    if (sim->realtime)
        wr_deadlines_stats_get(sim->realtime->deadlines, &d);
    return d.last_span_ns;
}

wrsim_status wr_realtime_measure_jitter(const wrsim *sim, double period_s, double length_s,
                                        wr_realtime_lateness *lateness)
{
    const wr_jitter_options options = {.period_s = period_s,
                                       .spin_ns = spin_of(&sim->settings->realtime),
                                       .cpu = sim->cpu[0],
                                       .priority = sim->settings->realtime.priority,
                                       .timer_slack_ns = TIMER_SLACK_NS,
                                       .trace_ns = lateness->trace_ns,
                                       .cap_trace = lateness->cap};
    wr_jitter *jitter = NULL;
    WR_TRY(wr_jitter_start(&jitter, &options));
    const struct timespec length = {.tv_sec = (time_t)length_s,
                                    .tv_nsec = (long)(1e9 * (length_s - floor(length_s)))};
    nanosleep(&length, NULL); /* a signal may end the sleep early, with fewer values */
    const wr_jitter_result *const result = wr_jitter_stop(jitter);
    lateness->all = result->lateness;
    lateness->n = result->n_trace;
    wr_jitter_destroy(&jitter);
    return WRSIM_OK;
}

/* ---- the end ---- */

void wr_realtime_finish(wrsim *sim)
{
    wr_realtime *const realtime = sim->realtime;
    if (!realtime || !realtime->jitter)
        return;
    realtime->lateness = wr_jitter_stop(realtime->jitter)->lateness;
    realtime->has_lateness = 1;
    wr_jitter_destroy(&realtime->jitter);
}

void wr_realtime_done(wrsim *sim)
{
    if (!sim->realtime)
        return;
    wr_realtime_finish(sim);
    if (sim->realtime->lock.is_granted)
        (void)wr_rt_thread_unlock_memory(); /* locked memory does no harm if the call fails */
    sim->realtime = NULL;
}

/* ---- results ---- */

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
                                  .n_jump = sim->driver->jumps(sim),
                                  .n_dropped_row = sim->recorded.n_dropped,
                                  .most_over_ns = d.most_over_ns,
                                  .compute = times_of(wr_deadlines_compute(realtime->deadlines)),
                                  .lateness = times_of(wr_deadlines_lateness(realtime->deadlines)),
                                  .margin = times_of(wr_deadlines_margin(realtime->deadlines)),
                                  .n_worst = d.n_worst};
    if (realtime->has_lateness)
        ret->jitter = times_of(&realtime->lateness);
    for (int i = 0; i < sim->n_worker && ret->priority_refusal == 0; i++)
        ret->priority_refusal = realtime->raise[i].failure;
    ret->lock_refusal = realtime->lock.failure;
    ret->n_not_pinned = realtime->n_not_pinned;
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

/* Writes the groups of a histogram from the first to the last group with values. */
static void histogram_json(wr_json *j, const char *key, const wr_histogram *histogram)
{
    int64_t from_ns;
    uint64_t n;
    int first = -1, last = -1;
    for (int i = 0; wr_histogram_group(histogram, i, &from_ns, &n); i++)
        if (n > 0) {
            first = first < 0 ? i : first;
            last = i;
        }
    wr_json_array(j, key);
    for (int i = first; first >= 0 && i <= last; i++) {
        wr_histogram_group(histogram, i, &from_ns, &n);
        wr_json_object(j, NULL);
        wr_json_integer(j, "from_ns", from_ns);
        wr_json_integer(j, "n", (int64_t)n);
        wr_json_end(j);
    }
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

void wr_realtime_json(wr_json *j, const wrsim *sim)
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
    histogram_json(j, "compute_histogram", wr_deadlines_compute(sim->realtime->deadlines));
    histogram_json(j, "margin_histogram", wr_deadlines_margin(sim->realtime->deadlines));
    wr_json_string(j, "priority_refused", r.priority_refusal ? strerror(r.priority_refusal) : "");
    wr_json_string(j, "lock_refused", r.lock_refusal ? strerror(r.lock_refusal) : "");
    wr_json_integer(j, "n_not_pinned", r.n_not_pinned);
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
    worst_json(j, sim, r.n_worst);
    wr_json_end(j);
}
