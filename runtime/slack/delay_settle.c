/* Delay errors of periods, and the actions on errors above a limit. See delay_settle.h and delay_error.h.
 *
 * A task settles a period after the task has selected versions up to the period's end. Published versions that are not selected
 * do not count. A task judges the periods of its subsystem only. The actions of a task change the versions that the task waits
 * for, the periods that it requests, and its sweeps per period. So results depend only on the versions that the task has read.
 *
 * Thread: the worker that has claimed the task. Real-time: yes.
 */
#include <math.h>

#include "runtime/slack/delay_settle.h"
#include "runtime/slack/period_length.h"

/* Times that differ by less than this share of a period (assumed) are equal up to rounding. */
static const double CLOSE = 1e-9;

void wr_delay_settle_watch(const wr_slack_plan *plan, wr_period_task *part)
{
    if (part->n_source > 0)
        wr_delay_error_open(part->delay, part->end_s,
                            part->n_tick / part->span % plan->options.slack.watch ==
                                plan->options.slack.watch - 1);
}

/* ---- true inputs ---- */

typedef struct truth {
    const wr_slack_plan *plan;
    const wr_period_task *part;
} truth;

/* Returns the published wave of a source at t_s: the first wave that ends at t_s or later. With is_after the wave ends after t_s. If no
 * known wave ends so late, returns the last known wave. */
static const wr_wave *wave_at(const wr_slack_plan *plan, const wr_version_source *source,
                              double t_s, int is_after)
{
    const double tolerance_s = CLOSE * plan->options.slack.period_s;
    int64_t found = source->known;
    for (int64_t v = source->known; v >= 1 && v >= source->floor; v--) {
        const wr_version *const version = wr_version_of(source, v);
        if (!version->is_final)
            continue;
        if (is_after ? version->end_s <= t_s + tolerance_s : version->end_s < t_s - tolerance_s)
            break;
        found = v;
    }
    return wr_wave_store_read(source->producer->store, found - 1)->wave;
}

/* Writes the true inputs at t_s. Inputs from played sources keep their values, because the task reads these sources without a delay. */
static void true_inputs(void *context, double t_s, int is_after, double *ret)
{
    const truth *const k = context;
    const wr_subsystem *const s = k->part->subsystem;
    for (int i = 0; i < s->n_source; i++) {
        const wr_version_source *const source = &k->part->source[i];
        const wr_wave *const wave =
            source->is_played ? NULL : wave_at(k->plan, source, t_s, is_after);
        for (int j = 0; j < s->n_external && wave; j++) {
            wr_cursor cursor = wr_cursor_start();
            if (s->external_source[j] != i)
                continue;
            if (is_after)
                wr_cursor_pass(&cursor, wave, t_s);
            ret[j] = wr_wave_eval(wave, &cursor, t_s, s->external_signal[j]);
        }
    }
}

/* Returns the error that a source has published for one of its signals. */
static double own_error(const wr_version_source *source, int i_signal)
{
    return source->is_played || source->known == 0
               ? 0.0
               : wr_wave_store_read(source->producer->store, source->known - 1)->extra[i_signal];
}

static void producers_errors(void *context, double *ret)
{
    const truth *const k = context;
    const wr_subsystem *const s = k->part->subsystem;
    for (int j = 0; j < s->n_external; j++)
        ret[j] = own_error(&k->part->source[s->external_source[j]], s->external_signal[j]);
}

/* ---- for a shadow ---- */

static const wr_wave *published(void *context, int i_source, double t_s)
{
    const truth *const k = context;
    return wave_at(k->plan, &k->part->source[i_source], t_s, 1);
}

static const wr_wave *difference(void *context, int i_source, int64_t *version)
{
    const truth *const k = context;
    const wr_version_source *const source = &k->part->source[i_source];
    if (source->is_played)
        return NULL;
    const int64_t next = *version + 1 < source->floor ? source->floor : *version + 1;
    if (next > source->known || next < 1)
        return NULL;
    *version = next;
    return wr_wave_store_read(source->producer->store, next - 1)->difference;
}

static void producers_error(void *context, int i_source, double *ret)
{
    const truth *const k = context;
    const wr_version_source *const source = &k->part->source[i_source];
    const int n = k->plan->part[source->producer->i].subsystem->n_published;
    for (int i = 0; i < n; i++)
        ret[i] = own_error(source, i);
}

/* ---- limits ---- */

/* Returns 1 if the action has no further effect on this source. */
static int is_done(const wr_slack_plan *plan, const wr_version_source *source, int action)
{
    return (action == WR_ACTION_WAIT && source->is_awaited) ||
           (action == WR_ACTION_SHORTEN && wr_period_length_is_shortest(plan, source));
}

/* Returns the source for the action: i_source, the source with the largest share in the judged period. If i_source is -1 or allows no
 * further action, returns the source with the largest share since the start that allows the action, or -1. */
static int worst_source(const wr_slack_plan *plan, const wr_period_task *part, int action,
                        int i_source)
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

/* Starts the action. WR_ACTION_RELAX acts from the period that the task begins now; shorter periods and waits act from the next period on.
 * The error is `factor` times the limit. Returns 1 if the action changes a requested period, a wait or n_relax. */
