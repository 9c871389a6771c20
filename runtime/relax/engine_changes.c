/* Subsystems that integrate again: the effect of input changes, and the factors learned from repeated integrations
 * (docs/NUMERICS.md). See engine_changes.h.
 *
 * Thread: as said per function in engine_work.h. Real-time: yes.
 */
#include "runtime/relax/engine_changes.h"

#include <float.h>
#include <math.h>

static const double MOST_MISS = 1e6; /* in units of convergence */
/* Expected sweeps per window from which relaxation.tolerance_first applies: with fewer, the sweep that must follow
 * a loosened one costs more than the loosened one saves (docs/lab/2026-11-23-looser-first-sweeps.md). */
static const double LOOSE_FROM_SWEEPS = 2.5;

int wr_engine_is_due(const wr_engine *e, const wr_run *p)
{
    return p->n_integrated == 0 || p->factor_before > 1.0 ||
           !(wr_engine_seen_effect(p) <= e->contraction.accepted_effect);
}

double wr_engine_effect(const wr_engine *e, const wr_run *p)
{
    return wr_subsystem_effect(p->subsystem, p->input_shift, e->window.length_s,
                               p->converge->weight);
}

/* Of the accepted error: the largest defect of a window that is accepted whatever the contraction is. A coupled system
 * that grows less than tenfold in the window keeps the error of that defect below the accepted error. */
static const double DEFECT_SHARE = 0.1;

/* Is the defect that the last change of the inputs leaves in the subsystem's derivatives too small
 * to matter? The error of the coupled states obeys e' = J e + defect, so it is at most growth *
 * length * |defect| (Gronwall, Ann. of Math. 20, 1919). This holds whether further sweeps contract
 * or only repeat the solvers' rounding. An algebraic loop has no such bound. */
static int is_defect_small(const wr_engine *e, const wr_run *p)
{
    if (e->net.has_algebraic_cycle)
        return 0;
    const double defect = wr_sensitivity_unmodelled(&p->sensitivity, p->input_change) +
                          wr_max(p->sensitivity.modelled.value, 1.0) * p->effect;
    return defect <= DEFECT_SHARE * e->options.convergence;
}

/* Value of relaxation.convergence, in tolerances, from which inputs may be off by jumps, and events late by as much. */
static const double ACCEPTS_JUMPS = 1.0;

/* Is a state event due at the window's end with the inputs as they have become since the last integration? The next window would take
 * their change for a jump, and fire that event. */
static int is_event_missed(const wr_engine *e, const wr_run *p)
{
    return p->input_change > e->options.convergence && e->options.convergence < ACCEPTS_JUMPS &&
           wr_subsystem_is_event_due(p->subsystem, p->input_shift);
}

int wr_engine_matters(const wr_engine *e, wr_run *p, int i_sweep)
{
    if (e->sweep.is_forced)
        return 1;
    p->effect = 0.0;
    if (p->n_integrated == 0 || p->factor_before > 1.0 || p->has_missed ||
        !wr_engine_has_estimates(e))
        return 1;
    p->effect = p->checked ? p->early.effect : wr_engine_effect(e, p);
    if (p->checked)
        p->checked = WR_CHECKED_USED;
    const double effect = wr_sensitivity_effect(&p->sensitivity, p->input_change, p->effect);
    if (i_sweep == 2)
        p->prediction_error =
            wr_clamp(effect / e->options.convergence, p->prediction_error, MOST_MISS);
    if (!(effect <= e->contraction.accepted_effect) && !is_defect_small(e, p))
        return 1;
    const int64_t n_indicator = p->subsystem->stats.n_indicator_evaluation;
    p->has_missed = (unsigned char)is_event_missed(e, p);
    p->early.n_indicator = p->subsystem->stats.n_indicator_evaluation - n_indicator;
    return p->has_missed;
}

/* Effect of the input errors of a first sweep, for window control. */
static double prediction_error_of(const wr_engine *e, const wr_run *p)
{
    return wr_clamp(wr_engine_seen_effect(p) / e->options.convergence, 0.0, MOST_MISS);
}

double wr_engine_tolerance_factor(const wr_engine *e, const wr_run *p)
{
    const wr_subsystem *const s = p->subsystem;
    const int has_tolerance = (s->flags & WR_SUBSYSTEM_HAS_TOLERANCE) != 0;
    if (p->n_integrated > 0 || p->n_read == 0 || e->window.is_tight || !has_tolerance)
        return 1.0;
    return e->expected_sweeps < LOOSE_FROM_SWEEPS ? 1.0 : e->options.tolerance_first;
}

