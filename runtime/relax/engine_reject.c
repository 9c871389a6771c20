/* Rejected windows: retries, and faults that end a run. See engine_reject.h.
 *
 * Thread: serial section. Real-time: yes.
 */
#include "runtime/relax/engine_reject.h"

#include <math.h>
#include <stdio.h>

#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_iterates.h"
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

/* A window may be kept open by events and jumps alone, or by a check of them (engine_causes.c). */
static int find_unsettled(const wr_engine *e)
{
    int i_missed = -1;
    for (int i = e->n - 1; i >= 0; i--) {
        if (e->window->n_refuted > 0 && e->record[i].is_refuted)
            return i;
        if (e->record[i].has_missed)
            i_missed = i;
    }
    return i_missed;
}

static void set_unsettled(wr_engine *e, int i)
{
    const char *const name = e->net->node[i].name;
    if (e->record[i].parts_instant) {
        wr_error_set(
            &e->control->failure, WRSIM_E_CONTRACT,
            "an event of '%s' belongs to an instant that the end of a window of %.3g s divides, "
            "and "
            "the window cannot be shorter; put the subsystems whose events answer one another "
            "into one, or lower relaxation.window.min",
            name, e->window->length_s);
        return;
    }
    wr_error_set(&e->control->failure, WRSIM_E_CONTRACT,
                 "relaxation does not settle: after %d sweeps of a window of %.3g s the events of "
                 "'%s' and the jumps of its inputs still come in another order or number; put the "
                 "subsystems whose events answer one another into one, or lower "
                 "relaxation.window.min",
                 e->sweep->i, e->window->length_s, name);
}

/* Is there a solver with fixed steps? Unstable steps do not contract either. */
static int has_fixed_steps(const wr_engine *e)
{
    for (int i = 0; i < e->n; i++)
        if (e->net->node[i].n_x > 0 && !(e->net->node[i].flags & WR_SUBSYSTEM_HAS_TOLERANCE))
            return 1;
    return 0;
}

/* The effect of a change on its readers counts: a small change of a signal may have a large effect. */
static void set_slow(wr_engine *e, const char *signal, double delta)
{
    char contraction[48] = ""; /* unknown for accelerated sweeps */
    if (e->contraction->now > 0.0)
        snprintf(contraction, sizeof contraction, " (contraction %.2f per sweep)",
                 e->contraction->now);
    wr_error_set(
        &e->control->failure, WRSIM_E_CONTRACT,
        "relaxation does not contract: after %d sweeps of a window of %.3g s '%s' still "
        "changes by %.3g tolerances%s%s; put its producer and its readers into one "
        "subsystem, %slower relaxation.window.min, or %s",
        e->sweep->i, e->window->length_s, signal, delta, contraction,
        delta < 1.0 ? ", and its readers by more" : "",
        has_fixed_steps(e) ? "check with wrsim stability whether the fixed steps are stable, " : "",
        e->mix->method ? "raise relaxation.max_sweeps"
                       : "set relaxation.acceleration = \"anderson\"");
}

static void set_contract_failure(wr_engine *e)
{
    int i_part, i_signal;
    const double delta = wr_engine_worst_coupling(e, &i_part, &i_signal);
    const int is_slow = delta > e->options.convergence && e->window->n_refuted == 0;
    const int i_unsettled = is_slow ? -1 : find_unsettled(e);
    if (i_unsettled >= 0)
        i_part = i_unsettled;
    const wr_net_node *const worst = i_part >= 0 ? &e->net->node[i_part] : NULL;
    if (i_unsettled >= 0)
        set_unsettled(e, i_unsettled);
    else
        set_slow(e, worst ? worst->signal_name[i_signal] : "?", delta);
    e->control->failure.time_s = e->window->t_s;
    if (worst)
        snprintf(e->control->failure.subsystem, sizeof e->control->failure.subsystem, "%s",
                 worst->name);
}

/* ---- retries ---- */

