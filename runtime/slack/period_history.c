/* Predictions from waveforms one period earlier. See period_history.h, and predict.h, history.h, phase.h in runtime/relax.
 *
 * A task with a history stores the published waves of its subsystem, and the phase at the ends of its periods. The phase is time, or a
 * signal that the subsystem publishes or reads. The subsystem reads a phase of another subsystem from the selected version, which may be
 * stale. So the history depends only on the selected versions. If the phase is a signal, a subsystem that neither publishes nor reads the
 * phase has no history.
 *
 * Thread: the worker that has claimed the task. Real-time: yes after placing.
 */
#include "runtime/slack/period_history.h"

#include "runtime/relax/phase.h"

typedef struct wr_period_history {
    wr_history *waves;
    wr_phase *phase;
    int i_source, i_signal; /* source and signal of the phase; source -1: the task's own wave */
    int64_t phase_place;    /* last place in the phase (wr_phase_back) */
} wr_period_history;

int wr_period_history_place(const wr_slack_plan *plan, wr_period_task *p, wr_arena *arena)
{
    const wr_slack_options *const o = &plan->options;
    const wr_subsystem *const s = p->subsystem;
    if (!(o->history_period > 0.0) || o->fixed_degree >= 0 || p->out.is_played ||
        s->n_published == 0)
        return 0;
    int i_source = -1, is_known = o->phase_part < 0 || o->phase_part == p->i;
    for (int k = 0; k < s->n_external && !is_known; k++)
        if (p->link->producer[s->external_source[k]] == o->phase_part &&
            s->external_signal[k] == o->phase_signal) {
            i_source = s->external_source[k];
            is_known = 1;
        }
    if (!is_known)
        return 0;
    p->history = WR_NEW(arena, wr_period_history);
    if (!p->history)
        return -1;
    *p->history =
        (wr_period_history){.waves = wr_history_place(arena, s->n_published, o->cap_history),
                            .phase = wr_phase_place(arena, o->history_period, o->phase_part < 0),
                            .i_source = i_source,
                            .i_signal = o->phase_signal};
    return p->history->waves && p->history->phase ? 0 : -1;
}

wrsim_status wr_period_history_offer(const wr_slack_plan *plan, const wr_period_task *p,
                                     const wr_wave *wave, double horizon_s, wr_wave *ret_prediction)
{
    wr_period_history *const h = p->history;
    if (!h)
        return wr_predict_offer(p->predict, wave, p->weight, NULL, horizon_s, ret_prediction);
    const double period = plan->options.history_period;
    wr_phase_point now = {.t_s = p->end_s, .phase = p->end_s, .rate = 1.0};
    wr_cursor cursor = wr_cursor_start();
    if (plan->options.phase_part >= 0)
        wr_wave_eval_many(h->i_source < 0 ? wave : p->subsystem->source[h->i_source], &cursor,
                          p->end_s, 1, &h->i_signal, &now.phase, &now.rate);
    wr_predict_past past = {.period_s = period / now.rate};
    double t_s, rate;
    if (wr_phase_back(h->phase, now, period, &h->phase_place, &t_s, &rate))
        past.source[0] = (wr_predict_source){h->waves, t_s, rate};
    WR_TRY(wr_predict_offer(p->predict, wave, p->weight, &past, horizon_s, ret_prediction));
    wr_history_append(h->waves, wave);
    wr_history_show(h->waves);
    wr_phase_append(h->phase, now);
    return WRSIM_OK;
}

void wr_period_history_state(wr_period_task *p, wr_state_io *io)
{
    wr_period_history *const h = p->history;
    const wr_history *const waves[WR_PREDICT_SOURCES] = {h ? h->waves : NULL};
    wr_predict_state(p->predict, io, waves);
    if (!h)
        return;
    wr_history_state(h->waves, io);
    wr_phase_state(h->phase, io);
    WR_STATE(io, h->phase_place);
}
