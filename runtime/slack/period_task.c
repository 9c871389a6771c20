/* The sweeps of one task. See period_task.h. Thread: the worker that has claimed the task. Real-time: yes. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "runtime/slack/delay_settle.h"
#include "runtime/slack/period_history.h"
#include "runtime/slack/period_length.h"
#include "runtime/slack/period_task.h"
#include "runtime/slack/slack_clock.h"
#include "runtime/slack/slack_run.h"
#include "runtime/slack/version_select.h"

/* ---- reading ---- */

/* Returns the wave of source j that the period reads. For a played source and after the first sweep, this wave is the wave of the version.
 * Else the wave is the version's prediction, or a constant wave if the period ends beyond the prediction. source->input has memory for the
 * two nodes of the constant wave. */
static const wr_wave *read_source(const wr_slack_plan *plan, wr_period_task *part, int j)
{
    wr_version_source *const source = &part->source[j];
    const int64_t v = source->version;
    if (source->is_played || part->sweep > 0)
        return wr_wave_store_read(source->producer->store, v - 1)->wave;
    const wr_wave *const prediction =
        v > 0 ? wr_version_of(source, v)->prediction : source->producer->start_prediction;
    const double reach_s =
        wr_wave_start(prediction) + WR_SLACK_REACH * plan->options.slack.period_s;
    if (part->end_s <= reach_s || wr_time_close(part->end_s, reach_s))
        return prediction;
    wr_wave *const wave = source->input;
    double *value, *slope;
    wr_cursor cursor = wr_cursor_start();
    wr_wave_clear(wave);
    for (int k = 0; k < 2; k++) {
        if (wr_wave_extend(wave, k == 0 ? part->t_s : part->end_s, &value, &slope) < 0)
            break;
        for (int i = 0; i < wave->n_signal; i++) {
            value[i] = wr_wave_eval(prediction, &cursor, wr_min(part->t_s, reach_s), i);
            slope[i] = 0.0;
        }
    }
    part->n_stale++;
    return wave;
}

/* ---- publishing ---- */

/* Publishes the known errors. The last sweep of a period also publishes the difference from the shadow. */
static void publish_error(const wr_period_task *part, const wr_version *version,
                          wr_wave_store_slot *slot)
{
    wr_delay_shadow *const shadow = wr_delay_error_shadow(part->delay);
    memcpy(slot->extra, wr_delay_error_output(part->delay),
           (size_t)part->subsystem->n_published * sizeof *slot->extra);
    if (slot->difference)
        wr_wave_clear(slot->difference);
    if (slot->difference && shadow && version->is_final)
        wr_delay_shadow_take_difference(shadow, slot->difference);
}

static wrsim_status publish(const wr_slack_plan *plan, wr_period_task *part, wr_version *version,
                            wr_wave_store_slot *slot)
{
    const wr_subsystem *const s = part->subsystem;
    const wr_wave *const wave = s->wave;
    version->end_s = part->end_s;
    version->sweep = part->sweep;
    version->is_final = part->out.is_played || part->sweep + 1 >= part->n_sweep;
    part->next_span = wr_period_length_publish(plan, part, version);
    if (version->is_final && !part->out.is_played && s->n_published > 0) {
        const double *const last =
            wave->value + (size_t)(wave->n_node - 1) * (size_t)s->n_published;
        for (int i = 0; i < s->n_published; i++)
            part->weight[i] = s->rtol * fabs(last[i]) + s->atol_published[i];
        WR_TRY(wr_period_history_offer(
            plan, part, wave, WR_SLACK_REACH * plan->options.slack.period_s, version->prediction));
        wr_predict_accept(part->predict);
    }
    if (part->delay && s->n_published > 0)
        publish_error(part, version, slot);
    if (version->is_final && part->rest.converge && part->sweep > 0)
        wr_sweep_residual_note(
            &part->rest, wave,
            wr_wave_store_read(part->out.store, wr_wave_store_written(part->out.store) - 1)->wave,
            part->t_s);
    wr_wave_store_publish(part->out.store);
    return WRSIM_OK;
}

