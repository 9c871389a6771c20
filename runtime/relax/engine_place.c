/* Placing and starting an engine. See engine_place.h. Thread: one owner. Real-time: no (setup). */
#include "runtime/relax/engine_place.h"

#include <stddef.h>

#include "base/order.h"
#include "base/rows.h"
#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_acceleration.h"
#include "runtime/relax/engine_activity.h"
#include "runtime/relax/engine_ahead.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_causes.h"
#include "runtime/relax/engine_control.h"
#include "runtime/relax/engine_loops.h"
#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_run.h"
#include "runtime/relax/engine_scheme.h"
#include "runtime/relax/engine_slope.h"
#include "runtime/relax/engine_stats.h"
#include "runtime/relax/engine_window.h"
#include "runtime/relax/observer.h"
#include "runtime/relax/prefetch.h"
#include "runtime/relax/splitting_error.h"
#include "runtime/relax/start_events.h"

/* Memory that a window reads, above which workers prefetch (assumed). Second-level caches have half a megabyte to two megabytes. */
enum { LARGE_BYTES = 1 << 20 };

static int place_node(wr_net_node *node, const wr_wiring *part)
{
    const wr_subsystem *const s = part->subsystem;
    int *const producer = WR_NEW_ARRAY(part->arena, int, s->n_source);
    wr_engine_read *const read = WR_NEW_ARRAY(part->arena, wr_engine_read, s->n_external);
    if (!producer || !read)
        return -1;
    for (int i = 0; i < s->n_source; i++)
        producer[i] = part->producer[i];
    for (int j = 0; j < s->n_external; j++)
        read[j] = (wr_engine_read){.i_producer = producer[s->external_source[j]],
                                   .i_signal = s->external_signal[j]};
    *node =
        (wr_net_node){.name = s->name,
                      .signal_name = part->signal_name,
                      .producer = producer,
                      .read = read,
                      .n_source = s->n_source,
                      .n_external = s->n_external,
                      .n_x = s->n_x,
                      .flags = s->flags,
                      .has_state_events = s->has_state_events != 0,
                      .has_tolerance = (s->flags & WR_SUBSYSTEM_HAS_TOLERANCE) && s->n_external > 0,
                      .level = part->level};
    return 0;
}

static int place_waves(wr_waves *w, wr_run *p, const wr_engine_options *o, wr_wave **guess)
{
    wr_arena *const arena = p->link->arena;
    const int n_signal = p->subsystem->n_published;
    for (int i = 0; i < 2; i++) {
        p->iterate[i] = i == 0 ? p->subsystem->wave : wr_wave_place(arena, n_signal, o->cap_node);
        w->prediction[i] = wr_wave_place(arena, n_signal,
                                         o->relaxation.history_period > 0.0 ? WR_PREDICT_NODES : 2);
        if (!p->iterate[i] || !w->prediction[i])
            return -1;
    }
    for (int k = 0; k < 2 && guess; k++)
        if (!(guess[k] = wr_wave_place(arena, n_signal, o->cap_node)))
            return -1;
    const int cap = wr_engine_history_nodes(o->relaxation.history_nodes, o->cap_node);
    return o->relaxation.history_period > 0.0 &&
                   !(w->history = wr_history_place(arena, n_signal, cap))
               ? -1
               : 0;
}

/* Places the private state and the record of subsystem i. guess: pointers to two waves for guesses; NULL: no acceleration. Returns 0, or
 * -1 when the arena is exhausted. */
