/* Windows: ends, beginning, and acceptance. See engine_window.h.
 *
 * Thread: serial section. Real-time: yes.
 */
#include "runtime/relax/engine_window.h"

#include <math.h>

#include "base/clock.h"
#include "runtime/relax/account.h"
#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_changes.h"
#include "runtime/relax/engine_iterates.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_observe.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_requests.h"
#include "runtime/relax/engine_stats.h"
#include "runtime/relax/engine_sweep.h"
#include "runtime/relax/observer.h"
#include "runtime/relax/phase.h"
#include "runtime/relax/window.h"
#include "scheduler/team.h"

/* Share of a window's length: a window's end this near to a communication point differs by rounding only. */
static const double BESIDE = 1e-9;
static const double SWEEP_MEMORY = 0.9; /* of the expected number of sweeps, per window */
static const double WORK_MEMORY = 0.9;  /* of the work per window */

/* Reading the clock takes as long as two or three work units. With less work than this per subsystem and window, each
 * SAMPLEth window is measured and counts for all. */
static const double TIMED_WORK = 250.0;
enum { SAMPLE = 16 };

static void reset(wr_engine *e, int i, int is_retry)
{
    wr_record *const p = &e->record[i];
    p->prediction_error = 0.0;
    p->is_settled = 0;
    p->is_plain = 0;
    wr_engine_forget_check(e, i);
    p->has_missed = 0;
    p->n_integrated = 0;
    p->is_saved &= is_retry != 0;
    if (!is_retry)
        p->expected_ns = p->next_expected_ns;
    p->input_change = 0.0;
    p->tolerance_factor = 1.0;
    p->is_active = !p->is_once;
}

void wr_engine_reset(wr_engine *e, int is_retry)
{
    for (int i = 0; i < e->n; i++)
        reset(e, i, is_retry);
}

/* How often the next window's times count. */
static int timing_of(const wr_engine *e)
{
    const int64_t n = e->stats->n_window;
    if (n < SAMPLE || e->load->work_per_window >= TIMED_WORK * e->n)
        return 1;
    return n % SAMPLE == 0 ? SAMPLE : 0;
}

/* The wanted end of the next windows: end_s, or an earlier time event that is worth an additional start. Events of several
 * subsystems that follow closely are not, however far apart the events of each subsystem are. */
static double next_end(const wr_engine *e, double end_s)
{
    const double least_gap_s = wr_window_least_gap(e->rule);
    if (!(least_gap_s < (double)INFINITY))
        return end_s;
    const double least_s = wr_max(least_gap_s, e->options.window_min_s);
    for (int i = 0; i < e->n; i++) {
        const wr_record *const p = &e->record[i];
        if (!p->ends_windows || !wr_time_close(p->t_s, e->window->t_s))
            continue; /* or at the end of a rejected window */
        const int is_worth_it =
            p->event_gap_s >= least_s && p->next_event_s - e->window->t_s >= least_s;
        if (p->next_event_s < end_s && is_worth_it)
            end_s = p->next_event_s;
    }
    return end_s;
}

double wr_engine_grid_at(const wr_engine *e, double t_s)
{
    const double step_s = e->options.communication_step_s, start_s = e->options.start_s;
    return start_s + floor((t_s - start_s) / step_s + 0.5) * step_s;
}

/* Moves an end near a communication point onto the point. Otherwise rounding would decide in which window an event there lies. */
static double on_grid(const wr_engine *e, double end_s)
{
    if (!(e->options.communication_step_s > 0.0))
        return end_s;
    const double grid_s = wr_engine_grid_at(e, end_s);
    return fabs(grid_s - end_s) <= BESIDE * e->window->length_s ? grid_s : end_s;
}

/* The last communication point up to end_s, or the first after the present time. */
double wr_engine_down_to_grid(const wr_engine *e, double end_s)
{
    double grid_s = wr_engine_grid_at(e, end_s);
    if (grid_s > end_s && !wr_time_close(grid_s, end_s))
        grid_s = wr_engine_grid_at(e, end_s - e->options.communication_step_s);
    if (grid_s <= e->window->t_s || wr_time_close(grid_s, e->window->t_s))
        grid_s = wr_engine_grid_at(e, e->window->t_s + e->options.communication_step_s);
    return grid_s;
}

const char *wr_engine_find_flag(const wr_engine *e, unsigned flag)
{
    for (int i = 0; i < e->n; i++)
        if (e->net->node[i].flags & flag)
            return e->net->node[i].name;
    return "";
}

/* Wall time between two pauses of a run of one subsystem, and its largest number of steps. */
static const int64_t LEAST_PAUSE_NS = 5000000, MOST_PAUSE_NS = 50000000;
enum { MOST_PAUSE_STEPS = 1 << 14 };

/* The advance of the only subsystem has ended, or paused. Adapts the number of steps to the wanted wall time between
 * pauses. Results do not depend on the number of pauses. */
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

