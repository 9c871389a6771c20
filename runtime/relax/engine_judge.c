/* Who has to be integrated again: what changes of inputs amount to, and what is learned from those
 * that were followed (docs/NUMERICS.md). See engine.h.
 *
 * Thread: as said per function in engine_work.h. Real-time: yes.
 */
#include <math.h>

#include "runtime/relax/engine_work.h"

static const double MOST_MISS = 1e6; /* in units of convergence */
static const double KAPPA = 0.1; /* solver error allowed per unit of waveform error (METHODS 2) */
static const double LOOSE_FROM_SWEEPS = 2.5; /* expected sweeps from which loose ones pay (14.10) */

/* ---- what a change of inputs amounts to ---- */

int wr_engine_is_due(const wr_engine *e, const wr_participant *p)
{
    return p->n_integrated == 0 || p->factor_before > 1.0 ||
           !(wr_engine_seen_effect(p) <= e->options.convergence);
}

int wr_engine_is_moved(const wr_engine *e, wr_participant *p)
{
    p->effect = 0.0;
    if (p->n_integrated == 0 || p->factor_before > 1.0 || !wr_engine_has_estimates(e))
        return 1;
    p->effect = wr_subsystem_effect(p->part->subsystem, p->moved, e->length_s, p->part->rtol,
                                    p->part->atol_state, p->converge->weight);
    const double effect = wr_gain_effect(&p->gain, p->pending, p->effect);
    if (e->i_sweep == 2)
        p->miss = wr_clamp(effect / e->options.convergence, p->miss, MOST_MISS);
    return !(effect <= e->options.convergence);
}

void wr_engine_note_miss(const wr_engine *e, wr_participant *p)
{
    p->miss = wr_clamp(wr_engine_seen_effect(p) / e->options.convergence, 0.0, MOST_MISS);
}

double wr_engine_tolerance_factor(const wr_engine *e, const wr_participant *p)
{
    if (e->options.tolerance_first <= 1.0 || e->expected_sweeps < LOOSE_FROM_SWEEPS)
        return 1.0;
    const double left = e->i_sweep == 1 ? e->options.tolerance_first / KAPPA : p->pending;
    return wr_clamp(KAPPA * left, 1.0, e->options.tolerance_first);
}

int wr_engine_needs_integration(const wr_engine *e, const wr_participant *p)
{
    if (p->n_integrated == 0 || p->tolerance_factor > 1.0)
        return 1;
    if (!wr_engine_has_estimates(e))
        return !(wr_engine_seen_effect(p) <= e->options.convergence);
    /* The task decides; here only what can never matter is kept from being looked at. */
    return !p->is_settled && p->pending * WR_GAIN_MOST > e->options.convergence;
}

int wr_engine_find_active(wr_engine *e)
{
    int n_active = 0;
    for (int i = 0; i < e->n; i++) {
        e->participant[i]->is_active = wr_engine_needs_integration(e, e->participant[i]);
        n_active += e->participant[i]->is_active;
    }
    if (n_active > 0 && (!e->options.has_active_set || e->accelerate))
        for (int i = 0; i < e->n; i++)
            e->participant[i]->is_active = 1;
    return n_active;
}

/* Adds the changes of the producers that have just integrated to this consumer's inputs. The size is
 * the largest over the window, the sign that at its end, where predictions are worst. */
static void add_changes(const wr_engine *e, wr_participant *consumer)
{
    const wr_subsystem *const s = consumer->part->subsystem;
    double change = 0.0;
    for (int j = 0; j < s->n_external; j++) {
        const wr_participant *const producer =
            e->participant[consumer->part->producer[s->external_source[j]]];
        if (!producer->is_active || wr_engine_level_of(e, producer) != e->i_level)
            continue;
        const wr_converge *const c = producer->converge;
        const int signal = s->external_signal[j];
        change = wr_max(change, c->delta[signal]);
        consumer->moved[j] +=
            copysign(c->delta[signal] * c->weight[signal], c->y_now[signal] - c->y_before[signal]);
    }
    consumer->pending += change;
    if (change > 0.0)
        consumer->is_settled = 0;
}

void wr_engine_tell_consumers(wr_engine *e, int i_producer)
{
    for (int k = e->consumer_start[i_producer]; k < e->consumer_start[i_producer + 1]; k++) {
        const int i = e->consumer[k];
        if (e->told_in_batch[i] == e->n_batches)
            continue;
        e->told_in_batch[i] = e->n_batches;
        add_changes(e, e->participant[i]);
    }
}

/* ---- what is learned ---- */

void wr_engine_measure_change(wr_participant *p)
{
    const wr_subsystem *const s = p->part->subsystem;
    const double state =
        wr_converge_state(s->group->n_x, s->x, p->x_end, p->part->rtol, p->part->atol_state);
    p->change = wr_max(p->converge->delta_max, state);
}

void wr_engine_measure_gain(wr_participant *p)
{
    if (p->is_measurable)
        wr_gain_learn(&p->gain, p->pending_used, p->effect, p->change);
}
