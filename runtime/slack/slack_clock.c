/* Start times of periods, and their timing. See slack.h.
 *
 * All tasks share one schedule: an anchor (scheduler/pacer.h), and a shift that any task may change. A run keeps the schedule if the run
 * begins where the last run has ended with WRSIM_OK. Otherwise the run begins a new schedule. The shift changes in three cases:
 *   - The furthest task is late by more than catch_up_s: the clock has jumped forward, or the machine has been suspended.
 *   - The wait of a task exceeds a period by more than catch_up_s. The last period of the task has not begun too early, so the clock has
 *     jumped back.
 *   - A host's clock has stopped (wr_slack_clock_wait()).
 * The first task that finds such a case changes the shift; all other tasks read the schedule again. If only tasks behind the furthest task
 * are late, the shift stays, because the tasks in time would undo the change.
 *
 * Thread: per function. Real-time: yes.
 */
#include <math.h>

#include "base/clock.h"
#include "runtime/slack/period_length.h"
#include "runtime/slack/slack_clock.h"
#include "runtime/slack/slack_run.h"

/* Schedule of periods against the wall clock. */
typedef struct wr_slack_clock {
    wr_slack_pace options;
    wr_pacer pacer;  /* the schedule without the shift */
    double met_s;    /* end of the last run, s; NaN: the next run begins a new schedule */
    int64_t jump_ns; /* a larger deviation of a period changes the shift */
    int64_t span_ns; /* wall time of a period */
    /* relaxed: no other data belongs to these values. */
    _Alignas(WR_CACHE_LINE) _Atomic int64_t shift_ns; /* shift of the schedule */
    _Atomic int64_t n_jump;
} wr_slack_clock;

/* Longest sleeps of a worker, ns (assumed). NEWS_NS applies to a worker that waits for a passage of the gate on a host's clock, because
 * the gate cannot end such a sleep. */
static const int64_t SLICE_NS = 20000000, NEWS_NS = 100000;
/* number of readings without progress after which a host's clock counts as stopped (as in scheduler/pacer.c) */
enum { MOST_STILL = 1 << 24 };
static const double NS_PER_S = 1e9;

wrsim_status wr_slack_set_pace(wr_slack *slack, wr_arena *arena, const wr_slack_pace *pace)
{
    static const double LONGEST_S = 1e6; /* longest wall time of a period, s (assumed) */
    if (!(pace->rate >= 0.0) || !(pace->deadline_s >= 0.0) || !(pace->catch_up_s > 0.0) ||
        !(pace->degraded_factor >= 1.0) || !pace->deadlines ||
        (pace->rate > 0.0 && !(slack->plan.options.slack.period_s / pace->rate < LONGEST_S)))
        return WRSIM_E_ARG;
    wr_arena_line(arena);
    wr_slack_clock *const clock = WR_NEW(arena, wr_slack_clock);
    if (!clock)
        return WRSIM_E_MEMORY;
    const double rate = pace->rate > 0.0 ? pace->rate : 1.0;
    const wr_pacer_options options = {.rate = rate,
                                      .clock = pace->clock,
                                      .spin_ns = pace->spin_ns,
                                      .most_late_s = pace->catch_up_s,
                                      .jump_s = pace->catch_up_s};
    clock->options = *pace;
    WR_TRY(wr_pacer_init(&clock->pacer, &options));
    clock->jump_ns = (int64_t)(pace->catch_up_s * NS_PER_S);
    clock->span_ns = (int64_t)(slack->plan.options.slack.period_s / rate * NS_PER_S);
    clock->met_s = (double)NAN;
    slack->clock = clock;
    slack->deadlines = pace->deadlines;
    return WRSIM_OK;
}

int64_t wr_slack_jumps(const wr_slack *slack)
{
    return slack->clock ? atomic_load_explicit(&slack->clock->n_jump, memory_order_relaxed) : 0;
}

/* ---- the schedule ---- */

static int64_t now_of(const wr_slack_clock *clock)
{
    return clock->pacer.clock.now(clock->pacer.clock.context);
}

static int64_t due_of(const wr_slack_clock *clock, double t_s)
{
    return wr_pacer_due_ns(&clock->pacer, t_s) +
           atomic_load_explicit(&clock->shift_ns, memory_order_relaxed);
}

