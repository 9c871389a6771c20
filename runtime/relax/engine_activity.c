/* Activity of subsystems by the effect of their input changes (docs/NUMERICS.md). See engine_activity.h.
 *
 * Thread: as in engine_activity.h. Real-time: yes. */
#include "runtime/relax/engine_activity.h"

#include <float.h>
#include <math.h>

#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_acceleration.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_requests.h"

/* Upper limit of a stored prediction error, in units of relaxation.convergence (assumed). */
static const double MOST_MISS = 1e6;

int wr_activity_place(wr_engine *e, wr_arena *arena)
{
    return (e->activity->notified_in = WR_NEW_ARRAY(arena, int64_t, e->n)) ? 0 : -1;
}

void wr_activity_begin_window(wr_engine *e)
{
    wr_activity_end_sweep(e->activity);
    e->activity->has_once_run = 0;
    e->activity->is_all = e->net->n_once == 0;
}

void wr_activity_state(wr_engine *e, wr_state_io *io)
{
    WR_STATE_ARRAY(io, e->activity->notified_in, e->n);
}

void wr_activity_end_sweep(wr_activity *a) { a->is_forced = a->is_once_turn = 0; }

/* Returns the effect of the input change by the unmodelled factor (sensitivity.h) alone, in tolerances. */
static double seen_effect(const wr_record *p)
{
    return wr_sensitivity_unmodelled(&p->sensitivity, p->input_change);
}

double wr_engine_left_effect(wr_engine *e, int i)
{
    wr_record *const p = &e->record[i];
    /* 1: p->effect is an estimate of this window */
    const int has_estimate = wr_mix_has_estimates(e) && !p->is_once;
    if (!has_estimate && p->input_change > 0.0)
        p->effect = wr_request_effect(e, i);
    if (!(p->effect < (double)INFINITY)) /* this kind of subsystem has no estimate */
        p->effect = seen_effect(p);
    if (p->is_once)
        p->prediction_error =
            wr_max(p->prediction_error, p->effect / e->options.relaxation.convergence);
    return p->effect;
}

int wr_engine_is_due(const wr_engine *e, int i)
{
    const wr_record *const p = &e->record[i];
    return p->n_integrated == 0 || p->factor_before > 1.0 ||
           !(seen_effect(p) <= e->contraction->accepted_effect);
}

/* Largest defect that is accepted at any contraction, per relaxation.convergence. Assumption: a coupled system grows less than tenfold in a
 * window, so the error of that defect stays below relaxation.convergence. */
static const double DEFECT_SHARE = 0.1;

/* Returns 1 if the last change of the inputs leaves a negligible defect in the subsystem's derivatives. The error of the coupled states
 * obeys e' = J e + defect. So the error is at most growth * length * |defect| (Gronwall, "Note on the derivatives with respect to a
 * parameter of the solutions of a system of differential equations", Ann. of Math. 20, 1919), even if sweeps do not contract. An algebraic
 * loop has no such bound. */
static int is_defect_small(const wr_engine *e, const wr_record *p)
{
    const double defect = seen_effect(p) + wr_max(p->sensitivity.modelled.value, 1.0) * p->effect;
    return !e->net->has_algebraic_cycle &&
           defect <= DEFECT_SHARE * e->options.relaxation.convergence;
}

/* Value of relaxation.convergence, in tolerances, from which an accepted input may be wrong by a jump (assumed). */
static const double ACCEPTS_JUMPS = 1.0;

/* Returns 1 if the input change since the last integration exceeds relaxation.convergence, and makes a state event due at the window's end.
 * The next window would treat the change as a jump, and fire that event. Returns 0 if relaxation.convergence is at least ACCEPTS_JUMPS. */
static int is_event_missed(wr_engine *e, int i)
{
    return e->record[i].input_change > e->options.relaxation.convergence &&
           e->options.relaxation.convergence < ACCEPTS_JUMPS && wr_request_is_event_due(e, i);
}

/* Stores the error of the predictions, but at least `least`, for window control. Events of other windows may follow changes that are late
 * in this window, so here all changes count as early. */
static void note_prediction_error(const wr_engine *e, wr_record *p, double estimate, double least)
{
    const double effect = wr_sensitivity_largest(&p->sensitivity, p->input_change, estimate);
    p->prediction_error = wr_clamp(effect / e->options.relaxation.convergence, least, MOST_MISS);
}

