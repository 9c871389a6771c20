/* The relaxation engine: runs, verdicts, and decisions after each batch of tasks. See engine.h.
 *
 * Thread: per function. Real-time: yes after wr_engine_start(). */
#include "runtime/relax/engine.h"

#include <math.h>

#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_acceleration.h"
#include "runtime/relax/engine_activity.h"
#include "runtime/relax/engine_ahead.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_causes.h"
#include "runtime/relax/engine_control.h"
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
#include "runtime/relax/splitting_error.h"
#include "runtime/relax/sweep_verdict.h"
#include "runtime/relax/window.h"
#include "scheduler/team.h"

/* ---- verdicts ---- */

/* Returns 1 if a shorter window is forbidden, or would contract no faster. */
static int is_short_enough(const wr_engine *e)
{
    return e->contraction->is_slow || wr_window_is_shortest(e->rule, e->window->length_s);
}

static wr_sweep_verdict_input input_of(const wr_engine *e, wr_sweep_verdict_kind kind)
{
    return (wr_sweep_verdict_input){.kind = kind,
                                    .is_open = 1,
                                    .i_sweep = e->sweep->i,
                                    .relaxation = &e->options.relaxation,
                                    .residual = e->contraction->end_residual[0],
                                    .ratio = wr_contraction_ratio(e->contraction, e->sweep->i),
                                    .has_cycle = e->net->has_cycle,
                                    .has_algebraic_cycle = e->net->has_algebraic_cycle,
                                    .is_accelerated = e->mix->method != NULL,
                                    .has_guesses = e->mix->has_guesses,
                                    .is_stuck = e->loops->is_stuck,
                                    .is_short_enough = is_short_enough(e),
                                    .may_retry = !e->activity->has_once_run};
}

/* Returns the verdict of a kind. Collects the numbers of the verdict only if is_open. */
static wr_verdict verdict_of(const wr_engine *e, wr_sweep_verdict_kind kind, int is_open)
{
    static const wr_sweep_verdict_input closed = {.is_open = 0};
    if (!is_open)
        return wr_sweep_verdict_of(&closed);
    const wr_sweep_verdict_input input = input_of(e, kind);
    return wr_sweep_verdict_of(&input);
}

/* Returns the verdict on the accelerated iterate as a whole. */
static wr_verdict judge_accelerated(wr_engine *e)
{
    wr_mix_step(e);
    const int is_anything_open = wr_engine_is_anything_open(e);
    const int is_open = is_anything_open || !(e->mix->error <= e->contraction->accepted_error);
    const wr_verdict verdict = verdict_of(e, WR_VERDICT_OF_ACCELERATED, is_open);
    if (verdict != WR_VERDICT_SWEEP)
        return verdict;
    wr_mix_publish(e);
    wr_engine_force_all(e);
    return verdict;
}

/* Returns the verdict after a sweep in which only subsystems without rollback have integrated. Such a sweep is no iteration and gives no
 * contraction rate. */
static wr_verdict judge_once_turn(wr_engine *e)
{
    wr_activity_end_sweep(e->activity);
    const int is_open = e->mix->method || wr_engine_find_active(e) > 0;
    if (e->mix->method) {
        wr_mix_restart(e);
        wr_engine_force_all(e);
    }
    return verdict_of(e, WR_VERDICT_OF_ONCE, is_open);
}

static wr_verdict judge_plain(wr_engine *e)
{
    wr_verdict verdict = verdict_of(e, WR_VERDICT_OF_SWEEP, wr_engine_find_active(e) > 0);
    /* An active subsystem may still find that its input change does not matter. */
    if (verdict == WR_VERDICT_REJECT) {
        wr_sweep_verdict_input input = input_of(e, WR_VERDICT_OF_SWEEP);
        input.may_not_matter = 1;
        for (int i = 0; i < e->n && input.may_not_matter; i++)
            input.may_not_matter = !(e->record[i].is_active && wr_engine_is_due(e, i));
        verdict = wr_sweep_verdict_of(&input);
    }
    if (verdict == WR_VERDICT_REJECT)
        wr_engine_take_back_checks(e);
    return verdict;
}