static int place_run(wr_engine *e, int i, const wr_wiring *part, wr_wave **guess)
{
    const wr_engine_options *const o = &e->options;
    wr_arena *const arena = part->arena;
    wr_subsystem *const s = part->subsystem;
    wr_arena_line(arena);
    const void *const first = wr_arena_mark(arena);
    wr_run *const p = WR_NEW(arena, wr_run);
    wr_record *const r = &e->record[i];
    WR_ASSERT(s->ops->restore || (s->flags & WR_SUBSYSTEM_CANNOT_RESTORE));
    if (!(e->run[i] = p))
        return -1;
    *p = (wr_run){.i = i,
                  .record = r,
                  .waves = &e->waves[i],
                  .node = &e->net->node[i],
                  .link = part,
                  .subsystem = s,
                  .converge = wr_wave_distance_place(arena, s->n_published, s->n_external)};
    *r = (wr_record){.is_once = (s->flags & WR_SUBSYSTEM_CANNOT_RESTORE) != 0,
                     .i_worker = -1,
                     .n_signal = s->n_published,
                     .n_read = s->n_external};
    wr_sensitivity_init(&r->sensitivity, o->relaxation.convergence);
    if (place_waves(&e->waves[i], p, o, guess) != 0)
        return -1;
    const int n_source = o->relaxation.history_period > 0.0 ? 1 + (part->history_source >= 0) : 0;
    p->predict = wr_predict_place(arena, r->n_signal, n_source, o->fixed_degree);
    if (wr_phase_cost_place(&p->time, arena, o->relaxation.history_period > 0.0) != 0)
        return -1;
    p->order = WR_NEW_ARRAY(arena, uint64_t, s->n_source);
    if (!p->converge || !p->predict || !p->order || WR_NEW_DOUBLES(arena, s->n_x, &p->x_end) != 0 ||
        WR_NEW_DOUBLES(arena, s->n_d, &p->d_end) != 0 || place_node(&e->net->node[i], part) != 0)
        return -1;
    e->value[i] = p->converge->delta;
    p->converge->rtol = s->rtol;
    p->converge->threshold = o->relaxation.convergence;
    for (int k = 0; k < r->n_signal; k++)
        p->converge->atol[k] = s->atol_published[k];
    const size_t head_bytes = offsetof(wr_subsystem, stats.step_length);
    const size_t more_bytes = s->near_bytes > sizeof *s ? s->near_bytes - sizeof *s : 0;
    e->prefetch[i] = wr_prefetch_of((const wr_prefetch_span[WR_PREFETCH_SPANS]){
        wr_prefetch_span_of(r, sizeof *r),
        wr_prefetch_span_of(first, wr_arena_bytes_since(arena, first)),
        wr_prefetch_span_of(s, more_bytes > 0 ? head_bytes : s->near_bytes),
        wr_prefetch_span_of(s + 1, more_bytes), wr_prefetch_span_of(p->node, sizeof *p->node)});
    return 0;
}

static int level_of(const wr_engine *e, int i)
{
    return wr_engine_options_are_levelled(&e->options) ? e->net->node[i].level : 0;
}

/* Finds waves that consumers read one sweep late, if acceleration may be used. Within rings, acceleration changes such waves, and the other
 * waves follow within the sweep. Waves that drive a ring settle without iteration. */
static void find_mixed(wr_engine *e)
{
    for (int i = 0; i < e->n && e->mix->guess; i++) {
        wr_net_node *const node = &e->net->node[i];
        for (int k = e->net->consumer_start[i]; k < e->net->consumer_start[i + 1]; k++) {
            const int i_reader = e->net->consumer[k];
            if (level_of(e, i_reader) > level_of(e, i))
                continue;
            node->is_read_late = 1;
            node->is_mixed |= node->is_in_ring && e->net->node[i_reader].is_in_ring;
        }
    }
}

/* Lists the subsystems of each level, and the consumers of each subsystem. */
static int place_lists(wr_engine *e, wr_arena *arena)
{
    int n_arc = 0;
    for (int i = 0; i < e->n; i++)
        n_arc += e->net->node[i].n_source;
    const wr_rows consumers = {WR_NEW_ARRAY(arena, int, e->n + 2), WR_NEW_ARRAY(arena, int, n_arc)};
    if (!consumers.start || !consumers.item ||
        wr_engine_place_levels(e, arena, wr_engine_options_are_levelled(&e->options),
                               &e->net->levels) != 0)
        return -1;
    for (int i = 0; i < e->n; i++) {
        const wr_net_node *const node = &e->net->node[i];
        for (int s = 0; s < node->n_source; s++)
            wr_rows_count(&consumers, node->producer[s]);
    }
    wr_rows_begin(&consumers, e->n);
    for (int i = 0; i < e->n; i++) {
        const wr_net_node *const node = &e->net->node[i];
        for (int s = 0; s < node->n_source; s++)
            wr_rows_put(&consumers, node->producer[s], i);
    }
    e->net->consumer_start = consumers.start;
    e->net->consumer = consumers.item;
    for (int i = 0; i < e->n; i++)
        e->net->node[i].ends_windows =
            (e->net->node[i].flags & WR_SUBSYSTEM_DEFERS) ||
            (!e->options.window_rule->is_fixed && consumers.start[i] < consumers.start[i + 1]);
    return 0;
}

