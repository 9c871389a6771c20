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

int wr_engine_is_moved(const wr_engine *e, wr_participant *p, int i_sweep)
{
    p->effect = 0.0;
    if (p->n_integrated == 0 || p->factor_before > 1.0 || p->has_missed_end ||
        !wr_engine_has_estimates(e))
        return 1;
    p->effect = wr_subsystem_effect(p->subsystem, p->moved, e->length_s, p->rtol, p->atol_state,
                                    p->converge->weight);
    const double effect = wr_gain_effect(&p->gain, p->pending, p->effect);
    if (i_sweep == 2)
        p->miss = wr_clamp(effect / e->options.convergence, p->miss, MOST_MISS);
    return !(effect <= e->options.convergence);
}

/* What its inputs missed in a first sweep, for window control. */
static double miss_of(const wr_engine *e, const wr_participant *p)
{
    return wr_clamp(wr_engine_seen_effect(p) / e->options.convergence, 0.0, MOST_MISS);
}

double wr_engine_tolerance_factor(const wr_engine *e, const wr_participant *p)
{
    if (e->options.tolerance_first <= 1.0 || e->expected_sweeps < LOOSE_FROM_SWEEPS)
        return 1.0;
    const double left = e->i_sweep == 1 ? e->options.tolerance_first / KAPPA : p->pending;
    return wr_clamp(KAPPA * left, 1.0, e->options.tolerance_first);
}

/* Is there a jump at the window's end, of an input, that it has not seen? It matters to the next window
 * alone, but for what is shown at that time, which are values after the jump, of what follows it at once. */
static int has_missed_end(const wr_engine *e, const wr_participant *p)
{
    if (!e->is_end_shown || e->i_sweep >= e->options.max_sweeps)
        return 0;
    for (int j = 0; j < p->n_read; j++) {
        const wr_participant *const producer = &e->participant[p->read[j].i_producer];
        const wr_wave *const wave = producer->fresh;
        if (producer->i_batch < p->i_batch || wave->n_jump == 0 ||
            !p->subsystem->group->is_direct[j])
            continue;
        const int last = wave->n_node - 1;
        const double *const value = wave->value + (size_t)last * (size_t)wave->n_signal;
        if (wave->t_s[last] <= wave->t_s[last - 1] &&
            wr_subsystem_is_jump(p->subsystem, j, value[p->read[j].i_signal]))
            return 1;
    }
    return 0;
}

int wr_engine_needs_integration(const wr_engine *e, wr_participant *p)
{
    if (p->n_integrated == 0 || p->tolerance_factor > 1.0)
        return 1;
    p->has_missed_end = (unsigned char)has_missed_end(e, p);
    if (p->has_missed_end)
        return 1;
    if (!wr_engine_has_estimates(e))
        return !(wr_engine_seen_effect(p) <= e->options.convergence);
    /* The task decides; here only what can never matter is kept from being looked at. */
    return !p->is_settled && p->pending * WR_GAIN_MOST > e->options.convergence;
}

int wr_engine_find_active(wr_engine *e)
{
    int n_active = 0;
    for (int i = 0; i < e->n && !e->looks_early; i++) {
        wr_participant *const p = &e->participant[i];
        if (e->i_sweep == 1)
            p->miss = miss_of(e, p);
        p->is_active = (unsigned char)wr_engine_needs_integration(e, p);
    }
    for (int i = 0; i < e->n; i++)
        n_active += e->participant[i].is_active;
    e->is_all_active = n_active == e->n;
    if (n_active > 0 && (!e->options.has_active_set || e->accelerate)) {
        for (int i = 0; i < e->n; i++)
            e->participant[i].is_active = 1;
        e->is_all_active = 1;
    }
    return n_active;
}

/* Adds the changes of the producers that have just integrated to this consumer's inputs. The size is
 * the largest over the window, the sign that at its end, where predictions are worst. */
static inline void add_changes(wr_engine *e, int i_consumer)
{
    wr_participant *const consumer = &e->participant[i_consumer];
    double change = 0.0;
    for (int j = 0; j < consumer->n_read; j++) {
        const wr_engine_read read = consumer->read[j];
        const wr_participant *const producer = &e->participant[read.i_producer];
        if (producer->i_batch != e->n_batches)
            continue;
        const wr_converge *const c = producer->converge;
        change = wr_max(change, c->delta[read.i_signal]);
        consumer->moved[j] += c->moved[read.i_signal];
    }
    consumer->pending += change;
    if (change > 0.0)
        consumer->is_settled = 0;
    consumer->is_looked = 0;
}

void wr_engine_look_early(wr_engine *e, int i_task)
{
    for (int k = e->due_start[i_task]; k < e->due_start[i_task + 1]; k++) {
        wr_participant *const p = &e->participant[e->due[k]];
        add_changes(e, e->due[k]);
        if (e->i_sweep == 1)
            p->miss = miss_of(e, p);
        p->is_active = 0;
        if (p->status < 0 || !wr_engine_needs_integration(e, p))
            continue;
        p->is_active = (unsigned char)wr_engine_is_moved(e, p, e->i_sweep + 1);
        p->is_settled = !p->is_active;
        p->is_looked = 1;
    }
}

void wr_engine_tell_consumers(wr_engine *e)
{
    if (e->looks_early)
        return;
    for (int i = 0; i < e->n && e->n_batch == e->n; i++)
        add_changes(e, i);
    if (e->n_batch == e->n)
        return;
    for (int b = 0; b < e->n_batch; b++) {
        const int i_producer = e->batch[b];
        if (e->participant[i_producer].i_batch != e->n_batches)
            continue;
        for (int k = e->consumer_start[i_producer]; k < e->consumer_start[i_producer + 1]; k++) {
            const int i = e->consumer[k];
            if (e->told_in_batch[i] == e->n_batches)
                continue; /* of all its producers at once */
            e->told_in_batch[i] = e->n_batches;
            add_changes(e, i);
        }
    }
}

/* ---- what is learned ---- */

void wr_engine_measure_gain(wr_participant *p)
{
    const wr_subsystem *const s = p->subsystem;
    const double state = wr_converge_state(s->group->n_x, s->x, p->x_end, p->rtol, p->atol_state);
    wr_gain_learn(&p->gain, p->pending, p->effect, wr_max(p->change, state));
}
