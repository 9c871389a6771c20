/* Placing an engine and its runs. See engine_place.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/relax/engine_place.h"

#include "base/rows.h"
#include "runtime/relax/engine_causes.h"
#include "runtime/relax/engine_slope.h"
#include "runtime/relax/engine_work.h"

/* Models of which windows read more than this are prefetched: caches of the second level have half a
 * megabyte to two. */
enum { LARGE_BYTES = 1 << 20 };
/* One subsystem has no splitting error, so no account. */
static int place_account(wr_engine *e, wr_arena *arena)
{
    if (e->n < 2)
        return 0;
    e->account = wr_account_place(arena, e->n);
    for (int i = 0; i < e->n && e->account; i++) {
        const wr_run *const p = &e->run[i];
        if (wr_account_place_part(e->account, arena, i, p->subsystem) != 0)
            return -1;
        for (int j = 0; j < p->n_read; j++)
            wr_account_read(e->account, i, j, p->read[j].i_producer, p->read[j].i_signal);
    }
    return e->account ? 0 : -1;
}

/* 0 or -1. */
static int place_run(wr_run *p, const wr_engine_options *o, const wr_link *part, int has_guesses,
                     wr_prefetch *ret_prefetch)
{
    wr_arena *const arena = part->arena;
    wr_arena_line(arena);
    const void *const first = wr_arena_mark(arena);
    WR_ASSERT(part->subsystem->ops->restore ||
              (part->subsystem->flags & WR_SUBSYSTEM_CANNOT_RESTORE));
    p->is_once = (part->subsystem->flags & WR_SUBSYSTEM_CANNOT_RESTORE) != 0;
    const int n_signal = part->subsystem->n_published;
    p->link = part;
    p->i_worker = -1;
    p->subsystem = part->subsystem;
    wr_sensitivity_init(&p->sensitivity, o->convergence);
    for (int i = 0; i < 2; i++) {
        p->iterate[i] =
            i == 0 ? part->subsystem->wave : wr_wave_place(arena, n_signal, o->cap_node);
        p->prediction[i] = wr_wave_place(arena, n_signal, o->period > 0.0 ? WR_PREDICT_NODES : 2);
        if (!p->iterate[i] || !p->prediction[i])
            return -1;
    }
    for (int k = 0; k < 2 && has_guesses; k++)
        if (!(p->accelerated[k] = wr_wave_place(arena, n_signal, o->cap_node)))
            return -1;
    p->converge = wr_converge_place(arena, n_signal);
    const int n_source = o->period > 0.0 ? 1 + (part->history_source >= 0) : 0;
    p->predict = wr_predict_place(arena, n_signal, n_source, o->fixed_degree);
    const int cap = wr_engine_history_nodes(o->cap_history, o->cap_node);
    if (o->period > 0.0 && !(p->history = wr_history_place(arena, n_signal, cap)))
        return -1;
    if (wr_task_time_place(&p->time, arena, o->period > 0.0) != 0)
        return -1;
    const int n_x = part->subsystem->n_x, n_external = part->subsystem->n_external;
    p->input_shift = WR_NEW_ARRAY(arena, double, n_external);
    const int n_d = part->subsystem->n_d;
    p->x_end = WR_NEW_ARRAY(arena, double, n_x);
    p->d_end = WR_NEW_ARRAY(arena, double, n_d);
    p->order = WR_NEW_ARRAY(arena, uint64_t, part->subsystem->n_source);
    int *const producer = WR_NEW_ARRAY(arena, int, part->subsystem->n_source);
    wr_engine_read *const read = WR_NEW_ARRAY(arena, wr_engine_read, n_external);
    if (!p->converge || !p->predict || !p->x_end || !p->d_end || !p->order || !producer || !read ||
        !p->input_shift)
        return -1;
    for (int i = 0; i < part->subsystem->n_source; i++)
        producer[i] = part->producer[i];
    for (int j = 0; j < n_external; j++)
        read[j] = (wr_engine_read){.i_producer = producer[part->subsystem->external_source[j]],
                                   .i_signal = part->subsystem->external_signal[j]};
    p->producer = producer;
    p->read = read;
    p->n_read = n_external;
    p->converge->rtol = part->subsystem->rtol;
    p->converge->threshold = o->convergence;
    for (int i = 0; i < n_signal; i++)
        p->converge->atol[i] = part->subsystem->atol_published[i];
    *ret_prefetch = wr_prefetch_of((const wr_prefetch_span[WR_PREFETCH_SPANS]){
        wr_prefetch_span_of(p, sizeof *p),
        wr_prefetch_span_of(first, wr_arena_bytes_since(arena, first)),
        wr_prefetch_span_of(part->subsystem, part->subsystem->near_bytes)});
    return 0;
}

