/* Slackened synchronisation: placing and starting. See slack.h. Thread: one owner. Real-time: no (setup). */
#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "runtime/relax/start_events.h"
#include "runtime/slack/period_history.h"
#include "runtime/slack/period_length.h"
#include "runtime/slack/slack_place.h"
#include "runtime/slack/slack_run.h"
#include "scheduler/placement.h"

/* Number (assumed) of versions of a store in addition to the versions that readers need (versions_kept()). Without a bound these versions
 * limit a producer's lead over its slowest reader. */
enum { KEPT = 32 };

/* ---- placing ---- */

/* Returns the number of tasks of which task k selects versions only for their requested periods (period_length.c). */
static int count_listeners(const wr_slack *slack, int k)
{
    const wr_wiring *const link = &slack->plan.link[k];
    const int is_played = (link->subsystem->flags & WR_SUBSYSTEM_IS_PLAYED) != 0;
    return wr_period_length_is_shortening(&slack->plan.options) && !is_played ? link->n_listener
                                                                              : 0;
}

/* number of producers in a chain whose shadows a period can wait for (assumed) */
enum { UPSTREAM = 6 };

/* Returns 1 if all periods are watched, so that shadows give the errors of subsystems that can have a shadow. */
static int has_shadows(const wr_slack_options *o) { return o->slack.watch == 1; }

/* Returns the number of records: n_tick for each of the last periods. The number of these periods is the bound or delay in periods plus
 * two. For a replay, or for live delays without a bound, the number is KEPT. Shadows add UPSTREAM periods. */
static int64_t records_kept(const wr_slack *slack)
{
    const wr_slack_options *const o = &slack->plan.options;
    const int is_open = o->slack.delays == WR_DELAYS_REPLAYED || o->slack.bound < 0;
    const int64_t oldest = o->slack.delays == WR_DELAYS_LIVE ? o->slack.bound : o->slack.delay;
    const int64_t n_period =
        is_open && o->slack.delays != WR_DELAYS_FIXED && o->slack.delays != WR_DELAYS_DRAWN
            ? KEPT
            : oldest + 2;
    /* The task's own period may be the shortest, and the periods of other tasks the longest. */
    return (n_period + (has_shadows(o) ? UPSTREAM : 0)) * slack->plan.n_tick;
}

static int most_sweeps(const wr_slack_options *o)
{
    const int is_relaxed = o->slack.on_loc == WR_ACTION_RELAX || o->slack.on_glo == WR_ACTION_RELAX;
    return is_relaxed && o->slack.sweeps < WR_SLACK_MOST_RELAXED ? WR_SLACK_MOST_RELAXED
                                                                 : o->slack.sweeps;
}

/* Returns the number of versions of a store, if reads go back by `oldest` periods. */
static int64_t versions_kept(const wr_slack *slack, int64_t oldest)
{
    const wr_slack_options *const o = &slack->plan.options;
    const int n_sweep = most_sweeps(o);
    return (oldest + 2) * n_sweep * slack->plan.n_tick + KEPT +
           (o->slack.watch > 0 ? records_kept(slack) * n_sweep : 0);
}

/* Places the store of the published versions, and the memory of predictions. The store of a replay has at least the capacity of the store
 * in a live run. */
static int place_store(wr_period_task *p, wr_arena *arena, const wr_slack *slack, int n_reader)
{
    const wr_slack_options *const o = &slack->plan.options;
    const int n_signal = p->subsystem->n_published,
              is_replayed = o->slack.delays == WR_DELAYS_REPLAYED;
    const int64_t live = o->slack.bound > 0 ? o->slack.bound : 0;
    const int64_t oldest = o->slack.delays == WR_DELAYS_LIVE      ? live
                           : is_replayed && o->slack.delay < live ? live
                                                                  : o->slack.delay;
    p->out.cap = versions_kept(slack, oldest);
    p->out.room = is_replayed ? versions_kept(slack, live) : p->out.cap;
    const wr_wave_store_options options = {.n_reader = n_reader,
                                           .cap = (int)p->out.cap,
                                           .n_signal = n_signal,
                                           .cap_node = o->cap_node,
                                           .n_extra = o->slack.watch > 0 ? n_signal : 0,
                                           .cap_difference = has_shadows(o) ? 2 * o->cap_node : 0};
    if (has_shadows(o) && !(p->out.no_difference = wr_wave_place(arena, n_signal, 2 * o->cap_node)))
        return -1;
    p->out.store = wr_wave_store_place(arena, &options);
    p->out.info = WR_NEW_ARRAY(arena, wr_version, p->out.cap);
    p->weight = WR_NEW_ARRAY(arena, double, n_signal);
    p->slope = WR_NEW_ARRAY(arena, double, n_signal);
    if (wr_period_history_place(&slack->plan, p, arena) != 0)
        return -1;
    const int cap_prediction = p->history ? WR_PREDICT_NODES : 2;
    p->predict = wr_predict_place(arena, n_signal, p->history != NULL, o->fixed_degree);
    p->out.start_prediction = wr_wave_place(arena, n_signal, 2);
    if (!p->out.store || !p->out.info || !p->weight || !p->slope || !p->predict ||
        !p->out.start_prediction)
        return -1;
    for (int64_t v = 0; v < p->out.cap; v++) {
        p->out.info[v].span = p->span;
        if (!(p->out.info[v].prediction = wr_wave_place(arena, n_signal, cap_prediction)) ||
            !(p->out.info[v].wish = WR_NEW_ARRAY(arena, int, p->subsystem->n_source)))
            return -1;
    }
    return 0;
}

