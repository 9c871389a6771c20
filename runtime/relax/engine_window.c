/* Begins, retries and accepts windows, and chooses their ends and the number of workers. See engine_window.h.
 *
 * Thread: serial section; setup: one owner. Real-time: yes; setup: no. */
#include "runtime/relax/engine_window.h"

#include <float.h>
#include <math.h>

#include "base/clock.h"
#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_acceleration.h"
#include "runtime/relax/engine_activity.h"
#include "runtime/relax/engine_ahead.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_causes.h"
#include "runtime/relax/engine_control.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_observe.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_requests.h"
#include "runtime/relax/engine_scheme.h"
#include "runtime/relax/engine_sweep.h"
#include "runtime/relax/observer.h"
#include "runtime/relax/splitting_error.h"

/* Share of a window's length (assumed): a window's end this near to a communication point differs by rounding only. */
static const double BESIDE = 1e-9;
static const double SWEEP_MEMORY =
    0.9; /* weight of earlier windows in the expected number of sweeps (assumed) */
/* Weight of earlier windows in the work per window (assumed). */
static const double WORK_MEMORY = 0.9;

/* Numbers for the window rule, [n] each. */
struct wr_measured {
    double *prediction_error, *n_rhs, *step_rhs, *work;
    unsigned char *restarts;
};

int wr_engine_place_window(wr_engine *e, wr_arena *arena, int n_worker)
{
    const wr_engine_options *const o = &e->options;
    struct wr_measured *const m = e->measured = WR_NEW(arena, struct wr_measured);
    if (!m || !(m->restarts = WR_NEW_ARRAY(arena, unsigned char, e->n)) ||
        !(e->sweep->n_by_subsystem = WR_NEW_ARRAY(arena, int, e->n)) ||
        WR_NEW_DOUBLES(arena, e->n, &m->prediction_error, &m->n_rhs, &m->step_rhs, &m->work) != 0)
        return -1;
    for (int i = 0; i < e->n; i++)
        m->restarts[i] = (e->net->node[i].flags & WR_SUBSYSTEM_RESTARTS) != 0;
    e->window->t_s = o->start_s;
    e->load->expected_sweeps = 1.0;
    e->load->n_active_worker = n_worker < e->n ? n_worker : e->n;
    if (o->min_work > 0.0 && o->most_workers > 0 && e->load->n_active_worker > o->most_workers)
        e->load->n_active_worker = o->most_workers;
    wr_worker_count_init(&e->load->workers, e->load->n_active_worker, o->min_work);
    e->load->n_active_worker = wr_worker_count_get(&e->load->workers);
    return 0;
}

/* ---- ends of windows ---- */

/* Length of the shortest window, in communication steps (assumed). */
static const double LEAST_WINDOW = 1e-9;

double wr_engine_least_window(const wr_engine *e)
{
    return wr_max(LEAST_WINDOW * e->options.communication_step_s,
                  16.0 * DBL_EPSILON * fabs(e->window->t_s));
}

/* Returns the end of the windows from t_s on: end_s, or an earlier time event that is worth an additional start. Events of several
 * subsystems that follow closely are not worth an additional start, however far apart the events of each subsystem are. Events without
 * rollback always end windows. */
static double next_end(const wr_engine *e, double t_s, double end_s)
{
    const double least_gap_s = wr_window_least_gap(e->rule);
    if (!(least_gap_s < (double)INFINITY) && e->net->n_deferring == 0)
        return end_s;
    const double least_s = wr_max(least_gap_s, e->options.relaxation.window_min_s);
    for (int i = 0; i < e->n; i++) {
        const wr_record *const p = &e->record[i];
        if (!e->net->node[i].ends_windows || !wr_time_close(p->t_s, e->window->t_s))
            continue; /* a subsystem may be at the end of a rejected window */
        const double left_s = p->next_event_s - t_s;
        const int is_worth_it = (e->net->node[i].flags & WR_SUBSYSTEM_DEFERS)
                                    ? left_s > wr_engine_least_window(e)
                                    : p->event_gap_s >= least_s && left_s >= least_s;
        if (p->next_event_s < end_s && is_worth_it)
            end_s = p->next_event_s;
    }
    return end_s;
}

