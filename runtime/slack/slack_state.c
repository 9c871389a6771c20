/* The state of slackened synchronisation between two runs, as bytes (base/state_io.h). See slack.h.
 *
 * Between two runs all tasks are at one time, observers have received all rows, and no period is begun. The state contains the
 * ends and predictions of the versions that a reader has not released. The waves of these versions belong to past periods, so the
 * state contains the waves only if periods are watched. The state of a played source contains its position. The position of a replay
 * in its log follows from the time.
 *
 * Thread: one owner, between two runs. Real-time: yes.
 */
#include "runtime/slack/period_history.h"
#include "runtime/slack/period_length.h"
#include "runtime/slack/slack.h"
#include "runtime/slack/slack_run.h"

int wr_slack_opaque(const wr_slack *slack)
{
    for (int i = 0; i < slack->plan.n; i++)
        if (!wr_subsystem_has_state(slack->plan.part[i].subsystem))
            return i;
    return -1;
}

/* ---- unreleased versions ---- */

/* Reads or writes one version. slot: the version's slot, if the state is read or written; else NULL. */
static void version_state(const wr_slack_plan *plan, wr_period_task *p, int64_t version,
                          wr_wave_store_slot *slot, wr_state_io *io)
{
    wr_version *const v = &p->out.info[(version - 1) % p->out.cap];
    WR_STATE(io, v->end_s);
    WR_STATE(io, v->next_s);
    wr_period_length_pass(plan, io, &v->span);
    WR_STATE_ARRAY(io, v->wish, p->n_source);
    WR_STATE(io, v->sweep);
    WR_STATE(io, v->is_final);
    wr_wave_state(v->prediction, io);
    if (plan->options.slack.watch == 0)
        return;
    const size_t bytes = (size_t)p->subsystem->n_published * sizeof(double);
    wr_wave_state(slot ? slot->wave : p->subsystem->wave, io);
    wr_state_bytes(io, slot ? slot->extra : p->weight, bytes);
    if (p->out.no_difference)
        wr_wave_state(slot ? slot->difference : p->out.no_difference, io);
}

/* Reads or writes the unreleased versions. Reading restores the store and the numbers of its versions. */
static void kept_state(const wr_slack_plan *plan, wr_period_task *p, wr_state_io *io)
{
    const int is_read = wr_state_reads(io), is_written = io->mode == WR_STATE_WRITE;
    const int64_t n_kept = wr_state_count(io, p->out.n_kept, p->out.cap);
    const int64_t before = is_read || is_written ? wr_wave_store_written(p->out.store) - n_kept : 0;
    if (is_read)
        wr_wave_store_reset(p->out.store, before);
    for (int64_t v = before; v < before + n_kept; v++) {
        wr_wave_store_slot held = {NULL, NULL, NULL},
                           *slot = is_read ? wr_wave_store_begin(p->out.store) : NULL;
        if (is_written) {
            held = *wr_wave_store_read(p->out.store, v);
            slot = &held;
        }
        version_state(plan, p, v + 1, slot, io);
        if (!is_read)
            continue;
        p->subsystem->wave = slot->wave; /* after the loop: the last version's wave */
        wr_wave_store_publish(p->out.store);
    }
}

/* ---- all ---- */

/* Reads or writes the times and the numbers of versions of all tasks. */
static void times_state(const wr_slack_plan *plan, wr_state_io *io)
{
    double t_s = plan->part[0].t_s;
    int64_t n_tick = plan->part[0].n_tick;
    WR_STATE(io, t_s);
    WR_STATE(io, n_tick);
    for (int i = 0; i < plan->n; i++) {
        wr_period_task *const p = &plan->part[i];
        WR_ASSERT(io->mode != WR_STATE_WRITE || (p->t_s <= t_s && p->t_s >= t_s));
        const int64_t written =
            wr_state_count(io, wr_wave_store_written(p->out.store), INT64_MAX - 1);
        if (!wr_state_reads(io))
            continue;
        wr_wave_store_reset(p->out.store, written);
        p->t_s = p->end_s = t_s;
        p->n_tick = n_tick;
        p->sweep = p->is_begun = p->has_log = p->has_waited = p->is_saved = p->timing.is_timing = 0;
        p->status = WRSIM_OK;
        /* relaxed: between two runs only the owner uses the tasks. */
        atomic_store_explicit(&p->clock_s, t_s, memory_order_relaxed);
    }
}

