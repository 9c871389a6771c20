/* A subsystem's task in a sweep. See engine_task.h.
 *
 * Thread: any worker; a task writes only its own run. Real-time: yes.
 */
#include "runtime/relax/engine_task.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "runtime/relax/engine_changes.h"

/* Times are equal within 8 roundings (wr_time_close()); a jump that moves by so many has not moved. */
static const double CLOCK_ROUNDINGS = 64.0;
/* Largest difference of a check's wave, in tolerances. A check keeps no event times, which then move by less than their
 * tolerance. */
static const double MOST_CHANGE = 4.0;

void wr_engine_commit_rows(wr_engine *e, int i)
{
    wr_run *const p = &e->run[i];
    for (const wr_observer *o = e->observer; o && p->has_rows; o = o->next) {
        const wrsim_status status = o->commit ? o->commit(o->context, i) : WRSIM_OK;
        if (p->commit_status >= 0)
            p->commit_status = status;
    }
    p->has_rows = 0;
}

/* First task of a window: accepts the last window's prediction and history, and saves the start of this window. */
static void enter_window(wr_engine *e, int i)
{
    wr_run *const p = &e->run[i];
    wr_engine_commit_rows(e, i);
    wr_predict_accept(p->predict);
    if (p->has_wave) {
        if (p->history && p->is_predicted)
            wr_history_append(p->history, p->fresh);
        wr_sensitivity_accepted(&p->sensitivity);
        p->has_wave = 0;
    }
    wr_subsystem_save(p->subsystem);
    p->is_saved = 1;
}

/* Positions in the histories that correspond to the window's end: one period back, and at the history source. */
static wr_predict_past find_past(const wr_engine *e, wr_run *p)
{
    wr_predict_past past = {.period_s = e->options.period / e->window.phase.rate};
    double t_s = 0.0, rate = 1.0;
    if (wr_phase_back(e->phase, e->window.phase, e->options.period, &p->place[0], &t_s, &rate))
        past.source[0] = (wr_predict_source){p->history, t_s, rate};
    if (p->link->history_source >= 0 &&
        wr_phase_back(e->phase, e->window.phase, p->link->lag, &p->place[1], &t_s, &rate))
        past.source[1] = (wr_predict_source){e->run[p->link->history_source].history, t_s, rate};
    return past;
}

static wrsim_status predict(const wr_engine *e, wr_run *p)
{
    const wr_wave *const wave = p->subsystem->wave;
    const double horizon_s = wr_window_longest_next(&e->rule);
    wr_wave *const prediction = p->prediction[1 - e->window.i_prediction];
    if (!p->history)
        return wr_predict_offer(p->predict, wave, p->converge->weight, NULL, horizon_s, prediction);
    const wr_predict_past past = find_past(e, p);
    return wr_predict_offer(p->predict, wave, p->converge->weight, &past, horizon_s, prediction);
}

/* Compares the new wave with the one that is published. */
static void compare(const wr_engine *e, wr_run *p)
{
    const wr_subsystem *const s = p->subsystem;
    wr_converge *const c = p->converge;
    c->jump_time_s = wr_max(wr_max(s->rtol * e->window.length_s, e->options.event_tolerance_s),
                            CLOCK_ROUNDINGS * DBL_EPSILON * fabs(s->t_s));
    if (s->is_check) /* event times are confirmed one by one */
        c->jump_time_s = wr_max(c->jump_time_s, wr_subsystem_checked_span(s));
    if (p->is_predicted || p->n_integrated > 0)
        wr_converge_compare(c, s->wave, wr_run_shown(p));
    else
        wr_converge_begin(c, s->wave);
    p->change = c->delta_max;
}

/* Compares the new wave, and learns from the change. */
static void measure(const wr_engine *e, wr_run *p)
{
    const wr_subsystem *const s = p->subsystem;
    compare(e, p);
    /* Does this integration repeat an earlier one with other inputs? */
    if (p->n_integrated > 0 && !p->has_missed && p->factor_before <= p->tolerance_factor &&
        !e->mix.method)
        wr_engine_measure_sensitivity(p);
    p->factor_before = p->tolerance_factor;
    if (s->n_x > 0) /* a played subsystem has no states, and no arrays */
        memcpy(p->x_end, s->x, (size_t)s->n_x * sizeof *p->x_end);
    if (s->n_d > 0)
        memcpy(p->d_end, s->d, (size_t)s->n_d * sizeof *p->d_end);
}

/* From now on inputs are counted anew. */
static void settle_inputs(wr_run *p)
{
    p->input_change = 0.0;
    p->has_missed = 0;
    for (int j = 0; j < p->subsystem->n_external; j++)
        p->input_shift[j] = 0.0;
}

