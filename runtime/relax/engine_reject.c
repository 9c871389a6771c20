/* Rejected windows: retries, and faults that end a run. See engine_reject.h. Thread: serial section. Real-time: yes. */
#include "runtime/relax/engine_reject.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_acceleration.h"
#include "runtime/relax/engine_activity.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_causes.h"
#include "runtime/relax/engine_control.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_observe.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_requests.h"
#include "runtime/relax/engine_stats.h"
#include "runtime/relax/engine_window.h"
#include "runtime/relax/window.h"

/* ---- windows that do not contract ---- */

double wr_engine_worst_coupling(const wr_engine *e, int *ret_part, int *ret_signal)
{
    double worst = 0.0;
    *ret_part = *ret_signal = -1;
    for (int i = 0; i < e->n; i++) {
        const double *const delta = wr_record_delta(&e->record[i], e->value[i]);
        for (int j = 0; j < e->record[i].n_signal; j++)
            if (delta[j] > worst) {
                worst = delta[j];
                *ret_part = i;
                *ret_signal = j;
            }
    }
    return worst;
}

/* Returns the name of the first subsystem with a stepper that may be in a ring and repeats windows; NULL: none. A stepper cannot join
 * another subsystem. */
static const char *find_repeated_stepper(const wr_engine *e)
{
    const wr_net *const net = e->net;
    for (int i = 0; i < e->n; i++)
        if ((net->node[i].flags & WR_SUBSYSTEM_STEPS) && !e->record[i].is_once &&
            net->node[i].is_in_ring && net->consumer_start[i] < net->consumer_start[i + 1])
            return net->node[i].name;
    return NULL;
}

enum { ADVICE_BYTES = 256 }; /* of an advice with a name of 80 bytes */

/* Writes advice about the stepper of find_repeated_stepper(). Returns 1, or 0 without such a stepper. */
static int advise_stepper(const wr_engine *e, char ret_text[ADVICE_BYTES])
{
    const char *const stepper = find_repeated_stepper(e);
    if (stepper)
        snprintf(ret_text, ADVICE_BYTES,
                 "'%.80s' advances itself and cannot join another subsystem, so set "
                 "relaxation.scheme = \"slack\" and slack.sweeps = 1",
                 stepper);
    return stepper != NULL;
}

/* Sets the failure of a window in which the events and jumps of subsystem i do not settle. */
static void fail_unsettled(wr_engine *e, int i)
{
    const char *const name = e->net->node[i].name;
    wrsim_error *const err = &e->control->failure;
    char advice[ADVICE_BYTES];
    if (!advise_stepper(e, advice))
        snprintf(advice, sizeof advice,
                 "Join subsystems whose events cause one another, or lower relaxation.window.min");
    if (e->record[i].parts_instant)
        wr_error_set(
            err, WRSIM_E_CONTRACT,
            "a window of %.3g s, the shortest, ends within an instant with an event of '%s'. %s",
            e->window->length_s, name, advice);
    else
        wr_error_set(err, WRSIM_E_CONTRACT,
                     "relaxation does not settle: after %d sweeps of a window of %.3g s the events "
                     "of '%s' still change. %s",
                     e->sweep->i, e->window->length_s, name, advice);
    wr_control_place_failure(e->control, e->window->t_s, name);
}

/* Sets the failure of sweeps that do not contract. A small change of a signal may have a large effect on the signal's readers. An
 * unstable fixed-step method also prevents contraction. */