/* Places the sources and the delay error after all stores. n_taken[n]: number of readers already connected to each store. */
static int place_sources(wr_slack *slack, wr_period_task *p, wr_arena *arena, int *n_taken)
{
    p->n_source = p->subsystem->n_source;
    p->n_pick = p->n_source + count_listeners(slack, p->i);
    p->source = WR_NEW_ARRAY(arena, wr_version_source, p->n_pick);
    p->version = WR_NEW_ARRAY(arena, int64_t, p->n_pick);
    p->age = WR_NEW_ARRAY(arena, wr_slack_age, p->subsystem->n_external);
    if (!p->source || !p->version || !p->age)
        return -1;
    for (int j = 0; j < p->n_pick; j++) {
        wr_period_task *const producer =
            &slack->plan
                 .part[j < p->n_source ? p->link->producer[j] : p->link->listener[j - p->n_source]];
        p->source[j] =
            (wr_version_source){.producer = &producer->out,
                                .i_reader = n_taken[producer->i]++,
                                .is_played = producer->out.is_played,
                                .wish = wr_period_length_wish(&slack->plan, p->link, j),
                                .input = wr_wave_place(arena, producer->subsystem->n_published, 2)};
        if (!p->source[j].input)
            return -1;
    }
    const wr_slack_options *const o = &slack->plan.options;
    if (o->slack.watch == 0 || p->out.is_played)
        return 0;
    enum { AT_ENDS = 3 }; /* rows at a period's ends, and one for rounding */
    const wr_delay_shadow_options shadow = {
        .cap_row = (int)wr_min(o->slack.period_s / o->communication_step_s, p->subsystem->cap_row) +
                   AT_ENDS,
        .cap_node = o->cap_node};
    int *const n_signal = WR_NEW_ARRAY(arena, int, p->n_source);
    if (!n_signal)
        return -1;
    for (int j = 0; j < p->n_source; j++)
        n_signal[j] = slack->plan.part[p->source[j].producer->i].subsystem->n_published;
    p->delay = wr_delay_error_place(arena, p->subsystem, (int)records_kept(slack), n_signal,
                                    has_shadows(o) ? &shadow : NULL);
    return p->delay ? 0 : -1;
}

/* Assigns tasks to workers: the task with the most work first, each to the worker with the least work so far. Returns 0, or -1 when memory
 * is exhausted. */
static int place_order(wr_slack *slack, wr_arena *arena)
{
    const int n = slack->plan.n, n_worker = slack->n_active_worker;
    double *const expected = WR_NEW_ARRAY(arena, double, n);
    double *const busy = WR_NEW_ARRAY(arena, double, n_worker);
    int *const order = WR_NEW_ARRAY(arena, int, n), *const worker = WR_NEW_ARRAY(arena, int, n);
    slack->order = WR_NEW_ARRAY(arena, int, n);
    slack->first = WR_NEW_ARRAY(arena, int, wr_team_size(slack->team) + 1);
    if (!expected || !busy || !order || !worker || !slack->order || !slack->first)
        return -1;
    for (int i = 0; i < n; i++) {
        expected[i] = slack->plan.part[i].subsystem->work_per_rhs;
        worker[i] = -1;
    }
    (void)wr_placement_order(expected, n, 0.0, order);
    (void)wr_placement_assign(expected, order, n, n_worker, worker, busy);
    int n_placed = 0;
    for (int w = 0; w < n_worker; w++) {
        slack->first[w] = n_placed;
        for (int i = 0; i < n; i++)
            if (worker[i] == w)
                slack->order[n_placed++] = i;
    }
    slack->first[n_worker] = n_placed;
    return 0;
}

