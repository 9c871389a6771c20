/* Reports of a relaxed run to the host's observer. See engine_observe.h. Thread: as in engine_observe.h. Real-time: as the observer. */
#include "runtime/relax/engine_observe.h"

#include <math.h>

#include "base/clock.h"
#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_ahead.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_causes.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_sweep.h"
#include "runtime/relax/engine_task.h"
#include "scheduler/team.h"

void wr_engine_observe_task(wr_engine *e, int k, int i_worker)
{
    const wrsim_observer *const o = e->host_observer;
    const int i = e->batch->run[k], is_ahead = k >= e->batch->n;
    const wr_record *const p = &e->record[i];
    wrsim_task_record task = {.i_subsystem = i,
                              .i_worker = i_worker,
                              .i_sweep = is_ahead ? 1 : e->sweep->i,
                              .start_s = is_ahead ? e->window->t_end_s : e->window->t_s,
                              .end_s = is_ahead ? e->window->next_end_s : e->window->t_end_s,
                              .start_ns = wr_clock_monotonic_ns()};
    if (o->task_begin)
        o->task_begin(o->user, &task);
    if (is_ahead)
        task.status = wr_ahead_run_task(e, k - e->batch->n, &task.end_s);
    else {
        wr_engine_run_task(e, i, i_worker, NULL);
        task.end_s = p->t_s;
        task.is_unchanged = p->is_unchanged;
        task.status = p->status;
    }
    task.end_ns = wr_clock_monotonic_ns();
    if (o->task_end)
        o->task_end(o->user, &task);
}

/* Receives a wait of a worker from the team. */
static void on_wait(void *engine, int i_worker, int64_t start_ns, int64_t end_ns)
{
    const wrsim_observer *const o = ((const wr_engine *)engine)->host_observer;
    const wrsim_wait_record wait = {
        .i_worker = i_worker, .reason = WRSIM_WAIT_BARRIER, .start_ns = start_ns, .end_ns = end_ns};
    o->wait(o->user, &wait);
}

void wr_engine_observe_waits(wr_engine *e)
{
    const wrsim_observer *const o = e->host_observer;
    wr_team_set_wait(e->team, o && o->wait ? on_wait : NULL, e);
}

/* The serial section, on the worker that arrives last at the barrier. */
typedef struct serial_part {
    wr_engine *e;
    void (*run)(void *context);
    int i_worker;
} serial_part;

static void run_serial(void *context)
{
    const serial_part *const part = context;
    const wrsim_observer *const o = part->e->host_observer;
    wrsim_decision_record decision = {.i_worker = part->i_worker,
                                      .start_ns = wr_clock_monotonic_ns()};
    part->e->i_serial_worker = part->i_worker;
    part->run(part->e);
    decision.end_ns = wr_clock_monotonic_ns();
    if (o->decision)
        o->decision(o->user, &decision);
}

void wr_engine_observe_barrier(wr_engine *e, int i_worker, void (*serial)(void *context))
{
    serial_part part = {.e = e, .run = serial, .i_worker = i_worker};
    wr_team_barrier(e->team, i_worker, run_serial, &part);
}

/* Calls a function of the observer, if the observer has that function and the run has windows. */
static void report(const wr_engine *e, int n_integration, int i_failed,
                   void (*function)(void *user, const wrsim_window_record *))
{
    if (!function || e->lone->is_on)
        return;
    const wrsim_window_record window = {.start_s = e->window->t_s,
                                        .end_s = e->window->t_end_s,
                                        .n_sweep = e->sweep->i,
                                        .n_integration = n_integration,
                                        .change = e->sweep->delta,
                                        .i_failed = i_failed,
                                        .wall_ns = wr_clock_monotonic_ns()};
    function(e->host_observer->user, &window);
}

void wr_engine_observe_sweep(const wr_engine *e)
{
    if (e->host_observer)
        report(e, e->sweep->n_integrated, -1, e->host_observer->sweep);
}

/* Reports a window to the run's observers. */
static void report_window(const wr_engine *e, int i_failed, wr_window_reason reason)
{
    if (e->lone->is_on)
        return;
    const double rate = e->contraction->now;
    const wr_window_report window = {.start_s = e->window->t_s,
                                     .end_s = e->window->t_end_s,
                                     .reason = reason,
                                     .n_sweep = e->sweep->i,
                                     .contraction = rate > 0.0 ? rate : (double)NAN,
                                     .change = e->sweep->last_delta,
                                     .prediction = e->sweep->first_delta,
                                     .i_failed = i_failed,
                                     .n_integration = e->sweep->n_by_subsystem};
    for (const wr_observer *o = e->observer; o; o = o->next)
        if (o->report)
            o->report(o->context, &window);
}

/* Returns the reason of a rejection by the status of subsystem i_failed, or by the state of the sweeps (-1). */
static wr_window_reason reason_of(const wr_engine *e, int i_failed)
{
    for (int i = 0; i < e->n && i_failed < 0; i++)
        if (e->record[i].parts_instant)
            return WR_WINDOW_INSTANT;
    if (i_failed < 0)
        return e->event_check->n_refuted > 0 ||
                       !(e->sweep->delta > e->options.relaxation.convergence)
                   ? WR_WINDOW_EVENTS
               : e->sweep->i >= e->options.relaxation.max_sweeps ? WR_WINDOW_SWEEPS
                                                                 : WR_WINDOW_CONTRACTION;
    switch (e->record[i_failed].status) {
    case WRSIM_E_SOLVER:
        return WR_WINDOW_SOLVER;
    case WRSIM_E_NAN:
        return WR_WINDOW_NAN;
    case WRSIM_E_CALLBACK:
        return WR_WINDOW_CALLBACK;
    case WRSIM_E_LIMIT:
        return WR_WINDOW_LIMIT;
    case WRSIM_E_CHATTER:
        return WR_WINDOW_CHATTER;
    default:
        return WR_WINDOW_OTHER;
    }
}

void wr_engine_observe_window(const wr_engine *e)
{
    report_window(e, -1, WR_WINDOW_ACCEPTED);
    if (e->host_observer)
        report(e, e->sweep->n_in_window, -1, e->host_observer->window);
}

void wr_engine_observe_rejection(wr_engine *e, int i_failed, wr_window_reason reason)
{
    if (i_failed >= 0)
        wr_engine_count_failed_batch(e);
    report_window(e, i_failed, reason == WR_WINDOW_CONTRACTION ? reason_of(e, i_failed) : reason);
    if (e->host_observer)
        report(e, e->sweep->n_in_window + (i_failed >= 0 ? e->batch->n : 0), i_failed,
               e->host_observer->rejection);
}
