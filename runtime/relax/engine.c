/* The relaxation engine: runs, and decisions after each batch of tasks. See engine.h.
 *
 * Thread: per function. Real-time: yes after wr_engine_start.
 */
#include "runtime/relax/engine.h"

#include <math.h>

#include "base/clock.h"
#include "runtime/relax/account.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_causes.h"
#include "runtime/relax/engine_changes.h"
#include "runtime/relax/engine_judge.h"
#include "runtime/relax/engine_loops.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_observe.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_reject.h"
#include "runtime/relax/engine_requests.h"
#include "runtime/relax/engine_slope.h"
#include "runtime/relax/engine_stats.h"
#include "runtime/relax/engine_sweep.h"
#include "runtime/relax/engine_task.h"
#include "runtime/relax/engine_window.h"
#include "runtime/relax/observer.h"
#include "runtime/relax/phase.h"
#include "scheduler/team.h"

/* ---- between two batches ---- */

static void count_batch(wr_engine *e)
{
    if (e->batch->timing == 0)
        return;
    for (int k = 0; k < e->batch->n; k++)
        e->batch->expected[k] = (double)e->batch->task_ns[k];
    wr_placement_add_bound(e->stats->bound_wall_s, e->batch->n, e->batch->expected,
                           e->batch->timing, e->batch->order);
}

/* First failed task of the batch, or -1. */
static int failed_task(const wr_engine *e)
{
    int failed = -1;
    /* relaxed: the barrier ordered it. */
    if (!atomic_load_explicit(&e->batch->is_failed, memory_order_relaxed))
        return failed;
    for (int k = 0; k < e->batch->n; k++)
        if (e->record[e->batch->run[k]].status < 0 && (failed < 0 || e->batch->run[k] < failed))
            failed = e->batch->run[k];
    return failed;
}

/* Has a stop interrupted a task of the batch? */
static int is_cut_short(const wr_engine *e)
{
    int is_cut = 0;
    /* relaxed: the barrier ordered it. */
    if (atomic_load_explicit(&e->batch->is_failed, memory_order_relaxed))
        for (int k = 0; k < e->batch->n; k++)
            is_cut |= e->record[e->batch->run[k]].status == WRSIM_STOPPED;
    return is_cut;
}

/* Before a window is accepted: subsystems without rollback advance against converged waves; all subsystems integrate again if
 * algebraic loops amplify more than the window has used; events at shared instants are checked. Returns 1 if a sweep is needed. */
static int is_another_needed(wr_engine *e)
{
    if (e->net->n_once > 0 && !e->window->has_once_run) {
        wr_engine_activate_once(e);
        return 1;
    }
    if (wr_engine_ask_loops(e)) {
        wr_engine_publish_guesses(e);
        wr_engine_force_all(e);
        return 1;
    }
    return wr_engine_begin_event_check(e);
}

/* After a rejected window: tries it again, if the run does not end. */
static void begin_again(wr_engine *e, int is_tried_again)
{
    if (!is_tried_again)
        return;
    wr_engine_reset(e, 1);
    wr_engine_begin_window(e);
}

/* After the last batch of a sweep: another sweep, another try, or the next window. */
static void decide(wr_engine *e)
{
    const int was_check = e->sweep->is_event_check;
    if (!was_check && e->sweep->n_integrated > 0) {
        e->window->has_event_check = 0;
        wr_engine_observe_sweep(e);
    }
    wr_verdict verdict = was_check ? wr_engine_judge_event_check(e) : wr_engine_judge(e);
    int has_begun = 0; /* a sweep in which no subsystem had to integrate */
    if (verdict == WR_VERDICT_SWEEP || verdict == WR_VERDICT_CHECK) {
        wr_engine_begin_sweep(e, verdict == WR_VERDICT_CHECK);
        if (wr_engine_prepare_from(e, 0))
            return;
        verdict = WR_VERDICT_ACCEPT; /* Gauss-Seidel: nothing to do after all */
        has_begun = 1;
    }
    if (verdict == WR_VERDICT_ACCEPT && !was_check)
        verdict = wr_engine_trace_causes(e);
    if (verdict == WR_VERDICT_REJECT)
        begin_again(e, wr_engine_reject_window(e, -1));
    else if (verdict == WR_VERDICT_ACCEPT && wr_engine_parts_instant(e))
        begin_again(e, wr_engine_end_earlier(e));
    else if (verdict == WR_VERDICT_SWEEP || is_another_needed(e)) {
        e->sweep->is_check_only = 0;
        if (!has_begun)
            wr_engine_begin_sweep(e, 0);
        wr_engine_prepare_from(e, 0);
    } else
        wr_engine_accept_window(e);
}

