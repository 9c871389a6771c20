/* A subsystem's task in a sweep. See engine_task.h.
 *
 * Thread: any worker; for what a task writes, see engine_parts.h. Real-time: yes. */
#include "runtime/relax/engine_task.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "runtime/relax/engine_acceleration.h"
#include "runtime/relax/engine_activity.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_causes.h"
#include "runtime/relax/engine_control.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_requests.h"
#include "runtime/relax/engine_run.h"
#include "runtime/relax/engine_scheme.h"
#include "runtime/relax/observer.h"

/* Least tolerance of the time of a jump, in roundings of the time (assumed). Times within 8 roundings count as equal (wr_time_close()). */
static const double CLOCK_ROUNDINGS = 64.0;
/* Largest difference of a check's wave from the published wave, in tolerances (assumed). A check uses no earlier event times, so
 * events may shift within their tolerance. */
static const double MOST_CHANGE = 4.0;
/* Expected sweeps per window from which relaxation.tolerance_first applies. With fewer sweeps, the sweep after a loosened sweep costs more
 * than the loosened sweep saves (docs/lab/2026-11-23-looser-first-sweeps.md). */
static const double LOOSE_FROM_SWEEPS = 2.5;

void wr_engine_commit_rows(wr_engine *e, int i, int i_worker)
{
    wr_record *const r = &e->record[i];
    const wrsim_observer *const host =
        r->has_rows && e->host_observer && e->host_observer->commit ? e->host_observer : NULL;
    wrsim_commit_record commit = {
        .i_subsystem = i, .i_worker = i_worker, .start_ns = host ? wr_clock_monotonic_ns() : 0};
    for (const wr_observer *o = e->observer; o && r->has_rows; o = o->next) {
        const wrsim_status status = o->commit ? o->commit(o->context, i) : WRSIM_OK;
        if (r->commit_status >= 0)
            r->commit_status = status;
    }
    r->has_rows = 0;
    if (!host)
        return;
    commit.end_ns = wr_clock_monotonic_ns();
    commit.status = r->commit_status;
    host->commit(host->user, &commit);
}

/* Predicts the next window. The position in the own history is one period before the window's end. The position in the history of the
 * history source is the source's lag before the window's end. */
static wrsim_status predict(const wr_engine *e, wr_run *p)
{
    const wr_phase_point now = e->sweep->phase;
    wr_history *const own = p->waves->history;
    wr_predict_past past = {.period_s =
                                own ? e->options.relaxation.history_period / now.rate : 0.0};
    double t_s = 0.0, rate = 1.0;
    if (own && wr_phase_back(e->phase, now, e->options.relaxation.history_period, &p->place[0],
                             &t_s, &rate))
        past.source[0] = (wr_predict_source){own, t_s, rate};
    if (own && p->link->history_source >= 0 &&
        wr_phase_back(e->phase, now, p->link->lag, &p->place[1], &t_s, &rate))
        past.source[1] = (wr_predict_source){e->waves[p->link->history_source].history, t_s, rate};
    return wr_predict_offer(p->predict, p->subsystem->wave, p->converge->weight, own ? &past : NULL,
                            (e->ahead ? 2.0 : 1.0) * wr_window_longest_next(e->rule),
                            p->waves->prediction[1 - e->window->i_prediction]);
}

/* Returns 1 if the window has a prediction, unless all consumers come later in a Gauss-Seidel sweep. */
static int is_prediction_read(const wr_engine *e, const wr_net_node *node)
{
    return node->is_predicted && (!wr_engine_is_gauss_seidel(e) || node->is_read_early);
}

/* Compares the new wave with the published wave of this window. If consumers have read no such wave, sets only the tolerance units: the
 * error of an unread prediction contracts with no sweep, so its change is no residual. */
