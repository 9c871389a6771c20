/* The observer of a trace. See trace.h.
 *
 * The functions for windows and sweeps run while no task runs, so tasks may read i_window, i_sweep and window_s. These
 * functions run after the end of the window, so a worker keeps the window and the sweep at the begin of a wait or decision.
 *
 * Thread: as trace.h. Real-time: the observer's functions. */
#include "cli/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

typedef struct worker {
    _Alignas(WR_CACHE_LINE) wr_trace_buffer buffer;
    int i_window, i_sweep; /* of the next record */
    int64_t wait_ns;
} worker;

/* Numbers of one subsystem. Calls for one subsystem never overlap. */
typedef struct part {
    _Alignas(WR_CACHE_LINE) int n_step;
    int n_event;                            /* n_step and n_event: of the present task */
    int64_t period_start_ns, period_end_ns; /* start of the first and end of the last sweep */
} part;

struct wr_trace {
    wrsim_observer observer;
    int n_worker, cap;
    worker *worker; /* [n_worker + 1]; the last item has the windows */
    part *part;     /* [n_subsystem] */
    wr_trace_record *record;
    int i_window;    /* number of accepted and rejected windows */
    int i_sweep;     /* present sweep of the window, from 1 */
    double window_s; /* start of the present window, s; NaN: the first window */
};

static void add(const wr_trace *trace, int i, const wr_trace_record *record)
{
    wr_trace_buffer *const buffer = &trace->worker[i].buffer;
    buffer->record[buffer->n++ % trace->cap] = *record;
}

/* Sets the window and the sweep of the worker's next record. */
static void follow(const wr_trace *trace, worker *w)
{
    w->i_window = trace->i_window;
    w->i_sweep = trace->i_sweep;
}

/* ---- the observer ---- */

static void on_step(void *user, const wrsim_step_record *step)
{
    ((wr_trace *)user)->part[step->i_subsystem].n_step++;
}

static void on_event(void *user, const wrsim_event_record *event)
{
    ((wr_trace *)user)->part[event->i_subsystem].n_event++;
}

static void on_task_begin(void *user, const wrsim_task_record *task)
{
    wr_trace *const t = user;
    worker *const w = &t->worker[task->i_worker];
    part *const p = &t->part[task->i_subsystem];
    follow(t, w);
    if (!(task->start_s > t->window_s)) /* the task belongs to the present window */
        w->i_sweep = task->i_sweep;
    if (task->i_sweep == 1)
        p->period_start_ns = task->start_ns;
    p->n_step = p->n_event = 0;
}

static void on_task_end(void *user, const wrsim_task_record *task)
{
    wr_trace *const t = user;
    const worker *const w = &t->worker[task->i_worker];
    part *const p = &t->part[task->i_subsystem];
    p->period_end_ns = task->end_ns;
    add(t, task->i_worker,
        &(wr_trace_record){.kind = WR_TRACE_TASK,
                           .start_ns = task->start_ns,
                           .end_ns = task->end_ns,
                           .from_s = task->start_s,
                           .to_s = task->end_s,
                           .as.status = task->status,
                           .i_subsystem = task->i_subsystem,
                           .i_window = w->i_window,
                           .n_step = p->n_step,
                           .n_event = p->n_event,
                           .i_sweep = w->i_sweep,
                           .is_unchanged = task->is_unchanged != 0,
                           .is_ahead = task->start_s > t->window_s});
}

static void on_wait(void *user, const wrsim_wait_record *wait)
{
    wr_trace *const t = user;
    worker *const w = &t->worker[wait->i_worker];
    add(t, wait->i_worker,
        &(wr_trace_record){.kind = WR_TRACE_WAIT,
                           .start_ns = wait->start_ns,
                           .end_ns = wait->end_ns,
                           .as.reason = wait->reason,
                           .i_window = w->i_window,
                           .i_sweep = w->i_sweep});
    w->wait_ns += wait->end_ns - wait->start_ns;
    follow(t, w);
}

static void on_commit(void *user, const wrsim_commit_record *commit)
{
    wr_trace *const t = user;
    const worker *const w = &t->worker[commit->i_worker];
    add(t, commit->i_worker,
        &(wr_trace_record){.kind = WR_TRACE_COMMIT,
                           .start_ns = commit->start_ns,
                           .end_ns = commit->end_ns,
                           .as.status = commit->status,
                           .i_subsystem = commit->i_subsystem,
                           .i_window = w->i_window,
                           .i_sweep = w->i_sweep});
}

static void on_decision(void *user, const wrsim_decision_record *decision)
{
    wr_trace *const t = user;
    worker *const w = &t->worker[decision->i_worker];
    add(t, decision->i_worker,
        &(wr_trace_record){.kind = WR_TRACE_DECISION,
                           .start_ns = decision->start_ns,
                           .end_ns = decision->end_ns,
                           .i_window = w->i_window,
                           .i_sweep = w->i_sweep});
    follow(t, w);
}