static void fail_slow(wr_engine *e, int i_part, int i_signal, double delta)
{
    const wr_net_node *const worst = i_part >= 0 ? &e->net->node[i_part] : NULL;
    int has_fixed_steps = 0;
    for (int i = 0; i < e->n; i++)
        has_fixed_steps |=
            e->net->node[i].n_x > 0 && !(e->net->node[i].flags & WR_SUBSYSTEM_HAS_TOLERANCE);
    char contraction[48] = ""; /* unknown for accelerated sweeps */
    if (e->contraction->now > 0.0)
        snprintf(contraction, sizeof contraction, " (contraction %.2f per sweep)",
                 e->contraction->now);
    char advice[ADVICE_BYTES];
    if (!advise_stepper(e, advice))
        snprintf(advice, sizeof advice,
                 "Put its producer and its readers into one subsystem, %slower "
                 "relaxation.window.min, or %s",
                 has_fixed_steps ? "check the fixed steps by wrsim stability, " : "",
                 e->mix->method ? "raise relaxation.max_sweeps"
                                : "set relaxation.acceleration = \"anderson\"");
    wr_error_set(&e->control->failure, WRSIM_E_CONTRACT,
                 "relaxation does not converge: after %d sweeps of a window of %.3g s '%s' still "
                 "changes by %.3g tolerances%s%s. %s",
                 e->sweep->i, e->window->length_s, worst ? worst->signal_name[i_signal] : "?",
                 delta, contraction, delta < 1.0 ? ", and its readers by more" : "", advice);
    wr_control_place_failure(e->control, e->window->t_s, worst ? worst->name : "");
}

/* Ends the run because a window does not contract. Besides large residuals, events, jumps or a refuted check of events may prevent the
 * acceptance. */
static void fail_contraction(wr_engine *e)
{
    int i_part, i_signal, i_unsettled = -1;
    const double delta = wr_engine_worst_coupling(e, &i_part, &i_signal);
    const int has_refuted = e->event_check->n_refuted > 0;
    for (int i = e->n - 1; i >= 0 && (has_refuted || !(delta > e->options.relaxation.convergence));
         i--) {
        if (has_refuted && e->record[i].is_refuted) {
            i_unsettled = i;
            break;
        }
        if (e->record[i].has_missed)
            i_unsettled = i;
    }
    if (i_unsettled >= 0)
        fail_unsettled(e, i_unsettled);
    else
        fail_slow(e, i_part, i_signal, delta);
    wr_control_leave(e->control, WRSIM_E_CONTRACT);
}

/* ---- retries ---- */

/* Publishes the predictions of the window again. */
static void publish_predictions(wr_engine *e)
{
    for (int i = 0; i < e->n; i++)
        wr_batch_show(e, i, e->waves[i].prediction[e->window->i_prediction]);
}

/* Clears the failures before another try of the window, except failed commits of rows. */
static void forget_failures(wr_engine *e)
{
    int is_failed = 0;
    for (int i = 0; i < e->n; i++)
        is_failed |= e->record[i].commit_status < 0;
    wr_batch_set_failed(e->batch, is_failed);
}

static int drives(const wr_engine *e, int i_producer, int i_consumer)
{
    const wr_net_node *const consumer = &e->net->node[i_consumer];
    for (int k = 0; k < consumer->n_source; k++)
        if (consumer->producer[k] == i_producer)
            return 1;
    return 0;
}

/* Returns a subsystem that drives i, is not driven by i, and has failed near t_s in this window or before the window's cut; -1: none. */
static int find_driver(const wr_engine *e, int i, double t_s)
{
    const double close_s =
        wr_max(e->options.event_tolerance_s, WR_FAULT_SHARE * e->options.communication_step_s);
    for (int by = 0; by < e->n; by++) {
        const wr_record *const p = &e->record[by];
        if (by != i && p->fault_status < 0 && fabs(p->fault_s - t_s) <= close_s &&
            drives(e, by, i) && !drives(e, i, by))
            return by;
    }
    return -1;
}

/* Marks subsystem i and all subsystems that drive subsystem i, directly or through others. */
static void mark_upstream(wr_engine *e, int i)
{
    for (int k = 0; k < e->n; k++)
        wr_record_mark_upstream(&e->record[k], k == i);
    for (int n_new = 1; n_new > 0;) {
        n_new = 0;
        for (int k = 0; k < e->n; k++) {
            const wr_net_node *const node = &e->net->node[k];
            for (int j = 0; e->record[k].is_upstream && j < node->n_source; j++) {
                wr_record *const producer = &e->record[node->producer[j]];
                n_new += !producer->is_upstream;
                wr_record_mark_upstream(producer, 1);
            }
        }
    }
}