/* Marks in ret_acts[n] the tasks that act on task i. ret_acts[i] is 1 if i is in a loop. found[n + 1] is workspace. */
static void find_upstream(const wr_slack *slack, int i, unsigned char *ret_acts, int *found)
{
    int n_found = 0;
    found[n_found++] = i;
    for (int at = 0; at < n_found; at++) {
        const wr_period_task *const p = &slack->plan.part[found[at]];
        for (int j = 0; j < p->n_source; j++) {
            const int k = p->link->producer[j];
            if (!ret_acts[k])
                found[n_found++] = k;
            ret_acts[k] = 1;
        }
    }
}

/* Marks the sources that do not depend on their reader, directly or through other subsystems. */
static int place_upstream(wr_slack *slack, wr_arena *arena)
{
    unsigned char *const acts = WR_NEW_ARRAY(arena, unsigned char, slack->plan.n);
    int *const found = WR_NEW_ARRAY(arena, int, slack->plan.n + 1);
    if (!acts || !found)
        return -1;
    for (int k = 0; k < slack->plan.n && has_shadows(&slack->plan.options); k++) {
        memset(acts, 0, (size_t)slack->plan.n);
        find_upstream(slack, k, acts, found);
        for (int i = 0; i < slack->plan.n; i++)
            for (int j = 0; j < slack->plan.part[i].n_source; j++)
                if (slack->plan.part[i].link->producer[j] == k)
                    slack->plan.part[i].source[j].is_upstream = !acts[i];
    }
    return 0;
}

static int place_parts(wr_slack *slack, wr_arena *arena)
{
    const wr_slack_options *const o = &slack->plan.options;
    const int n = slack->plan.n;
    int *const n_taken = WR_NEW_ARRAY(arena, int, n), *const n_reader = WR_NEW_ARRAY(arena, int, n);
    if (!n_taken || !n_reader)
        return -1;
    for (int i = 0; i < n; i++) {
        wr_period_task *const p = &slack->plan.part[i];
        const wr_wiring *const link = &slack->plan.link[i];
        for (int j = 0; j < link->subsystem->n_source; j++)
            n_reader[link->producer[j]]++;
        for (int j = 0; j < count_listeners(slack, i); j++)
            n_reader[link->listener[j]]++;
        p->i = p->out.i = i;
        p->link = &slack->plan.link[i];
        p->subsystem = p->link->subsystem;
        p->out.is_played = (p->subsystem->flags & WR_SUBSYSTEM_IS_PLAYED) != 0;
    }
    wr_period_length_place(&slack->plan);
    for (int i = 0; i < n; i++) {
        wr_period_task *const p = &slack->plan.part[i];
        wr_arena *const own = slack->plan.link[i].arena;
        wr_arena_line(own);
        p->t_s = o->start_s;
        p->n_sweep = o->slack.sweeps;
        p->limits = (wr_task_limits){.n_relax = 1, .quiet_s = -(double)INFINITY, .i_pending = -1};
        p->timing.tolerance_factor = 1.0;
        p->rest.i_signal = -1;
        atomic_init(&p->clock_s, p->t_s);
        if (place_store(p, own, slack, n_reader[i]) != 0 ||
            (o->slack.sweeps > 1 && !p->out.is_played &&
             wr_sweep_residual_place(&p->rest, p->subsystem, o->slack.period_s, own) != 0))
            return -1;
    }
    for (int i = 0; i < n; i++)
        if (place_sources(slack, &slack->plan.part[i], slack->plan.link[i].arena, n_taken) != 0)
            return -1;
    if (place_upstream(slack, arena) != 0)
        return -1;
    return wr_period_length_place_readers(&slack->plan, arena);
}

wr_slack *wr_slack_place(wr_arena *arena, const wr_slack_options *options, const wr_wiring *parts,
                         int n_part, wr_team *team)
{
    wr_arena_line(arena);
    wr_slack *const slack = WR_NEW(arena, wr_slack);
    if (!slack)
        return NULL;
    slack->plan.options = *options;
    if (options->slack.sweeps > 1) /* sweeps wait for one another */
        slack->plan.options.slack.bound = 0;
    slack->team = team;
    slack->plan.n = n_part;
    slack->plan.link = parts;
    slack->reported_s = options->start_s;
    slack->n_active_worker = wr_team_size(team) < n_part ? wr_team_size(team) : n_part;
    wr_arena_line(arena);
    slack->plan.part = WR_NEW_ARRAY(arena, wr_period_task, n_part);
    if (!slack->plan.part || place_parts(slack, arena) != 0 || place_order(slack, arena) != 0)
        return NULL;
    return slack;
}