int wr_engine_matters(wr_engine *e, int i, int i_sweep)
{
    wr_record *const p = &e->record[i];
    if (e->activity->is_forced)
        return 1;
    p->effect = 0.0;
    if (p->n_integrated == 0 || p->factor_before > 1.0 || p->has_missed || !wr_mix_has_estimates(e))
        return 1;
    p->effect = p->checked ? p->early.effect : wr_request_effect(e, i);
    if (p->checked)
        p->checked = WR_CHECKED_USED;
    const double effect = wr_sensitivity_effect(&p->sensitivity, p->input_change, p->effect);
    if (i_sweep == 2)
        note_prediction_error(e, p, p->effect, p->prediction_error);
    if (!(effect <= e->contraction->accepted_effect) && !is_defect_small(e, p))
        return 1;
    p->early.n_indicator[0] = p->early.n_indicator[1] = 0;
    p->has_missed = (unsigned char)is_event_missed(e, i);
    return p->has_missed;
}

/* Returns 1 if the last integration has missed or withheld a jump of its inputs. The function calls wr_request_has_missed()
 * only if an input jumps now, or has jumped in that integration. */
static inline int has_missed(wr_engine *e, int i)
{
    const wr_net_node *const node = &e->net->node[i];
    int may_jump = e->record[i].has_jump;
    for (int k = 0; k < node->n_source && !may_jump; k++)
        may_jump = e->record[node->producer[k]].n_jump > 0;
    return e->record[i].has_deferred || (may_jump && wr_request_has_missed(e, i));
}

/* Returns 1 if the subsystem gets a task in the next sweep. */
static int needs_integration(wr_engine *e, int i)
{
    wr_record *const p = &e->record[i];
    if (p->is_once)
        return e->activity->is_once_turn && p->n_integrated == 0;
    if (p->n_integrated == 0 || p->tolerance_factor > 1.0)
        return 1;
    p->has_missed = (unsigned char)has_missed(e, i);
    if (p->has_missed)
        return 1;
    if (!wr_mix_has_estimates(e))
        return p->input_change > 0.0;
    /* If the change may matter, the task decides by an estimate. */
    return !p->is_settled &&
           p->input_change * WR_SENSITIVITY_MOST > e->contraction->accepted_effect;
}

int wr_engine_activate(wr_engine *e, int i)
{
    return e->record[i].is_active = (unsigned char)needs_integration(e, i);
}

int wr_engine_is_anything_open(wr_engine *e)
{
    int any = 0;
    for (int i = 0; i < e->n; i++) {
        wr_record *const p = &e->record[i];
        p->has_missed = (unsigned char)(!p->is_once && (has_missed(e, i) || is_event_missed(e, i)));
        any |= p->has_missed || p->tolerance_factor > 1.0;
    }
    return any;
}

int wr_engine_find_active(wr_engine *e)
{
    int n_active = 0;
    for (int i = 0; i < e->n; i++) {
        wr_record *const p = &e->record[i];
        /* Window control uses the effect of the input errors of a first sweep. */
        if (e->sweep->i == 1)
            note_prediction_error(e, p, 0.0, 0.0);
        wr_engine_activate(e, i);
        if (!p->is_active || !e->batch->checks_early) /* checks of earlier sweeps do not count */
            wr_engine_forget_check(e, i);
        if (!p->checked)
            continue;
        p->early.error_before = p->prediction_error;
        p->is_active = (unsigned char)wr_engine_matters(e, i, e->sweep->i + 1);
        p->is_settled = !p->is_active;
    }
    for (int i = 0; i < e->n; i++)
        n_active += e->record[i].is_active;
    e->activity->is_all = n_active == e->n;
    return n_active;
}

void wr_engine_force_all(wr_engine *e)
{
    e->activity->is_forced = 1;
    e->activity->is_all = e->net->n_once == 0;
    for (int i = 0; i < e->n; i++)
        e->record[i].is_active = !e->record[i].is_once;
}

void wr_engine_force_anew(wr_engine *e)
{
    wr_engine_force_all(e);
    for (int i = 0; i < e->n; i++)
        e->record[i].checked = e->record[i].is_settled = 0;
}

void wr_engine_activate_shared(wr_engine *e)
{
    wr_engine_force_anew(e);
    e->activity->is_all = 0;
    for (int i = 0; i < e->n; i++)
        e->record[i].is_active = e->record[i].has_shared;
}

/* Largest accepted change of an input since the integration that has found a waiting event, in tolerances (assumed). The bound 0 would not end
 * where two such events depend on each other. */
static const double CERTAIN = 1e-3;

/* Returns whether an event waits for the acceptance, and an input has changed since the integration that has found the event. The first
 * sweep may read predictions. Their errors may move an indicator across zero that has fired just before, so then any change counts. */
static int has_uncertain_event(const wr_engine *e, int i)
{
    const double certain = e->sweep->i > 1 ? CERTAIN : 0.0;
    return e->record[i].input_change > certain && wr_request_is_held(e, i);
}