/* Lists for each subsystem i the subsystems whose own task and producers' tasks are complete after task i of a batch of all subsystems. */
static int place_due(wr_engine *e, wr_arena *arena)
{
    if (e->net->levels.n > 1)
        return 0;
    const wr_rows due = {WR_NEW_ARRAY(arena, int, e->n + 2), WR_NEW_ARRAY(arena, int, e->n)};
    int *const last = WR_NEW_ARRAY(arena, int, e->n);
    if (!due.start || !due.item || !last)
        return -1;
    for (int i = 0; i < e->n; i++) {
        const wr_net_node *const node = &e->net->node[i];
        last[i] = i;
        for (int s = 0; s < node->n_source; s++)
            last[i] = node->producer[s] > last[i] ? node->producer[s] : last[i];
        wr_rows_count(&due, last[i]);
    }
    wr_rows_begin(&due, e->n);
    for (int i = 0; i < e->n; i++)
        wr_rows_put(&due, last[i], i);
    e->net->due_start = due.start;
    e->net->due = due.item;
    return 0;
}

/* Marks the history sources of a predicted subsystem as predicted, because only predicted subsystems store a history. */
static void find_followed(wr_engine *e, int i)
{
    for (int j = e->run[i]->link->history_source; j >= 0 && !e->net->node[j].is_predicted;
         j = e->run[j]->link->history_source)
        e->net->node[j].is_predicted = 1;
}

/* Finds the subsystems that need a prediction. If all consumers of a subsystem with rollback are on later levels, the subsystem needs a
 * prediction only for a history or for the phase. The publisher of the phase needs a prediction if another subsystem is predicted before
 * the publisher has integrated. */
static void find_predicted(wr_engine *e)
{
    wr_net_node *const node = e->net->node;
    for (int i = 0; i < e->n; i++)
        for (int j = 0; j < node[i].n_source; j++) {
            const int by = node[i].producer[j];
            node[by].is_predicted |= e->record[by].is_once || level_of(e, i) <= level_of(e, by);
            node[by].is_read_early |= e->record[by].is_once || node[i].level <= node[by].level;
        }
    for (int i = 0; i < e->n && e->phase; i++)
        if (node[i].is_predicted)
            find_followed(e, i);
    const int i_phase = e->options.phase_part;
    if (i_phase < 0 || !e->phase)
        return;
    for (int i = 0; i < e->n && !node[i_phase].is_predicted; i++)
        if (node[i].is_predicted && level_of(e, i) <= level_of(e, i_phase)) {
            node[i_phase].is_predicted = 1;
            find_followed(e, i_phase);
        }
}

/* Finds whether a subsystem without rollback reads outputs of subsystems without rollback, also through other subsystems. The inputs of
 * such a reader are predictions, and no sweep repeats a window of the reader with the true inputs. Returns 0, or -1 when out of memory. */
static int find_once_readers(const wr_engine *e, wr_arena *arena, int *ret_has_any)
{
    const wr_net *const net = e->net;
    unsigned char *const is_reached = WR_NEW_ARRAY(arena, unsigned char, e->n);
    int *const queue = WR_NEW_ARRAY(arena, int, e->n);
    if (!is_reached || !queue)
        return -1;
    *ret_has_any = 0;
    for (int i = 0, n = 0; i < e->n && !*ret_has_any; i++) {
        if (!e->record[i].is_once)
            continue;
        queue[n++] = i;
        while (n > 0) {
            const int by = queue[--n];
            for (int k = net->consumer_start[by]; k < net->consumer_start[by + 1]; k++) {
                const int reader = net->consumer[k];
                if (is_reached[reader])
                    continue;
                is_reached[reader] = 1;
                queue[n++] = reader;
                *ret_has_any |= e->record[reader].is_once;
            }
        }
    }
    return 0;
}