static void after_batch(void *context)
{
    wr_engine *const e = context;
    count_batch(e);
    for (const wr_observer *o = e->observer; o; o = o->next)
        if (o->batch)
            o->batch(o->context, e->batch->n, e->batch->run,
                     e->batch->timing > 0 ? e->batch->task_ns : NULL);
    const int failed = failed_task(e);
    if (is_cut_short(e))
        wr_engine_cut_window(e);
    else if (failed >= 0) {
        wr_engine_count_full(e);
        begin_again(e, wr_engine_reject_window(e, failed));
    } else {
        wr_engine_publish_level(e);
        if (wr_engine_ends_at_slope(e))
            wr_engine_leave(e, WRSIM_E_CONTRACT);
        else if (!wr_engine_prepare_from(e, e->sweep->i_level + 1))
            decide(e);
    }
}

/* ---- running ---- */

static void work(void *context, int i_worker)
{
    wr_engine *const e = context;
    do {
        for (int task; (task = wr_team_claim(e->team, i_worker)) >= 0;) {
            const int next = e->is_large ? wr_team_next(e->team, i_worker) : -1;
            wr_engine_run_task(e, e->batch->run[task], i_worker,
                               next >= 0 ? &e->prefetch[e->batch->run[next]] : NULL);
            if (e->batch->checks_early)
                wr_engine_check_early(e, e->batch->run[task]);
        }
        wr_team_barrier(e->team, i_worker, after_batch, e);
    } while (!e->control->is_leaving);
}

/* As work(), and reports tasks and waits to the host's observer. */
static void work_observed(void *context, int i_worker)
{
    wr_engine *const e = context;
    do {
        for (int task; (task = wr_team_claim(e->team, i_worker)) >= 0;) {
            wr_engine_observe_task(e, e->batch->run[task], i_worker);
            if (e->batch->checks_early)
                wr_engine_check_early(e, e->batch->run[task]);
        }
        wr_engine_observe_barrier(e, i_worker, after_batch);
    } while (!e->control->is_leaving);
}

static wrsim_status commit_all(wr_engine *e)
{
    wrsim_status status = WRSIM_OK;
    for (int i = 0; i < e->n; i++) {
        wr_engine_commit_rows(e, i);
        if (status >= 0)
            status = e->record[i].commit_status;
    }
    return status;
}

static void fill_failure(wr_engine *e, wrsim_error *err)
{
    if (e->control->i_failed >= 0)
        wr_request_fault_text(e, e->control->i_failed, &e->control->failure);
    if (err)
        *err = e->control->failure;
}

/* After a failure or a cut: returns all subsystems to the start of the window. */
static void leave_rejected_window(wr_engine *e)
{
    for (int i = 0; i < e->n; i++)
        if (e->record[i].is_saved && !e->record[i].is_once)
            wr_request_restore(e, i);
}

/* Of a communication step: shorter windows are lost in rounding or among denormal numbers. */
static const double LEAST_LENGTH = 1e-12;

static int is_reached(const wr_engine *e, double t_end_s)
{
    return !(t_end_s - e->window->t_s > LEAST_LENGTH * e->options.communication_step_s) ||
           wr_time_close(e->window->t_s, t_end_s);
}

wrsim_status wr_engine_check_end(const wr_engine *e, double t_end_s, wrsim_error *err)
{
    if (!is_reached(e, t_end_s) && e->net->is_on_grid &&
        !wr_time_close(wr_engine_grid_at(e, t_end_s), t_end_s))
        return wr_error_set(
            err, WRSIM_E_ARG,
            "t = %.17g s is not a communication point, and '%s' advances from one to the next "
            "only; choose a multiple of simulation.communication_step",
            t_end_s, wr_engine_find_flag(e, WR_SUBSYSTEM_GRID_ONLY));
    return WRSIM_OK;
}