/* Returns the subsystem that causes the fault of subsystem i, if the states of i diverge or are not finite; -1: no such subsystem. The
 * cause is upstream of i, and its states diverge, too. In a ring each subsystem is upstream of the others. There the states of the cause,
 * but not the states of i, diverge also with constant inputs. The cause counts as failed with the same status and time. */
static int find_runaway(wr_engine *e, int i)
{
    const wr_record *const failed = &e->record[i];
    const int is_away = failed->fault_status == WRSIM_E_NAN ||
                        (failed->fault_status == WRSIM_E_SOLVER && failed->i_fault_component >= 0);
    if (is_away)
        mark_upstream(e, i);
    const int is_own_fault = is_away && wr_request_find_runaway(e, i) == WR_RUNAWAY_OWN;
    for (int by = 0; by < e->n && is_away; by++) {
        if (by == i || !e->record[by].is_upstream)
            continue;
        const wr_runaway runaway = wr_request_find_runaway(e, by);
        int is_driven = 0; /* 1: subsystem i drives subsystem `by`, directly or through others */
        if (runaway != WR_RUNAWAY_NONE && (is_own_fault || runaway != WR_RUNAWAY_OWN)) {
            mark_upstream(e, by);
            is_driven = failed->is_upstream;
            mark_upstream(e, i);
        }
        if (runaway == WR_RUNAWAY_NONE || is_driven)
            continue;
        wr_request_take_runaway(e, by, i);
        return by;
    }
    return -1;
}

/* Returns the failed subsystem with the earliest located fault, or the most upstream subsystem that causes this fault. A diverging
 * subsystem makes its consumers diverge. All subsystems are free of faults up to *ret_sound_s. */
static int find_first_fault(wr_engine *e, double *ret_sound_s)
{
    int i_first = -1;
    /* 1: a task has a failure other than WRSIM_E_LIMIT, which consumers of a diverging subsystem return */
    int has_other = 0;
    for (int k = 0; k < e->batch->n; k++) {
        const wr_record *const p = &e->record[e->batch->run[k]];
        has_other |= p->status < 0 && p->status != WRSIM_E_LIMIT;
    }
    for (int k = 0; k < e->batch->n; k++) {
        const wr_record *const p = &e->record[e->batch->run[k]];
        if (p->status >= 0 || (has_other && p->status == WRSIM_E_LIMIT))
            continue;
        wr_request_locate_fault(e, e->batch->run[k]);
        if (i_first < 0 || p->fault_s < *ret_sound_s ||
            (p->fault_s <= *ret_sound_s && e->batch->run[k] < i_first)) {
            i_first = e->batch->run[k];
            *ret_sound_s = p->fault_s;
        }
    }
    for (int n = 0; n < e->n; n++) { /* n bounds the loop in a ring */
        int by = find_driver(e, i_first, *ret_sound_s);
        if (by < 0)
            by = find_runaway(e, i_first);
        if (by < 0)
            break;
        i_first = by;
    }
    return i_first;
}

/* Ends the run with a fault. Before the end all subsystems advance to the last time without faults. So neither the fault's time nor the
 * stored results depend on windows. Returns 1 if a window remains to be integrated. */
static int end_with_fault(wr_engine *e)
{
    double sound_s = e->window->t_s;
    const int i_failed = find_first_fault(e, &sound_s);
    const wr_record *const p = &e->record[i_failed];
    if (e->lone->is_on) { /* the subsystem is already at sound_s */
        wr_request_keep_advance(e, i_failed);
        wr_engine_move_window(e, sound_s);
    }
    if (e->net->is_on_grid) { /* sound_s: the last communication point, or the window's start */
        const double grid_s = wr_engine_down_to_grid(e, sound_s);
        sound_s = grid_s <= sound_s || wr_time_close(grid_s, sound_s) ? grid_s : e->window->t_s;
    }
    const int is_new = sound_s > e->window->t_s && !wr_time_close(sound_s, e->window->t_s);
    if (is_new && wr_control_goes_on(e->control, i_failed, sound_s))
        return 1;
    wr_control_fail(e->control, i_failed, p->fault_status < 0 ? p->fault_status : p->status);
    return 0;
}