/* Returns 1 if subsystems form a ring; with at_once: a ring of outputs that depend directly on inputs. The search removes subsystems that
 * no remaining subsystem drives, until all are driven (Kahn, 1962, "Topological sorting of large networks"). The waves of a producer
 * without rollback change in one sweep only, so the producer is in no ring. is_gone[n_part]: returns 0 for subsystems in rings, and for
 * subsystems that a ring drives; else 1. */
static int find_ring(const wr_wiring *parts, int n_part, int at_once, int *is_gone)
{
    int n_left = n_part, n_before = n_part + 1;
    for (int i = 0; i < n_part; i++)
        is_gone[i] = 0;
    while (n_left > 0 && n_left < n_before) {
        n_before = n_left;
        for (int i = 0; i < n_part; i++) {
            const wr_subsystem *const s = parts[i].subsystem;
            int is_driven = is_gone[i];
            for (int j = 0; j < s->n_external && !is_driven; j++) {
                const int by = parts[i].producer[s->external_source[j]];
                is_driven = (!at_once || wr_subsystem_passes_on(s, j)) && !is_gone[by] &&
                            !(parts[by].subsystem->flags & WR_SUBSYSTEM_CANNOT_RESTORE);
            }
            if (is_driven)
                continue;
            is_gone[i] = 1;
            n_left--;
        }
    }
    return n_left > 0;
}

/* Places causes of jumps for subsystems with rollback in each strong component with several subsystems, at least one with state events. A
 * subsystem without state events has no number in the causes, but its wave contains the causes of other subsystems. */
static int place_causes(wr_engine *e, wr_arena *arena)
{
    if (!e->net->has_cycle)
        return 0;
    int *const ring = WR_NEW_ARRAY(arena, int, e->n);
    int *const n_in_ring = WR_NEW_ARRAY(arena, int, e->n);
    e->net->trail = WR_NEW_ARRAY(arena, int, e->n);
    unsigned char *const has_events = WR_NEW_ARRAY(arena, unsigned char, e->n);
    if (!ring || !n_in_ring || !has_events || !e->net->trail ||
        wr_order_scc(e->n, e->net->consumer_start, e->net->consumer, ring) < 0)
        return -1;
    for (int i = 0; i < e->n; i++) {
        n_in_ring[ring[i]]++;
        has_events[ring[i]] |= e->run[i]->subsystem->has_state_events != 0;
    }
    for (int i = 0; i < e->n; i++) {
        const wr_run *const p = e->run[i];
        wr_wave *const *const guess = e->mix->guess ? e->mix->guess[i] : NULL;
        wr_wave *const wave[] = {p->iterate[0], p->iterate[1], guess ? guess[0] : NULL,
                                 guess ? guess[1] : NULL};
        if (n_in_ring[ring[i]] < 2 || !has_events[ring[i]] || e->record[i].is_once)
            continue;
        for (size_t k = 0; k < sizeof wave / sizeof *wave; k++)
            if (wave[k] && !(wave[k]->causes = wr_causes_place(arena, wave[k]->cap_node)))
                return -1;
        if (wr_subsystem_place_causes(p->subsystem, p->link->arena,
                                      p->subsystem->has_state_events ? i : -1) != 0)
            return -1;
    }
    return 0;
}

/* The objects of one engine, adjacent in memory. */
#define OBJECTS(X)                                                                                 \
    X(wr_net, net)                                                                                 \
    X(wr_control, control)                                                                         \
    X(wr_window, rule)                                                                             \
    X(wr_window_now, window)                                                                       \
    X(wr_sweep, sweep)                                                                             \
    X(wr_activity, activity)                                                                       \
    X(wr_event_check, event_check)                                                                 \
    X(wr_batch, batch)                                                                             \
    X(wr_contraction, contraction)                                                                 \
    X(wr_mix, mix)                                                                                 \
    X(wr_loops, loops)                                                                             \
    X(wr_load, load) X(wr_lone, lone) X(wr_engine_stats, stats) X(wr_sweep_scheme, scheme)
#define AS_MEMBER(type, name) type name;
#define TAKE_ADDRESS(type, name) e->name = &o->name;

typedef struct objects {
    OBJECTS(AS_MEMBER)
} objects;