static void compare(const wr_engine *e, const wr_run *p)
{
    wr_record *const r = p->record;
    const wr_subsystem *const s = p->subsystem;
    wr_wave_distance *const c = p->converge;
    c->jump_time_s = wr_max(wr_max(s->rtol * e->window->length_s, e->options.event_tolerance_s),
                            CLOCK_ROUNDINGS * DBL_EPSILON * fabs(s->t_s));
    if (s->is_check) /* the check confirms each event time separately */
        c->jump_time_s = wr_max(c->jump_time_s, wr_subsystem_checked_span(s));
    if (r->n_integrated > 0 || is_prediction_read(e, p->node))
        wr_wave_distance_compare(c, s->wave, wr_waves_shown(p->waves));
    else
        wr_wave_distance_begin(c, s->wave);
    wr_record_note_comparison(r, c);
}

/* Compares the new wave, learns from the change, and clears the input change. */
static void measure(const wr_engine *e, const wr_run *p)
{
    wr_record *const r = p->record;
    const wr_subsystem *const s = p->subsystem;
    compare(e, p);
    /* If only the inputs differ from the last integration, and sweeps are plain, the sensitivity learns from the changes of outputs and end
     * state. */
    if (r->n_integrated > 0 && !r->has_missed && r->factor_before <= r->tolerance_factor &&
        !e->mix->method) {
        const double state = wr_wave_distance_state(s->n_x, s->x, p->x_end, s->rtol, s->atol_x);
        /* largest relative difference of a discrete state, in units of rtol */
        double discrete = 0.0;
        for (int i = 0; i < s->n_d; i++) {
            const double size = wr_max(fabs(s->d[i]), fabs(p->d_end[i]));
            discrete = wr_max(discrete, fabs(s->d[i] - p->d_end[i]) / (s->rtol * size + DBL_MIN));
        }
        wr_sensitivity_learn(&r->sensitivity, r->input_change, r->effect,
                             wr_max(r->change, wr_max(state, discrete)));
    }
    r->factor_before = r->tolerance_factor;
    if (s->n_x > 0) /* a recorded subsystem has no states and no arrays */
        memcpy(p->x_end, s->x, (size_t)s->n_x * sizeof *p->x_end);
    if (s->n_d > 0)
        memcpy(p->d_end, s->d, (size_t)s->n_d * sizeof *p->d_end);
    r->input_change = r->sensitivity.early = 0.0;
    r->has_missed = 0;
    double *const shift = wr_record_input_shift(r, p->converge->delta);
    for (int j = 0; j < r->n_read; j++)
        shift[j] = 0.0;
}

/* Learns the task's time. The next window has the same length by assumption. is_ahead: the task has integrated the window after the present
 * window. */
static void learn_time(const wr_engine *e, wr_run *p, int is_ahead)
{
    wr_record *const r = p->record;
    wr_phase_cost *const time = &p->time;
    wr_phase_cost_span span = {0.0, 0.0};
    double length = 0.0;
    if (e->phase) {
        length = e->sweep->phase.rate * e->window->length_s / e->options.relaxation.history_period;
        span.to = e->sweep->phase.phase / e->options.relaxation.history_period +
                  (is_ahead ? length : 0.0);
        span.from = span.to - length;
    }
    wr_phase_cost_learn(time, span, r->work, r->advance_ns);
    r->expected_ns = (float)wr_phase_cost_of_work(time, r->work);
    r->next_expected_ns =
        (float)wr_phase_cost_expected(time, (wr_phase_cost_span){span.to, span.to + length});
}

/* Restores or saves the start of the window, and reads the published waves of all producers. The subsystem's first task of a window commits
 * the last window's rows, and accepts its prediction and history. */
static void begin_integration(wr_engine *e, const wr_run *p)
{
    wr_subsystem *const s = p->subsystem;
    wr_record *const r = p->record;
    if (r->is_saved)
        wr_subsystem_restore(s);
    else {
        wr_engine_commit_rows(e, p->i, r->i_worker);
        wr_predict_accept(p->predict);
        if (r->has_wave && p->waves->history && p->node->is_predicted)
            wr_history_append(p->waves->history, p->waves->fresh);
        if (r->has_wave)
            wr_sensitivity_accepted(&r->sensitivity);
        r->has_wave = 0;
        wr_subsystem_save(s);
        r->is_saved = 1;
    }
    const int *const producer = p->link->producer;
    const int64_t number = wr_batch_number(e);
    for (int j = 0; j < s->n_source; j++)
        s->source[j] = wr_publication_before(&e->waves[producer[j]].publication, number);
    s->last_round = s->n_external > 0 ? wr_control_last_round(e->control, e->window->t_end_s) : -1;
    s->is_instant = wr_time_close(e->window->t_end_s, e->control->instant_s);
    s->wave = p->iterate[wr_waves_shown(p->waves) == p->iterate[0]];
}