void wr_engine_cut_window(wr_engine *e)
{
    e->stats->n_wasted += e->sweep->n_in_window + e->batch->n;
    forget_failures(e);
    publish_predictions(e);
    wr_control_cut(e->control);
}

/* Returns 1 if all failed subsystems failed for lack of memory alone, for nodes or for rows of events that may be chattering. A shorter
 * window has fewer nodes and events. Returns 0 if windows end at communication points only, or with is_room_given. *ret_is_final: 1 if a
 * failed subsystem would also fail in a shorter window (a pole). */
static int is_full(const wr_engine *e, int *ret_is_final)
{
    int n_full = 0, n_other = 0, is_final = 0;
    for (int k = 0; k < e->batch->n; k++) {
        const wr_record *const p = &e->record[e->batch->run[k]];
        if (p->status >= 0)
            continue;
        const int is_chattering =
            p->is_rows_full && e->window->length_s <= e->options.chatter_time_s;
        const int is_one = p->status == WRSIM_E_LIMIT && (p->is_wave_full || is_chattering);
        n_full += is_one;
        n_other += !is_one;
        is_final |= p->is_final;
    }
    *ret_is_final = is_final;
    return n_full > 0 && n_other == 0 && !e->net->is_on_grid && !e->options.is_room_given;
}

int wr_engine_reject_window(wr_engine *e, int i_failed)
{
    /* a subsystem without rollback has advanced, so a retry is impossible */
    if (e->activity->has_once_run) {
        if (i_failed < 0) {
            fail_contraction(e);
            return 0;
        }
        const wr_record *const p = &e->record[i_failed];
        wr_request_keep_fault(e, i_failed);
        wr_control_fail(e->control, i_failed, p->fault_status < 0 ? p->fault_status : p->status);
        return 0;
    }
    const int is_retry = wr_contraction_is_retry(e->contraction, e->window->t_s);
    if (i_failed < 0)
        wr_contraction_reject(e->contraction, wr_contraction_ratio(e->contraction, e->sweep->i),
                              e->window->t_s);
    /* Only a fallback reads is_again. A run with a fallback has one order of sweeps, so n_window counts the windows of these rates. */
    const int is_again =
        is_retry || wr_contraction_is_often_slow(e->contraction, e->stats->n_window);
    double bad_s = e->window->t_end_s; /* end of the converged prefix */
    for (int i = 0; i < e->n; i++)
        bad_s = wr_min(bad_s, e->record[i].t_bad_s);
    const double prefix_s = i_failed < 0 && !e->mix->method ? bad_s - e->window->t_s : 0.0;
    e->stats->n_rejected++;
    wr_engine_observe_rejection(e, i_failed, WR_WINDOW_CONTRACTION);
    e->stats->n_wasted += e->sweep->n_in_window + (i_failed >= 0 ? e->batch->n : 0);
    const wr_window_outcome outcome = wr_engine_outcome(e, 0);
    int has_pole;
    const int has_no_room = is_full(e, &has_pole) && i_failed >= 0;
    const int is_pole = i_failed >= 0 && has_pole;
    /* Predicted inputs may cause the pole, so the retry uses constant inputs. */
    const int is_guess = is_pole && !e->window->is_held && !e->lone->is_on;
    if (is_guess)
        wr_engine_hold_predictions(e);
    const int has_final = is_pole && !is_guess;
    const int is_hopeless = e->lone->is_on || has_final ||
                            (i_failed >= 0 && e->net->node[i_failed].n_external == 0 &&
                             !(e->net->node[i_failed].flags & WR_SUBSYSTEM_STEPS) &&
                             e->record[i_failed].status != WRSIM_E_LIMIT);
    /* A failure at a loosened tolerance of any subsystem leads to a retry at the tolerance of the config. */
    int is_loose = 0;
    for (int i = 0; i < e->n && i_failed >= 0; i++)
        is_loose |= e->record[i].tolerance_factor > 1.0;
    int is_last = is_hopeless && !is_loose && !is_guess;
    if (!is_last && !is_pole)
        is_last =
            wr_window_rejected(e->rule, &outcome, prefix_s) != 0 && !is_loose &&
            !(has_no_room && wr_window_cut(e->rule, e->window->t_s, e->window->length_s) == 0);
    wr_engine_tighten_window(e);
    const int falls_back = i_failed < 0 && e->mix->fallback && (is_again || is_last);
    if (falls_back)
        wr_mix_fall_back(e);
    else if (is_last && i_failed < 0) {
        fail_contraction(e);
        return 0;
    } else if (is_last && !end_with_fault(e))
        return 0;
    forget_failures(e);
    /* Relaxation converges from the left, so a converged prefix is the best first guess. */
    if (falls_back || !(prefix_s > 0.5 * e->rule->length_s))
        publish_predictions(e);
    return 1;
}