/* Sets length and end of the next window by the rule. */
static void choose_window(wr_engine *e)
{
    const double end_s = next_end(e, e->window->t_s < e->control->sound_s
                                         ? wr_min(e->control->sound_s, e->control->end_s)
                                         : e->control->end_s);
    const double left_s = end_s - e->window->t_s;
    const double n = ceil(left_s / e->rule->length_s - 1e-9);
    e->window->length_s = n <= 2.0 ? left_s / wr_max(n, 1.0) : e->rule->length_s;
    e->window->t_end_s = n <= 1.0 ? end_s : on_grid(e, e->window->t_s + e->window->length_s);
    if (e->net->is_on_grid) {
        e->window->t_end_s = wr_engine_down_to_grid(e, e->window->t_end_s);
        e->window->length_s = e->window->t_end_s - e->window->t_s;
    }
}

void wr_engine_begin_window(wr_engine *e)
{
    if (e->lone->is_on) {
        e->window->t_end_s = e->control->end_s;
        e->window->length_s = e->control->end_s - e->window->t_s;
    } else
        choose_window(e);
    e->sweep->is_once_turn = e->window->has_once_run = 0;
    e->sweep->is_event_check = e->window->has_event_check = e->window->n_refuted = 0;
    e->sweep->i = 0;
    e->sweep->is_check_only = e->sweep->is_forced = 0;
    e->mix->has_guesses = 0;
    e->loops->n_step = e->loops->is_off = e->loops->is_stuck = 0;
    e->sweep->is_all_active = e->net->n_once == 0;
    e->window->n_integrated = 0;
    wr_contraction_begin_window(e->contraction, e->window->length_s, e->options.convergence);
    e->sweep->delta = 0.0;
    e->window->work = 0.0;
    e->batch->timing = timing_of(e);
    wr_team_time(e->team, e->batch->timing, e->batch->task_ns);
    if (e->mix->method)
        wr_accelerate_reset(e->mix->method);
    wr_engine_begin_sweep(e, 0);
    wr_engine_prepare_from(e, 0);
}

void wr_engine_leave(wr_engine *e, wrsim_status status)
{
    e->control->status = status;
    e->control->is_leaving = 1;
}

wr_window_outcome wr_engine_outcome(wr_engine *e, int is_accepted)
{
    const int n_read = e->rule->rule->reads_each ? e->n : 0; /* other rules read the sums only */
    for (int i = 0; i < n_read; i++) {
        e->measured->prediction_error[i] = e->record[i].prediction_error;
        e->measured->n_rhs[i] = e->record[i].n_rhs;
        e->measured->step_rhs[i] = e->record[i].step_rhs;
        e->measured->work[i] = e->record[i].work;
    }
    /* Noise hardly contracts in windows of any length: a rule that aims at a contraction rate would shorten them endlessly. */
    const int is_aimed = e->rule->rule->aims;
    return (wr_window_outcome){.length_s = e->window->length_s,
                               .is_accepted = is_accepted,
                               .n_sweep = e->sweep->i,
                               .n_subsystem = e->n,
                               .prediction_error = e->measured->prediction_error,
                               .contraction = is_aimed ? e->contraction->sure : e->contraction->now,
                               .n_rhs = e->measured->n_rhs,
                               .step_rhs = e->measured->step_rhs,
                               .work = e->measured->work,
                               .restarts = e->measured->restarts,
                               .spent = e->window->work};
}

/* Between two windows: sets the number of workers by the crew. */
static void review_crew(wr_engine *e)
{
    if (wr_crew_is_fixed(&e->load->crew))
        return;
    const int64_t now_ns = wr_clock_monotonic_ns();
    wr_crew_note(&e->load->crew, e->load->unnoted_work,
                 1e-9 * (double)(now_ns - e->load->noted_ns));
    e->load->noted_ns = now_ns;
    e->load->unnoted_work = 0.0;
    const int size = wr_crew_size(&e->load->crew);
    e->stats->n_worker_change += size != e->load->n_active_worker;
    e->control->is_leaving |= size != e->load->n_active_worker;
    e->load->n_active_worker = size;
    e->stats->crew_reason = wr_crew_why(&e->load->crew);
    e->stats->work_per_window = e->load->crew.window_work;
}

static void count_window(wr_engine *e, double work)
{
    wr_engine_stats *const s = e->stats;
    s->n_window++;
    s->n_sweep += e->sweep->i;
    s->n_integration += e->window->n_integrated;
    s->n_skipped += (int64_t)e->sweep->i * e->n - e->window->n_integrated;
    s->n_one_sweep += e->sweep->i == 1;
    if (s->n_window == 1 || e->window->length_s < s->window_shortest_s)
        s->window_shortest_s = e->window->length_s;
    s->window_longest_s = wr_max(s->window_longest_s, e->window->length_s);
    e->load->work_per_window =
        e->load->work_per_window > 0.0
            ? WORK_MEMORY * e->load->work_per_window + (1.0 - WORK_MEMORY) * work
            : work;
    e->load->expected_sweeps =
        SWEEP_MEMORY * e->load->expected_sweeps + (1.0 - SWEEP_MEMORY) * (double)e->sweep->i;
}