/* Places an engine whose objects are zero. Returns NULL when the arena is exhausted. */
static wr_engine *place_objects(wr_arena *arena, int n, int n_worker)
{
    wr_arena_line(arena);
    wr_engine *const e = WR_NEW(arena, wr_engine);
    objects *const o = WR_NEW(arena, objects);
    wr_arena_line(arena);
    if (!e || !o)
        return NULL;
    e->n = n;
    OBJECTS(TAKE_ADDRESS)
    /* Each kind of object is one array, because the serial section visits the objects of all subsystems. */
    e->record = WR_NEW_ARRAY(arena, wr_record, n);
    e->waves = WR_NEW_ARRAY(arena, wr_waves, n);
    e->value = WR_NEW_ARRAY(arena, double *, n);
    e->run = WR_NEW_ARRAY(arena, wr_run *, n);
    e->prefetch = WR_NEW_ARRAY(arena, wr_prefetch, n);
    e->net->node = WR_NEW_ARRAY(arena, wr_net_node, n);
    if (!e->record || !e->waves || !e->value || !e->run || !e->prefetch || !e->net->node ||
        wr_batch_place(e->batch, arena, n, n_worker) != 0 || wr_activity_place(e, arena) != 0)
        return NULL;
    return e;
}

wr_engine *wr_engine_place(wr_arena *arena, const wr_engine_options *options,
                           const wr_wiring *parts, int n_part, wr_team *team)
{
    const int n_worker = wr_team_size(team);
    wr_engine *const e = place_objects(arena, n_part, n_worker);
    if (!e)
        return NULL;
    e->options = *options;
    e->team = team;
    /* 1: no ring contains or drives the subsystem */
    int *const is_outside = WR_NEW_ARRAY(arena, int, n_part);
    if (!is_outside)
        return NULL;
    e->net->has_algebraic_cycle = find_ring(parts, n_part, 1, is_outside);
    if (e->options.relaxation.acceleration != WR_ACCELERATE_NONE)
        wr_loops_solve(e->loops);
    if (e->options.relaxation.acceleration == WR_ACCELERATE_AUTO)
        e->options.relaxation.acceleration =
            e->net->has_algebraic_cycle ? WR_ACCELERATE_ANDERSON : WR_ACCELERATE_NONE;
    e->net->has_cycle = find_ring(parts, n_part, 0, is_outside);
    if (!e->net->has_cycle) /* without a ring a few sweeps converge exactly */
        e->options.relaxation.acceleration = WR_ACCELERATE_NONE;
    if (wr_mix_place_guesses(e, arena) != 0)
        return NULL;
    int64_t n_line = 0;
    for (int i = 0; i < n_part; i++) {
        if (place_run(e, i, &parts[i], e->mix->guess ? e->mix->guess[i] : NULL) != 0)
            return NULL;
        e->net->n_once += e->record[i].is_once;
        e->net->n_deferring += (parts[i].subsystem->flags & WR_SUBSYSTEM_DEFERS) != 0;
        e->net->is_on_grid |= (parts[i].subsystem->flags & WR_SUBSYSTEM_GRID_ONLY) != 0;
        n_line += e->prefetch[i].n_line;
        e->net->node[i].is_in_ring = !e->net->has_cycle || !is_outside[i];
    }
    for (int i = 0; i < n_part && e->net->n_deferring > 0; i++)
        parts[i].subsystem->flags |= WR_SUBSYSTEM_SHORT_WINDOWS;
    e->is_large = n_line * WR_CACHE_LINE > LARGE_BYTES;
    wr_arena_line(arena);
    /* A single subsystem has no splitting error, so the engine places no error account. */
    if (n_part > 1 && !(e->account = wr_splitting_error_place(arena, parts, n_part)))
        return NULL;
    if (place_lists(e, arena) != 0 || place_due(e, arena) != 0 || place_causes(e, arena) != 0 ||
        wr_engine_place_slope(e, arena) != 0)
        return NULL;
    find_mixed(e);
    if (wr_mix_place(e, arena) != 0 || wr_engine_place_window(e, arena, n_worker) != 0)
        return NULL;
    if (options->relaxation.history_period > 0.0 &&
        !(e->phase =
              wr_phase_place(arena, options->relaxation.history_period, options->phase_part < 0)))
        return NULL;
    if (e->net->is_on_grid) /* a window has at least the length of a communication step */
        e->options.relaxation.window_min_s =
            wr_max(options->relaxation.window_min_s, options->communication_step_s);
    /* A subsystem without rollback cannot repeat its first window, so this window has the least length. */
    const int is_careful = e->net->n_once > 0 && !options->window_rule->is_fixed;
    int has_once_reader = 0;
    if (is_careful && find_once_readers(e, arena, &has_once_reader) != 0)
        return NULL;
    /* If predicted inputs of such a reader jump, the error lasts until the end of the window. */
    const double longest_s =
        has_once_reader ? wr_min(options->relaxation.window_max_s, options->communication_step_s)
                        : options->relaxation.window_max_s;
    wr_window_init(e->rule, options->window_rule, n_part,
                   is_careful ? e->options.relaxation.window_min_s
                              : wr_max(options->relaxation.window_initial_s,
                                       e->options.relaxation.window_min_s),
                   e->options.relaxation.window_min_s,
                   wr_max(longest_s, e->options.relaxation.window_min_s));
    e->rule->is_static = e->net->has_algebraic_cycle;
    if (options->fixed_degree >= 0)
        e->rule->error_order = options->fixed_degree + (e->net->has_algebraic_cycle ? 1 : 2);
    find_predicted(e);
    int has_events = 0;
    for (int i = 0; i < n_part; i++)
        has_events |= parts[i].subsystem->has_state_events != 0;
    for (int i = 0; i < n_part; i++)
        e->run[i]->converge->has_course = has_events;
    if (wr_ahead_place(e, arena, &e->ahead) != 0)
        return NULL;
    *e->lone = (wr_lone){.is_on = n_part == 1 && (parts[0].subsystem->flags & WR_SUBSYSTEM_PAUSES),
                         .pause = {.n_step = 1, .is_wanted = options->stop_asked}};
    if (e->lone->is_on)
        parts[0].subsystem->pause = &e->lone->pause;
    *e->stats = (wr_engine_stats){.fallback_s = (double)NAN};
    *e->control = (wr_control){.i_failed = -1, .i_ended = -1, .asked_s = (double)INFINITY};
    wr_contraction_init(e->contraction, e->net->has_cycle, e->net->has_algebraic_cycle);
    return wr_engine_place_scheme(e, arena) == 0 ? e : NULL;
}