/* If the window ends at a time event without rollback, other subsystems leave later rounds of this instant to the next window. */
static void expect_event(wr_engine *e)
{
    for (int i = 0; i < e->n && e->net->n_deferring > 0; i++)
        if ((e->net->node[i].flags & WR_SUBSYSTEM_DEFERS) &&
            wr_time_close(e->record[i].t_s, e->window->t_s) &&
            wr_time_close(e->record[i].next_event_s, e->window->t_end_s))
            wr_control_hold(e->control, e->window->t_end_s, 0);
}

double wr_engine_grid_at(const wr_engine *e, double t_s)
{
    const double step_s = e->options.communication_step_s, start_s = e->options.start_s;
    return wr_time_at(start_s, floor((t_s - start_s) / step_s + 0.5), step_s);
}

double wr_engine_down_to_grid(const wr_engine *e, double end_s)
{
    double grid_s = wr_engine_grid_at(e, end_s);
    if (grid_s > end_s && !wr_time_close(grid_s, end_s))
        grid_s = wr_engine_grid_at(e, end_s - e->options.communication_step_s);
    if (grid_s <= e->window->t_s || wr_time_close(grid_s, e->window->t_s))
        grid_s = wr_engine_grid_at(e, e->window->t_s + e->options.communication_step_s);
    return grid_s;
}

/* Finds length and end of a window from t_s on by the rule. Returns the length. A rest of one to two lengths becomes two equal windows. So
 * no very short window remains before the run's end or an announced event. */
static double choose_end(const wr_engine *e, double t_s, double *ret_end_s)
{
    const wr_control *const control = e->control;
    const double sound_s = t_s < control->sound_s ? control->sound_s : control->end_s;
    const double held_s = t_s < control->held_s ? control->held_s : control->end_s;
    const double end_s = next_end(e, t_s, wr_min(wr_min(sound_s, held_s), control->end_s));
    const double left_s = end_s - t_s;
    const double n = ceil(left_s / e->rule->length_s - 1e-9);
    const double length_s = n <= 2.0 ? left_s / wr_max(n, 1.0) : e->rule->length_s;
    *ret_end_s = n <= 1.0 ? end_s : t_s + length_s;
    /* An end near a communication point moves onto that point. Otherwise rounding would decide which window contains an event at the
     * point. */
    if (n > 1.0 && e->options.communication_step_s > 0.0) {
        const double grid_s = wr_engine_grid_at(e, *ret_end_s);
        *ret_end_s = fabs(grid_s - *ret_end_s) <= BESIDE * length_s ? grid_s : *ret_end_s;
    }
    return length_s;
}

/* Returns 1 if the next window has begun ahead with an end that is still right. */
static int is_begun_right(const wr_engine *e)
{
    const wr_window_now *const w = e->window;
    return wr_ahead_is_begun(e) && !(next_end(e, w->t_s, w->next_end_s) < w->next_end_s);
}

/* Sets length and end of the next window: the end of the window that has begun ahead (is_begun), or by the rule. */
static void choose_window(wr_engine *e, int is_begun)
{
    wr_window_now *const w = e->window;
    if (is_begun) {
        w->length_s = w->next_length_s;
        w->t_end_s = w->next_end_s;
    } else
        w->length_s = choose_end(e, w->t_s, &w->t_end_s);
    if (e->net->is_on_grid) {
        w->t_end_s = wr_engine_down_to_grid(e, w->t_end_s);
        w->length_s = w->t_end_s - w->t_s;
    }
    expect_event(e);
    w->next_end_s = (double)NAN;
    if (e->ahead && w->t_end_s < e->control->end_s && !wr_time_close(w->t_end_s, e->control->end_s))
        w->next_length_s = choose_end(e, w->t_end_s, &w->next_end_s);
}

/* Assumed range of the wall time between two pauses of a run of one subsystem, ns, and largest number of steps between two pauses. */
static const int64_t LEAST_PAUSE_NS = 5000000, MOST_PAUSE_NS = 50000000;
enum { MOST_PAUSE_STEPS = 1 << 14 };

/* Adapts the number of steps to the wanted wall time between pauses, after the advance of the only subsystem has ended or paused. After
 * a pause the window ends at the present time. Results do not depend on the number of pauses. */