/* Maximum number of windows cut at a fault. The time of a fault may depend on the window, so one cut may not be enough. */
enum { MAX_FAULTS = 8 };

/* Starts the waves of the window again from their predictions. */
static void publish_predictions(wr_engine *e)
{
    for (int i = 0; i < e->n; i++)
        wr_batch_show(e, i, e->waves[i].prediction[e->window->i_prediction]);
}

/* Replaces predictions by their start values, which are not guessed. */
static void hold_predictions(wr_engine *e)
{
    for (int i = 0; i < e->n; i++) {
        wr_wave *const wave = e->waves[i].prediction[e->window->i_prediction];
        for (int j = 0; e->record[i].is_predicted && j < wave->n_signal; j++) {
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

static double converged_prefix(const wr_engine *e)
{
    double t_bad_s = e->window->t_end_s;
    for (int i = 0; i < e->n; i++)
        t_bad_s = wr_min(t_bad_s, e->record[i].t_bad_s);
    return t_bad_s - e->window->t_s;
}

/* The window is tried again: only rows that could not be handed over still count. */
static void forget_failures(wr_engine *e)
{
    int is_failed = 0;
    for (int i = 0; i < e->n; i++)
        is_failed |= e->record[i].commit_status < 0;
    /* relaxed: no task runs. */
    atomic_store_explicit(&e->batch->is_failed, is_failed, memory_order_relaxed);
}

static int drives(const wr_engine *e, int i_producer, int i_consumer)
{
    const wr_net_node *const consumer = &e->net->node[i_consumer];
    for (int k = 0; k < consumer->n_source; k++)
        if (consumer->producer[k] == i_producer)
            return 1;
    return 0;
}

/* A subsystem that drives i, is not driven by i, and has failed at t_s, now or before the window was cut there; -1 if absent. */
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

/* Marks subsystem i and all subsystems that drive it, directly or through others. */
static void mark_upstream(wr_engine *e, int i)
{
    for (int k = 0; k < e->n; k++)
        e->record[k].is_upstream = k == i;
    for (int n_new = 1; n_new > 0;) {
        n_new = 0;
        for (int k = 0; k < e->n; k++) {
            const wr_net_node *const node = &e->net->node[k];
            for (int j = 0; e->record[k].is_upstream && j < node->n_source; j++) {
                wr_record *const producer = &e->record[node->producer[j]];
                n_new += !producer->is_upstream;
                producer->is_upstream = 1;
            }
        }
    }
}

/* Does subsystem i drive subsystem `by`, directly or through others? Leaves marks on all subsystems upstream of i. */
static int is_driven_by_way(wr_engine *e, int by, int i)
{
    mark_upstream(e, by);
    const int is_driven = e->record[i].is_upstream;
    mark_upstream(e, i);
    return is_driven;
}

/* A subsystem upstream of a failed one whose states run away or are not finite: its own states run away as well, although it
 * has not failed yet. In a ring, where each is upstream of the other, it is one that runs away with its inputs held. It is taken
 * as failed with the same status and time. -1 if absent. */
static int find_runaway(wr_engine *e, int i)
{
    const wr_record *const failed = &e->record[i];
    const int is_away = failed->fault_status == WRSIM_E_NAN ||
                        (failed->fault_status == WRSIM_E_SOLVER && failed->i_fault_component >= 0);
    if (is_away)
        mark_upstream(e, i);
    const int is_own_fault = is_away && wr_request_find_runaway(e, i) == WR_RUNAWAY_OWN;
    for (int by = 0; by < e->n && is_away; by++) {
        wr_record *const p = &e->record[by];
        if (by == i || !p->is_upstream)
            continue;
        const wr_runaway runaway = wr_request_find_runaway(e, by);
        const int is_first = !is_own_fault && runaway == WR_RUNAWAY_OWN;
        if (runaway == WR_RUNAWAY_NONE || (!is_first && is_driven_by_way(e, by, i)))
            continue;
        wr_request_take_runaway(e, by, i);
        p->status = p->fault_status;
        p->fault_s = failed->fault_s;
        return by;
    }
    return -1;
}

/* The failed subsystem with the earliest located fault. Of several at that time, the most upstream one, because a diverging
 * subsystem makes its consumers diverge. All subsystems are free of faults up to *ret_sound_s. */
static int find_first_fault(wr_engine *e, double *ret_sound_s)
{
    int i_first = -1,
        has_other =
            0; /* a status other than WRSIM_E_LIMIT, which consumers of a diverging subsystem also return */
    for (int k = 0; k < e->batch->n; k++) {
        const wr_record *const p = &e->record[e->batch->run[k]];
        has_other |= p->status < 0 && p->status != WRSIM_E_LIMIT;
    }
    for (int k = 0; k < e->batch->n; k++) {
        wr_record *const p = &e->record[e->batch->run[k]];
        if (p->status >= 0 || (has_other && p->status == WRSIM_E_LIMIT))
            continue;
        wr_request_locate_fault(e, e->batch->run[k]);
        if (p->status == WRSIM_E_LIMIT && !e->lone->is_on)
            p->fault_s = e->window->t_s;
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

/* The run ends with a fault: first all subsystems advance to the last time without faults, so that neither the fault's
 * time nor the stored results depend on windows. Returns 1 if a window is left to integrate. */
static int end_with_fault(wr_engine *e)
{
    double sound_s = e->window->t_s;
    e->control->i_failed = find_first_fault(e, &sound_s);
    wr_record *const p = &e->record[e->control->i_failed];
    if (e->lone->is_on) { /* the subsystem already stands at sound_s */
        p->has_rows = 1;
        p->is_saved = 0; /* the subsystem must not be restored */
        e->window->t_s = sound_s;
    }
    if (e->net->is_on_grid) { /* up to the last communication point, if there is one */
        const double grid_s = wr_engine_down_to_grid(e, sound_s);
        sound_s = grid_s <= sound_s || wr_time_close(grid_s, sound_s) ? grid_s : e->window->t_s;
    }
    const int is_new = sound_s > e->window->t_s && !wr_time_close(sound_s, e->window->t_s);
    if (is_new && e->control->n_fault < MAX_FAULTS) {
        e->control->n_fault++;
        e->control->sound_s = sound_s;
        return 1;
    }
    wr_engine_leave(e, p->fault_status < 0 ? p->fault_status : p->status);
    return 0;
}

static int is_any_loose(const wr_engine *e)
{
    for (int i = 0; i < e->n; i++)
        if (e->record[i].tolerance_factor > 1.0)
            return 1;
    return 0;
}

/* Changes to the fallback method: in a loop without integration shorter windows contract no better. */
static void fall_back(wr_engine *e)
{
    e->mix->method = e->mix->fallback;
    e->loops->is_solved = 1;
    e->mix->fallback = NULL;
    wr_contraction_forget(e->contraction);
    e->stats->fallback_s = e->window->t_s;
}

/* A subsystem without rollback has advanced, so the window cannot be retried. */
static void end_after_once(wr_engine *e, int i_failed)
{
    e->control->i_failed = i_failed;
    if (i_failed < 0) {
        set_contract_failure(e);
        wr_engine_leave(e, WRSIM_E_CONTRACT);
        return;
    }
    const wr_record *const p = &e->record[i_failed];
    wr_request_keep_fault(e, i_failed);
    wr_engine_leave(e, p->fault_status < 0 ? p->fault_status : p->status);
}

void wr_engine_cut_window(wr_engine *e)
{
    e->stats->n_wasted += e->window->n_integrated + e->batch->n;
    forget_failures(e);
    publish_predictions(e);
    wr_engine_leave(e, WRSIM_STOPPED);
    e->control->is_cut = 1;
}

/* Did all failed subsystems fail only for lack of memory, for nodes or for rows of events that may be chattering? A shorter window
 * has fewer of them. */
static int is_full(const wr_engine *e)
{
    int n_full = 0;
    for (int k = 0; k < e->batch->n; k++) {
        const wr_record *const p = &e->record[e->batch->run[k]];
        if (p->status >= 0)
            continue;
        const int is_chattering =
            p->is_rows_full && e->window->length_s <= e->options.chatter_time_s;
        if (p->status != WRSIM_E_LIMIT || (!p->is_wave_full && !is_chattering))
            return 0;
        n_full++;
    }
    return n_full > 0 && !e->net->is_on_grid && !e->options.is_room_given;
}

/* Has a subsystem failed in such a way that shorter windows would only step around the fault, in steps that the user has not set? */
static int is_final(const wr_engine *e)
{
    for (int k = 0; k < e->batch->n; k++) {
        const wr_record *const p = &e->record[e->batch->run[k]];
        if (p->status < 0 && p->is_final)
            return 1;
    }
    return 0;
}

int wr_engine_reject_window(wr_engine *e, int i_failed)
{
    if (e->window->has_once_run) {
        end_after_once(e, i_failed);
        return 0;
    }
    const int is_retry = wr_contraction_is_retry(e->contraction, e->window->t_s);
    if (i_failed < 0)
        wr_contraction_reject(e->contraction, wr_contraction_ratio(e->contraction, e->sweep->i),
                              e->window->t_s);
    const int is_again =
        is_retry || wr_contraction_is_often_slow(e->contraction, e->stats->n_window);
    const double prefix_s = i_failed < 0 && !e->mix->method ? converged_prefix(e) : 0.0;
    e->stats->n_rejected++;
    wr_engine_observe_rejection(e, i_failed);
    e->stats->n_wasted += e->window->n_integrated + (i_failed >= 0 ? e->batch->n : 0);
    const wr_window_outcome outcome = wr_engine_outcome(e, 0);
    const int is_pole = i_failed >= 0 && is_final(e);
    /* The pole may come from predicted inputs: retry with inputs held at their start values. */
    const int is_guess = is_pole && !e->window->is_held && !e->lone->is_on;
    if (is_guess)
        hold_predictions(e);
    const int has_final = is_pole && !is_guess;
    const int is_hopeless = e->lone->is_on || has_final ||
                            (i_failed >= 0 && e->net->node[i_failed].n_external == 0 &&
                             e->record[i_failed].status != WRSIM_E_LIMIT);
    /* A failure at a loosened tolerance is retried at the tolerance of the config. */
    const int is_loose =
        i_failed >= 0 &&
        is_any_loose(
            e); /* loosened tolerances of other subsystems count, because their waves are read */
    int is_last = is_hopeless && !is_loose && !is_guess;
    if (!is_last && !is_pole)
        is_last = wr_window_rejected(e->rule, &outcome, prefix_s) != 0 && !is_loose &&
                  !(i_failed >= 0 && is_full(e) &&
                    wr_window_cut(e->rule, e->window->t_s, e->window->length_s) == 0);
    e->window->is_tight = 1;
    const int falls_back = i_failed < 0 && e->mix->fallback && (is_again || is_last);
    if (falls_back)
        fall_back(e);
    else if (is_last) {
        if (i_failed < 0) {
            e->control->i_failed = -1;
            set_contract_failure(e);
            wr_engine_leave(e, WRSIM_E_CONTRACT);
            return 0;
        }
        if (!end_with_fault(e))
            return 0;
    }
    forget_failures(e);
    /* Relaxation converges from the left, so a converged prefix is the best first guess. */
    if (falls_back || !(prefix_s > 0.5 * e->rule->length_s))
        publish_predictions(e);
    return 1;
}

int wr_engine_end_earlier(wr_engine *e)
{
    if (e->window->has_once_run || e->net->is_on_grid ||
        wr_window_cut(e->rule, e->window->t_s, e->window->length_s) != 0)
        return wr_engine_reject_window(e, -1);
    e->stats->n_rejected++;
    wr_engine_observe_rejection(e, -1);
    e->stats->n_wasted += e->window->n_integrated;
    publish_predictions(e);
    return 1;
}
