/* Actions of a task whose delay error exceeds a limit. See delay_limit.h.
 *
 * A task judges the periods of its subsystem. It changes only the versions that it waits for, and its sweeps per
 * period. So its actions, like its results, depend only on the versions that it has read.
 *
 * Thread: the worker that has claimed the task. Real-time: yes.
 */
#include "runtime/slack/delay_limit.h"
#include "runtime/slack/period_length.h"

/* Has the action no further effect on this source? */
static int is_done(const wr_slack_plan *plan, const wr_version_source *source,
                   wr_slack_action action)
{
    return (action == WR_SLACK_WAIT && source->is_awaited) ||
           (action == WR_SLACK_SHORTEN && wr_period_length_is_shortest(plan, source));
}

/* The source with the largest share in that period. If this source is not known or no action is left for it: the other source
 * with the largest share so far. */
static int worst_source(const wr_slack_plan *plan, const wr_period_task *part,
                        wr_slack_action action, int i_source)
{
    if (i_source >= 0 && !is_done(plan, &part->source[i_source], action))
        return i_source;
    int worst = -1;
    double most = 0.0;
    for (int j = 0; j < part->n_source; j++) {
        const wr_delay_share share = wr_delay_error_share(part->delay, j);
        if (share.sum > most && !is_done(plan, &part->source[j], action)) {
            most = share.sum;
            worst = j;
        }
    }
    return worst;
}

/* Acts from the next period on; the error is `factor` times the limit. Returns 1 if an action follows. */
static int act(const wr_slack_plan *plan, wr_period_task *part, wr_slack_action action,
               int i_source, double factor)
{
    switch (action) {
    case WR_SLACK_LOG:
    case WR_SLACK_WARN:
        break;
    case WR_SLACK_SHORTEN:
        return i_source >= 0 && wr_period_length_shorten(plan, part, i_source, factor);
    case WR_SLACK_WAIT:
        if (i_source < 0 || part->source[i_source].is_awaited)
            break;
        part->source[i_source].is_awaited = 1;
        return 1;
    case WR_SLACK_RELAX:
        if (part->n_relax >= WR_SLACK_MOST_RELAXED)
            break;
        part->n_relax++;
        return 1;
    case WR_SLACK_STOP:
        part->is_exceeded = 1;
        break;
    }
    return 0;
}

static void judge(const wr_slack_plan *plan, wr_period_task *part, const wr_slack_limit *limit,
                  wr_slack_excess *excess, double error, double t_s, int i_source)
{
    if (!(limit->most > 0.0) || error <= limit->most)
        return;
    if (excess->n++ == 0)
        excess->first_s = t_s;
    excess->last_s = t_s;
    /* Periods from before the last action do not show its effect. A stop never waits, because the other limit may act again
     * and again. */
    if (limit->action != WR_SLACK_STOP && (part->i_pending >= 0 || t_s <= part->quiet_s))
        return;
    if (!act(plan, part, limit->action, i_source, error / limit->most))
        return;
    if (limit->action == WR_SLACK_SHORTEN) {
        part->i_pending = i_source;
        part->quiet_s = part->end_s;
    } else
        part->quiet_s = part->t_s + plan->options.period_s;
}

void wr_delay_limit_await(const wr_slack_plan *plan, wr_period_task *part)
{
    if (part->i_pending < 0)
        return;
    const wr_version_source *const source = &part->source[part->i_pending];
    const int64_t v = source->known;
    if (v == 0 || v < source->floor || wr_period_length_known(source) > source->wish)
        return;
    const double end_s = wr_version_of(source, v)->end_s;
    part->quiet_s = wr_max(part->quiet_s, end_s + (double)source->wish * plan->tick_s);
    part->i_pending = -1;
}

void wr_delay_limit_judge(const wr_slack_plan *plan, wr_period_task *part,
                          const wr_delay_verdict *verdict)
{
    const wr_slack_options *const o = &plan->options;
    judge(plan, part, &o->local, &part->local, verdict->current, verdict->t_s,
          worst_source(plan, part, o->local.action, verdict->i_source));
    judge(plan, part, &o->global, &part->global, verdict->estimate, verdict->t_s,
          worst_source(plan, part, o->global.action, -1));
}