static int act(const wr_slack_plan *plan, wr_period_task *part, int action, int i_source,
               double factor)
{
    switch (action) {
    case WR_ACTION_LOG:
    case WR_ACTION_WARN:
        break;
    case WR_ACTION_SHORTEN:
        return i_source >= 0 && wr_period_length_shorten(plan, part, i_source, factor);
    case WR_ACTION_WAIT:
        if (i_source < 0 || part->source[i_source].is_awaited)
            break;
        part->source[i_source].is_awaited = 1;
        return 1;
    case WR_ACTION_RELAX:
        if (part->limits.n_relax >= WR_SLACK_MOST_RELAXED)
            break;
        part->limits.n_relax++;
        return 1;
    case WR_ACTION_STOP:
        part->limits.is_exceeded = 1;
        break;
    }
    return 0;
}

/* Judges an error against its limit (0: none), and starts the action on an excess. */
static void judge(const wr_slack_plan *plan, wr_period_task *part, double limit, int action,
                  wr_slack_excess *excess, double error, double t_s, int i_source)
{
    wr_task_limits *const state = &part->limits;
    if (!(limit > 0.0) || error <= limit)
        return;
    if (excess->n++ == 0)
        excess->first_s = t_s;
    excess->last_s = t_s;
    /* Periods before the last action do not show the effect of that action, so they cause no further action. WR_ACTION_STOP does not wait
     * for the effect, because the other limit may act repeatedly. */
    if (action != WR_ACTION_STOP && (state->i_pending >= 0 || t_s <= state->quiet_s))
        return;
    i_source = worst_source(plan, part, action, i_source);
    if (!act(plan, part, action, i_source, error / limit))
        return;
    if (action == WR_ACTION_SHORTEN) {
        state->i_pending = i_source;
        state->quiet_s = part->end_s;
    } else
        state->quiet_s = part->t_s + plan->options.slack.period_s;
}

/* Ends the wait for a shortened source if the last known version of the source has periods as short as requested. */
static void await_shorter(const wr_slack_plan *plan, wr_period_task *part)
{
    wr_task_limits *const state = &part->limits;
    if (state->i_pending < 0)
        return;
    const wr_version_source *const source = &part->source[state->i_pending];
    const int64_t v = source->known;
    if (v == 0 || v < source->floor || wr_period_length_known(source) > source->wish)
        return;
    const double end_s = wr_version_of(source, v)->end_s;
    state->quiet_s = wr_max(state->quiet_s, end_s + (double)source->wish * plan->tick_s);
    state->i_pending = -1;
}

/* ---- settling ---- */

/* Returns 1 if the known difference of an upstream producer from its shadow ends before t_s. Judging needs the producer's error of the
 * same period, so the caller then waits. If the subsystem acts on the producer itself, the error is known later (delay_shadow.h). */
static int awaits_upstream(const wr_slack_plan *plan, const wr_period_task *part, double t_s)
{
    const double least_s = t_s - CLOSE * plan->options.slack.period_s;
    for (int j = 0; j < part->n_source && wr_delay_error_shadow(part->delay); j++) {
        const wr_version_source *const source = &part->source[j];
        const wr_period_task *const producer = &plan->part[source->producer->i];
        if (!source->is_upstream || producer->n_source == 0 || !producer->delay ||
            !wr_delay_error_shadow(producer->delay))
            continue;
        int64_t v = source->known;
        const wr_wave *wave = NULL;
        while (v >= 1 && v >= source->floor && (!wave || wave->n_node == 0))
            wave = wr_wave_store_read(producer->out.store, --v)->difference;
        if (!wave || wave->n_node == 0 || wr_wave_end(wave) < least_s)
            return 1;
    }
    return 0;
}

/* Returns 1 if versions of all sources but played ones are known up to t_s. */
static int is_known(const wr_slack_plan *plan, const wr_period_task *part, double t_s)
{
    int is_all = 1;
    const double least_s = t_s - CLOSE * plan->options.slack.period_s;
    for (int j = 0; j < part->n_source; j++) {
        const wr_version_source *const s = &part->source[j];
        is_all &= s->is_played || (s->known > 0 && s->known >= s->floor &&
                                   wr_version_of(s, s->known)->end_s >= least_s);
    }
    return is_all;
}

int wr_delay_settle(const wr_slack_plan *plan, wr_period_task *part)
{
    const wr_set_slack *const o = &plan->options.slack;
    truth known = {plan, part};
    const wr_delay_truth calls = {
        &known, true_inputs, producers_errors, {&known, published, difference, producers_error}};
    double start_s, end_s;
    part->limits.is_exceeded = 0;
    await_shorter(plan, part);
    while (wr_delay_error_oldest(part->delay, &start_s, &end_s) && is_known(plan, part, end_s) &&
           (wr_delay_error_is_full(part->delay) || !awaits_upstream(plan, part, end_s))) {
        wr_delay_verdict v;
        if (!wr_delay_error_settle(part->delay, &calls, &v))
            continue;
        judge(plan, part, o->eps_loc, o->on_loc, &part->limits.local, v.current, v.t_s, v.i_source);
        judge(plan, part, o->eps_glo, o->on_glo, &part->limits.global, v.estimate, v.t_s, -1);
    }
    return part->limits.is_exceeded;
}