/* Does an input jump, or did one jump in the last integration? If not, all orders are 0, and no input needs a comparison. */
static int has_jumps(const wr_engine *e, const wr_run *p)
{
    for (int k = 0; k < p->subsystem->n_source; k++) {
        const wr_run *const producer = &e->run[p->producer[k]];
        if (producer->i_batch >= p->i_batch && (p->order[k] != 0 || producer->fresh->n_jump > 0))
            return 1;
    }
    return wr_subsystem_has_jump_at_end(p->subsystem);
}

/* Have jumps of inputs changed their order relative to the subsystem's events, or the time of a jump that caused an event? */
static int is_order_new(const wr_engine *e, const wr_run *p)
{
    for (int j = 0; j < p->subsystem->n_source; j++) {
        const wr_run *const producer = &e->run[p->producer[j]];
        if (producer->i_batch >= p->i_batch &&
            wr_subsystem_order(p->subsystem, j, producer->fresh) != p->order[j])
            return 1;
    }
    return 0;
}

/* Does an input at the window's end, after all events there, differ from the value that the subsystem has read? The next window
 * would be too late for outputs that depend directly on the input: they belong to this instant. */
static int has_missed_end(const wr_engine *e, const wr_run *p)
{
    for (int j = 0; j < p->n_read; j++) {
        const wr_run *const producer = &e->run[p->read[j].i_producer];
        const wr_wave *const wave = producer->fresh;
        if (producer->i_batch < p->i_batch || !wr_subsystem_follows_at_end(p->subsystem, j))
            continue;
        const double *const value =
            wave->value + (size_t)(wave->n_node - 1) * (size_t)wave->n_signal;
        const int n_round = wr_wave_rounds_at_end(wave);
        if ((n_round > 0 || wr_subsystem_has_jump_at_end(p->subsystem)) &&
            wr_subsystem_is_jump(p->subsystem, j, value[p->read[j].i_signal]))
            return 1;
        if (n_round > 1 && producer->converge->is_end_new)
            return 1;
    }
    return 0;
}

static int has_missed(const wr_engine *e, const wr_run *p)
{
    if (p->subsystem->has_deferred)
        return 1;
    return has_jumps(e, p) && (is_order_new(e, p) || has_missed_end(e, p));
}

int wr_engine_needs_integration(const wr_engine *e, wr_run *p)
{
    if (p->is_once)
        return e->sweep.is_once_turn && p->n_integrated == 0;
    if (p->n_integrated == 0 || p->tolerance_factor > 1.0)
        return 1;
    p->has_missed = (unsigned char)has_missed(e, p);
    if (p->has_missed)
        return 1;
    if (!wr_engine_has_estimates(e))
        return p->input_change > 0.0;
    /* The task decides; here only changes that can never matter are excluded. */
    return !p->is_settled && p->input_change * WR_SENSITIVITY_MOST > e->contraction.accepted_effect;
}

int wr_engine_is_anything_open(wr_engine *e)
{
    int any = 0;
    for (int i = 0; i < e->n; i++) {
        wr_run *const p = &e->run[i];
        p->has_missed = (unsigned char)(!p->is_once && (has_missed(e, p) || is_event_missed(e, p)));
        any |= p->has_missed || p->tolerance_factor > 1.0;
    }
    return any;
}

int wr_engine_find_active(wr_engine *e)
{
    int n_active = 0;
    for (int i = 0; i < e->n; i++) {
        wr_run *const p = &e->run[i];
        if (e->sweep.i == 1)
            p->prediction_error = prediction_error_of(e, p);
        p->is_active = (unsigned char)wr_engine_needs_integration(e, p);
        if (!p->is_active || !e->batch.checks_early) /* checks of earlier sweeps do not count */
            wr_engine_forget_check(p);
        if (!p->checked)
            continue;
        p->early.error_before = p->prediction_error;
        p->is_active = (unsigned char)wr_engine_matters(e, p, e->sweep.i + 1);
        p->is_settled = !p->is_active;
    }
    for (int i = 0; i < e->n; i++)
        n_active += e->run[i].is_active;
    e->sweep.is_all_active = n_active == e->n;
    return n_active;
}

void wr_engine_force_all(wr_engine *e)
{
    e->sweep.is_forced = 1;
    e->sweep.is_all_active = e->net.n_once == 0;
    for (int i = 0; i < e->n; i++)
        e->run[i].is_active = !e->run[i].is_once;
}