static wrsim_status commit(const wr_slack *slack, const wr_period_task *part)
{
    const wr_slack_log *const log = slack->plan.log;
    if (log && log->note && part->n_pick > 0)
        WR_TRY(log->note(log->context, part->i, part->t_s, part->version));
    const wrsim_observer *const host =
        slack->host_observer && slack->host_observer->commit ? slack->host_observer : NULL;
    wrsim_commit_record commit = {.i_subsystem = part->i,
                                  .i_worker = part->i_worker,
                                  .start_ns = host ? wr_clock_monotonic_ns() : 0};
    wrsim_status status = WRSIM_OK;
    for (const wr_observer *o = slack->observer; o && status >= 0; o = o->next)
        if (o->commit)
            status = o->commit(o->context, part->i);
    if (host) {
        commit.end_ns = wr_clock_monotonic_ns();
        commit.status = status;
        host->commit(host->user, &commit);
    }
    return status;
}

/* ---- a sweep ---- */

/* Begins a sweep. The first sweep begins a period; later sweeps roll back to the period's start. */
static void enter(wr_slack *slack, wr_period_task *part)
{
    if (part->sweep > 0) {
        wr_subsystem_restore(part->subsystem);
        return;
    }
    const wr_subsystem *const s = part->subsystem;
    for (int k = 0; k < s->n_external; k++) {
        const wr_version_source *const source = &part->source[s->external_source[k]];
        const int64_t v = source->version;
        if (source->is_played)
            continue;
        const double end_s = v > 0 ? wr_version_of(source, v)->end_s : slack->plan.options.start_s;
        wr_slack_age *const age = &part->age[k];
        age->n_read++;
        age->mean_s += part->t_s - end_s;
        age->most_s = wr_max(age->most_s, part->t_s - end_s);
    }
    if (part->delay && wr_delay_settle(&slack->plan, part))
        /* relaxed: only a flag; the owner reads excesses after the run. */
        atomic_store_explicit(&slack->is_exceeded, 1, memory_order_relaxed);
    const int n_sweep = slack->plan.options.slack.sweeps, n_relax = part->limits.n_relax;
    part->n_sweep = part->timing.is_degraded ? 1 : n_sweep > n_relax ? n_sweep : n_relax;
    for (int j = 0; j < part->n_pick; j++)
        part->version[j] = part->source[j].version;
    wr_subsystem_save(part->subsystem);
    part->is_saved = 1;
}

static wrsim_status sweep(wr_slack *slack, wr_period_task *part, wr_wave_store_slot *slot)
{
    wr_subsystem *const s = part->subsystem;
    wr_version *const version =
        &part->out.info[wr_wave_store_written(part->out.store) % part->out.cap];
    wr_slack_clock_enter(slack, part);
    enter(slack, part);
    for (int j = 0; j < part->n_source; j++)
        s->source[j] = read_source(&slack->plan, part, j);
    if (part->delay)
        wr_delay_settle_watch(&slack->plan, part);
    s->wave = slot->wave;
    part->n_integration++;
    const int64_t start_ns = wr_clock_monotonic_ns();
    WR_TRY(wr_subsystem_advance(s, part->end_s, part->timing.tolerance_factor));
    s->integration_s += 1e-9 * (double)(wr_clock_monotonic_ns() - start_ns);
    WR_TRY(publish(&slack->plan, part, version, slot));
    if (!version->is_final) {
        part->sweep++;
        wr_slack_clock_rest(slack, part);
        return WRSIM_OK;
    }
    if (part->delay)
        wr_delay_error_close(part->delay);
    const wrsim_status status = commit(slack, part);
    wr_slack_clock_leave(slack, part);
    part->t_s = part->end_s;
    part->n_tick = wr_period_length_tick(&slack->plan, part->n_tick, part->t_s);
    part->span = part->next_span;
    part->sweep = part->has_log = part->is_begun = part->is_saved = 0;
    part->n_wait += part->has_waited;
    part->has_waited = 0;
    /* relaxed: no other data belongs to clock_s. The store has published the wave (wave_store.h). */
    atomic_store_explicit(&part->clock_s, part->t_s, memory_order_relaxed);
    return status;
}