static void pause_lone(wr_engine *e)
{
    wr_lone *const lone = e->lone;
    const int64_t now_ns = wr_clock_monotonic_ns(), spent_ns = now_ns - lone->since_ns;
    const double t_s = e->record[0].t_s;
    lone->since_ns = now_ns;
    if (spent_ns < LEAST_PAUSE_NS && lone->pause.n_step < MOST_PAUSE_STEPS)
        lone->pause.n_step *= 2;
    if (spent_ns > MOST_PAUSE_NS && lone->pause.n_step > 1)
        lone->pause.n_step /= 2;
    if (t_s < e->window->t_end_s && !wr_time_close(t_s, e->window->t_end_s))
        e->window->t_end_s = t_s;
}

/* ---- beginning ---- */

static void reset(wr_engine *e, int i, int is_retry)
{
    wr_engine_forget_check(e, i);
    wr_record_begin(&e->record[i], is_retry);
}

void wr_engine_begin_run(wr_engine *e)
{
    e->load->noted_ns = e->lone->since_ns = wr_clock_monotonic_ns();
    for (int i = 0; i < e->n; i++)
        reset(e, i, 0);
    wr_engine_scheme_begin_run(e);
    if (!wr_ahead_resume(e))
        wr_engine_begin_window(e);
}

void wr_engine_retry_window(wr_engine *e)
{
    e->load->unnoted_work += e->sweep->work;
    wr_ahead_take_back(e);
    for (int i = 0; i < e->n; i++)
        reset(e, i, 1);
    wr_engine_begin_window(e);
}

void wr_engine_begin_window(wr_engine *e)
{
    const int is_begun = is_begun_right(e);
    if (!is_begun)
        wr_ahead_take_back(e);
    if (e->lone->is_on) {
        e->window->t_end_s = e->control->end_s;
        e->window->length_s = e->control->end_s - e->window->t_s;
    } else
        choose_window(e, is_begun);
    wr_activity_begin_window(e);
    wr_event_check_begin_window(e->event_check);
    wr_mix_begin_window(e);
    wr_contraction_begin_window(e->contraction, e->window->length_s,
                                e->options.relaxation.convergence);
    wr_batch_begin_window(e);
    wr_engine_begin_first_sweep(e);
    if (is_begun)
        wr_engine_adopt_level(e);
    wr_engine_prepare_from(e, is_begun ? 1 : 0);
}

void wr_engine_tighten_window(wr_engine *e) { e->window->is_tight = 1; }

void wr_engine_move_window(wr_engine *e, double t_s) { e->window->t_s = t_s; }

void wr_engine_hold_predictions(wr_engine *e)
{
    for (int i = 0; i < e->n; i++) {
        wr_wave *const wave = e->waves[i].prediction[e->window->i_prediction];
        for (int j = 0; e->net->node[i].is_predicted && j < wave->n_signal; j++) {
            wr_cursor cursor = wr_cursor_start();
            wr_cursor_pass(&cursor, wave, e->window->t_s);
            const double value = wr_wave_eval(wave, &cursor, e->window->t_s, j);
            for (int k = 0; k < wave->n_node; k++) {
                wave->value[k * wave->n_signal + j] = value;
                wave->slope[k * wave->n_signal + j] = 0.0;
            }
        }
    }
    e->window->is_held = 1;
}

/* ---- acceptance ---- */

wr_window_outcome wr_engine_outcome(wr_engine *e, int is_accepted)
{
    struct wr_measured *const m = e->measured;
    const wr_window_rule *const rule = e->rule->rule;
    /* other rules read no data per subsystem */
    for (int i = 0; i < e->n && rule->reads_each; i++) {
        m->prediction_error[i] = e->record[i].prediction_error;
        m->n_rhs[i] = e->record[i].n_rhs;
        m->step_rhs[i] = e->record[i].step_rhs;
        m->work[i] = e->record[i].work;
    }
    /* Noise hardly contracts in windows of any length, so a rule that aims at a contraction rate would shorten the windows endlessly. */
    return (wr_window_outcome){.length_s = e->window->length_s,
                               .is_accepted = is_accepted,
                               .n_sweep = e->sweep->i,
                               .n_subsystem = e->n,
                               .prediction_error = m->prediction_error,
                               .contraction =
                                   rule->aims ? e->contraction->sure : e->contraction->now,
                               .n_rhs = m->n_rhs,
                               .step_rhs = m->step_rhs,
                               .work = m->work,
                               .restarts = m->restarts,
                               .spent = e->sweep->work};
}

