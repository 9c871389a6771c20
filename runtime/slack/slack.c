/* Slackened synchronisation: running, workers, waiting. See slack.h. Thread: per function. Real-time: yes after wr_slack_start. */
#include <math.h>

#include "base/clock.h"
#include "base/diag.h"
#include "runtime/slack/period_length.h"
#include "runtime/slack/period_task.h"
#include "runtime/slack/slack.h"
#include "runtime/slack/slack_clock.h"
#include "runtime/slack/slack_place.h"
#include "runtime/slack/slack_run.h"
#include "runtime/slack/version_select.h"

/* time that an idle worker spins on the gate before it sleeps, ns (assumed) */
static const int64_t SPIN_NS = 50000;

double wr_slack_time(const wr_slack *slack)
{
    double least_s = (double)INFINITY;
    for (int i = 0; i < slack->plan.n; i++) {
        /* relaxed: constant between runs; observers accept any recent value. */
        const double t_s = atomic_load_explicit(&slack->plan.part[i].clock_s, memory_order_relaxed);
        least_s = wr_min(least_s, t_s);
    }
    return least_s;
}

/* ---- workers ---- */

/* Counts of one pass over a list of tasks. */
typedef struct outcome {
    int n_done; /* sweeps */
    int n_blocked, n_early;
    double next_s; /* first start time of the early tasks, s; INFINITY: none is early */
} outcome;

/* Integrates one sweep of each task in order[from] to order[to - 1] that can continue. Returns the counts. */
static outcome pass(wr_slack *slack, int i_worker, int from, int to)
{
    outcome all = {.next_s = (double)INFINITY};
    for (int k = from; k < to; k++) {
        wr_period_task *const part = &slack->plan.part[slack->order[k]];
        const wr_slack_progress progress = wr_period_task_step(slack, part, i_worker);
        all.n_done += progress == WR_SLACK_DONE;
        all.n_blocked += progress == WR_SLACK_BLOCKED;
        if (progress == WR_SLACK_EARLY) {
            all.n_early++;
            /* relaxed: with an old value this worker only retries too soon. */
            all.next_s =
                wr_min(all.next_s, atomic_load_explicit(&part->clock_s, memory_order_relaxed));
        }
    }
    return all;
}

/* Calls the observers if the slowest task has advanced. */
static void report_window(wr_slack *slack)
{
    const double t_s = wr_slack_time(slack);
    if (!(t_s > slack->reported_s))
        return;
    slack->reported_s = t_s;
    for (const wr_observer *o = slack->observer; o; o = o->next)
        if (o->window)
            o->window(o->context, t_s);
}

/* Counts this worker as idle after a pass in which no task could continue, and no task waits for the wall clock. `seen` is the gate's
 * passage before this pass. If `seen` is older than the counted passage, the count stays, and the worker searches again. Returns 1 if all
 * workers are idle. A task that progresses opens the gate. */
static int is_last_idle(wr_slack *slack, unsigned seen)
{
    uint64_t before = atomic_load_explicit(&slack->idle, memory_order_relaxed), after;
    do { /* acq_rel: the last worker acquires the writes of the other workers */
        const unsigned counted_for = (unsigned)(before >> 32);
        if ((int)(counted_for - seen) > 0)
            return 0;
        after = counted_for == seen ? before + 1 : ((uint64_t)seen << 32) + 1;
    } while (!atomic_compare_exchange_weak_explicit(&slack->idle, &before, after,
                                                    memory_order_acq_rel, memory_order_relaxed));
    return (int)(after & UINT32_MAX) == slack->n_active_worker &&
           wr_gate_seen(&slack->news) == seen;
}

/* Performs one more pass on the last idle worker, which has acquired the writes of all other workers. Returns 1 if no task can continue:
 * all tasks wait for one another, and the workers leave. */
static int give_up(wr_slack *slack, int i_worker)
{
    const outcome again = pass(slack, i_worker, 0, slack->plan.n);
    if (again.n_done > 0 || again.n_early > 0 || again.n_blocked == 0)
        return 0;
    atomic_store_explicit(&slack->is_stuck, 1, memory_order_relaxed);
    atomic_store_explicit(&slack->is_leaving, 1, memory_order_relaxed);
    wr_gate_open(&slack->news);
    return 1;
}