/* Loops without integration contract the same in windows of any length. */
static int needs_fallback(const wr_engine *e)
{
    return e->net.has_algebraic_cycle && e->options.acceleration != WR_ACCELERATE_KIND_ANDERSON;
}

static int may_accelerate(const wr_engine *e)
{
    return e->options.acceleration != WR_ACCELERATE_KIND_NONE || needs_fallback(e);
}

/* Finds waves that are read one sweep late, and the waves among them within rings: acceleration changes these. The other waves of
 * a ring follow from them within the sweep, and waves that drive a ring settle without iteration. */
static void find_mixed(wr_engine *e)
{
    for (int i = 0; i < e->n; i++) {
        wr_run *const p = &e->run[i];
        for (int k = e->net.consumer_start[i]; k < e->net.consumer_start[i + 1]; k++) {
            const wr_run *const reader = &e->run[e->net.consumer[k]];
            if (wr_engine_level_of(e, reader) > wr_engine_level_of(e, p))
                continue;
            p->is_read_late = 1;
            p->is_mixed |= p->is_in_ring && reader->is_in_ring;
        }
    }
}

/* After place_lists(). */
static int place_acceleration(wr_engine *e, wr_arena *arena)
{
    if (!may_accelerate(e))
        return 0;
    int *const n_signal = WR_NEW_ARRAY(arena, int, e->n);
    e->mix.before = WR_NEW_ARRAY(arena, const wr_wave *, e->n);
    e->mix.now = WR_NEW_ARRAY(arena, const wr_wave *, e->n);
    e->mix.next = WR_NEW_ARRAY(arena, wr_wave *, e->n);
    e->mix.scale = WR_NEW_ARRAY(arena, const double *, e->n);
    if (!n_signal || !e->mix.before || !e->mix.now || !e->mix.next || !e->mix.scale)
        return -1;
    find_mixed(e);
    for (int i = 0; i < e->n; i++)
        n_signal[i] = e->run[i].is_mixed ? e->run[i].subsystem->wave->n_signal : 0;
    if (e->options.acceleration == WR_ACCELERATE_KIND_ANDERSON &&
        !(e->mix.method = wr_accelerate_place(arena, e->n, n_signal)))
        return -1;
    if (needs_fallback(e) && !(e->mix.fallback = wr_accelerate_place(arena, e->n, n_signal)))
        return -1;
    e->mix.asked = e->mix.method;
    e->mix.last = e->mix.fallback;
    return 0;
}

/* Lists the subsystems of each level, and the consumers of each subsystem. */
static int place_lists(wr_engine *e, wr_arena *arena)
{
    int n_arc = 0;
    for (int i = 0; i < e->n; i++) {
        const int level = wr_engine_level_of(e, &e->run[i]);
        e->net.n_level = level + 1 > e->net.n_level ? level + 1 : e->net.n_level;
        n_arc += e->run[i].subsystem->n_source;
    }
    const wr_rows levels = {WR_NEW_ARRAY(arena, int, e->net.n_level + 2),
                            WR_NEW_ARRAY(arena, int, e->n)};
    const wr_rows consumers = {WR_NEW_ARRAY(arena, int, e->n + 2), WR_NEW_ARRAY(arena, int, n_arc)};
    e->notified_in_batch = WR_NEW_ARRAY(arena, int64_t, e->n);
    if (!levels.start || !levels.item || !consumers.start || !consumers.item ||
        !e->notified_in_batch)
        return -1;
    for (int i = 0; i < e->n; i++) {
        const wr_run *const p = &e->run[i];
        wr_rows_count(&levels, wr_engine_level_of(e, p));
        for (int s = 0; s < p->subsystem->n_source; s++)
            wr_rows_count(&consumers, p->link->producer[s]);
    }
    wr_rows_begin(&levels, e->net.n_level);
    wr_rows_begin(&consumers, e->n);
    for (int i = 0; i < e->n; i++) {
        const wr_run *const p = &e->run[i];
        wr_rows_put(&levels, wr_engine_level_of(e, p), i);
        for (int s = 0; s < p->subsystem->n_source; s++)
            wr_rows_put(&consumers, p->link->producer[s], i);
    }
    e->net.level_start = levels.start;
    e->net.by_level = levels.item;
    e->net.consumer_start = consumers.start;
    e->net.consumer = consumers.item;
    return 0;
}