wrsim_status wr_engine_run(wr_engine *e, double t_end_s, wrsim_error *err)
{
    if (is_reached(e, t_end_s))
        return WRSIM_OK;
    WR_TRY(wr_engine_check_end(e, t_end_s, err));
    e->control->end_s = t_end_s;
    if (!e->control->is_stopped) {
        e->control->sound_s = -(double)INFINITY;
        e->control->n_fault = 0;
    }
    e->load->noted_ns = e->lone->since_ns = wr_clock_monotonic_ns();
    e->control->status = WRSIM_OK;
    e->control->is_cut = 0;
    atomic_store_explicit(&e->batch->is_failed, 0, memory_order_relaxed); /* no task runs */
    for (int i = 0; i < e->n; i++) /* a host or a checkpoint may have changed the subsystem */
        wr_request_refresh(e, i);
    wr_engine_reset(e, 0);
    wr_engine_begin_window(e);
    do {
        e->control->is_leaving = 0;
        wr_team_run(e->team, e->load->n_active_worker, e->host_observer ? work_observed : work, e);
    } while (e->control->status == WRSIM_OK && e->window->t_s < t_end_s &&
             !wr_time_close(e->window->t_s, t_end_s));
    e->stats->n_active_worker = e->load->n_active_worker;
    const wrsim_status status = e->control->status;
    e->control->is_stopped = status == WRSIM_STOPPED;
    if (status < 0)
        fill_failure(e, err);
    if (status < 0 || e->control->is_cut)
        leave_rejected_window(e);
    const wrsim_status commit_status = commit_all(e);
    return status < 0 ? status : commit_status < 0 ? commit_status : status;
}

void wr_engine_observe(wr_engine *e, wr_observer *observer)
{
    wr_observer_append(&e->observer, observer);
}

void wr_engine_set_host_observer(wr_engine *e, const wrsim_observer *observer)
{
    e->host_observer = observer;
}

void wr_engine_stop(wr_engine *e)
{
    atomic_store_explicit(&e->control->stop, 1, memory_order_relaxed);
}

int wr_engine_is_cut(const wr_engine *e) { return e->control->is_cut; }

double wr_engine_time(const wr_engine *e) { return e->window->t_s; }

wr_engine_predicted wr_engine_predicted_get(const wr_engine *e)
{
    wr_engine_predicted sum = {.n_phase_fall = e->phase ? wr_phase_falls(e->phase) : 0};
    for (int i = 0; i < e->n; i++) {
        const wr_predict_count count = wr_request_predicted(e, i);
        sum.n_polynomial += count.n_polynomial;
        sum.n_own += count.n_history[0];
        sum.n_followed += count.n_history[1];
    }
    return sum;
}

void wr_engine_error_close(wr_engine *e)
{
    if (e->account)
        wr_account_close(e->account);
}

wr_engine_error wr_engine_error_get(const wr_engine *e)
{
    wr_engine_error error = {.i_subsystem = -1,
                             .i_reader = -1,
                             .i_external = -1,
                             .i_producer = -1,
                             .i_signal = -1,
                             .i_opaque = -1};
    double through = 0.0;
    for (int i = 0; i < e->n && e->account; i++) {
        const wr_account_sum sum = wr_account_get(e->account, i);
        if (error.i_opaque < 0 && sum.is_uncovered)
            error.i_opaque = i;
        error.waves += sum.waves;
        error.readers += sum.readers;
        error.sweeps += sum.sweeps;
        if (error.i_subsystem < 0 || sum.error > error.error) {
            error.i_subsystem = i;
            error.error = sum.error;
        }
        if (sum.i_external >= 0 && sum.through > through) {
            through = sum.through;
            error.i_reader = i;
            error.i_external = sum.i_external;
            error.i_producer = e->net->node[i].read[sum.i_external].i_producer;
            error.i_signal = e->net->node[i].read[sum.i_external].i_signal;
        }
    }
    const double parts = error.waves + error.readers + error.sweeps;
    const double by = parts > 0.0 ? error.error / parts : 0.0;
    error.waves *= by;
    error.readers *= by;
    error.sweeps *= by;
    return error;
}

const wr_engine_stats *wr_engine_stats_get(const wr_engine *e) { return e->stats; }