static void on_period(void *user, const wrsim_period_record *period)
{
    wr_trace *const t = user;
    const part *const p = &t->part[period->i_subsystem];
    add(t, period->i_worker,
        &(wr_trace_record){.kind = WR_TRACE_PERIOD,
                           .start_ns = p->period_start_ns,
                           .end_ns = p->period_end_ns,
                           .from_s = period->start_s,
                           .to_s = period->end_s,
                           .as.over_ns = period->has_deadline ? period->over_ns : 0,
                           .i_subsystem = period->i_subsystem,
                           .i_sweep = period->n_sweep,
                           .has_deadline = period->has_deadline != 0});
}

static void add_window(wr_trace *t, wr_trace_kind kind, const wrsim_window_record *window)
{
    add(t, t->n_worker,
        &(wr_trace_record){.kind = (unsigned char)kind,
                           .end_ns = window->wall_ns,
                           .from_s = window->start_s,
                           .to_s = window->end_s,
                           .as.change = window->change,
                           .i_subsystem = window->i_failed,
                           .i_window = t->i_window,
                           .n_step = window->n_integration,
                           .i_sweep = window->n_sweep});
    t->i_window += kind != WR_TRACE_SWEEP;
    t->i_sweep = kind == WR_TRACE_SWEEP ? window->n_sweep + 1 : 1;
    t->window_s = kind == WR_TRACE_WINDOW ? window->end_s : window->start_s;
}

static void on_sweep(void *user, const wrsim_window_record *sweep)
{
    add_window(user, WR_TRACE_SWEEP, sweep);
}

static void on_window(void *user, const wrsim_window_record *window)
{
    add_window(user, WR_TRACE_WINDOW, window);
}

static void on_rejection(void *user, const wrsim_window_record *window)
{
    add_window(user, WR_TRACE_REJECTION, window);
}

/* ---- memory ---- */

static int place(wr_trace *t, int n_subsystem, int n_record)
{
    const size_t n = (size_t)t->n_worker + 1;
    t->cap = n_record / (int)n > 1 ? n_record / (int)n : 1;
    t->worker = aligned_alloc(WR_CACHE_LINE, n * sizeof *t->worker);
    t->part = aligned_alloc(WR_CACHE_LINE, ((size_t)n_subsystem + 1) * sizeof *t->part);
    const size_t n_bytes = n * (size_t)t->cap * sizeof *t->record;
    t->record = aligned_alloc(WR_CACHE_LINE, n_bytes);
    if (!t->worker || !t->part || !t->record)
        return -1;
    memset(t->worker, 0, n * sizeof *t->worker);
    memset(t->part, 0, ((size_t)n_subsystem + 1) * sizeof *t->part);
    memset(t->record, 1, n_bytes); /* later writes cause no page fault */
    for (size_t i = 0; i < n; i++)
        t->worker[i].buffer.record = t->record + i * (size_t)t->cap;
    return 0;
}

wr_trace *wr_trace_create(const wrsim *sim, int n_record)
{
    _Static_assert(sizeof(wr_trace_record) == WR_CACHE_LINE, "a record is a cache line");
    wrsim_worker_stats one;
    wrsim_stats all;
    wr_trace *t = calloc(1, sizeof *t);
    if (!t || wrsim_stats_get(sim, &all) < 0)
        goto fail;
    t->window_s = (double)NAN;
    t->i_sweep = 1;
    while (wrsim_stats_worker(sim, t->n_worker, &one) >= 0)
        t->n_worker++;
    t->observer = (wrsim_observer){.size_bytes = sizeof t->observer,
                                   .user = t,
                                   .task_begin = on_task_begin,
                                   .task_end = on_task_end,
                                   .step = on_step,
                                   .event = on_event,
                                   .wait = on_wait,
                                   .sweep = on_sweep,
                                   .window = on_window,
                                   .rejection = on_rejection,
                                   .period = on_period,
                                   .commit = on_commit,
                                   .decision = on_decision};
    if (place(t, all.n_subsystem, n_record) == 0)
        return t;
fail:
    wr_trace_destroy(&t);
    return NULL;
}

void wr_trace_destroy(wr_trace **trace)
{
    wr_trace *const t = *trace;
    if (!t)
        return;
    free(t->worker);
    free(t->part);
    free(t->record);
    free(t);
    *trace = NULL;
}

const wrsim_observer *wr_trace_observer(const wr_trace *trace) { return &trace->observer; }

int wr_trace_workers(const wr_trace *trace) { return trace->n_worker; }

const wr_trace_buffer *wr_trace_buffer_of(const wr_trace *trace, int i)
{
    return &trace->worker[i].buffer;
}

int wr_trace_cap(const wr_trace *trace) { return trace->cap; }

int64_t wr_trace_wait_ns(const wr_trace *trace, int i_worker)
{
    return trace->worker[i_worker].wait_ns;
}