/* Lists for each producer the consumers to check after it, if one worker integrates all subsystems in turn. */
static int place_due(wr_engine *e, wr_arena *arena)
{
    if (e->net.n_level > 1)
        return 0;
    const wr_rows due = {WR_NEW_ARRAY(arena, int, e->n + 2), WR_NEW_ARRAY(arena, int, e->n)};
    int *const last = WR_NEW_ARRAY(arena, int, e->n);
    if (!due.start || !due.item || !last)
        return -1;
    for (int i = 0; i < e->n; i++) {
        const wr_run *const p = &e->run[i];
        last[i] = i;
        for (int s = 0; s < p->subsystem->n_source; s++)
            last[i] = p->producer[s] > last[i] ? p->producer[s] : last[i];
        wr_rows_count(&due, last[i]);
    }
    wr_rows_begin(&due, e->n);
    for (int i = 0; i < e->n; i++)
        wr_rows_put(&due, last[i], i);
    e->net.due_start = due.start;
    e->net.due = due.item;
    return 0;
}

/* If a predicted subsystem has this one as its history source, this one needs a history, and so a prediction. */
static void find_followed(wr_engine *e, int i)
{
    for (int j = e->run[i].link->history_source; j >= 0 && !e->run[j].is_predicted;
         j = e->run[j].link->history_source)
        e->run[j].is_predicted = 1;
}

/* A subsystem without consumers needs no prediction; with Gauss-Seidel, neither does one with consumers on later levels only.
 * The phase at a window's end comes from a prediction only if another subsystem is predicted before the publisher of the
 * phase has integrated. */
static void find_predicted(wr_engine *e)
{
    for (int i = 0; i < e->n; i++) {
        const wr_run *const consumer = &e->run[i];
        for (int j = 0; j < consumer->subsystem->n_source; j++) {
            wr_run *const producer = &e->run[consumer->link->producer[j]];
            producer->is_predicted |= producer->is_once || wr_engine_level_of(e, consumer) <=
                                                               wr_engine_level_of(e, producer);
        }
    }
    for (int i = 0; i < e->n && e->phase; i++)
        if (e->run[i].is_predicted)
            find_followed(e, i);
    if (e->options.phase_part < 0 || !e->phase)
        return;
    wr_run *const phase = &e->run[e->options.phase_part];
    for (int i = 0; i < e->n && !phase->is_predicted; i++)
        if (e->run[i].is_predicted &&
            wr_engine_level_of(e, &e->run[i]) <= wr_engine_level_of(e, phase)) {
            phase->is_predicted = 1;
            find_followed(e, e->options.phase_part);
        }
}

/* Does another subsystem drive this one; with at_once: through outputs that depend directly on inputs? */
static int is_arc(const wr_link *part, int j, int at_once)
{
    return !at_once || wr_subsystem_passes_on(part->subsystem, j);
}

/* Does the producer take part in iterations? One without rollback has fixed waves in all sweeps but one. */
static int is_iterated(const wr_link *parts, int i_producer)
{
    return !(parts[i_producer].subsystem->flags & WR_SUBSYSTEM_CANNOT_RESTORE);
}

/* Do subsystems form a ring; with at_once: a ring of outputs that depend directly on inputs? Subsystems that no remaining
 * subsystem drives are removed until none is left to remove (Kahn 1962). is_gone: [n_part] scratch. */
static int find_ring(const wr_link *parts, int n_part, int at_once, int *is_gone)
{
    int n_left = n_part, n_before = n_part + 1;
    for (int i = 0; i < n_part; i++)
        is_gone[i] = 0;
    while (n_left > 0 && n_left < n_before) {
        n_before = n_left;
        for (int i = 0; i < n_part; i++) {
            const wr_subsystem *const s = parts[i].subsystem;
            int is_driven = is_gone[i];
            for (int j = 0; j < s->n_external && !is_driven; j++)
                is_driven = is_arc(&parts[i], j, at_once) &&
                            is_iterated(parts, parts[i].producer[s->external_source[j]]) &&
                            !is_gone[parts[i].producer[s->external_source[j]]];
            if (is_driven)
                continue;
            is_gone[i] = 1;
            n_left--;
        }
    }
    return n_left > 0;
}