void wr_slack_clock_begin(wr_slack *slack, double t_s)
{
    wr_slack_clock *const clock = slack->clock;
    if (!clock || !(t_s < clock->met_s || t_s > clock->met_s || isnan(clock->met_s)))
        return;
    wr_pacer_begin(&clock->pacer, t_s);
    atomic_store_explicit(&clock->shift_ns, 0, memory_order_relaxed); /* no worker runs */
}

void wr_slack_clock_end(wr_slack *slack, double t_s, wrsim_status status)
{
    if (slack->clock)
        slack->clock->met_s = status == WRSIM_OK ? t_s : (double)NAN;
}

/* Returns the deviation of the schedule, ns; 0: the schedule is right. The task whose next period starts at t_s is late by late_ns. */
static int64_t find_jump(const wr_slack *slack, double t_s, int64_t late_ns, int64_t now_ns,
                         int64_t shift_ns)
{
    const wr_slack_clock *const clock = slack->clock;
    if (-late_ns > clock->span_ns + clock->jump_ns)
        return late_ns;
    if (late_ns <= clock->jump_ns)
        return 0;
    double front_s = t_s;                   /* start of the furthest task's next period */
    for (int i = 0; i < slack->plan.n; i++) /* relaxed: an old value makes the change larger */
        front_s = wr_max(front_s,
                         atomic_load_explicit(&slack->plan.part[i].clock_s, memory_order_relaxed));
    const int64_t front_ns = now_ns - (wr_pacer_due_ns(&clock->pacer, front_s) + shift_ns);
    return front_ns > clock->jump_ns ? front_ns : 0;
}

int wr_slack_clock_is_due(wr_slack *slack, double t_s)
{
    wr_slack_clock *const clock = slack->clock;
    if (!clock || !(clock->options.rate > 0.0) || slack->is_catching_up)
        return 1;
    for (;;) {
        int64_t shift_ns = atomic_load_explicit(&clock->shift_ns, memory_order_relaxed);
        const int64_t now_ns = now_of(clock);
        const int64_t late_ns = now_ns - (wr_pacer_due_ns(&clock->pacer, t_s) + shift_ns);
        const int64_t jump_ns = find_jump(slack, t_s, late_ns, now_ns, shift_ns);
        if (jump_ns == 0)
            return late_ns >= 0;
        if (atomic_compare_exchange_strong_explicit(&clock->shift_ns, &shift_ns, shift_ns + jump_ns,
                                                    memory_order_relaxed, memory_order_relaxed))
            atomic_fetch_add_explicit(&clock->n_jump, 1, memory_order_relaxed);
    }
}

/* ---- waiting ---- */

void wr_slack_clock_wait(wr_slack *slack, int i_worker, double t_s, int needs_news, unsigned seen)
{
    const wr_slack_clock *const clock = slack->clock;
    const wr_slack_pace *const o = &clock->options;
    const wr_pacer_clock *const wall = &clock->pacer.clock;
    const int is_own = !o->clock.now;
    const int64_t longest_ns = needs_news && !is_own ? NEWS_NS : SLICE_NS;
    int64_t latest_ns = INT64_MIN;
    for (int n_still = 0; n_still < MOST_STILL; n_still++) {
        if (i_worker == 0 && o->poll)
            o->poll(o->context);
        if (wr_slack_run_is_leaving(slack) || wr_slack_clock_is_due(slack, t_s) ||
            (needs_news && wr_gate_seen(&slack->news) != seen))
            return;
        const int64_t now_ns = now_of(clock), left_ns = due_of(clock, t_s) - now_ns;
        const int64_t sleep_ns =
            left_ns - o->spin_ns < longest_ns ? left_ns - o->spin_ns : longest_ns;
        if (o->spin_ns == WR_PACER_SPIN_ONLY || left_ns <= o->spin_ns)
            wr_pause_cpu();
        else if (needs_news && is_own)
            (void)wr_gate_wait_until(&slack->news, seen, now_ns + sleep_ns);
        else
            wall->sleep_until(wall->context, now_ns + sleep_ns);
        n_still = now_ns > latest_ns ? 0 : n_still;
        latest_ns = now_ns > latest_ns ? now_ns : latest_ns;
    }
    /* The host's clock has stopped, which counts as a jump. */
    atomic_fetch_add_explicit(&slack->clock->shift_ns, now_of(clock) - due_of(clock, t_s),
                              memory_order_relaxed);
    atomic_fetch_add_explicit(&slack->clock->n_jump, 1, memory_order_relaxed);
}

