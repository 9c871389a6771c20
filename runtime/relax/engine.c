/* The relaxation engine: what follows on a batch, and running. See engine.h.
 *
 * Who writes what: a task writes only its own participant; the serial section between two batches
 * (the last worker to arrive at the barrier) reads all and writes the rest. One worker alone does some of
 * that section's work between two tasks (wr_engine_look_early).
 *
 * Thread: as said per function. Real-time: yes after wr_engine_start.
 */
#include "runtime/relax/engine.h"

#include <math.h>

#include "base/clock.h"
#include "runtime/relax/engine_work.h"

/* Where a window is not shortened any more, or would not contract faster: at most so many sweeps, or so many
 * times relaxation.max_sweeps of them with acceleration. */
enum { MOST_SWEEPS = 5000, MOST_ACCELERATED = 10 };
/* What is left after so many sweeps is the noise of solvers and waves, amplified by a loop that hardly contracts: so many
 * tolerances of it are accepted where a shorter window does not help. */
enum { MANY_SWEEPS = 30 };
static const double LEAST_ERROR = 1.0;
static const double DIVERGING = 1.5; /* so many sweeps are not for what grows */
static const double ENDLESS_CONTRACTION = 0.9995;
static const double CONTRACTION_LIMIT = 0.8;
/* Sweep from which that is judged (METHODS 1); in a loop without integration one of two factors may be 1. */
enum { SOONEST = 3, SOONEST_STATIC = 4 };

/* ---- between two batches ---- */

/* Accepts the window, if algebraic loops are at its end what they were taken for; else all integrate once more, in this
 * sweep, if it has begun. But first those that cannot restore are advanced, against waves that have converged. */
static void accept_or_repeat(wr_engine *e, int has_begun)
{
    const int is_once_due = e->n_once > 0 && !e->has_once_run;
    if (!is_once_due && !wr_engine_ask_loops(e)) {
        wr_engine_accept_window(e);
        return;
    }
    if (is_once_due)
        wr_engine_activate_once(e);
    else {
        wr_engine_publish_guesses(e);
        wr_engine_force_all(e);
    }
    e->is_look_only = 0;
    if (!has_begun)
        wr_engine_begin_sweep(e);
    wr_engine_prepare_from(e, 0);
}

/* Begins a sweep, or only looks at those that are active; Gauss-Seidel may find nothing to do after all. */
static void go_on(wr_engine *e, int is_look_only)
{
    e->is_look_only = is_look_only;
    wr_engine_begin_sweep(e);
    if (!wr_engine_prepare_from(e, 0))
        accept_or_repeat(e, 1);
}

/* Would a shorter window contract no faster, or may there be none? */
static int is_short_enough(const wr_engine *e)
{
    return e->is_slow || e->length_s <= 1.01 * e->options.window_min_s;
}

double wr_engine_accepted_error(const wr_engine *e)
{
    return wr_max(e->options.convergence, e->is_noise ? LEAST_ERROR : 0.0);
}

/* Where a shorter window does not help, will more sweeps do, in the end? */
static int is_worth_going_on(const wr_engine *e)
{
    const double r = wr_engine_ratio(e);
    if (!is_short_enough(e) || e->i_sweep >= MOST_SWEEPS)
        return 0;
    if (e->i_sweep < MANY_SWEEPS && (r < DIVERGING || e->ring_end_change[0] <= LEAST_ERROR))
        return 1;
    const int is_accelerated = e->accelerate && e->has_guesses; /* not monotone */
    return r < ENDLESS_CONTRACTION ||
           e->i_sweep < (is_accelerated ? MOST_ACCELERATED : 1) * e->options.max_sweeps;
}

/* No more sweeps in this window? What does not go round settles by itself. */
static int is_hopeless(const wr_engine *e)
{
    const int is_judged = e->i_sweep >= (e->has_algebraic_cycle ? SOONEST_STATIC : SOONEST);
    const int is_diverging = is_judged && !e->accelerate && e->has_cycle &&
                             wr_engine_ratio(e) > CONTRACTION_LIMIT &&
                             e->ring_end_change[0] > e->options.convergence;
    const int is_much = e->i_sweep >= (e->has_cycle ? e->options.max_sweeps : MOST_SWEEPS);
    return (is_much || is_diverging) && !is_worth_going_on(e);
}

