/* Rejected windows: retries, and faults that end a run. See engine_reject.h.
 *
 * Thread: serial section. Real-time: yes.
 */
#include "runtime/relax/engine_reject.h"

#include <math.h>

#include "runtime/relax/engine_failure.h"
#include "runtime/relax/engine_observe.h"
#include "runtime/relax/engine_window.h"

/* A fault that depends on the solution moves a little when the window does. */
enum { MAX_FAULTS = 8 };

/* Starts the waves of the window again from their predictions. */
static void publish_predictions(wr_engine *e)
{
    for (int i = 0; i < e->n; i++) {
        wr_run *const p = &e->run[i];
        wr_engine_show(e, p, p->prediction[e->window.i_prediction]);
    }
}

/* Replaces predictions by their start values, which are not guessed. */
static void hold_predictions(wr_engine *e)
{
    for (int i = 0; i < e->n; i++) {
        wr_wave *const wave = e->run[i].prediction[e->window.i_prediction];
        for (int j = 0; e->run[i].is_predicted && j < wave->n_signal; j++) {
            wr_cursor cursor = wr_cursor_start();
            wr_cursor_pass(&cursor, wave, e->window.t_s);
            const double value = wr_wave_eval(wave, &cursor, e->window.t_s, j);
            for (int k = 0; k < wave->n_node; k++) {
                wave->value[k * wave->n_signal + j] = value;
                wave->slope[k * wave->n_signal + j] = 0.0;
            }
        }
    }
    e->window.is_held = 1;
}

static double converged_prefix(const wr_engine *e)
{
    double t_bad_s = e->window.t_end_s;
    for (int i = 0; i < e->n; i++)
        t_bad_s = wr_min(t_bad_s, e->run[i].converge->t_bad_s);
    return t_bad_s - e->window.t_s;
}

/* The window is tried again: only rows that could not be handed over still count. */
static void forget_failures(wr_engine *e)
{
    int is_failed = 0;
    for (int i = 0; i < e->n; i++)
        is_failed |= e->run[i].commit_status < 0;
    /* relaxed: no task runs. */
    atomic_store_explicit(&e->batch.is_failed, is_failed, memory_order_relaxed);
}

static int drives(const wr_engine *e, int i_producer, int i_consumer)
{
    const wr_run *const consumer = &e->run[i_consumer];
    for (int k = 0; k < consumer->subsystem->n_source; k++)
        if (consumer->producer[k] == i_producer)
            return 1;
    return 0;
}

/* A run that drives i, is not driven by it, and has failed at t, now or before the window was cut
 * there; -1 if there is none. */
static int find_driver(const wr_engine *e, int i, double t_s)
{
    const double close_s =
        wr_max(e->options.event_tolerance_s, WR_FAULT_SHARE * e->options.communication_step_s);
    for (int by = 0; by < e->n; by++) {
        const wr_run *const p = &e->run[by];
        if (by != i && p->fault.status < 0 && fabs(p->fault_s - t_s) <= close_s &&
            drives(e, by, i) && !drives(e, i, by))
            return by;
    }
    return -1;
}