/* ---- a period ---- */

static void count_work(const wr_slack_clock *clock, const wr_period_task *part,
                       wr_period_work *ret_work)
{
    if (clock->options.work)
        clock->options.work(clock->options.context, part->i, ret_work);
}

void wr_slack_clock_enter(wr_slack *slack, wr_period_task *part)
{
    const wr_slack_clock *const clock = slack->clock;
    wr_task_timing *const timing = &part->timing;
    if (!clock)
        return;
    timing->begun_ns = now_of(clock);
    if (part->sweep > 0)
        return;
    timing->is_degraded = wr_deadlines_is_degraded(clock->options.deadlines);
    timing->tolerance_factor = timing->is_degraded ? clock->options.degraded_factor : 1.0;
    if (timing->is_timing) /* this short period is not the first of its whole period */
        return;
    timing->is_timing = 1;
    timing->time = (wr_period_time){.t_s = part->t_s, .begun_ns = timing->begun_ns};
    if (clock->options.rate > 0.0) {
        const int64_t late_ns = timing->begun_ns - due_of(clock, part->t_s);
        timing->time.late_ns = late_ns > 0 ? late_ns : 0;
    }
    count_work(clock, part, &timing->work);
}

void wr_slack_clock_rest(wr_slack *slack, wr_period_task *part)
{
    if (slack->clock)
        part->timing.time.compute_ns += now_of(slack->clock) - part->timing.begun_ns;
}

void wr_slack_clock_leave(wr_slack *slack, wr_period_task *part)
{
    const wr_slack_clock *const clock = slack->clock;
    if (!clock || part->out.is_played)
        return;
    wr_period_time *const time = &part->timing.time;
    const int64_t now_ns = now_of(clock);
    /* largest time from the period's wall time to its end, ns; with rate 0 largest computing time */
    int64_t deadline_ns = clock->span_ns;
    if (clock->options.deadline_s > 0.0)
        deadline_ns = (int64_t)(clock->options.deadline_s * NS_PER_S);
    else if (clock->options.rate > 0.0)
        deadline_ns =
            wr_pacer_due_ns(&clock->pacer, part->end_s) - wr_pacer_due_ns(&clock->pacer, time->t_s);
    /* The deadline counts from the scheduled start of the period, by the schedule at the time when the task began. */
    const int64_t moment_ns = time->begun_ns - time->late_ns;
    time->compute_ns += now_ns - part->timing.begun_ns;
    time->done_ns = now_ns;
    /* If the clock has jumped back, the difference may be negative, and counts as 0. */
    time->compute_ns = time->compute_ns > 0 ? time->compute_ns : 0;
    const int64_t took_ns = clock->options.rate > 0.0 ? now_ns - moment_ns : time->compute_ns;
    time->over_ns = took_ns > 0 ? took_ns - deadline_ns : -deadline_ns;
    /* A task may have shorter periods, but deadlines apply only to whole periods P, or to the last part of P in a run. */
    const int64_t n_tick = wr_period_length_tick(&slack->plan, part->n_tick, part->end_s);
    if (n_tick % slack->plan.n_tick != 0 && part->end_s < slack->end_s)
        return;
    part->timing.is_timing = 0;
    const wr_period_work before = part->timing.work;
    wr_period_work after = before;
    count_work(clock, part, &after);
    time->work = (wr_period_work){.n_rhs = after.n_rhs - before.n_rhs,
                                  .n_jacobian = after.n_jacobian - before.n_jacobian,
                                  .n_event = after.n_event - before.n_event};
    wr_deadlines_note(clock->options.deadlines, part->i, time);
}

int wr_slack_clock_over(const wr_slack *slack, const wr_period_task *part, int64_t *ret_over_ns)
{
    if (!slack->clock || part->out.is_played || part->sweep > 0 || part->timing.is_timing)
        return 0;
    *ret_over_ns = part->timing.time.over_ns;
    return 1;
}