/* After a round of looks, in which nobody has integrated. */
static void judge_looks(wr_engine *e)
{
    e->i_sweep--;
    if (e->n_wanted == 0)
        accept_or_repeat(e, 0);
    else if (is_hopeless(e))
        wr_engine_reject_window(e, -1);
    else {
        wr_engine_force_all(e);
        go_on(e, 0);
    }
}

/* The iterate as a whole. */
static void judge_accelerated(wr_engine *e)
{
    wr_engine_accelerate_sweep(e);
    const int is_open = wr_engine_is_anything_open(e);
    if (e->error <= wr_engine_accepted_error(e) && !is_open) {
        accept_or_repeat(e, 0);
        return;
    }
    if (is_hopeless(e) || (e->is_step_stuck && !is_short_enough(e))) {
        wr_engine_reject_window(e, -1);
        return;
    }
    wr_engine_publish_guesses(e);
    wr_engine_force_all(e);
    go_on(e, 0);
}

/* Can what is active still be found not to matter? */
static int may_not_matter(const wr_engine *e)
{
    for (int i = 0; i < e->n; i++)
        if (e->participant[i].is_active && wr_engine_is_due(e, &e->participant[i]))
            return 0;
    return 1;
}

static void judge(wr_engine *e)
{
    if (e->n_swept == 0) {
        judge_looks(e);
        return;
    }
    if (e->is_once_turn) { /* not an iteration: nothing is learned from it */
        e->is_once_turn = 0;
        if (e->accelerate) {
            wr_accelerate_reset(e->accelerate);
            e->has_guesses = e->n_step = 0;
            wr_engine_force_all(e);
            go_on(e, 0);
        } else if (wr_engine_find_active(e) == 0)
            accept_or_repeat(e, 0);
        else
            go_on(e, 0);
        return;
    }
    /* Once a sweep: looks before the next one and in it must come to the same. */
    e->is_noise = e->i_sweep >= MANY_SWEEPS && is_short_enough(e);
    if (!e->accelerate || !e->has_guesses)
        wr_engine_measure_contraction(e);
    for (const wr_observer *o = e->observer; o; o = o->next)
        if (o->sweep)
            o->sweep(o->context, e->t_s, e->length_s, e->i_sweep, e->delta);
    e->is_forced = 0;
    if (e->accelerate) {
        judge_accelerated(e);
        return;
    }
    if (wr_engine_find_active(e) == 0)
        accept_or_repeat(e, 0);
    else if (!is_hopeless(e))
        go_on(e, !e->options.has_active_set);
    else if (may_not_matter(e))
        go_on(e, 1);
    else
        wr_engine_reject_window(e, -1);
}

static void count_batch(wr_engine *e)
{
    if (e->timing > 0)
        wr_bound_add(e->stats.bound_wall_s, e->n_batch, e->task_ns, wr_engine_longest_first(e),
                     e->timing);
}

/* First failed task of the batch, -1 if there is none. */
static int failed_task(const wr_engine *e)
{
    int failed = -1;
    /* relaxed: the barrier ordered it. */
    if (!atomic_load_explicit(&e->is_failed, memory_order_relaxed))
        return failed;
    for (int k = 0; k < e->n_batch; k++)
        if (e->participant[e->batch[k]].status < 0 && (failed < 0 || e->batch[k] < failed))
            failed = e->batch[k];
    return failed;
}

static void after_batch(void *context)
{
    wr_engine *const e = context;
    count_batch(e);
    const int failed = failed_task(e);
    if (failed >= 0) {
        wr_engine_reject_window(e, failed);
        return;
    }
    wr_engine_publish_level(e);
    if (wr_engine_prepare_from(e, e->i_level + 1))
        return;
    judge(e);
}

static void work(void *context, int i_worker)
{
    wr_engine *const e = context;
    do {
        for (int task; (task = wr_team_claim(e->team, i_worker)) >= 0;) {
            const int next = e->is_large ? wr_team_next(e->team, i_worker) : -1;
            if (next >= 0)
                wr_engine_fetch_ahead(e, e->batch[next], i_worker);
            wr_engine_run_task(e, e->batch[task], i_worker);
            if (e->looks_early)
                wr_engine_look_early(e, e->batch[task]);
        }
        wr_team_barrier(e->team, i_worker, after_batch, e);
    } while (!e->is_leaving);
}