void wr_engine_fail_completed(wr_engine *e, int i_failed)
{
    const double sound_s = e->record[i_failed].fault_s;
    for (int i = 0; i < e->n; i++)
        wr_request_cut_rows(e, i, sound_s);
    wr_engine_move_window(e, sound_s);
    wr_control_fail(e->control, i_failed, e->record[i_failed].fault_status);
}

int wr_engine_end_earlier(wr_engine *e)
{
    if (e->activity->has_once_run || e->net->is_on_grid ||
        wr_window_cut(e->rule, e->window->t_s, e->window->length_s) != 0)
        return wr_engine_reject_window(e, -1);
    e->stats->n_rejected++;
    wr_engine_observe_rejection(e, -1, WR_WINDOW_INSTANT);
    e->stats->n_wasted += e->sweep->n_in_window;
    publish_predictions(e);
    return 1;
}

/* Returns whether an event of subsystem i waits for the acceptance. */
static int has_held(const wr_engine *e, int i)
{
    return e->record[i].n_integrated > 0 && wr_request_is_held(e, i);
}

/* Returns the end of the window that an event without rollback needs: after the event, if the event is earlier than the window's end. An event
 * so near to the end that events of the same instant may be beyond the end needs a window that ends before the event. */
static double end_for(const wr_engine *e, const wr_held_event *held)
{
    const wr_window_now *const w = e->window;
    const double least_s = wr_engine_least_window(e), before_s = held->t_s - 2.0 * held->after_s;
    if (held->t_s + held->span_s < w->t_end_s)
        return wr_max(held->t_s + held->after_s, w->t_s + least_s);
    const int is_divided = held->t_s + held->after_s > w->t_end_s && held->after_s > 0.0 &&
                           w->t_end_s < e->control->end_s;
    return is_divided && before_s > w->t_s + least_s ? before_s : w->t_end_s;
}

/* Finds the first event without rollback for which the window has the wrong end, or an event in an earlier round than the window has
 * assumed. Returns its subsystem, or -1. *ret_end_s: the right end. */
static int find_held(const wr_engine *e, double *ret_end_s)
{
    const wr_window_now *const w = e->window;
    const int last_round = wr_control_last_round(e->control, w->t_end_s);
    int i_first = -1, first_round = last_round >= 0 ? last_round : INT_MAX;
    *ret_end_s = w->t_end_s;
    for (int i = 0; i < e->n && e->net->n_deferring > 0; i++) {
        if (!has_held(e, i))
            continue;
        const wr_held_event *const held = wr_request_held(e, i);
        const double end_s = end_for(e, held);
        const int is_earlier = end_s < *ret_end_s && !wr_time_close(end_s, *ret_end_s);
        const int round = end_s < held->t_s ? -1 : held->round;
        if (is_earlier || (round < first_round && wr_time_close(end_s, *ret_end_s))) {
            *ret_end_s = is_earlier ? end_s : *ret_end_s;
            i_first = i;
            first_round = round;
        }
    }
    return i_first;
}

int wr_engine_is_at_event(const wr_engine *e)
{
    double end_s;
    return find_held(e, &end_s) >= 0;
}