static void part_state(const wr_slack_plan *plan, wr_period_task *p, wr_state_io *io)
{
    wr_state_begin(io, "part", p->i);
    wr_subsystem_state(p->subsystem, io);
    wr_period_history_state(p, io);
    wr_wave_state(p->out.start_prediction, io); /* the wave has the ports' start values */
    kept_state(plan, p, io);
    wr_period_length_pass(plan, io, &p->span);
    wr_period_length_pass(plan, io, &p->next_span);
    for (int j = 0; j < p->n_source; j++)
        wr_period_length_pass(plan, io, &p->source[j].wish);
    /* the oldest and the newest version of a source that the reader may read, as distances from the last version */
    for (int j = 0; j < p->n_pick; j++) {
        wr_version_source *const source = &p->source[j];
        const wr_published *const producer = source->producer;
        const int64_t written = wr_wave_store_written(producer->store);
        const int64_t behind = wr_state_count(io, written - source->floor, producer->cap);
        const int64_t unknown = wr_state_count(io, written - source->known, producer->cap);
        WR_STATE(io, source->is_awaited);
        if (!wr_state_reads(io))
            continue;
        source->floor = source->version = written - behind;
        source->known = written - unknown;
    }
    WR_STATE_ARRAY(io, p->age, p->subsystem->n_external);
    WR_STATE(io, p->n_stale);
    WR_STATE(io, p->n_integration);
    wr_sweep_residual_state(&p->rest, p->subsystem->n_published, io);
    if (p->delay) {
        wr_delay_error_state(p->delay, io);
        WR_STATE(io, p->limits.local);
        WR_STATE(io, p->limits.global);
        WR_STATE(io, p->limits.n_relax);
        WR_STATE(io, p->n_sweep);
        WR_STATE(io, p->limits.quiet_s);
        wr_state_index(io, &p->limits.i_pending, p->n_source);
    }
    wr_state_end(io);
}

void wr_slack_state(wr_slack *slack, wr_state_io *io)
{
    const wr_slack_plan *const plan = &slack->plan;
    /* If the state is written, the loop counts the versions that a reader has not released. */
    for (int i = 0; i < plan->n; i++)
        plan->part[i].out.n_kept = 0;
    for (int i = 0; i < plan->n && io->mode == WR_STATE_WRITE; i++)
        for (int j = 0; j < plan->part[i].n_pick; j++) {
            const wr_version_source *const source = &plan->part[i].source[j];
            wr_published *const producer = source->producer;
            const int64_t first = source->floor > 1 ? source->floor : 1;
            const int64_t n = wr_wave_store_written(producer->store) - first + 1;
            producer->n_kept = n > producer->n_kept ? n : producer->n_kept;
        }
    wr_state_begin(io, "slack", plan->n);
    times_state(plan, io);
    wr_state_end(io);
    wr_state_begin(io, "clocks", 0); /* n_wait differs between equal runs */
    for (int i = 0; i < plan->n; i++)
        WR_STATE(io, plan->part[i].n_wait);
    wr_state_end(io);
    for (int i = 0; i < plan->n; i++)
        part_state(plan, &plan->part[i], io);
    if (!wr_state_reads(io))
        return;
    for (int i = 0; i < plan->n; i++)
        for (int j = 0; j < plan->part[i].n_pick; j++) {
            const wr_version_source *const source = &plan->part[i].source[j];
            if (source->floor > 1)
                wr_wave_store_release(source->producer->store, source->i_reader, source->floor - 1);
        }
    slack->reported_s = wr_slack_time(slack);
    /* A stop belongs to the previous run. */
    atomic_store_explicit(&slack->stop, 0, memory_order_relaxed);
}
