/* Activity of subsystems by the effect of their input changes (docs/NUMERICS.md). See engine_changes.h.
 *
 * Thread: as in engine_changes.h. Real-time: yes.
 */
#include "runtime/relax/engine_changes.h"

#include <float.h>
#include <math.h>

#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_iterates.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_requests.h"

static const double MOST_MISS =
    1e6; /* largest prediction error, in units of relaxation.convergence */

/* Effect of the input change by the learned factor alone, in tolerances. */
double wr_engine_seen_effect(const wr_record *p)
{
    return wr_sensitivity_unmodelled(&p->sensitivity, p->input_change);
}

int wr_engine_is_due(const wr_engine *e, int i)
{
    const wr_record *const p = &e->record[i];
    return p->n_integrated == 0 || p->factor_before > 1.0 ||
           !(wr_engine_seen_effect(p) <= e->contraction->accepted_effect);
}

/* Of the accepted error: the largest defect of a window that is accepted whatever the contraction is. A coupled system
 * that grows less than tenfold in the window keeps the error of that defect below the accepted error. */
static const double DEFECT_SHARE = 0.1;

/* Is the defect that the last change of the inputs leaves in the subsystem's derivatives too small
 * to matter? The error of the coupled states obeys e' = J e + defect, so it is at most growth *
 * length * |defect| (Gronwall, Ann. of Math. 20, 1919). This holds whether further sweeps contract
 * or only repeat the solvers' rounding. An algebraic loop has no such bound. */
static int is_defect_small(const wr_engine *e, const wr_record *p)
{
    if (e->net->has_algebraic_cycle)
        return 0;
    const double defect =
        wr_engine_seen_effect(p) + wr_max(p->sensitivity.modelled.value, 1.0) * p->effect;
    return defect <= DEFECT_SHARE * e->options.convergence;
}

/* From this value of relaxation.convergence on, in tolerances, an accepted input may err by a jump, and an event may be
 * as late. */
static const double ACCEPTS_JUMPS = 1.0;

/* Is a state event due at the window's end with the inputs changed since the last integration? The next window would
 * treat the change as a jump, and fire that event. */
static int is_event_missed(wr_engine *e, int i)
{
    return e->record[i].input_change > e->options.convergence &&
           e->options.convergence < ACCEPTS_JUMPS && wr_request_is_event_due(e, i);
}

int wr_engine_matters(wr_engine *e, int i, int i_sweep)
{
    wr_record *const p = &e->record[i];
    if (e->sweep->is_forced)
        return 1;
    p->effect = 0.0;
    if (p->n_integrated == 0 || p->factor_before > 1.0 || p->has_missed || !wr_mix_has_estimates(e))
        return 1;
    p->effect = p->checked ? p->early.effect : wr_request_effect(e, i);
    if (p->checked)
        p->checked = WR_CHECKED_USED;
    const double effect = wr_sensitivity_effect(&p->sensitivity, p->input_change, p->effect);
    if (i_sweep == 2)
        p->prediction_error =
            wr_clamp(effect / e->options.convergence, p->prediction_error, MOST_MISS);
    if (!(effect <= e->contraction->accepted_effect) && !is_defect_small(e, p))
        return 1;
    p->early.n_indicator = 0;
    p->has_missed = (unsigned char)is_event_missed(e, i);
    return p->has_missed;
}

/* Effect of the input errors of a first sweep, for window control. */
static double prediction_error_of(const wr_engine *e, const wr_record *p)
{
    return wr_clamp(wr_engine_seen_effect(p) / e->options.convergence, 0.0, MOST_MISS);
}

/* May an input jump, or may one have jumped in the last integration? */
static inline int may_jump(const wr_engine *e, int i)
{
    const wr_net_node *const node = &e->net->node[i];
    int any = e->record[i].has_jump;
    for (int k = 0; k < node->n_source && !any; k++)
        any = e->record[node->producer[k]].n_jump > 0;
    return any;
}

static inline int has_missed(wr_engine *e, int i)
{
    return e->record[i].has_deferred || (may_jump(e, i) && wr_request_has_missed(e, i));
}

int wr_engine_needs_integration(wr_engine *e, int i)
{
    wr_record *const p = &e->record[i];
    if (p->is_once)
        return e->sweep->is_once_turn && p->n_integrated == 0;
    if (p->n_integrated == 0 || p->tolerance_factor > 1.0)
        return 1;
    p->has_missed = (unsigned char)has_missed(e, i);
    if (p->has_missed)
        return 1;
    if (!wr_mix_has_estimates(e))
        return p->input_change > 0.0;
    /* The task decides; here only changes that can never matter are excluded. */
    return !p->is_settled &&
           p->input_change * WR_SENSITIVITY_MOST > e->contraction->accepted_effect;
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
        if (e->sweep->i == 1)
            p->prediction_error = prediction_error_of(e, p);
        p->is_active = (unsigned char)wr_engine_needs_integration(e, i);
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
    e->sweep->is_all_active = n_active == e->n;
    return n_active;
}

void wr_engine_force_all(wr_engine *e)
{
    e->sweep->is_forced = 1;
    e->sweep->is_all_active = e->net->n_once == 0;
    for (int i = 0; i < e->n; i++)
        e->record[i].is_active = !e->record[i].is_once;
}

void wr_engine_activate_once(wr_engine *e)
{
    e->sweep->is_once_turn = e->window->has_once_run = 1;
    e->sweep->is_forced = e->sweep->is_all_active = 0;
    for (int i = 0; i < e->n; i++)
        e->record[i].is_active = e->record[i].is_once;
}

/* Adds the changes of the producers that have just integrated to this consumer's inputs: the largest size over the window, with
 * the sign at the window's end, where predictions are worst. */
static inline void add_changes(wr_engine *e, int i_consumer)
{
    wr_record *const consumer = &e->record[i_consumer];
    double *const shift = wr_record_input_shift(consumer, e->value[i_consumer]);
    wr_engine_forget_check(e, i_consumer);
    double change = 0.0;
    const wr_engine_read *const read = e->net->node[i_consumer].read;
    for (int j = 0; j < consumer->n_read; j++) {
        const int by = read[j].i_producer, i_signal = read[j].i_signal;
        const wr_record *const producer = &e->record[by];
        if (producer->i_batch != e->batch->number)
            continue;
        change = wr_max(change, wr_record_delta(producer, e->value[by])[i_signal]);
        shift[j] += wr_record_moved(producer, e->value[by])[i_signal];
    }
    consumer->input_change += change;
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

/* The acceptance limit is known only after the sweep, so the estimate is stored until then. */
void wr_engine_check_early(wr_engine *e, int i_task)
{
    for (int k = e->net->due_start[i_task]; k < e->net->due_start[i_task + 1]; k++) {
        const int i = e->net->due[k];
        wr_record *const p = &e->record[i];
        add_changes(e, i);
        if (p->status < 0 || p->n_integrated == 0 || p->factor_before > 1.0 ||
            !wr_engine_needs_integration(e, i))
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
            if (e->batch->notified_in[i] == e->batch->number)
                continue; /* add_changes() has added the changes of all its producers */
            e->batch->notified_in[i] = e->batch->number;
            add_changes(e, i);
        }
    }
}
