/* Predictions from one period ago, for models that repeat themselves. See period_history.h, and relax/predict.h,
 * history.h, phase.h.
 *
 * Each task stores the published waves of its subsystem, and the phase at the ends of its periods. The phase is time,
 * or a signal that the subsystem publishes or reads; a phase that is read may be stale. So the history depends only on
 * the selected versions. A subsystem that does not read the phase has no history.
 *
 * Thread: the worker that has claimed the task. Real-time: after placing.
 */
#include "runtime/slack/period_history.h"

/* Finds the source of the phase. Returns 0 if the task does not know the phase. */
static int find_phase(const wr_slack_options *o, wr_period_task *p)
{
    const wr_subsystem *const s = p->subsystem;
    p->i_phase_source = -1;
    p->i_phase_signal = o->phase_signal;
    if (o->phase_part < 0 || o->phase_part == p->i)
        return 1;
    for (int k = 0; k < s->n_external; k++)
        if (p->link->producer[s->external_source[k]] == o->phase_part &&
            s->external_signal[k] == o->phase_signal) {
            p->i_phase_source = s->external_source[k];
            return 1;
        }
    return 0;
}

int wr_period_history_place(const wr_slack_plan *plan, wr_period_task *p, wr_arena *arena)
{
    const wr_slack_options *const o = &plan->options;
    if (!(o->history_period > 0.0) || o->fixed_degree >= 0 || p->out.is_played ||
        p->subsystem->n_published == 0 || !find_phase(o, p))
        return 0;
    p->history = wr_history_place(arena, p->subsystem->n_published, o->cap_history);
    p->phase = wr_phase_place(arena, o->history_period, o->phase_part < 0);
    return p->history && p->phase ? 0 : -1;
}

static wr_phase_point phase_at_end(const wr_slack_plan *plan, const wr_period_task *p,
                                   const wr_wave *wave)
{
    wr_phase_point point = {.t_s = p->end_s, .phase = p->end_s, .rate = 1.0};
    wr_cursor cursor = wr_cursor_start();
    if (plan->options.phase_part >= 0)
        wr_wave_eval_many(p->i_phase_source < 0 ? wave : p->subsystem->source[p->i_phase_source],
                          &cursor, p->end_s, 1, &p->i_phase_signal, &point.phase, &point.rate);
    return point;
}

wrsim_status wr_period_history_offer(const wr_slack_plan *plan, wr_period_task *p,
                                     const wr_wave *wave, double horizon_s, wr_wave *ret_prediction)
{
    if (!p->history)
        return wr_predict_offer(p->predict, wave, p->weight, NULL, horizon_s, ret_prediction);
    const double period = plan->options.history_period;
    const wr_phase_point now = phase_at_end(plan, p, wave);
    wr_predict_past past = {.period_s = period / now.rate};
    double t_s, rate;
    if (wr_phase_back(p->phase, now, period, &p->phase_place, &t_s, &rate))
        past.source[0] = (wr_predict_source){p->history, t_s, rate};
    WR_TRY(wr_predict_offer(p->predict, wave, p->weight, &past, horizon_s, ret_prediction));
    wr_history_append(p->history, wave);
    wr_history_show(p->history);
    wr_phase_append(p->phase, now);
    return WRSIM_OK;
}

void wr_period_history_state(wr_period_task *p, wr_state_io *io)
{
    const wr_history *const history[WR_PREDICT_SOURCES] = {p->history};
    wr_predict_state(p->predict, io, history);
    if (!p->history)
        return;
    wr_history_state(p->history, io);
    wr_phase_state(p->phase, io);
    WR_STATE(io, p->phase_place);
}