/* Integrates the worker's own tasks, and all tasks if no own task can continue. */
static void work(void *context, int i_worker)
{
    wr_slack *const slack = context;
    const int from = slack->first[i_worker], to = slack->first[i_worker + 1];
    const wrsim_observer *const o = slack->host_observer;
    unsigned counted = wr_gate_seen(&slack->news) - 1; /* passage of the gate at the last count */
    for (int is_over = 0; !is_over && !wr_slack_run_is_leaving(slack);) {
        const unsigned seen = wr_gate_seen(&slack->news);
        outcome now = pass(slack, i_worker, from, to);
        if (now.n_done == 0)
            now = pass(slack, i_worker, 0, slack->plan.n);
        if (i_worker == 0)
            report_window(slack);
        is_over = now.n_done + now.n_blocked + now.n_early == 0;
        if (now.n_done > 0 || is_over || wr_slack_run_is_leaving(slack))
            continue;
        const int has_left = now.n_early == 0 && counted != seen && is_last_idle(slack, seen) &&
                             give_up(slack, i_worker);
        const int64_t start_ns = o ? wr_clock_monotonic_ns() : 0;
        if (now.n_early > 0)
            wr_slack_clock_wait(slack, i_worker, now.next_s, now.n_blocked > 0, seen);
        else if (!has_left)
            wr_gate_wait(&slack->news, seen, SPIN_NS);
        const wrsim_wait_record wait = {.i_worker = i_worker,
                                        .reason =
                                            now.n_early > 0 ? WRSIM_WAIT_CLOCK : WRSIM_WAIT_DATA,
                                        .start_ns = start_ns,
                                        .end_ns = o ? wr_clock_monotonic_ns() : 0};
        if (o && o->wait)
            o->wait(o->user, &wait);
        counted = seen;
    }
}

/* ---- running ---- */

static void run_to(wr_slack *slack, double t_end_s)
{
    slack->end_s = t_end_s;
    atomic_store_explicit(&slack->is_leaving, 0, memory_order_relaxed); /* no worker runs */
    atomic_store_explicit(&slack->is_stuck, 0, memory_order_relaxed);
    atomic_store_explicit(&slack->idle, (uint64_t)wr_gate_seen(&slack->news) << 32,
                          memory_order_relaxed);
    wr_team_run(slack->team, slack->n_active_worker, work, slack);
}

static void undo_periods(wr_slack *slack)
{
    for (int i = 0; i < slack->plan.n; i++)
        if (slack->plan.part[i].sweep > 0)
            wr_subsystem_restore(slack->plan.part[i].subsystem);
}

/* Returns the time of a task's failure, s: the time of the subsystem's fault, if any, but at least the start of the period. */
static double failure_time(const wr_period_task *part)
{
    const wr_fault *const fault = &part->subsystem->fault;
    return fault->status < 0 ? wr_max(fault->t_s, part->t_s) : part->t_s;
}

/* Returns the task that failed first in simulated time, or NULL. */
static const wr_period_task *find_failed(const wr_slack *slack)
{
    const wr_period_task *failed = NULL;
    for (int i = 0; i < slack->plan.n; i++) {
        const wr_period_task *const p = &slack->plan.part[i];
        if (p->status < 0 && (!failed || failure_time(p) < failure_time(failed)))
            failed = p;
    }
    return failed;
}

/* Advances all other tasks to the end of the failed period, unless they wait for the failed task. So the results contain as many rows as
 * possible. The function reports the failure that is earliest in simulated time, for any order of the workers. */
static wrsim_status end_failed(wr_slack *slack, wrsim_error *err)
{
    const wr_period_task *failed = NULL;
    slack->is_catching_up = 1;
    for (const wr_period_task *next; (next = find_failed(slack)) != failed;) {
        failed = next;
        run_to(slack, failed->end_s);
    }
    slack->is_catching_up = 0;
    const wrsim_status status = failed->status;
    wr_error_set(err, status, "%s", wrsim_status_text(status));
    if (failed->subsystem->fault.status < 0)
        wr_subsystem_fault_text(failed->subsystem, err);
    undo_periods(slack);
    return status;
}

