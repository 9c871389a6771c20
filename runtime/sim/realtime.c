/* Real time of a simulation. See realtime.h.
 *
 * Thread: as there. Real-time: as there.
 */
#include "runtime/sim/realtime.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "runtime/sim/drive.h"
#include "subsystems/ode/ode_subsystem.h"

/* Awake so long before a moment where a wait is mixed: twice what an ordinary kernel takes to wake a thread. */
enum { MIXED_NS = 100000 };
/* A sleep may be that much longer than asked for; the kernel's own choice is 50 us. */
enum { TIMER_SLACK_NS = 1 };
/* As deep as the program's own workers go. */
enum { STACK_BYTES = 1 << 18 };

int wr_realtime_is_asked(const wr_settings *set)
{
    const wr_set_realtime *const r = &set->realtime;
    return r->rate > 0.0 || r->priority > 0 || r->lock_memory || r->jitter;
}

/* ---- checks ---- */

static void check_scheme(const wr_settings *set, wr_diag *diag)
{
    static const char *const keys[] = {"realtime.rate", "realtime.priority", "realtime.lock_memory",
                                       "realtime.jitter"};
    const wr_set_realtime *const r = &set->realtime;
    const int is_set[] = {r->rate > 0.0, r->priority > 0, r->lock_memory, r->jitter};
    for (size_t i = 0; i < WR_COUNT_OF(keys); i++) {
        const wr_where where = wr_settings_place(set, keys[i]);
        if (is_set[i] && set->relaxation.scheme != WR_SCHEME_SLACK) {
            wr_diag_add(diag, WRSIM_E_CONFIG, &where,
                        "%s goes with relaxation.scheme = \"slack\" only: how long sweeps take "
                        "until they agree is not known beforehand",
                        keys[i]);
            return;
        }
    }
}

void wr_realtime_check(const wr_settings *set, wr_diag *diag)
{
    static const double LEAST_RATE = 1e-6;
    const wr_set_realtime *const r = &set->realtime;
    const wr_where rate = wr_settings_place(set, "realtime.rate");
    const wr_where misses = wr_settings_place(set, "realtime.misses");
    const wr_where waves = wr_settings_place(set, "output.waves");
    check_scheme(set, diag);
    if (r->rate > 0.0 && r->rate < LEAST_RATE)
        wr_diag_add(diag, WRSIM_E_CONFIG, &rate,
                    "realtime.rate is %g, but must be 0 or at least %g", r->rate, LEAST_RATE);
    if (r->misses > r->of)
        wr_diag_add(diag, WRSIM_E_CONFIG, &misses,
                    "realtime.misses = %d of %d steps in a row is more than there are: lower it, "
                    "or raise realtime.of",
                    r->misses, r->of);
    if (r->rate > 0.0 && set->output.waves)
        wr_diag_add(diag, WRSIM_E_CONFIG, &waves,
                    "output.waves needs every node, but a paced run does not wait for the disk: "
                    "leave output.waves out, or run without realtime.rate");
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

/* A stop that comes while all wait for the wall clock. */
static void look_for_stop(void *context)
{
    wrsim *const sim = context;
    if (atomic_exchange_explicit(&sim->is_stop_asked, 0, memory_order_relaxed))
        wr_drive_stop(sim);
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
                                              r->soft ? WR_DEADLINE_REPORT : policies[r->policy]};
    return is_watched ? wr_deadlines_place(a->arena, &options) : NULL;
}

/* As of wr_pacer_options. */
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
    if (!sim->slack || !(wr_realtime_is_asked(sim->settings) || sim->is_timed))
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
    if (wr_slack_set_pace(sim->slack, arena, &pace) < 0)
        return -1;
    sim->realtime = realtime;
    return 0;
}

/* ---- what is asked of the system ---- */

static void ask_thread(const wrsim *sim, int i_worker, wr_rt_thread *before)
{
    wr_realtime *const realtime = sim->realtime;
    const int priority = sim->settings->realtime.priority;
    realtime->sharpen[i_worker] = wr_rt_thread_sharpen(before, TIMER_SLACK_NS);
    if (priority > 0)
        realtime->raise[i_worker] = wr_rt_thread_raise(before, priority);
}

/* Worker 0 is asked in each run, as it is the caller's. */
static void ask_worker(void *context, int i_worker)
{
    wr_rt_thread before = {0};                   /* threads of our own end with it */
    (void)wr_rt_thread_touch_stack(STACK_BYTES); /* less stack than that is no failure */
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

/* The first thing that was refused, if anything was, with what to change. */
static wrsim_status tell_refusal(const wrsim *sim, wrsim_error *err)
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
        WR_TRY(tell_refusal(sim, err));
    if (r->jitter && start_jitter(sim) < 0)
        return wr_error_set(err, WRSIM_E_MEMORY,
                            "memory or a thread for realtime.jitter cannot be had");
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
        (void)wr_rt_thread_restore(&sim->realtime->before); /* what was granted can be given back */
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
    nanosleep(&length, NULL); /* cut short by a signal it has fewer values */
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
        (void)wr_rt_thread_unlock_memory(); /* there is nobody to tell */
    sim->realtime = NULL;
}