/* Learns the task's time. The next window is assumed to have the same length. */
static void learn_time(const wr_engine *e, wr_run *p)
{
    wr_task_time_span span = {0.0, 0.0};
    double length = 0.0;
    if (e->phase) {
        length = e->window.phase.rate * e->window.length_s / e->options.period;
        span.to = e->window.phase.phase / e->options.period;
        span.from = span.to - length;
    }
    wr_task_time_learn(&p->time, span, p->work, p->advance_ns);
    p->expected_ns = (float)wr_task_time_of_work(&p->time, p->work);
    p->next_expected_ns =
        (float)wr_task_time_expected(&p->time, (wr_task_time_span){span.to, span.to + length});
}

/* Goes to the window's start, to integrate with the waves of all others. */
static void begin_integration(wr_engine *e, int i)
{
    wr_run *const p = &e->run[i];
    wr_subsystem *const s = p->subsystem;
    if (p->is_saved)
        wr_subsystem_restore(s);
    else
        enter_window(e, i);
    for (int j = 0; j < s->n_source; j++)
        s->source[j] = wr_engine_read_of(e, p->producer[j]);
    s->wave = p->iterate[wr_run_shown(p) == p->iterate[0]];
}

/* Integrates the window without causes and kept times. The wave is compared and then dropped: the integration that follows takes
 * its place and keeps the times of events that readers know. */
static wrsim_status check_events(wr_engine *e, int i)
{
    wr_run *const p = &e->run[i];
    wr_subsystem *const s = p->subsystem;
    begin_integration(e, i);
    s->is_check = 1;
    const wrsim_status status = wr_subsystem_advance(s, e->window.t_end_s, p->tolerance_factor);
    if (status == WRSIM_OK)
        compare(e, p);
    p->is_refuted = status == WRSIM_OK && !(wr_subsystem_confirms(s) && p->change <= MOST_CHANGE);
    s->is_check = 0;
    s->is_after_check = status == WRSIM_OK;
    return status;
}

static wrsim_status integrate(wr_engine *e, int i, const wr_prefetch *next)
{
    wr_run *const p = &e->run[i];
    wr_subsystem *const s = p->subsystem;
    p->tolerance_factor = wr_engine_tolerance_factor(e, p);
    if (e->sweep.is_event_check)
        WR_TRY(check_events(e, i));
    begin_integration(e, i);
    const int64_t n_rhs_before = wr_subsystem_n_rhs(s);
    const int64_t n_turn = s->stats.n_turn, n_restart_before = s->stats.n_restart_rhs;
    const int64_t start_ns = e->batch.timing > 0 ? wr_clock_monotonic_ns() : 0;
    const wrsim_status status = wr_subsystem_advance(s, e->window.t_end_s, p->tolerance_factor);
    p->advance_ns = e->batch.timing > 0 ? wr_clock_monotonic_ns() - start_ns : 0;
    p->n_rhs = (double)(wr_subsystem_n_rhs(s) - n_rhs_before);
    p->n_restart_rhs = (double)(s->stats.n_restart_rhs - n_restart_before);
    p->step_rhs = s->step_rhs;
    p->work = p->n_rhs * s->work_per_rhs;
    if (s->stats.n_turn > n_turn)
        wr_sensitivity_note_event(&p->sensitivity);
    if (status != WRSIM_OK)
        return status;
    wr_prefetch_part(next, 1);
    for (int j = 0; j < s->n_source; j++)
        p->order[j] = s->source[j]->n_jump > 0 ? wr_subsystem_order(s, j, s->source[j]) : 0;
    measure(e, p);
    settle_inputs(p);
    p->i_batch = e->batch.number;
    learn_time(e, p);
    p->fresh = s->wave;
    wr_publish(&p->publication, s->wave, wr_engine_number(e));
    p->predicted = p->prediction[1 - e->window.i_prediction];
    p->n_integrated++;
    wr_prefetch_part(next, 2);
    return p->is_predicted ? predict(e, p) : WRSIM_OK;
}

void wr_engine_run_task(wr_engine *e, int i, int i_worker, const wr_prefetch *next)
{
    wr_run *const p = &e->run[i];
    wr_prefetch_part(next, 0);
    if (!p->checked)
        p->is_settled = !wr_engine_matters(e, p, e->sweep.i);
    wr_engine_forget_check(p);
    p->is_unchanged = p->is_settled || e->sweep.is_check_only;
    if (p->is_unchanged) {
        p->status = WRSIM_OK;
        wr_prefetch_part(next, 1);
        wr_prefetch_part(next, 2);
    } else {
        p->i_worker = (short)i_worker;
        p->status = integrate(e, i, next);
    }
    wr_prefetch_part(next, 3);
    if (p->status != WRSIM_OK || p->commit_status < 0) /* relaxed: see wr_engine.is_failed */
        atomic_store_explicit(&e->batch.is_failed, 1, memory_order_relaxed);
}
