/* Delay errors of periods, once newer versions are known. See delay_settle.h and delay_error.h.
 *
 * A period is settled when versions up to its end have been selected, not when they have been published. So the settling depends
 * only on the selected versions.
 *
 * Thread: the worker that has claimed the task. Real-time: yes.
 */
#include <math.h>

#include "runtime/slack/delay_limit.h"
#include "runtime/slack/delay_settle.h"
#include "runtime/slack/version_select.h"

/* Times that differ by less than this share of a period are equal. */
static const double CLOSE = 1e-9;

void wr_delay_settle_watch(const wr_slack_plan *plan, wr_period_task *part)
{
    if (part->n_source > 0)
        wr_delay_error_open(part->delay, part->end_s,
                            part->n_tick / part->span % plan->options.watch ==
                                plan->options.watch - 1);
}

/* ---- true inputs ---- */

typedef struct truth {
    const wr_slack_plan *plan;
    const wr_period_task *part;
} truth;

/* The published wave of a source at a time: the first wave that ends there or later. */
static const wr_wave *wave_at(const wr_slack_plan *plan, const wr_version_source *source,
                              double t_s, int is_after)
{
    const double tolerance_s = CLOSE * plan->options.period_s;
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

/* Played sources were read without a delay. */
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

static void producers_errors(void *context, double *ret)
{
    const truth *const k = context;
    const wr_subsystem *const s = k->part->subsystem;
    for (int j = 0; j < s->n_external; j++) {
        const wr_version_source *const source = &k->part->source[s->external_source[j]];
        ret[j] = source->is_played || source->known == 0
                     ? 0.0
                     : wr_wave_store_read(source->producer->store, source->known - 1)
                           ->extra[s->external_signal[j]];
    }
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
    const int is_right = source->is_played || source->known == 0;
    for (int i = 0; i < n; i++)
        ret[i] = is_right
                     ? 0.0
                     : wr_wave_store_read(source->producer->store, source->known - 1)->extra[i];
}

/* Are versions of all sources known up to t_s? */
static int is_known(const wr_slack_plan *plan, const wr_period_task *part, double t_s)
{
    for (int j = 0; j < part->n_source; j++) {
        const wr_version_source *const source = &part->source[j];
        if (!source->is_played &&
            (source->known == 0 || source->known < source->floor ||
             wr_version_of(source, source->known)->end_s < t_s - CLOSE * plan->options.period_s))
            return 0;
    }
    return 1;
}

/* Is the shadow of a producer upstream still behind? Then the period waits, so that it is judged with the producer's
 * error of the same period. If the subsystem acts on the producer itself, the error is known later (delay_shadow.h). */
static int awaits_upstream(const wr_slack_plan *plan, const wr_period_task *part, double t_s)
{
    const double least_s = t_s - CLOSE * plan->options.period_s;
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

void wr_delay_settle(const wr_slack_plan *plan, wr_period_task *part)
{
    truth known = {plan, part};
    const wr_delay_truth calls = {
        &known, true_inputs, producers_errors, {&known, published, difference, producers_error}};
    double start_s, end_s;
    wr_delay_limit_await(plan, part);
    while (wr_delay_error_oldest(part->delay, &start_s, &end_s) && is_known(plan, part, end_s) &&
           (wr_delay_error_is_full(part->delay) || !awaits_upstream(plan, part, end_s))) {
        wr_delay_verdict verdict;
        if (wr_delay_error_settle(part->delay, &calls, &verdict))
            wr_delay_limit_judge(plan, part, &verdict);
    }
}
