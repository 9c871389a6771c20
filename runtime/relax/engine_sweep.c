/* Sweeps: batches of tasks in order, what they come to, and who is told of it. See engine.h.
 *
 * Thread: serial section. Real-time: yes.
 */
#include <math.h>
#include <string.h>

#include "runtime/relax/engine_work.h"

static const double COST_MEMORY = 0.9; /* of the work of an integration */

enum { COST_CLASSES = 128 }; /* of tasks, four to an octave */

/* ---- tasks of a level ---- */

/* 0 for the longest tasks, COST_CLASSES - 1 for those that cost less than 2. */
static int cost_class(double cost)
{
    int exponent = 0;
    const double mantissa = frexp(cost, &exponent); /* in [0.5, 1) */
    const double quarters = 4.0 * (exponent - 1) + 8.0 * (mantissa - 0.5);
    return COST_CLASSES - 1 - (int)wr_clamp(quarters, 0.0, COST_CLASSES - 1);
}

/* Longest tasks first, in an order that a batch of any size gets in one pass (Graham 1969: what is
 * lost against the best schedule is at most the last task). One worker goes from subsystem to
 * subsystem, as they lie in memory. */
static const int *order_batch(wr_engine *e)
{
    if (e->n_active_worker == 1 || e->n_batch <= e->n_active_worker)
        return NULL;
    int first[COST_CLASSES + 1] = {0};
    for (int k = 0; k < e->n_batch; k++)
        first[cost_class(e->participant[e->batch[k]]->cost) + 1]++;
    for (int c = 0; c < COST_CLASSES; c++)
        first[c + 1] += first[c];
    for (int k = 0; k < e->n_batch; k++)
        e->order[first[cost_class(e->participant[e->batch[k]]->cost)]++] = k;
    return e->order;
}

/* Fills the batch of the present level; 0 if it has no active subsystem. */
static int prepare_level(wr_engine *e)
{
    e->n_batch = 0;
    for (int k = e->level_start[e->i_level]; k < e->level_start[e->i_level + 1]; k++) {
        wr_participant *const p = e->participant[e->by_level[k]];
        if (e->options.is_gauss_seidel && e->options.has_active_set)
            p->is_active = wr_engine_needs_integration(e, p);
        if (!p->is_active)
            continue;
        p->next_factor = wr_engine_tolerance_factor(e, p);
        e->batch[e->n_batch++] = e->by_level[k];
    }
    if (e->n_batch == 0)
        return 0;
    wr_team_batch(e->team, e->n_batch, order_batch(e));
    return 1;
}

int wr_engine_prepare_from(wr_engine *e, int level)
{
    for (e->i_level = level; e->i_level < e->n_level; e->i_level++)
        if (prepare_level(e))
            return 1;
    return 0;
}

/* ---- where the window is repeated ---- */

wr_phase_point wr_engine_phase_at_end(const wr_engine *e)
{
    wr_phase_point point = {.t_s = e->t_end_s, .phase = e->t_end_s, .rate = 1.0};
    if (e->options.phase_part < 0)
        return point;
    wr_cursor cursor = wr_cursor_start();
    wr_wave_eval_many(e->participant[e->options.phase_part]->published, &cursor, e->t_end_s, 1,
                      &e->options.phase_signal, &point.phase, &point.rate);
    return point;
}

/* Where in the histories the window's end is repeated: one period back, and at the siblings. */
static void find_past(wr_engine *e)
{
    const wr_phase_point now = wr_engine_phase_at_end(e);
    double own_s = 0.0, own_rate = 1.0, t_s = 0.0, rate = 1.0, lag = 0.0;
    const int has_own = wr_phase_back(e->phase, now, e->options.period, &own_s, &own_rate);
    int has_lag = 0;
    for (int i = 0; i < e->n; i++) {
        wr_participant *const p = e->participant[i];
        p->past = (wr_predict_past){.period_s = e->options.period / now.rate};
        if (has_own)
            p->past.source[0] = (wr_predict_source){p->history, own_s, own_rate};
        if (p->part->sibling < 0)
            continue;
        if (p->part->lag != lag) { /* mostly all the same */
            lag = p->part->lag;
            has_lag = wr_phase_back(e->phase, now, lag, &t_s, &rate);
        }
        if (has_lag)
            p->past.source[1] =
                (wr_predict_source){e->participant[p->part->sibling]->history, t_s, rate};
    }
}

void wr_engine_begin_sweep(wr_engine *e)
{
    if (e->phase)
        find_past(e);
    e->i_sweep++;
    e->n_swept = 0;
    e->n_wanted = 0;
    e->delta_before = e->delta;
    e->delta = 0.0;
}

/* ---- after a batch ---- */

void wr_engine_publish_level(wr_engine *e)
{
    for (int k = 0; k < e->n_batch; k++) {
        wr_participant *const p = e->participant[e->batch[k]];
        if (p->is_unmoved) {
            p->is_active = 0;
            e->n_wanted += !p->is_settled;
            continue;
        }
        p->pending_used = p->pending;
        p->pending = 0.0;
        memset(p->moved, 0, (size_t)p->part->subsystem->n_external * sizeof *p->moved);
        e->n_swept++;
        wr_engine_measure_gain(p);
        if (e->accelerate)
            e->before[e->batch[k]] = p->published;
        p->published = p->iterate[p->i_iterate];
        p->i_iterate = 1 - p->i_iterate;
        p->n_integrated++;
        e->n_integrated++;
        e->review_work += p->work;
        p->cost = p->cost > 0.0 ? COST_MEMORY * p->cost + (1.0 - COST_MEMORY) * p->work : p->work;
        e->delta = wr_max(e->delta, p->converge->delta_max);
    }
    e->n_batches++;
    for (int k = 0; k < e->n_batch; k++)
        if (e->participant[e->batch[k]]->is_active)
            wr_engine_tell_consumers(e, e->batch[k]);
}

/* ---- acceleration ---- */

/* The common grid has no jump nodes: waves that jump are passed on as they are. */
static int has_jump(const wr_wave *wave, const double *weight)
{
    for (int i = 0; i + 1 < wave->n_node; i++) {
        const double *const left = wave->value + (size_t)i * (size_t)wave->n_signal;
        for (int k = 0; k < wave->n_signal && wave->t_s[i + 1] <= wave->t_s[i]; k++)
            if (fabs(left[wave->n_signal + k] - left[k]) > weight[k])
                return 1;
    }
    return 0;
}

void wr_engine_accelerate_sweep(wr_engine *e)
{
    for (int i = 0; i < e->n; i++) {
        const wr_participant *const p = e->participant[i];
        if (has_jump(p->published, p->converge->weight)) {
            wr_accelerate_reset(e->accelerate);
            return;
        }
    }
    for (int i = 0; i < e->n; i++) {
        wr_participant *const p = e->participant[i];
        e->now[i] = p->published;
        e->scale[i] = p->converge->weight;
        e->next[i] = p->accelerated;
    }
    if (wr_accelerate_step(e->accelerate, e->before, e->now, e->scale, e->next) < 0)
        return;
    for (int i = 0; i < e->n; i++)
        e->participant[i]->published = e->participant[i]->accelerated;
}