/* Calls sweep() and reports the task to the host's observer. Returns the status of sweep(). */
static wrsim_status sweep_observed(wr_slack *slack, wr_period_task *part, wr_wave_store_slot *slot)
{
    const wrsim_observer *const o = slack->host_observer;
    wrsim_task_record task = {.i_subsystem = part->i,
                              .i_worker = part->i_worker,
                              .i_sweep = part->sweep + 1,
                              .start_s = part->t_s,
                              .end_s = part->end_s,
                              .start_ns = wr_clock_monotonic_ns()};
    wrsim_period_record period = {.i_subsystem = part->i,
                                  .i_worker = part->i_worker,
                                  .start_s = part->t_s,
                                  .end_s = part->end_s,
                                  .n_sweep = part->sweep + 1,
                                  .has_waited = part->has_waited};
    if (o->task_begin)
        o->task_begin(o->user, &task);
    task.status = sweep(slack, part, slot);
    task.end_s = part->subsystem->t_s;
    task.end_ns = wr_clock_monotonic_ns();
    if (o->task_end)
        o->task_end(o->user, &task);
    period.has_deadline = wr_slack_clock_over(slack, part, &period.over_ns);
    if (task.status >= 0 && part->sweep == 0 && o->period)
        o->period(o->user, &period);
    return task.status;
}

static wr_slack_progress step(wr_slack *slack, wr_period_task *part)
{
    if (part->t_s >= slack->end_s) {
        wr_version_select_let_go(&slack->plan, part);
        return WR_SLACK_FINISHED;
    }
    if (part->sweep == 0 && !wr_slack_clock_is_due(slack, part->t_s))
        return WR_SLACK_EARLY;
    if (!part->is_begun) {
        const double grid_s =
            wr_period_length_grid(&slack->plan, wr_period_length_end(part->n_tick, part->span));
        part->end_s =
            wr_period_length_is_end(&slack->plan, grid_s, slack->end_s) ? slack->end_s : grid_s;
        part->is_begun = 1;
    }
    int i_played, i_before = -1;
    int is_ready = wr_version_select(&slack->plan, part, &i_played);
    /* A played source waits for no other task, so the worker of the reader integrates the source. */
    while (is_ready == 0 && i_played > i_before) {
        i_before = i_played;
        (void)wr_period_task_step(slack, &slack->plan.part[part->source[i_played].producer->i],
                                  part->i_worker);
        is_ready = wr_version_select(&slack->plan, part, &i_played);
    }
    wr_wave_store_slot *const slot = is_ready > 0 ? wr_wave_store_begin(part->out.store) : NULL;
    if (is_ready >= 0 && !slot) {
        part->has_waited = 1;
        return WR_SLACK_BLOCKED;
    }
    part->status = is_ready < 0           ? (wrsim_status)is_ready
                   : slack->host_observer ? sweep_observed(slack, part, slot)
                                          : sweep(slack, part, slot);
    return WR_SLACK_DONE;
}

void wr_period_task_reopen(wr_period_task *part) { part->is_begun &= part->sweep > 0; }

wr_slack_progress wr_period_task_step(wr_slack *slack, wr_period_task *part, int i_worker)
{
    /* This test precedes the claim, so that workers that wait for the start time do not wake one another. relaxed: the claim orders all
     * other accesses. */
    const double t_s = atomic_load_explicit(&part->clock_s, memory_order_relaxed);
    if (slack->clock && t_s < slack->end_s && !wr_slack_clock_is_due(slack, t_s))
        return WR_SLACK_EARLY;
    /* acquire: partner is the release below of the last owner. */
    if (atomic_fetch_add_explicit(&part->n_claim, 1, memory_order_acquire) > 0)
        return WR_SLACK_BLOCKED;
    part->i_worker = i_worker;
    const wr_slack_progress progress = part->status < 0 ? WR_SLACK_FINISHED : step(slack, part);
    if (part->status < 0 && progress == WR_SLACK_DONE) {
        if (part->delay)
            wr_delay_error_drop(part->delay);
        if (part->is_saved && part->subsystem->ops->restore)
            wr_subsystem_restore(part->subsystem);
        /* relaxed: the owner reads failures after the run. A failure does not stop tasks that catch up. */
        if (!slack->is_catching_up)
            atomic_store_explicit(&slack->is_leaving, 1, memory_order_relaxed);
    }
    /* release: partner is the acquire above. The gate opens after this store, because workers that failed to claim the task may be about to
     * sleep. */
    const int n_claim = atomic_exchange_explicit(&part->n_claim, 0, memory_order_release);
    if (progress == WR_SLACK_DONE || n_claim > 1)
        wr_gate_open(&slack->news);
    return progress;
}