/* Returns the verdict on the last sweep. If the verdict is another sweep, marks the active subsystems of that sweep. */
static wr_verdict judge(wr_engine *e)
{
    /* If an input change matters, all subsystems with rollback integrate next, or the engine rejects the window. */
    if (e->sweep->n_integrated == 0) {
        const wr_verdict verdict = verdict_of(e, WR_VERDICT_OF_CHECK, e->sweep->n_wanted > 0);
        if (verdict == WR_VERDICT_SWEEP)
            wr_engine_force_all(e);
        return verdict;
    }
    if (e->activity->is_once_turn)
        return judge_once_turn(e);
    /* Checks before and in the next sweep use the accepted error, so this error changes at most once per sweep. */
    if (e->sweep->i >= WR_VERDICT_MANY_SWEEPS)
        wr_contraction_accept(e->contraction,
                              wr_sweep_verdict_accepted_error(e->options.relaxation.convergence,
                                                              e->sweep->i, is_short_enough(e)));
    if (!e->mix->method || !e->mix->has_guesses) {
        const double ratio =
            wr_contraction_measure(e->contraction, e->sweep->i, e->options.relaxation.convergence);
        e->stats->contraction_mean += ratio < 0.0 ? 0.0 : ratio;
        e->stats->n_contraction += !(ratio < 0.0);
    }
    for (const wr_observer *o = e->observer; o; o = o->next)
        if (o->sweep)
            o->sweep(o->context, e->window->t_s, e->window->length_s, e->sweep->i, e->sweep->delta);
    wr_activity_end_sweep(e->activity);
    return e->mix->method ? judge_accelerated(e) : judge_plain(e);
}

/* ---- between two batches ---- */

/* Returns 1 if the window needs another sweep before its acceptance, and marks the active subsystems of that sweep. Subsystems without
 * rollback then advance against converged waves. If algebraic loops amplify more than the window has assumed, all subsystems with rollback
 * integrate again. Finally a sweep checks events at shared instants. */
static int is_another_needed(wr_engine *e)
{
    if (e->net->n_once > 0 && !e->activity->has_once_run) {
        wr_engine_activate_once(e);
        return 1;
    }
    if (wr_engine_ask_loops(e)) {
        wr_mix_publish(e);
        wr_engine_force_all(e);
        return 1;
    }
    return wr_engine_activate_held(e) || wr_engine_begin_event_check(e);
}

/* Accepts the window after its completion, or ends the run at a fault of the completion. */
static void end_window(wr_engine *e)
{
    const int i_failed = wr_engine_end_completion(e);
    if (i_failed < 0) {
        wr_engine_note_held_end(e);
        wr_engine_accept_window(e);
    } else
        wr_engine_fail_completed(e, i_failed);
}

/* Begins another sweep, another try, or the next window, after the last batch of a sweep. */
static void decide(wr_engine *e)
{
    const int was_check = e->event_check->is_on;
    if (!was_check && e->sweep->n_integrated > 0) {
        wr_event_check_renew(e->event_check);
        wr_engine_observe_sweep(e);
    } else
        wr_engine_uncount_sweep(e);
    if (wr_engine_is_at_event(e)) {
        wr_engine_forget_checks(e);
        if (wr_engine_end_at_event(e, -1))
            wr_engine_retry_window(e);
        return;
    }
    wr_verdict verdict = was_check ? wr_engine_judge_event_check(e) : judge(e);
    int has_begun = 0; /* 1: a sweep has begun, without integrations */
    if (verdict == WR_VERDICT_SWEEP || verdict == WR_VERDICT_CHECK) {
        wr_engine_begin_sweep(e, verdict == WR_VERDICT_CHECK);
        if (wr_engine_prepare_from(e, 0))
            return;
        verdict = WR_VERDICT_ACCEPT; /* no level of this Gauss-Seidel sweep has a task */
        has_begun = 1;
    }
    if (verdict == WR_VERDICT_ACCEPT && !was_check)
        verdict = wr_engine_trace_causes(e);
    const int is_rejected = verdict == WR_VERDICT_REJECT;
    if (is_rejected || (verdict == WR_VERDICT_ACCEPT && wr_engine_parts_instant(e))) {
        if (is_rejected ? wr_engine_reject_window(e, -1) : wr_engine_end_earlier(e))
            wr_engine_retry_window(e);
    } else if (verdict == WR_VERDICT_SWEEP || is_another_needed(e)) {
        if (has_begun)
            wr_engine_integrate_sweep(e);
        else
            wr_engine_begin_sweep(e, 0);
        wr_engine_prepare_from(e, 0);
    } else if (wr_engine_end_run(e))
        wr_engine_retry_window(e);
    else if (!wr_engine_shares_event(e) && !wr_engine_begin_completion(e))
        end_window(e);
}