/* Advances all tasks to the time of the furthest task. With shorter periods of connections this time is rounded up to an end of a whole
 * period, so that the run cuts no period. */
static wrsim_status meet(wr_slack *slack, double t_end_s)
{
    double latest_s = -(double)INFINITY;
    for (int i = 0; i < slack->plan.n; i++) {
        const wr_period_task *const p = &slack->plan.part[i];
        latest_s = wr_max(latest_s, p->sweep > 0 ? p->end_s : p->t_s);
    }
    if (slack->plan.n_tick > 1)
        latest_s = wr_period_length_meet(&slack->plan, latest_s);
    /* The end of the last period equals the end of the run in all bits, also after a stop. So no later run integrates a remainder of
     * rounding. */
    if (wr_period_length_is_end(&slack->plan, latest_s, t_end_s))
        latest_s = t_end_s;
    slack->is_catching_up = 1;
    run_to(slack, latest_s);
    slack->is_catching_up = 0;
    /* The run has handled the stop. relaxed: no worker runs. */
    atomic_store_explicit(&slack->stop, 0, memory_order_relaxed);
    return latest_s < t_end_s ? WRSIM_STOPPED : WRSIM_OK;
}

/* Returns the failure of the workers' last run, with err set, or WRSIM_OK. */
static wrsim_status check(wr_slack *slack, wrsim_error *err)
{
    if (find_failed(slack))
        return end_failed(slack, err);
    if (!atomic_load_explicit(&slack->is_stuck, memory_order_relaxed)) /* relaxed: no worker runs */
        return WRSIM_OK;
    /* All tasks wait for one another. The only known cause is that stores are full of versions that readers need. */
    undo_periods(slack);
    return wr_error_set(
        err, WRSIM_E_LIMIT,
        "at t = %.9g s all subsystems wait, because too many advances within slack.period = %g s "
        "fill the memory for waveforms. Shorten slack.period, or advance by longer spans",
        wr_slack_time(slack), slack->plan.options.slack.period_s);
}

/* Shortest run, as a share of a communication step (as LEAST_LENGTH in runtime/relax/engine.c): rounding hides shorter runs. */
static const double least_length = 1e-12;

static int is_reached(const wr_slack *slack, double t_end_s)
{
    const double now_s = wr_slack_time(slack);
    return !(t_end_s - now_s > least_length * slack->plan.options.communication_step_s) ||
           wr_time_close(t_end_s, now_s);
}

wrsim_status wr_slack_check_end(const wr_slack *slack, double t_end_s, wrsim_error *err)
{
    const char *const name = wr_slack_place_find_flag(slack, WR_SUBSYSTEM_GRID_ONLY);
    if (is_reached(slack, t_end_s) || !name ||
        wr_slack_place_is_multiple(slack, t_end_s - slack->plan.options.start_s))
        return WRSIM_OK;
    return wr_error_set(err, WRSIM_E_ARG,
                        "t = %.17g s is not a communication point, and '%s' can stop only at such "
                        "points; choose simulation.start plus a multiple of "
                        "simulation.communication_step",
                        t_end_s, name);
}