/* ---- start ---- */

/* Starts all subsystems; has_loops: algebraic loops cross subsystems. */
static wrsim_status start_all(wr_engine *e, wr_start *start, int has_loops, wrsim_error *err)
{
    /* e->run[0]->link: start of the array of the links of all subsystems */
    const wr_start_events initial = {.part = e->run[0]->link,
                                     .n_part = e->n,
                                     .max_event_iterations = e->options.max_event_iterations,
                                     .observer = e->observer};
    WR_TRY(wr_start_events_find(&initial, start, err));
    for (int i = 0; i < e->n; i++) {
        const wr_run *const p = e->run[i];
        double *const value = p->converge->y_now, *const slope = p->converge->y_before;
        wrsim_status status = wr_subsystem_start(p->subsystem);
        if (status >= 0)
            status = wr_subsystem_published(p->subsystem, value, slope);
        if (status >= 0)
            status = wr_predict_start(p->predict, e->window->t_s, value, e->waves[i].prediction[0]);
        if (status < 0)
            wr_subsystem_fault_text(p->subsystem, err);
        WR_TRY(status);
    }
    for (int i = 0; i < e->n; i++) {
        wr_batch_show(e, i, e->waves[i].prediction[0]);
        if (has_loops)
            wr_wave_distance_begin(e->run[i]->converge, e->waves[i].prediction[0]);
    }
    if (has_loops && wr_loops_place(e) < 0)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for algebraic loops");
    if (has_loops)
        wr_engine_ask_loops(e);
    return WRSIM_OK;
}

wrsim_status wr_engine_start(wr_engine *e, wrsim_error *err)
{
    wr_start *const start = wr_loops_begin(e, e->run[0]->link);
    int n_loop = 0;
    if (start)
        (void)wr_start_loops(start, &n_loop);
    const wrsim_status status =
        start ? start_all(e, start, n_loop > 0, err)
              : wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the search of start values");
    wr_loops_seal(e->loops, status >= 0 && e->contraction->amplification > 0.0);
    return status;
}

void wr_engine_close(wr_engine *e)
{
    if (e)
        wr_loops_seal(e->loops, 0);
}