/* Marks subsystem i and all subsystems that drive it, directly or through others. */
static void mark_upstream(wr_engine *e, int i)
{
    for (int k = 0; k < e->n; k++)
        e->run[k].is_upstream = k == i;
    for (int n_new = 1; n_new > 0;) {
        n_new = 0;
        for (int k = 0; k < e->n; k++) {
            const wr_run *const p = &e->run[k];
            for (int j = 0; p->is_upstream && j < p->subsystem->n_source; j++) {
                wr_run *const producer = &e->run[p->producer[j]];
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
    const int is_driven = e->run[i].is_upstream;
    mark_upstream(e, i);
    return is_driven;
}

/* Does a state run away at the window's start? Inputs may have changed since then, so the subsystem
 * is restored first. */
static wr_runaway runs_away_from_start(wr_run *p, wr_fault *ret_fault)
{
    if (p->is_saved && !p->is_once)
        wr_subsystem_restore(p->subsystem);
    return wr_subsystem_runs_away(p->subsystem, ret_fault);
}

/* A subsystem upstream of a failed one whose states run away or are not finite: its own states run away as well, although it
 * has not failed yet. In a ring, where each is upstream of the other, it is one that runs away with its inputs held. It is taken
 * as failed with the same status and time. -1 if absent. */
static int find_runaway(wr_engine *e, int i)
{
    const wr_run *const failed = &e->run[i];
    const int is_away = failed->fault.status == WRSIM_E_NAN ||
                        (failed->fault.status == WRSIM_E_SOLVER && failed->fault.i_component >= 0);
    if (is_away)
        mark_upstream(e, i);
    wr_fault own = failed->fault;
    const int is_own_fault = is_away && runs_away_from_start(&e->run[i], &own) == WR_RUNAWAY_OWN;
    for (int by = 0; by < e->n && is_away; by++) {
        wr_run *const p = &e->run[by];
        if (by == i || !p->is_upstream)
            continue;
        wr_fault fault = p->fault;
        const wr_runaway runaway = runs_away_from_start(p, &fault);
        const int is_first = !is_own_fault && runaway == WR_RUNAWAY_OWN;
        if (runaway == WR_RUNAWAY_NONE || (!is_first && is_driven_by_way(e, by, i)))
            continue;
        p->fault = fault;
        p->fault.status = p->status = failed->fault.status;
        p->fault.message = failed->fault.message;
        p->fault.t_s = failed->fault.t_s;
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
        has_other = 0; /* other than limits, which consumers of a diverging subsystem meet, too */
    for (int k = 0; k < e->batch.n; k++) {
        const wr_run *const p = &e->run[e->batch.run[k]];
        has_other |= p->status < 0 && p->status != WRSIM_E_LIMIT;
    }
    for (int k = 0; k < e->batch.n; k++) {
        wr_run *const p = &e->run[e->batch.run[k]];
        if (p->status >= 0 || (has_other && p->status == WRSIM_E_LIMIT))
            continue;
        p->fault_s = wr_subsystem_close_in(p->subsystem, p->tolerance_factor);
        if (p->status == WRSIM_E_LIMIT && !e->lone.is_on)
            p->fault_s = e->window.t_s;
        p->fault = p->subsystem->fault;
        if (i_first < 0 || p->fault_s < *ret_sound_s ||
            (p->fault_s <= *ret_sound_s && e->batch.run[k] < i_first)) {
            i_first = e->batch.run[k];
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
    double sound_s = e->window.t_s;
    e->control.i_failed = find_first_fault(e, &sound_s);
    wr_run *const p = &e->run[e->control.i_failed];
    if (e->lone.is_on) { /* it is there already */
        p->has_rows = 1;
        p->is_saved = 0; /* not to be brought back */
        e->window.t_s = sound_s;
    }
    if (e->net.is_on_grid) { /* up to the last common point, if any */
        const double grid_s = wr_engine_down_to_grid(e, sound_s);
        sound_s = grid_s <= sound_s || wr_time_close(grid_s, sound_s) ? grid_s : e->window.t_s;
    }
    const int is_new = sound_s > e->window.t_s && !wr_time_close(sound_s, e->window.t_s);
    if (is_new && e->control.n_fault < MAX_FAULTS) {
        e->control.n_fault++;
        e->control.sound_s = sound_s;
        return 1;
    }
    p->subsystem->fault = p->fault;
    wr_engine_leave(e, p->fault.status < 0 ? p->fault.status : p->status);
    return 0;
}

static int is_any_loose(const wr_engine *e)
{
    for (int i = 0; i < e->n; i++)
        if (e->run[i].tolerance_factor > 1.0)
            return 1;
    return 0;
}

/* From here on another method: in a loop without integration shorter windows contract no better. */
static void fall_back(wr_engine *e)
{
    e->mix.method = e->mix.fallback;
    e->loops.is_solved = 1;
    e->mix.fallback = NULL;
    wr_contraction_forget(&e->contraction);
    e->stats.fallback_s = e->window.t_s;
}

/* A subsystem without rollback has advanced, so the window cannot be retried. */
static void end_after_once(wr_engine *e, int i_failed)
{
    e->control.i_failed = i_failed;
    if (i_failed < 0) {
        wr_engine_set_contract_failure(e);
        wr_engine_leave(e, WRSIM_E_CONTRACT);
        return;
    }
    wr_run *const p = &e->run[i_failed];
    p->fault = p->subsystem->fault;
    wr_engine_leave(e, p->fault.status < 0 ? p->fault.status : p->status);
}

void wr_engine_cut_window(wr_engine *e)
{
    e->stats.n_wasted += e->window.n_integrated + e->batch.n;
    forget_failures(e);
    publish_predictions(e);
    wr_engine_leave(e, WRSIM_STOPPED);
    e->control.is_cut = 1;
}

/* Did all failed subsystems fail only for lack of memory, for nodes or for rows of events that may be chattering? A shorter window
 * has fewer of them. */
static int is_full(const wr_engine *e)
{
    int n_full = 0;
    for (int k = 0; k < e->batch.n; k++) {
        const wr_run *const p = &e->run[e->batch.run[k]];
        const wr_subsystem *const s = p->subsystem;
        if (p->status >= 0)
            continue;
        const int is_chattering = s->n_row == s->cap_row && s->n_recorded > 0 &&
                                  e->window.length_s <= e->options.chatter_time_s;
        if (p->status != WRSIM_E_LIMIT || (s->wave->n_node < s->wave->cap_node && !is_chattering))
            return 0;
        n_full++;
    }
    return n_full > 0 && !e->net.is_on_grid && !e->options.is_room_given;
}

/* Has a subsystem failed in such a way that shorter windows would only step around the fault, in steps that the user has not set? */
static int is_final(const wr_engine *e)
{
    for (int k = 0; k < e->batch.n; k++) {
        const wr_run *const p = &e->run[e->batch.run[k]];
        if (p->status < 0 && p->subsystem->fault.is_final)
            return 1;
    }
    return 0;
}

int wr_engine_reject_window(wr_engine *e, int i_failed)
{
    if (e->window.has_once_run) {
        end_after_once(e, i_failed);
        return 0;
    }
    const int is_retry = wr_contraction_is_retry(&e->contraction, e->window.t_s);
    if (i_failed < 0)
        wr_contraction_reject(&e->contraction, wr_contraction_ratio(&e->contraction, e->sweep.i),
                              e->window.t_s);
    const int is_again =
        is_retry || wr_contraction_is_often_slow(&e->contraction, e->stats.n_window);
    const double prefix_s = i_failed < 0 && !e->mix.method ? converged_prefix(e) : 0.0;
    e->stats.n_rejected++;
    wr_engine_observe_rejection(e, i_failed);
    e->stats.n_wasted += e->window.n_integrated + (i_failed >= 0 ? e->batch.n : 0);
    const wr_window_outcome outcome = wr_engine_outcome(e, 0);
    const int is_pole = i_failed >= 0 && is_final(e);
    /* The pole may come from predicted inputs: retry with inputs held at their start values. */
    const int is_guess = is_pole && !e->window.is_held && !e->lone.is_on;
    if (is_guess)
        hold_predictions(e);
    const int has_final = is_pole && !is_guess;
    const int is_hopeless = e->lone.is_on || has_final ||
                            (i_failed >= 0 && e->run[i_failed].subsystem->n_external == 0 &&
                             e->run[i_failed].status != WRSIM_E_LIMIT);
    /* A failure at a loosened tolerance is retried at the tolerance of the config. */
    const int is_loose = i_failed >= 0 && is_any_loose(e); /* also by waves of others */
    int is_last = is_hopeless && !is_loose && !is_guess;
    if (!is_last && !is_pole)
        is_last = wr_window_rejected(&e->rule, &outcome, prefix_s) != 0 && !is_loose &&
                  !(i_failed >= 0 && is_full(e) &&
                    wr_window_cut(&e->rule, e->window.t_s, e->window.length_s) == 0);
    e->window.is_tight = 1;
    const int falls_back = i_failed < 0 && e->mix.fallback && (is_again || is_last);
    if (falls_back)
        fall_back(e);
    else if (is_last) {
        if (i_failed < 0) {
            e->control.i_failed = -1;
            wr_engine_set_contract_failure(e);
            wr_engine_leave(e, WRSIM_E_CONTRACT);
            return 0;
        }
        if (!end_with_fault(e))
            return 0;
    }
    forget_failures(e);
    /* Relaxation converges from the left: a converged prefix is the best first guess there is. */
    if (falls_back || !(prefix_s > 0.5 * e->rule.length_s))
        publish_predictions(e);
    return 1;
}

int wr_engine_end_earlier(wr_engine *e)
{
    if (e->window.has_once_run || e->net.is_on_grid ||
        wr_window_cut(&e->rule, e->window.t_s, e->window.length_s) != 0)
        return wr_engine_reject_window(e, -1);
    e->stats.n_rejected++;
    wr_engine_observe_rejection(e, -1);
    e->stats.n_wasted += e->window.n_integrated;
    publish_predictions(e);
    return 1;
}