wrsim_status wr_slack_run(wr_slack *slack, double t_end_s, wrsim_error *err)
{
    if (is_reached(slack, t_end_s))
        return WRSIM_OK;
    WR_TRY(wr_slack_check_end(slack, t_end_s, err));
    for (int i = 0; i < slack->plan.n; i++)
        wr_period_task_reopen(&slack->plan.part[i]);
    wr_slack_clock_begin(slack, wr_slack_time(slack));
    wrsim_status status = WRSIM_OK;
    run_to(slack, t_end_s);
    WR_THEN(status, check(slack, err));
    const int is_cut = status == WRSIM_OK && wr_slack_time(slack) < t_end_s;
    if (is_cut) {
        const wrsim_status met = meet(slack, t_end_s);
        status = check(slack, err);
        WR_THEN(status, met);
    }
    /* All tasks are at one time. The versions released before this point depend on the clock, so the run releases every version that no
     * task needs. */
    for (int i = 0; i < slack->plan.n && status >= 0; i++)
        wr_version_select_let_go(&slack->plan, &slack->plan.part[i]);
    /* relaxed: no worker runs. A stop that is too late for this run does not stop the next run. */
    if (!is_cut && status >= 0)
        atomic_store_explicit(&slack->stop, 0, memory_order_relaxed);
    if (slack->deadlines && wr_deadlines_take_stop(slack->deadlines) && status >= 0)
        status = WRSIM_DEADLINE_MISSED;
    /* relaxed: no worker runs. A failure takes precedence. */
    if (atomic_exchange_explicit(&slack->is_exceeded, 0, memory_order_relaxed) && status >= 0)
        status = WRSIM_DELAY_EXCEEDED;
    wr_slack_clock_end(slack, wr_slack_time(slack), status);
    return status;
}

void wr_slack_stop(wr_slack *slack)
{
    atomic_store_explicit(&slack->stop, 1, memory_order_relaxed);
}

/* ---- results ---- */

void wr_slack_observe(wr_slack *slack, wr_observer *observers)
{
    wr_observer_append(&slack->observer, observers);
}

void wr_slack_set_host_observer(wr_slack *slack, const wrsim_observer *observer)
{
    slack->host_observer = observer;
}

void wr_slack_set_log(wr_slack *slack, const wr_slack_log *log) { slack->plan.log = log; }

int64_t wr_slack_periods(const wr_slack *slack)
{
    static const double ROUNDING =
        1e-6; /* share of a period (assumed); shorter spans are rounding */
    const double past_s = wr_slack_time(slack) - slack->plan.options.start_s;
    return (int64_t)(past_s / slack->plan.options.slack.period_s + ROUNDING);
}

wr_slack_stats wr_slack_stats_get(const wr_slack *slack)
{
    wr_slack_stats stats = {.n_period = wr_slack_periods(slack),
                            .n_active_worker = slack->n_active_worker};
    for (int i = 0; i < slack->plan.n; i++) {
        const wr_period_task *const p = &slack->plan.part[i];
        stats.n_integration += p->n_integration;
        stats.n_wait += p->n_wait;
        stats.n_stale += p->n_stale;
        const wr_predict_count count = wr_predict_counted(p->predict);
        stats.n_predicted += count.n_polynomial + count.n_history[0];
        stats.n_predicted_period += count.n_history[0];
    }
    return stats;
}

wr_slack_limits wr_slack_limits_get(const wr_slack *slack, int i_part)
{
    const int n_sweep = slack->plan.part[i_part].n_sweep;
    const wr_task_limits *const l = &slack->plan.part[i_part].limits;
    return (wr_slack_limits){.local = l->local,
                             .global = l->global,
                             .n_sweep = l->n_relax > n_sweep ? l->n_relax : n_sweep};
}

int wr_slack_is_awaited(const wr_slack *slack, int i_part, int i_source)
{
    return slack->plan.part[i_part].source[i_source].is_awaited;
}

const wr_delay_error *wr_slack_delay_error(const wr_slack *slack, int i_part)
{
    return slack->plan.part[i_part].delay;
}

wr_slack_age wr_slack_age_get(const wr_slack *slack, int i_part, int i_external)
{
    wr_slack_age age = slack->plan.part[i_part].age[i_external];
    if (age.n_read > 0)
        age.mean_s /= (double)age.n_read;
    return age;
}

wr_slack_left wr_slack_left_get(const wr_slack *slack, int i_part)
{
    return wr_sweep_residual_left(&slack->plan.part[i_part].rest);
}

double wr_slack_exchange_s(const wr_slack *slack, int i_part, int i_source)
{
    const wr_period_task *const p = &slack->plan.part[i_part];
    const int theirs = slack->plan.part[p->source[i_source].producer->i].span;
    return slack->plan.tick_s * (double)(theirs > p->span ? theirs : p->span);
}