/* Sets the number of workers by measured cost, between two windows. */
static void review_crew(wr_engine *e)
{
    wr_load *const load = e->load;
    if (wr_worker_count_is_fixed(&load->workers))
        return;
    const int64_t now_ns = wr_clock_monotonic_ns();
    wr_worker_count_note(&load->workers, load->unnoted_work + e->sweep->work,
                         1e-9 * (double)(now_ns - load->noted_ns));
    load->noted_ns = now_ns;
    load->unnoted_work = 0.0;
    const int size = wr_worker_count_get(&load->workers);
    if (size != load->n_active_worker) {
        e->stats->n_worker_change++;
        wr_control_set_leaving(e->control, 1);
    }
    load->n_active_worker = size;
    e->stats->worker_reason = wr_worker_count_why(&load->workers);
    e->stats->work_per_window = load->workers.window_work;
    for (int i = 0; i < 2; i++)
        e->stats->measured_s[i] = load->workers.s_per_work[i] * load->workers.window_work;
}

static void count_window(wr_engine *e, double work)
{
    wr_engine_stats *const s = e->stats;
    wr_load *const load = e->load;
    s->n_window++;
    s->n_sweep += e->sweep->i;
    s->n_integration += e->sweep->n_in_window;
    s->n_skipped += (int64_t)e->sweep->i * e->n - e->sweep->n_in_window;
    s->n_one_sweep += e->sweep->i == 1;
    if (s->n_window == 1 || e->window->length_s < s->window_shortest_s)
        s->window_shortest_s = e->window->length_s;
    s->window_longest_s = wr_max(s->window_longest_s, e->window->length_s);
    const int has_before = load->work_per_window > 0.0;
    load->work_per_window =
        has_before ? WORK_MEMORY * load->work_per_window + (1.0 - WORK_MEMORY) * work : work;
    load->expected_sweeps =
        SWEEP_MEMORY * load->expected_sweeps + (1.0 - SWEEP_MEMORY) * (double)e->sweep->i;
}

/* Advances all records to the next window. Returns the approximate work of the window that ends: for each subsystem the work of the last
 * integration times the number of integrations. */
static double turn_all(wr_engine *e)
{
    double work = 0.0, n_rhs = 0.0;
    int64_t advance_ns = 0;
    e->window->i_prediction = 1 - e->window->i_prediction;
    for (int i = 0; i < e->n; i++) {
        wr_record *const p = &e->record[i];
        const wr_waves *const waves = &e->waves[i];
        work += p->work * p->n_integrated;
        n_rhs += p->n_rhs + p->n_restart_rhs;
        advance_ns += p->advance_ns;
        wr_record_accept(p);
        if (e->phase && waves->history)
            wr_history_show(waves->history);
        wr_batch_show(e, i, waves->predicted);
        reset(e, i, 0);
    }
    if (e->batch->timing > 0)
        e->stats->accepted_s += 1e-9 * (double)(e->batch->timing * advance_ns);
    e->stats->n_rhs_accepted += (int64_t)n_rhs;
    return work;
}

/* Adds the window of each subsystem to the account of the splitting error. */
static void take_into_account(wr_engine *e)
{
    for (int i = 0; i < e->n; i++) {
        const wr_record *const p = &e->record[i];
        const double effect = wr_engine_left_effect(e, i),
                     miss = effect / e->options.relaxation.convergence;
        /* A subsystem without rollback has advanced with predicted inputs. Only a shorter window makes the inputs' error smaller. The
         * error grows with the window's length to the power error_order (docs/METHODS.md, Window length). */
        if (p->is_once && miss > 1.0)
            e->window->once_length_s =
                wr_min(e->window->once_length_s,
                       e->window->length_s * pow(miss, -1.0 / e->rule->error_order));
        const wr_splitting_error_window window = {.wave = e->waves[i].fresh,
                                                  .moved = wr_record_input_shift(p, e->value[i]),
                                                  .has_effect = p->has_effect,
                                                  .n_rhs = p->n_rhs,
                                                  .modelled = p->sensitivity.modelled.value,
                                                  .effect = p->input_change > 0.0 ? effect : 0.0};
        wr_splitting_error_note(e->account, i, e->window->length_s, &window);
    }
    wr_splitting_error_propagation(e->account);
}