/* Advances all records to the next window. Returns the work of the window that ends. */
static double turn_all(wr_engine *e)
{
    double work = 0.0, n_rhs = 0.0;
    int64_t advance_ns = 0;
    e->window->i_prediction = 1 - e->window->i_prediction;
    for (int i = 0; i < e->n; i++) {
        wr_record *const p = &e->record[i];
        work += p->work * p->n_integrated;
        n_rhs += p->n_rhs + p->n_restart_rhs;
        if (e->batch->timing > 0)
            advance_ns += p->advance_ns;
        p->has_rows = 1;
        p->has_wave = 1;
        wr_waves *const waves = &e->waves[i];
        if (e->phase && waves->history)
            wr_history_show(waves->history);
        wr_batch_show(e, i, waves->predicted);
        reset(e, i, 0);
    }
    e->stats->accepted_s += 1e-9 * (double)(e->batch->timing * advance_ns);
    e->stats->n_rhs_accepted += (int64_t)n_rhs;
    return work;
}

/* First failure to hand rows over, in order of subsystems. */
static wrsim_status commit_status(const wr_engine *e)
{
    /* relaxed: the barrier ordered it. */
    if (!atomic_load_explicit(&e->batch->is_failed, memory_order_relaxed))
        return WRSIM_OK;
    for (int i = 0; i < e->n; i++)
        if (e->record[i].commit_status < 0)
            return e->record[i].commit_status;
    return WRSIM_OK;
}

/* A subsystem without rollback has advanced with predicted inputs. Only a shorter window makes their error smaller. The error
 * grows with the window's length to the power error_order (docs/METHODS.md, Window length). */
static void note_once(wr_engine *e, wr_record *p)
{
    const double miss = p->effect / e->options.convergence;
    p->prediction_error = wr_max(p->prediction_error, miss);
    if (miss > 1.0)
        e->window->once_length_s = wr_min(
            e->window->once_length_s, e->window->length_s * pow(miss, -1.0 / e->rule->error_order));
}

static void take_into_account(wr_engine *e)
{
    for (int i = 0; i < e->n; i++) {
        wr_record *const p = &e->record[i];
        if ((e->mix->method || p->is_once) &&
            p->input_change > 0.0) /* no estimate was made in this window */
            p->effect = wr_request_effect(e, i);
        if (!(p->effect < (double)INFINITY)) /* the kind has no estimate */
            p->effect = wr_engine_seen_effect(p);
        if (p->is_once)
            note_once(e, p);
        const wr_account_window window = {.wave = e->waves[i].fresh,
                                          .moved = wr_record_input_shift(p, e->value[i]),
                                          .has_effect = p->has_effect,
                                          .n_rhs = p->n_rhs,
                                          .modelled = p->sensitivity.modelled.value,
                                          .effect = p->input_change > 0.0 ? p->effect : 0.0};
        wr_account_note(e->account, i, e->window->length_s, &window);
    }
    wr_account_carry(e->account);
}

/* Learns from an accepted window. */
static void learn_from_window(wr_engine *e)
{
    e->window->once_length_s = (double)INFINITY;
    if (e->account)
        take_into_account(e);
    wr_contraction_learn(e->contraction);
    const wr_window_outcome outcome = wr_engine_outcome(e, 1);
    wr_window_accepted(e->rule, &outcome);
    if (e->net->n_once > 0 && !e->rule->rule->is_fixed)
        e->rule->length_s =
            wr_max(e->rule->min_s, wr_min(e->rule->length_s, e->window->once_length_s));
    if (e->phase)
        wr_phase_append(e->phase, wr_engine_phase_at_end(e));
}

void wr_engine_accept_window(wr_engine *e)
{
    if (e->lone->is_on) {
        pause_lone(e);
        (void)turn_all(e);
    } else {
        learn_from_window(e);
        count_window(e, turn_all(e));
        wr_engine_observe_window(e);
    }
    e->window->t_s = e->window->t_end_s;
    e->window->is_tight = e->window->is_held = 0;
    review_crew(e);

    for (const wr_observer *o = e->observer; o; o = o->next)
        if (o->window)
            o->window(o->context, e->window->t_s);
    const int is_stop_asked = atomic_exchange_explicit(&e->control->stop, 0, memory_order_relaxed);
    const wrsim_status status = commit_status(e);
    if (status < 0)
        wr_engine_leave(e, status);
    else if (e->window->t_s >= e->control->end_s ||
             wr_time_close(e->window->t_s, e->control->end_s))
        wr_engine_leave(e, WRSIM_OK);
    else if (is_stop_asked)
        wr_engine_leave(e, WRSIM_STOPPED);
    else
        wr_engine_begin_window(e);
}