int wr_engine_end_at_event(wr_engine *e, int i_failed)
{
    double end_s;
    const int i_held = find_held(e, &end_s);
    const char *const name = e->net->node[i_held].name;
    if (e->activity->has_once_run || e->net->is_on_grid) {
        wr_error_set(&e->control->failure, WRSIM_E_CONTRACT,
                     "a model of '%s' has an event but no rollback, so the window must end at the "
                     "event, and a model that advances itself prevents this. Set "
                     "relaxation.scheme = \"slack\" and slack.sweeps = 1",
                     name);
        wr_control_place_failure(e->control, end_s, name);
        wr_control_leave(e->control, WRSIM_E_CONTRACT);
        return 0;
    }
    const wr_held_event *const held = wr_request_held(e, i_held);
    wr_control_hold(e->control, end_s, end_s < held->t_s ? -1 : held->round);
    if (held->t_s < e->window->t_s + wr_engine_least_window(e))
        wr_control_pass_instant(e->control, end_s);
    e->stats->n_rejected++;
    wr_engine_observe_rejection(e, i_failed, WR_WINDOW_HELD);
    e->stats->n_wasted += e->sweep->n_in_window + (i_failed >= 0 ? e->batch->n : 0);
    forget_failures(e);
    return 1;
}

/* Returns whether an own event of subsystem k may belong to the instant of the waiting event of subsystem i, and the two read each other. Two
 * events that both wait are no such case: each reads the values from before the other event. */
static int is_mutual(wr_engine *e, int i, int k)
{
    const wr_held_event *const held = wr_request_held(e, i);
    if (k == i || !held->is_own || (e->net->node[k].flags & WR_SUBSYSTEM_STEPS) ||
        !drives(e, i, k) || !drives(e, k, i) || (has_held(e, k) && wr_request_held(e, k)->is_own))
        return 0;
    return wr_request_instant_at(e, k, held->t_s) == WR_INSTANT_GROUNDED ||
           wr_request_is_event_near(e, k);
}

int wr_engine_shares_event(wr_engine *e)
{
    for (int i = 0; i < e->n && e->net->n_deferring > 0; i++) {
        if (!has_held(e, i))
            continue;
        int k = 0;
        while (k < e->n && !is_mutual(e, i, k))
            k++;
        if (k == e->n)
            continue;
        const char *const name = e->net->node[i].name;
        wr_error_set(&e->control->failure, WRSIM_E_CONTRACT,
                     "'%s' and '%s' read each other and have events at one instant, but a "
                     "model of '%s' has no rollback. Put both into one subsystem",
                     e->net->node[k].name, name, name);
        wr_control_place_failure(e->control, wr_request_held(e, i)->t_s, name);
        wr_control_leave(e->control, WRSIM_E_CONTRACT);
        return 1;
    }
    return 0;
}

/* Stores the subsystem of the first event that ends the run. Returns the time of the event; INFINITY: none. */
static double note_run_end(wr_engine *e)
{
    double end_s = (double)INFINITY;
    for (int i = 0; i < e->n; i++) {
        const double t_s = wr_request_run_end(e, i)->t_s;
        if (!(t_s < end_s))
            continue;
        end_s = t_s;
        e->control->i_ended = i;
    }
    return end_s;
}

void wr_engine_note_held_end(wr_engine *e)
{
    if (e->net->n_deferring > 0)
        (void)note_run_end(e);
}

int wr_engine_end_run(wr_engine *e)
{
    const wr_window_now *const w = e->window;
    const double end_s = note_run_end(e);
    if (!(end_s < (double)INFINITY))
        return 0;
    const double least_s = wr_engine_least_window(e);
    if (e->lone->is_on || wr_time_close(end_s, w->t_end_s) || w->t_end_s - w->t_s <= 2.0 * least_s)
        return 0;
    e->control->i_ended = -1;
    e->control->sound_s = wr_max(end_s, w->t_s + least_s);
    e->stats->n_rejected++;
    wr_engine_observe_rejection(e, -1, WR_WINDOW_RUN_END);
    e->stats->n_wasted += e->sweep->n_in_window;
    publish_predictions(e);
    return 1;
}