int wr_engine_is_end_reached(const wr_engine *e)
{
    return wr_time_is_due(e->window->t_s, e->control->end_s);
}

void wr_engine_accept_window(wr_engine *e)
{
    wr_window_now *const w = e->window;
    if (e->lone->is_on) {
        pause_lone(e);
        (void)turn_all(e);
    } else {
        w->once_length_s = (double)INFINITY;
        if (e->account)
            take_into_account(e);
        wr_contraction_learn(e->contraction);
        const double longest_s = wr_window_longest_next(e->rule);
        if (!wr_time_close(w->t_end_s, e->control->held_s)) { /* else an event chose the length */
            const wr_window_outcome outcome = wr_engine_outcome(e, 1);
            wr_window_accepted(e->rule, &outcome);
        }
        if (e->net->n_once > 0)
            wr_window_limit(e->rule, w->once_length_s);
        if (e->phase)
            wr_phase_append(e->phase, wr_engine_phase_at_end(e));
        count_window(e, turn_all(e));
        wr_engine_observe_window(e);
        wr_engine_scheme_window(e, longest_s);
    }
    w->t_s = w->t_end_s;
    const int i_ended = e->control->i_ended;
    const int is_extended =
        wr_control_last_round(e->control, w->t_s) >= 0 &&
        (i_ended >= 0 ? wr_request_run_end(e, i_ended)->is_final : wr_engine_is_end_reached(e));
    /* A last short window shows the effects of an event at the end of the run. */
    if (is_extended) {
        if (i_ended >= 0)
            wr_control_end_at(e->control, w->t_s);
        wr_control_extend(e->control, w->t_s + wr_engine_least_window(e));
    }
    w->is_tight = w->is_held = 0;
    review_crew(e);

    for (const wr_observer *o = e->observer; o; o = o->next)
        if (o->window)
            o->window(o->context, w->t_s);
    const int is_stop_asked = wr_control_take_stop(e->control);
    wrsim_status status = WRSIM_OK; /* first failure to commit rows, in order of subsystems */
    for (int i = 0; i < e->n && wr_batch_is_failed(e->batch) && status >= 0; i++)
        if (e->record[i].commit_status < 0)
            status = e->record[i].commit_status;
    if (status < 0)
        wr_control_leave(e->control, status);
    else if (!is_extended && (wr_engine_is_end_reached(e) || i_ended >= 0))
        wr_control_leave(e->control, WRSIM_OK);
    else if (is_stop_asked && !wr_time_is_due(w->t_s, e->control->asked_s))
        wr_control_leave(e->control, WRSIM_STOPPED);
    else
        wr_engine_begin_window(e);
}

/* ---- state ---- */

void wr_engine_window_state(wr_engine *e, wr_state_io *io)
{
    wr_window_now *const w = e->window;
    const int i_prediction = (int)wr_state_count(io, w->i_prediction, 1);
    if (wr_state_reads(io))
        w->i_prediction = i_prediction;
    WR_STATE(io, w->t_s);
    WR_STATE(io, w->length_s);
    WR_STATE(io, w->t_end_s);
    WR_STATE(io, e->sweep->phase);
    WR_STATE(io, w->is_tight);
    WR_STATE(io, w->is_held);
    WR_STATE(io, w->once_length_s);
}

void wr_engine_load_state(wr_engine *e, wr_state_io *io)
{
    WR_STATE(io, e->load->expected_sweeps);
    WR_STATE(io, e->load->work_per_window);
}

void wr_engine_stats_state(wr_engine_stats *s, wr_state_io *io)
{
    /* Visits all rows except the first, n_active_worker, which belongs to the present run. */
#define VISIT(type, name, key, text)                                                               \
    if (offsetof(wr_engine_stats, name) != offsetof(wr_engine_stats, n_active_worker))             \
        WR_STATE(io, s->name);
    WRSIM_WINDOW_STATS(VISIT)
#undef VISIT
    WR_STATE(io, s->contraction_mean);
    WR_STATE(io, s->n_contraction);
    WR_STATE(io, s->fallback_s);
    WR_STATE(io, s->n_rhs_accepted);
    WR_STATE(io, s->window_shortest_s);
    WR_STATE(io, s->window_longest_s);
}