int wr_engine_activate_held(wr_engine *e)
{
    int any = 0;
    for (int i = 0; i < e->n && !any && e->net->n_deferring > 0; i++)
        any = has_uncertain_event(e, i);
    if (!any || e->sweep->i >= e->options.relaxation.max_sweeps)
        return 0;
    wr_engine_forget_checks(e);
    wr_engine_force_anew(e);
    e->activity->is_all = 0;
    for (int i = 0; i < e->n; i++)
        e->record[i].is_active = (unsigned char)has_uncertain_event(e, i);
    return 1;
}

void wr_engine_activate_once(wr_engine *e)
{
    e->activity->is_once_turn = e->activity->has_once_run = 1;
    e->activity->is_forced = e->activity->is_all = 0;
    for (int i = 0; i < e->n; i++)
        e->record[i].is_active = e->record[i].is_once;
}

/* Returns the largest change of the producer's signals up to the end of the consumer's part i_part (sensitivity.h), but at most
 * `change`; 0 if i_part is -1. */
static inline double early_change_of(const wr_record *producer, double *value,
                                     const wr_record *consumer, double change)
{
    const int i_part = consumer->sensitivity.i_part;
    if (i_part < 0 || i_part >= WR_COURSE_PARTS)
        return i_part < 0 ? 0.0 : change;
    return wr_min(change, wr_record_course(producer, value)[i_part]);
}

/* Adds changes of producers that have integrated in this batch to this consumer's inputs. Each change is the largest over the window,
 * with the sign at the window's end, where predictions are worst. */
static inline void add_changes(wr_engine *e, int i_consumer)
{
    wr_record *const consumer = &e->record[i_consumer];
    double *const shift = wr_record_input_shift(consumer, e->value[i_consumer]);
    wr_engine_forget_check(e, i_consumer);
    double change = 0.0, early_change = 0.0;
    const wr_engine_read *const read = e->net->node[i_consumer].read;
    for (int j = 0; j < consumer->n_read; j++) {
        const int by = read[j].i_producer, i_signal = read[j].i_signal;
        const wr_record *const producer = &e->record[by];
        if (producer->i_batch != e->batch->number)
            continue;
        const double delta = wr_record_delta(producer, e->value[by])[i_signal];
        change = wr_max(change, delta);
        early_change =
            wr_max(early_change, early_change_of(producer, e->value[by], consumer, delta));
        shift[j] += wr_record_moved(producer, e->value[by])[i_signal];
    }
    consumer->input_change += change;
    consumer->sensitivity.early += early_change;
    if (change > 0.0)
        consumer->is_settled = consumer->has_effect = 0;
}

static void take_back_check(wr_engine *e, int i)
{
    wr_request_undo_check(e, i);
    e->record[i].checked = WR_CHECKED_NOT;
}

void wr_engine_drop_check(wr_engine *e, int i)
{
    if (e->record[i].checked == WR_CHECKED_UNUSED)
        take_back_check(e, i);
    e->record[i].checked = WR_CHECKED_NOT;
}

void wr_engine_forget_checks(wr_engine *e)
{
    for (int i = 0; i < e->n; i++)
        wr_engine_forget_check(e, i);
}

void wr_engine_take_back_checks(wr_engine *e)
{
    for (int i = 0; i < e->n; i++) {
        wr_record *const p = &e->record[i];
        if (p->checked == WR_CHECKED_USED) {
            p->prediction_error = p->early.error_before;
            p->has_missed = 0;
        }
        if (p->checked)
            take_back_check(e, i);
    }
}

/* The acceptance limit is known only after the sweep, so the function stores the estimate until the end of the sweep. */
void wr_engine_check_early(wr_engine *e, int i_task)
{
    for (int k = e->net->due_start[i_task]; k < e->net->due_start[i_task + 1]; k++) {
        const int i = e->net->due[k];
        wr_record *const p = &e->record[i];
        add_changes(e, i);
        if (p->status < 0 || p->n_integrated == 0 || p->factor_before > 1.0 ||
            !needs_integration(e, i))
            continue;
        wr_request_check(e, i);
        p->checked = WR_CHECKED_UNUSED;
    }
}

void wr_engine_notify_consumers(wr_engine *e)
{
    if (e->batch->checks_early)
        return;
    for (int i = 0; i < e->n && e->batch->n == e->n; i++)
        add_changes(e, i);
    if (e->batch->n == e->n)
        return;
    for (int b = 0; b < e->batch->n; b++) {
        const int i_producer = e->batch->run[b];
        if (e->record[i_producer].i_batch != e->batch->number)
            continue;
        for (int k = e->net->consumer_start[i_producer]; k < e->net->consumer_start[i_producer + 1];
             k++) {
            const int i = e->net->consumer[k];
            if (e->activity->notified_in[i] == e->batch->number)
                continue; /* add_changes() has added the changes of all producers of i */
            e->activity->notified_in[i] = e->batch->number;
            add_changes(e, i);
        }
    }
}