static void after_batch(void *context)
{
    wr_engine *const e = context;
    const wr_batch *const b = e->batch;
    if (wr_ahead_has_resumed(e)) {
        wr_engine_begin_window(e);
        return;
    }
    if (e->sweep->is_completing) {
        end_window(e);
        return;
    }
    wr_batch_count(e);
    for (const wr_observer *o = e->observer; o; o = o->next)
        if (o->batch)
            o->batch(o->context, b->n + b->n_ahead, b->run, b->timing > 0 ? b->task_ns : NULL);
    wr_ahead_end_batch(e);
    int is_cut = 0, i_failed = -1; /* a stop has ended a task early; first subsystem that failed */
    for (int k = 0; k < b->n && wr_batch_is_failed(b); k++) {
        const wrsim_status status = e->record[b->run[k]].status;
        is_cut |= status == WRSIM_STOPPED;
        if (status < 0 && (i_failed < 0 || b->run[k] < i_failed))
            i_failed = b->run[k];
    }
    if (is_cut)
        wr_engine_cut_window(e);
    else if (i_failed >= 0) {
        wr_engine_count_full(e);
        wr_engine_forget_checks(e);
        if (wr_engine_is_at_event(e) ? wr_engine_end_at_event(e, i_failed)
                                     : wr_engine_reject_window(e, i_failed))
            wr_engine_retry_window(e);
    } else {
        wr_engine_publish_level(e);
        if (wr_engine_ends_at_slope(e))
            wr_control_leave(e->control, WRSIM_E_CONTRACT);
        else if (!wr_engine_prepare_from(e, e->sweep->i_level + 1))
            decide(e);
    }
}

/* ---- running ---- */

static void work(void *context, int i_worker)
{
    wr_engine *const e = context;
    const int is_observed = e->host_observer != NULL;
    do {
        for (int task; (task = wr_team_claim(e->team, i_worker)) >= 0;) {
            const int next = e->is_large && !is_observed ? wr_team_next(e->team, i_worker) : -1;
            if (is_observed)
                wr_engine_observe_task(e, task, i_worker);
            else if (task >= e->batch->n)
                (void)wr_ahead_run_task(e, task - e->batch->n, &(double){0.0});
            else
                wr_engine_run_task(e, e->batch->run[task], i_worker,
                                   next >= 0 ? &e->prefetch[e->batch->run[next]] : NULL);
            if (e->batch->checks_early)
                wr_engine_check_early(e, e->batch->run[task]);
        }
        if (is_observed)
            wr_engine_observe_barrier(e, i_worker, after_batch);
        else
            wr_team_barrier(e->team, i_worker, after_batch, e);
    } while (!e->control->is_leaving);
}

/* Least length of a run, in communication steps (assumed). Rounding would hide shorter runs. */
static const double LEAST_LENGTH = 1e-12;

static int is_reached(const wr_engine *e, double t_end_s)
{
    return !(t_end_s - e->window->t_s > LEAST_LENGTH * e->options.communication_step_s) ||
           wr_time_close(e->window->t_s, t_end_s);
}

wrsim_status wr_engine_check_end(const wr_engine *e, double t_end_s, wrsim_error *err)
{
    const double grid_s = wr_engine_grid_at(e, t_end_s);
    if (is_reached(e, t_end_s) || !e->net->is_on_grid || wr_time_close(grid_s, t_end_s))
        return WRSIM_OK;
    int i = 0;
    while (!(e->net->node[i].flags & WR_SUBSYSTEM_GRID_ONLY))
        i++;
    return wr_error_set(err, WRSIM_E_ARG,
                        "t = %.17g s is not a communication point, and '%s' can stop only at such "
                        "points; choose simulation.start plus a multiple of "
                        "simulation.communication_step",
                        t_end_s, e->net->node[i].name);
}