/* Checks the events: integrates the window without causes and without earlier event times, and compares the wave. The next integration
 * replaces this wave, with the event times of the published wave. */
static wrsim_status check_events(wr_engine *e, const wr_run *p)
{
    wr_record *const r = p->record;
    wr_subsystem *const s = p->subsystem;
    begin_integration(e, p);
    s->is_check = 1;
    const wrsim_status status = wr_subsystem_advance(s, e->window->t_end_s, r->tolerance_factor);
    if (status == WRSIM_OK)
        compare(e, p);
    r->is_refuted = status == WRSIM_OK && !(wr_subsystem_confirms(s) && r->change <= MOST_CHANGE);
    s->is_check = 0;
    s->is_after_check = status == WRSIM_OK;
    return status;
}

/* Stores the reasons of a failed integration that decisions depend on. Returns `status`. */
static wrsim_status note_failure(const wr_run *p, wrsim_status status)
{
    wr_record *const r = p->record;
    const wr_subsystem *const s = p->subsystem;
    wr_request_note_time(p);
    r->n_node = s->wave->n_node;
    r->is_wave_full = s->wave->n_node >= s->wave->cap_node;
    r->is_rows_full = s->n_row == s->cap_row && s->n_recorded > 0;
    r->is_final = s->fault.is_final != 0;
    return status;
}

/* Stores the order of events and jumps, whether the inputs of the integration jump, and the numbers of jumps and nodes of its wave. */
static void note_events(const wr_run *p)
{
    wr_record *const r = p->record;
    const wr_subsystem *const s = p->subsystem;
    r->has_jump = (unsigned char)wr_subsystem_has_jump_at_end(s);
    for (int j = 0; j < s->n_source; j++) {
        p->order[j] = s->source[j]->n_jump > 0 ? wr_subsystem_order(s, j, s->source[j]) : 0;
        r->has_jump |= p->order[j] != 0;
    }
    r->n_jump = s->wave->n_jump;
    r->n_node = s->wave->n_node;
}

/* Stores the part of the window with a stop that stats.n_turn counts, at turn_s. A change of the inputs may shift the stop, at most to the
 * end of the next part (assumed). */
static void note_turn(wr_record *r, double start_s, double end_s, double turn_s)
{
    const double share = (turn_s - start_s) / (end_s - start_s);
    wr_sensitivity_note_event(&r->sensitivity,
                              (int)(WR_COURSE_PARTS * wr_clamp(share, 0.0, 1.0)) + 1);
}

/* Advances from start_s to end_s, stores the results in the record, and compares the new wave. */
static wrsim_status advance(wr_engine *e, const wr_run *p, double start_s, double end_s,
                            const wr_prefetch *next)
{
    wr_record *const r = p->record;
    wr_subsystem *const s = p->subsystem;
    const int64_t n_rhs_before = wr_subsystem_n_rhs(s);
    const int64_t n_turn = s->stats.n_turn, n_restart_before = s->stats.n_restart_rhs;
    const int64_t start_ns = e->batch->timing > 0 ? wr_clock_monotonic_ns() : 0;
    const wrsim_status status = wr_subsystem_advance(s, end_s, r->tolerance_factor);
    r->advance_ns = e->batch->timing > 0 ? wr_clock_monotonic_ns() - start_ns : 0;
    s->integration_s += 1e-9 * (double)(e->batch->timing * r->advance_ns);
    r->n_rhs = (double)(wr_subsystem_n_rhs(s) - n_rhs_before);
    r->n_restart_rhs = (double)(s->stats.n_restart_rhs - n_restart_before);
    r->step_rhs = s->step_rhs;
    r->work = r->n_rhs * s->work_per_rhs;
    r->has_deferred = (unsigned char)s->has_deferred;
    r->has_shared = (unsigned char)s->has_shared;
    r->parts_instant = (unsigned char)s->parts_instant;
    r->has_effect = (unsigned char)s->has_effect;
    if (s->stats.n_turn > n_turn)
        note_turn(r, start_s, end_s, s->turn_s);
    if (status != WRSIM_OK)
        return note_failure(p, status);
    wr_prefetch_part(next, 1);
    wr_request_note_time(p);
    note_events(p);
    measure(e, p);
    return WRSIM_OK;
}

