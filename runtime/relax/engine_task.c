/* A subsystem's task in a sweep. See engine.h.
 *
 * Thread: any worker; a task writes only its own participant. Real-time: yes.
 */
#include <string.h>

#include "runtime/base/clock.h"
#include "runtime/relax/engine_work.h"

static int64_t rhs_count(const wr_subsystem *s)
{
    return s->integrator ? wr_integrator_stats(s->integrator)->n_rhs + s->stats.n_effect_rhs
                         : s->stats.n_advance;
}

int64_t wr_engine_rhs(const wr_engine *e, int i)
{
    return rhs_count(e->participant[i]->part->subsystem);
}

void wr_engine_commit_rows(wr_engine *e, int i)
{
    wr_participant *const p = e->participant[i];
    if (p->has_rows && e->hooks.commit)
        p->commit_status = e->hooks.commit(e->hooks.context, i);
    p->has_rows = 0;
}

static void integrate(wr_engine *e, int i)
{
    wr_participant *const p = e->participant[i];
    wr_subsystem *const s = p->part->subsystem;
    p->is_settled = !wr_engine_is_moved(e, p);
    p->is_unmoved = p->is_settled || e->is_last_look;
    if (p->is_unmoved)
        return;
    p->tolerance_factor = p->next_factor;
    if (!p->is_saved) {
        wr_engine_commit_rows(e, i);
        wr_predict_accept(p->predict);
        if (p->has_wave && p->history && p->is_predicted)
            wr_history_append(p->history, p->iterate[1 - p->i_iterate]);
        p->has_wave = 0;
        wr_subsystem_save(s);
        p->is_saved = 1;
    } else {
        wr_subsystem_restore(s);
    }
    for (int j = 0; j < s->n_source; j++)
        s->source[j] = e->participant[p->part->producer[j]]->published;
    s->wave = p->iterate[p->i_iterate];
    const int64_t n_rhs_before = rhs_count(s), start_ns = wr_clock_monotonic_ns();
    const int64_t n_event = s->stats.n_state_event + s->stats.n_time_event;
    p->status = wr_subsystem_advance(s, e->t_end_s, p->tolerance_factor);
    p->advance_s = 1e-9 * (double)(wr_clock_monotonic_ns() - start_ns);
    p->n_rhs = rhs_count(s) - n_rhs_before;
    p->work = (double)p->n_rhs * p->part->work_per_rhs;
    if (s->stats.n_state_event + s->stats.n_time_event > n_event)
        wr_gain_note_event(&p->gain);
    if (p->status < 0)
        return;
    wr_converge *const c = p->converge;
    c->jump_time_s = wr_max(p->part->rtol * e->length_s, e->options.event_tolerance_s);
    if (p->is_predicted || p->n_integrated > 0)
        wr_converge_compare(c, s->wave, p->published);
    else
        wr_converge_begin(c, s->wave);
    p->is_measurable = p->n_integrated > 0 && p->factor_before <= p->tolerance_factor &&
                       e->options.acceleration == WR_ACCELERATE_KIND_NONE;
    p->factor_before = p->tolerance_factor;
    if (p->is_measurable)
        wr_engine_measure_change(p);
    memcpy(p->x_end, s->x, (size_t)s->group->n_x * sizeof *p->x_end);
    if (p->is_predicted)
        p->status = wr_predict_offer(p->predict, s->wave, c->weight, p->history ? &p->past : NULL,
                                     wr_window_longest_next(&e->window),
                                     p->prediction[1 - p->i_prediction]);
}

void wr_engine_run_task(wr_engine *e, int i)
{
    const int64_t start_ns = wr_clock_monotonic_ns();
    integrate(e, i);
    e->participant[i]->task_s = 1e-9 * (double)(wr_clock_monotonic_ns() - start_ns);
}