void wr_engine_activate_once(wr_engine *e)
{
    e->sweep.is_once_turn = e->window.has_once_run = 1;
    e->sweep.is_forced = e->sweep.is_all_active = 0;
    for (int i = 0; i < e->n; i++)
        e->run[i].is_active = e->run[i].is_once;
}

/* Adds the changes of the producers that have just integrated to this consumer's inputs: the largest size over the window, with
 * the sign at the window's end, where predictions are worst. */
static inline void add_changes(wr_engine *e, int i_consumer)
{
    wr_run *const consumer = &e->run[i_consumer];
    wr_engine_forget_check(consumer);
    double change = 0.0;
    for (int j = 0; j < consumer->n_read; j++) {
        const wr_engine_read read = consumer->read[j];
        const wr_run *const producer = &e->run[read.i_producer];
        if (producer->i_batch != e->batch.number)
            continue;
        const wr_converge *const c = producer->converge;
        change = wr_max(change, c->delta[read.i_signal]);
        consumer->input_shift[j] += c->moved[read.i_signal];
    }
    consumer->input_change += change;
    if (change > 0.0)
        consumer->is_settled = consumer->subsystem->has_effect = 0;
}

static void take_back_check(wr_run *p)
{
    p->subsystem->has_effect = p->early.had_effect;
    p->subsystem->stats.n_effect_rhs -= p->early.n_rhs;
    p->subsystem->stats.n_indicator_evaluation -= p->early.n_indicator;
    p->early.n_indicator = 0;
    p->checked = WR_CHECKED_NOT;
}

void wr_engine_forget_check(wr_run *p)
{
    if (p->checked == WR_CHECKED_UNUSED)
        take_back_check(p);
    p->checked = WR_CHECKED_NOT;
}

void wr_engine_take_back_checks(wr_engine *e)
{
    for (int i = 0; i < e->n; i++) {
        wr_run *const p = &e->run[i];
        if (p->checked == WR_CHECKED_USED) {
            p->prediction_error = p->early.error_before;
            p->has_missed = 0;
        }
        if (p->checked)
            take_back_check(p);
    }
}

/* The acceptance limit is known only after the sweep, so the estimate is stored until then. */
void wr_engine_check_early(wr_engine *e, int i_task)
{
    for (int k = e->net.due_start[i_task]; k < e->net.due_start[i_task + 1]; k++) {
        wr_run *const p = &e->run[e->net.due[k]];
        add_changes(e, e->net.due[k]);
        if (p->status < 0 || p->n_integrated == 0 || p->factor_before > 1.0 ||
            !wr_engine_needs_integration(e, p))
            continue;
        const int64_t n_rhs = wr_subsystem_n_rhs(p->subsystem);
        p->early.had_effect = p->subsystem->has_effect;
        p->early.effect = wr_engine_effect(e, p);
        p->early.n_rhs = wr_subsystem_n_rhs(p->subsystem) - n_rhs;
        p->early.n_indicator = 0;
        p->checked = WR_CHECKED_UNUSED;
    }
}

void wr_engine_notify_consumers(wr_engine *e)
{
    if (e->batch.checks_early)
        return;
    for (int i = 0; i < e->n && e->batch.n == e->n; i++)
        add_changes(e, i);
    if (e->batch.n == e->n)
        return;
    for (int b = 0; b < e->batch.n; b++) {
        const int i_producer = e->batch.run[b];
        if (e->run[i_producer].i_batch != e->batch.number)
            continue;
        for (int k = e->net.consumer_start[i_producer]; k < e->net.consumer_start[i_producer + 1];
             k++) {
            const int i = e->net.consumer[k];
            if (e->notified_in_batch[i] == e->batch.number)
                continue; /* of all its producers at once */
            e->notified_in_batch[i] = e->batch.number;
            add_changes(e, i);
        }
    }
}

/* ---- learning ---- */

void wr_engine_measure_sensitivity(wr_run *p)
{
    const wr_subsystem *const s = p->subsystem;
    const double state = wr_converge_state(s->n_x, s->x, p->x_end, s->rtol, s->atol_x);
    double discrete = 0.0; /* samples must agree in all digits */
    for (int i = 0; i < s->n_d; i++)
        discrete =
            wr_max(discrete, fabs(s->d[i] - p->d_end[i]) /
                                 (s->rtol * wr_max(fabs(s->d[i]), fabs(p->d_end[i])) + DBL_MIN));
    wr_sensitivity_learn(&p->sensitivity, p->input_change, p->effect,
                         wr_max(p->change, wr_max(state, discrete)));
}