static wrsim_status integrate(wr_engine *e, wr_run *p, const wr_prefetch *next)
{
    wr_record *const r = p->record;
    wr_subsystem *const s = p->subsystem;
    /* relaxation.tolerance_first applies in the first sweep of the first try of a window for which the engine expects several sweeps. */
    const int is_exact = r->n_integrated > 0 || !p->node->has_tolerance || e->window->is_tight ||
                         e->load->expected_sweeps < LOOSE_FROM_SWEEPS;
    r->tolerance_factor = is_exact ? 1.0 : e->options.relaxation.tolerance_first;
    const wrsim_status checked = e->event_check->is_on ? check_events(e, p) : WRSIM_OK;
    if (checked != WRSIM_OK)
        return note_failure(p, checked);
    begin_integration(e, p);
    const wrsim_status status = advance(e, p, e->window->t_s, e->window->t_end_s, next);
    if (status != WRSIM_OK) /* also WRSIM_STOPPED */
        return status;
    r->i_batch = e->batch->number;
    learn_time(e, p, 0);
    wr_waves_publish(p->waves, s->wave, wr_batch_number(e), e->window->i_prediction);
    r->n_integrated++;
    wr_prefetch_part(next, 2);
    return p->node->is_predicted ? predict(e, p) : WRSIM_OK;
}

wrsim_status wr_engine_integrate_ahead(wr_engine *e, int i, double t_end_s)
{
    wr_run *const p = e->run[i];
    wr_record *const r = &e->record[i];
    r->is_saved = 1; /* the adoption saves the start of the window */
    r->has_rows = r->has_wave = 0;
    r->effect = 0.0;
    r->status = advance(e, p, e->window->t_end_s, t_end_s, NULL);
    if (r->status != WRSIM_OK)
        return r->status;
    learn_time(e, p, 1);
    r->n_integrated = 1;
    r->is_unchanged = 0;
    return WRSIM_OK;
}

void wr_engine_complete(wr_engine *e, int i)
{
    wr_record *const r = &e->record[i];
    r->is_unchanged = 1;
    r->status = wr_request_accept(e, i);
    if (r->status != WRSIM_OK || !wr_request_is_held(e, i))
        return;
    wr_request_note_time(e->run[i]);
    r->status = e->net->node[i].is_predicted ? predict(e, e->run[i]) : WRSIM_OK;
    if (r->status < 0) {
        wr_request_keep_fault(e, i);
        r->fault_s = e->window->t_s;
    }
}

void wr_engine_run_task(wr_engine *e, int i, int i_worker, const wr_prefetch *next)
{
    wr_record *const r = &e->record[i];
    if (e->sweep->is_completing) {
        wr_engine_complete(e, i);
        return;
    }
    wr_prefetch_part(next, 0);
    if (!r->checked)
        r->is_settled = !wr_engine_matters(e, i, e->sweep->i);
    wr_engine_forget_check(e, i);
    r->is_unchanged = r->is_settled || e->sweep->is_check_only;
    if (r->is_unchanged) {
        r->status = WRSIM_OK;
        wr_prefetch_part(next, 1);
        wr_prefetch_part(next, 2);
    } else {
        r->i_worker = (short)i_worker;
        r->status = integrate(e, e->run[i], next);
    }
    if (e->options.counts_points)
        wr_record_note_points(r, wr_subsystem_point_cost(e->run[i]->subsystem));
    wr_prefetch_part(next, 3);
    if (r->status != WRSIM_OK || r->commit_status < 0)
        wr_batch_set_failed(e->batch, 1);
}