/* ---- running ---- */

static wrsim_status commit_all(wr_engine *e)
{
    wrsim_status status = WRSIM_OK;
    for (int i = 0; i < e->n; i++) {
        wr_engine_commit_rows(e, i);
        if (status >= 0)
            status = e->participant[i].commit_status;
    }
    return status;
}

static void fill_failure(wr_engine *e, wrsim_error *err)
{
    if (e->i_failed >= 0)
        wr_subsystem_fault_text(e->participant[e->i_failed].subsystem, &e->failure);
    if (err)
        *err = e->failure;
}

/* After a failure every subsystem is where time stands: at the start of the window that failed. */
static void leave_rejected_window(wr_engine *e)
{
    for (int i = 0; i < e->n; i++) {
        wr_participant *const p = &e->participant[i];
        if (p->is_saved && !p->is_once && p->subsystem->t_s > e->t_s)
            wr_subsystem_restore(p->subsystem);
    }
}

wrsim_status wr_engine_run(wr_engine *e, double t_end_s, wrsim_error *err)
{
    if (e->t_s >= t_end_s || wr_time_close(e->t_s, t_end_s))
        return WRSIM_OK;
    if (e->is_on_grid && !wr_time_close(wr_engine_grid_at(e, t_end_s), t_end_s)) {
        wr_error_set(err, WRSIM_E_ARG,
                     "t = %.17g s is not a communication point, and '%s' moves from one to another "
                     "only; choose a multiple of simulation.communication_step",
                     t_end_s, wr_engine_find_flag(e, WR_SUBSYSTEM_GRID_ONLY));
        return WRSIM_E_ARG;
    }
    e->run_end_s = t_end_s;
    e->sound_s = -(double)INFINITY;
    e->n_fault = 0;
    e->review_ns = wr_clock_monotonic_ns();
    e->status = WRSIM_OK;
    atomic_store_explicit(&e->is_failed, 0, memory_order_relaxed); /* no task runs */
    wr_engine_reset(e, 0);
    wr_engine_begin_window(e);
    do {
        e->is_leaving = 0;
        wr_team_roam(e->team, e->may_roam);
        wr_team_run(e->team, e->n_active_worker, work, e);
    } while (e->status == WRSIM_OK && e->t_s < t_end_s && !wr_time_close(e->t_s, t_end_s));
    e->review_before_ns += wr_clock_monotonic_ns() - e->review_ns;
    e->stats.n_active_worker = e->n_active_worker;
    const wrsim_status status = e->status;
    if (status < 0) {
        fill_failure(e, err);
        leave_rejected_window(e);
    }
    const wrsim_status commit_status = commit_all(e);
    return status < 0 ? status : commit_status < 0 ? commit_status : status;
}

void wr_engine_observe(wr_engine *e, wr_observer *observer)
{
    wr_observer **last = &e->observer;
    while (*last)
        last = &(*last)->next;
    observer->next = NULL;
    *last = observer;
}

void wr_engine_stop(wr_engine *e) { atomic_store_explicit(&e->stop, 1, memory_order_relaxed); }

double wr_engine_time(const wr_engine *e) { return e->t_s; }

wr_engine_predicted wr_engine_predicted_get(const wr_engine *e)
{
    wr_engine_predicted sum = {.n_phase_fall = e->phase ? wr_phase_falls(e->phase) : 0};
    for (int i = 0; i < e->n; i++) {
        const wr_predict_count count = wr_predict_counted(e->participant[i].predict);
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
        const wr_participant *const p = &e->participant[i];
        const wr_account_sum sum = wr_account_get(e->account, i);
        if (error.i_opaque < 0 && p->n_read > 0 && !p->subsystem->ops->tangent)
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
            error.i_producer = p->read[sum.i_external].i_producer;
            error.i_signal = p->read[sum.i_external].i_signal;
        }
    }
    const double parts = error.waves + error.readers + error.sweeps;
    const double by = parts > 0.0 ? error.error / parts : 0.0;
    error.waves *= by;
    error.readers *= by;
    error.sweeps *= by;
    return error;
}

const wr_engine_stats *wr_engine_stats_get(const wr_engine *e) { return &e->stats; }