/* ---- start ---- */

const char *wr_slack_place_find_flag(const wr_slack *slack, unsigned flag)
{
    for (int i = 0; i < slack->plan.n; i++)
        if (slack->plan.part[i].subsystem->flags & flag)
            return slack->plan.part[i].subsystem->name;
    return NULL;
}

int wr_slack_place_is_multiple(const wr_slack *slack, double span_s)
{
    static const double ROUNDING = 1e-9; /* share of a step (assumed); shorter spans are rounding */
    const double n = span_s / slack->plan.options.communication_step_s;
    return fabs(n - floor(n + 0.5)) <= ROUNDING;
}

/* Checks that all kinds of subsystems support these periods and sweeps. */
static wrsim_status check_kinds(const wr_slack *slack, wrsim_error *err)
{
    const char *name = wr_slack_place_find_flag(slack, WR_SUBSYSTEM_CANNOT_RESTORE);
    if (name && most_sweeps(&slack->plan.options) > 1)
        return wr_error_set(err, WRSIM_E_CONFIG,
                            "'%s' has no rollback, so its periods cannot be integrated twice: set "
                            "slack.sweeps = 1, and an action other than \"relax\"",
                            name);
    const wr_slack_options *const o = &slack->plan.options;
    name = wr_slack_place_find_flag(slack, WR_SUBSYSTEM_OWN_STATE);
    if (name && o->slack.watch > 0 && (o->slack.eps_loc > 0.0 || o->slack.eps_glo > 0.0))
        return wr_error_set(err, WRSIM_E_CONFIG,
                            "the delay errors of '%s' are unknown, because a model has an own "
                            "state: set slack.eps_loc = 0 and slack.eps_glo = 0",
                            name);
    name = wr_slack_place_find_flag(slack, WR_SUBSYSTEM_GRID_ONLY);
    if (name && !wr_slack_place_is_multiple(slack, slack->plan.tick_s))
        return wr_error_set(
            err, WRSIM_E_CONFIG,
            "'%s' advances from one communication point to the next only: make slack.period, the "
            "periods of connections and slack.shortest_period multiples of "
            "simulation.communication_step",
            name);
    return WRSIM_OK;
}

static wrsim_status start_all(wr_slack *slack, wr_start *start, wrsim_error *err)
{
    const wr_start_events initial = {.part = slack->plan.link,
                                     .n_part = slack->plan.n,
                                     .max_event_iterations =
                                         slack->plan.options.max_event_iterations,
                                     .observer = slack->observer};
    WR_TRY(check_kinds(slack, err));
    WR_TRY(wr_start_events_find(&initial, start, err));
    const double t_s = slack->plan.options.start_s, length_s = slack->plan.options.slack.period_s;
    for (int i = 0; i < slack->plan.n; i++) {
        const wr_period_task *const p = &slack->plan.part[i];
        wr_wave *const wave = p->out.start_prediction;
        const int n = p->subsystem->n_published;
        wrsim_status status = wr_subsystem_start(p->subsystem);
        if (status >= 0 && n > 0)
            status = wr_subsystem_published(p->subsystem, p->weight, p->slope);
        if (status >= 0 && n > 0)
            status = wr_predict_start(p->predict, t_s, p->weight, wave);
        if (status < 0)
            wr_subsystem_fault_text(p->subsystem, err);
        WR_TRY(status);
        if (n == 0)
            continue;
        /* The first prediction continues the start values with their slopes, or holds them. */
        for (int k = 0; k < n && slack->plan.options.fixed_degree != 0; k++) {
            wave->value[n + k] = p->weight[k] + length_s * p->slope[k];
            wave->slope[k] = wave->slope[n + k] = p->slope[k];
        }
        wave->t_s[1] = t_s + length_s;
    }
    return WRSIM_OK;
}

wrsim_status wr_slack_start(wr_slack *slack, wrsim_error *err)
{
    /* The start uses an arena of its own, because the plans for all outputs of a large model are large. */
    wr_arena *arena =
        wr_arena_create_from(wr_arena_memory(slack->plan.link[0].arena), SIZE_MAX / 4);
    wr_start *const start =
        arena ? wr_start_place(arena, slack->plan.link, slack->plan.n, 0) : NULL;
    wrsim_status status = WRSIM_E_MEMORY;
    if (start)
        status = start_all(slack, start, err);
    else
        wr_error_memory(err);
    wr_arena_destroy(&arena);
    return status;
}