wrsim_status wr_engine_run(wr_engine *e, double t_end_s, wrsim_error *err)
{
    if (is_reached(e, t_end_s) || e->control->i_ended >= 0)
        return WRSIM_OK;
    WR_TRY(wr_engine_check_end(e, t_end_s, err));
    wr_control_begin(e->control, t_end_s);
    wr_batch_set_failed(e->batch, 0);
    for (int i = 0; i < e->n; i++) /* a host or a checkpoint may have changed the subsystem */
        wr_request_refresh(e, i);
    wr_engine_begin_run(e);
    do {
        wr_control_set_leaving(e->control, 0);
        wr_team_run(e->team, e->load->n_active_worker, work, e);
    } while (e->control->status == WRSIM_OK && e->control->i_ended < 0 &&
             !wr_engine_is_end_reached(e));
    e->stats->n_active_worker = e->load->n_active_worker;
    const wrsim_status status = wr_control_end(e->control);
    if (status < 0 || e->control->is_cut)
        wr_ahead_take_back(e);
    else
        wr_ahead_pause(e);
    if (status < 0 && e->control->i_failed >= 0)
        wr_request_fault_text(e, e->control->i_failed, &e->control->failure);
    if (status < 0 && err)
        *err = e->control->failure;
    wrsim_status commit_status = WRSIM_OK;
    for (int i = 0; i < e->n; i++) {
        /* After a failure or a cut, a subsystem with rollback returns to the saved start of the window, if any. */
        if ((status < 0 || e->control->is_cut) && e->record[i].is_saved && !e->record[i].is_once)
            wr_request_restore(e, i);
        wr_engine_commit_rows(e, i, 0);
        if (commit_status >= 0)
            commit_status = e->record[i].commit_status;
    }
    return status < 0 ? status : commit_status < 0 ? commit_status : status;
}

void wr_engine_observe(wr_engine *e, wr_observer *observers)
{
    wr_observer_append(&e->observer, observers);
}

void wr_engine_set_host_observer(wr_engine *e, const wrsim_observer *observer)
{
    e->host_observer = observer;
    wr_engine_observe_waits(e);
}

void wr_engine_stop(wr_engine *e) { wr_control_stop(e->control); }

int wr_engine_is_cut(const wr_engine *e) { return e->control->is_cut; }

const struct wr_run_end *wr_engine_run_end(const wr_engine *e, int *ret_subsystem)
{
    *ret_subsystem = e->control->i_ended;
    return e->control->i_ended < 0 ? NULL : wr_request_run_end(e, e->control->i_ended);
}

double wr_engine_time(const wr_engine *e)
{
    return wr_min(e->window->t_s, e->control->asked_s); /* see wr_control_extend() */
}

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
        wr_splitting_error_close(e->account);
}

/* Stores the input with the largest share of a subsystem. */
static void set_input(const wr_engine *e, int i, const wr_splitting_error_sum *sum,
                      wr_engine_error *error)
{
    error->through = sum->through;
    error->i_reader = i;
    error->i_external = sum->i_external;
    error->i_producer = e->net->node[i].read[sum->i_external].i_producer;
    error->i_signal = e->net->node[i].read[sum->i_external].i_signal;
}

wr_engine_error wr_engine_error_get(const wr_engine *e)
{
    wr_engine_error error = {
        .i_subsystem = -1, .i_reader = -1, .i_external = -1, .i_producer = -1, .i_signal = -1};
    for (int i = 0; i < e->n && e->account; i++) {
        const wr_splitting_error_sum sum = wr_splitting_error_get(e->account, i);
        error.waves += sum.waves;
        error.readers += sum.readers;
        error.sweeps += sum.sweeps;
        if (error.i_subsystem < 0 || sum.error > error.error) {
            error.i_subsystem = i;
            error.error = sum.error;
        }
        if (sum.i_external >= 0 && sum.through > error.through)
            set_input(e, i, &sum, &error);
    }
    const double parts = error.waves + error.readers + error.sweeps;
    const double by = parts > 0.0 ? error.error / parts : 0.0;
    error.waves *= by;
    error.readers *= by;
    error.sweeps *= by;
    return error;
}

int wr_engine_is_uncovered(const wr_engine *e, int i)
{
    return e->account && wr_splitting_error_get(e->account, i).is_uncovered;
}

int wr_engine_error_input(const wr_engine *e, int i_subsystem, wr_engine_error *ret)
{
    if (!e->account)
        return 0;
    const wr_splitting_error_sum sum = wr_splitting_error_get(e->account, i_subsystem);
    if (sum.i_external < 0 || !(sum.through > 0.0))
        return 0;
    *ret = (wr_engine_error){.error = sum.error, .i_subsystem = i_subsystem};
    set_input(e, i_subsystem, &sum, ret);
    return 1;
}

const wr_engine_stats *wr_engine_stats_get(const wr_engine *e) { return e->stats; }