wr_engine *wr_engine_place(wr_arena *arena, const wr_engine_options *options, const wr_link *parts,
                           int n_part, wr_team *team)
{
    wr_arena_line(arena);
    wr_engine *const e = WR_NEW(arena, wr_engine);
    if (!e)
        return NULL;
    e->options = *options;
    e->team = team;
    e->n = n_part;
    wr_arena_line(arena);
    /* One array, because the serial section visits all records. */
    e->run = WR_NEW_ARRAY(arena, wr_run, n_part);
    e->batch.some = WR_NEW_ARRAY(arena, int, n_part);
    e->batch.order = WR_NEW_ARRAY(arena, int, n_part);
    e->batch.preferred = WR_NEW_ARRAY(arena, int, n_part);
    e->batch.expected = WR_NEW_ARRAY(arena, double, n_part);
    e->batch.busy = WR_NEW_ARRAY(arena, double, wr_team_size(team));
    e->measured.prediction_error = WR_NEW_ARRAY(arena, double, n_part);
    e->measured.n_rhs = WR_NEW_ARRAY(arena, double, n_part);
    e->measured.step_rhs = WR_NEW_ARRAY(arena, double, n_part);
    e->measured.work = WR_NEW_ARRAY(arena, double, n_part);
    e->measured.restarts = WR_NEW_ARRAY(arena, unsigned char, n_part);
    e->batch.task_ns = WR_NEW_ARRAY(arena, int64_t, n_part);
    e->prefetch = WR_NEW_ARRAY(arena, wr_prefetch, n_part);
    if (!e->run || !e->batch.some || !e->batch.order || !e->batch.preferred || !e->batch.expected ||
        !e->batch.busy || !e->measured.prediction_error || !e->measured.n_rhs ||
        !e->measured.step_rhs || !e->measured.work || !e->measured.restarts || !e->batch.task_ns ||
        !e->prefetch)
        return NULL;
    e->net.has_algebraic_cycle = find_ring(parts, n_part, 1, e->batch.order);
    e->loops.is_solved = e->options.acceleration != WR_ACCELERATE_KIND_NONE;
    if (e->options.acceleration == WR_ACCELERATE_KIND_AUTO)
        e->options.acceleration =
            e->net.has_algebraic_cycle ? WR_ACCELERATE_KIND_ANDERSON : WR_ACCELERATE_KIND_NONE;
    e->net.has_cycle = find_ring(parts, n_part, 0, e->batch.order); /* order[] marks the rest */
    if (!e->net.has_cycle) /* a few sweeps are exact: nothing to accelerate */
        e->options.acceleration = WR_ACCELERATE_KIND_NONE;
    int64_t n_line = 0;
    for (int i = 0; i < n_part; i++) {
        if (place_run(&e->run[i], &e->options, &parts[i], may_accelerate(e), &e->prefetch[i]) != 0)
            return NULL;
        e->net.n_once += e->run[i].is_once;
        e->net.is_on_grid |= (parts[i].subsystem->flags & WR_SUBSYSTEM_GRID_ONLY) != 0;
        n_line += e->prefetch[i].n_line;
        e->measured.restarts[i] = (parts[i].subsystem->flags & WR_SUBSYSTEM_RESTARTS) != 0;
        e->run[i].is_in_ring = (unsigned char)(!e->net.has_cycle || !e->batch.order[i]);
    }
    e->is_large = n_line * WR_CACHE_LINE > LARGE_BYTES;
    wr_arena_line(arena);
    if (place_account(e, arena) != 0 || place_lists(e, arena) != 0 || place_due(e, arena) != 0 ||
        wr_engine_place_causes(e, arena) != 0 || wr_engine_place_slope(e, arena) != 0 ||
        place_acceleration(e, arena) != 0)
        return NULL;
    if (options->period > 0.0 &&
        !(e->phase = wr_phase_place(arena, options->period, options->phase_part < 0)))
        return NULL;
    if (e->net.is_on_grid) /* no shorter window can be tried */
        e->options.window_min_s = wr_max(options->window_min_s, options->communication_step_s);
    /* A subsystem without rollback cannot repeat its first window. */
    const int is_careful = e->net.n_once > 0 && !options->window_rule->is_fixed;
    wr_window_init(&e->rule, options->window_rule, n_part,
                   is_careful ? e->options.window_min_s
                              : wr_max(options->window_initial_s, e->options.window_min_s),
                   e->options.window_min_s, wr_max(options->window_max_s, e->options.window_min_s));
    e->rule.is_static = e->net.has_algebraic_cycle;
    if (options->fixed_degree >= 0)
        e->rule.error_order = options->fixed_degree + (e->net.has_algebraic_cycle ? 1 : 2);
    find_predicted(e);
    e->lone = (wr_lone){.is_on = n_part == 1 && (parts[0].subsystem->flags & WR_SUBSYSTEM_PAUSES),
                        .pause = {.n_step = 1, .is_wanted = options->stop_asked}};
    if (e->lone.is_on)
        parts[0].subsystem->pause = &e->lone.pause;
    e->window.t_s = options->start_s;
    e->stats.fallback_s = (double)NAN;
    e->expected_sweeps = 1.0;
    wr_contraction_init(&e->contraction, e->net.has_cycle, e->net.has_algebraic_cycle);
    e->control.i_failed = -1;
    const int n_worker = wr_team_size(team);
    e->n_active_worker = n_worker < n_part ? n_worker : n_part;
    if (options->min_work > 0.0 && options->most_workers > 0 &&
        e->n_active_worker > options->most_workers)
        e->n_active_worker = options->most_workers;
    wr_crew_init(&e->crew, e->n_active_worker, options->min_work);
    e->n_active_worker = wr_crew_size(&e->crew);
    atomic_init(&e->control.stop, 0);
    return e;
}
