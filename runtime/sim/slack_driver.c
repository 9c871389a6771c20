/* The driver of slackened runs. See driver_ops.h. Thread: as driver_ops.h. Real-time: as driver_ops.h. */
#include "runtime/sim/driver_ops.h"

#include <math.h>
#include <stdio.h>

#include "base/check.h"
#include "runtime/sim/lookup.h"
#include "runtime/slack/slack_clock.h"
#include "runtime/slack/slack_place.h"

static wr_slack *slack_of(const wrsim *sim)
{
    return sim->driver == &wr_slack_driver ? sim->driver_run : NULL;
}

/* ---- placing ---- */

static wr_slack_options slack_options(const wr_settings *set)
{
    wr_slack_options options = {.start_s = set->simulation.start_s,
                                .communication_step_s = set->simulation.communication_step_s,
                                .slack = set->slack,
                                .fixed_degree = wr_driver_ops_degree(set),
                                .history_period = set->relaxation.history_period,
                                .max_event_iterations = set->simulation.max_event_iterations};
    options.slack.period_s = wr_settings_slack_period(set);
    options.slack.shortest_period_s = wr_settings_shortest_period(set);
    return options;
}

static int place(wrsim *sim, const wr_wiring *links)
{
    const wr_assembly *const a = sim->assembly;
    wr_slack_options options = slack_options(sim->settings);
    options.cap_node = a->cap_node;
    options.phase_part = a->phase_subsystem;
    options.phase_signal = a->phase_signal;
    options.cap_history =
        wr_engine_history_nodes(sim->settings->relaxation.history_nodes, a->cap_node);
    if (a->n_subsystem == 1) /* one subsystem predicts no inputs */
        options.history_period = 0.0;
    if (options.slack.replay[0]) {
        options.slack.delays = WR_DELAYS_REPLAYED;
        options.slack.delay = wr_version_log_most_delay(sim->version_log);
    }
    wr_slack *const slack = sim->driver_run =
        wr_slack_place(a->arena, &options, links, a->n_subsystem, sim->team);
    if (!slack)
        return -1;
    if (sim->version_log)
        wr_slack_set_log(slack, wr_version_log_calls(sim->version_log));
    wr_slack_observe(slack, sim->observers);
    return 0;
}

/* ---- the run ---- */

WR_DRIVER_CALLS(wr_slack)

static int64_t windows(const wrsim *sim) { return wr_slack_periods(sim->driver_run); }

static int64_t sweeps(const wrsim *sim)
{
    return wr_slack_periods(sim->driver_run) * sim->settings->slack.sweeps;
}

static wrsim_status set_pace(wrsim *sim, const wr_slack_pace *pace)
{
    return wr_slack_set_pace(sim->driver_run, sim->assembly->arena, pace);
}

static int64_t jumps(const wrsim *sim) { return wr_slack_jumps(sim->driver_run); }

/* ---- results ---- */

static void fill_stats(const wrsim *sim, wrsim_stats *stats)
{
    const wr_slack_stats k = wr_slack_stats_get(sim->driver_run);
    stats->n_active_worker = k.n_active_worker;
    stats->n_window = k.n_period;
    stats->n_sweep = sweeps(sim);
    stats->n_integration = k.n_integration;
    stats->n_one_sweep = sim->settings->slack.sweeps == 1 ? k.n_period : 0;
    stats->window_shortest_s = stats->window_longest_s = wr_settings_slack_period(sim->settings);
    stats->n_predicted = k.n_predicted;
    stats->n_predicted_period = k.n_predicted_period;
    stats->n_wait = k.n_wait;
    stats->n_stale = k.n_stale;
}

static wr_slack_left sweep_left(const wrsim *sim, int i_subsystem)
{
    return wr_slack_left_get(sim->driver_run, i_subsystem);
}

static wr_slack_age age(const wrsim *sim, int i_subsystem, int i_external)
{
    return wr_slack_age_get(sim->driver_run, i_subsystem, i_external);
}

/* ---- delay errors (wrsim/delay.h) ---- */

/* Returns the delay error of a subsystem; NULL: the subsystem is not watched. */
static const wr_delay_error *watcher(const wrsim *sim, int i_subsystem)
{
    return slack_of(sim) ? wr_slack_delay_error(slack_of(sim), i_subsystem) : NULL;
}

static int is_watched(const wrsim *sim)
{
    return slack_of(sim) && sim->has_values && sim->settings->slack.watch > 0;
}

/* Writes "component.state" of a subsystem's state; "" without a state. */
static void name_state(const wr_setup *m, int i_state, char *ret, size_t bytes)
{
    const wr_group *const g = wr_setup_group(m);
    ret[0] = '\0';
    if (!g || i_state < 0)
        return;
    int c = 0;
    while (c + 1 < g->n_component && g->x_start[c + 1] <= i_state)
        c++;
    snprintf(ret, bytes, "%s.%s", g->component[c]->name,
             g->component[c]->variable[WRSIM_STATE][i_state - g->x_start[c]].name);
}

/* Returns a positive limit whose action is "warn" or "stop"; for any other limit infinity. */
static double reported_limit(double limit, int action)
{
    return limit > 0.0 && (action == WR_ACTION_WARN || action == WR_ACTION_STOP) ? limit
                                                                                 : (double)INFINITY;
}

wrsim_status wrsim_delay_subsystem_get(const wrsim *sim, int i_subsystem,
                                       wrsim_delay_subsystem *ret)
{
    if (!sim || !ret || i_subsystem < 0 || i_subsystem >= sim->assembly->n_subsystem)
        return WRSIM_E_ARG;
    if (!is_watched(sim))
        return WRSIM_E_STATE;
    const wr_setup *const m = &sim->assembly->setup[i_subsystem];
    const wr_delay_error *const delay = watcher(sim, i_subsystem);
    *ret = (wrsim_delay_subsystem){.name = m->name,
                                   .n_connection = m->subsystem->n_source,
                                   .first_above_loc_s = (double)NAN,
                                   .first_above_glo_s = (double)NAN,
                                   .n_sweep = 1};
    if (!delay)
        return WRSIM_OK;
    const wr_delay_sum sum = wr_delay_error_sum(delay);
    const wr_slack_limits limits = wr_slack_limits_get(slack_of(sim), i_subsystem);
    ret->n_above_loc = limits.local.n;
    ret->n_above_glo = limits.global.n;
    if (limits.local.n > 0)
        ret->first_above_loc_s = limits.local.first_s;
    if (limits.global.n > 0)
        ret->first_above_glo_s = limits.global.first_s;
    ret->n_sweep = limits.n_sweep;
    const wr_set_slack *const set = &sim->settings->slack;
    ret->said_loc = reported_limit(set->eps_loc, set->on_loc);
    ret->said_glo = reported_limit(set->eps_glo, set->on_glo);
    ret->n_period = sum.n_record;
    ret->n_lost = sum.n_lost;
    ret->n_failed = sum.n_failed;
    ret->is_partial = (m->subsystem->flags & WR_SUBSYSTEM_NO_PROBE) != 0;
    ret->n_rhs = sum.n_rhs;
    ret->current = sum.current;
    ret->current_s = sum.current_s;
    name_state(m, sum.i_state, ret->current_state, sizeof ret->current_state);
    ret->estimate = sum.estimate;
    ret->estimate_s = sum.estimate_s;
    name_state(m, sum.i_estimated, ret->estimate_state, sizeof ret->estimate_state);
    return WRSIM_OK;
}

wrsim_status wrsim_delay_connection_get(const wrsim *sim, int i_subsystem, int i_connection,
                                        wrsim_delay_connection *ret)
{
    if (!sim || !ret || i_subsystem < 0 || i_subsystem >= sim->assembly->n_subsystem)
        return WRSIM_E_ARG;
    const wr_setup *const m = &sim->assembly->setup[i_subsystem];
    if (i_connection < 0 || i_connection >= m->subsystem->n_source)
        return WRSIM_E_ARG;
    if (!is_watched(sim))
        return WRSIM_E_STATE;
    const wr_setup *const producer = &sim->assembly->setup[m->link.producer[i_connection]];
    *ret = (wrsim_delay_connection){
        .reader = m->name,
        .producer = producer->name,
        .is_played = (producer->subsystem->flags & WR_SUBSYSTEM_IS_PLAYED) != 0,
        .is_awaited = wr_slack_is_awaited(slack_of(sim), i_subsystem, i_connection),
        .period_s = wr_slack_exchange_s(slack_of(sim), i_subsystem, i_connection)};
    const wr_delay_error *const delay = watcher(sim, i_subsystem);
    if (!delay)
        return WRSIM_OK;
    const wr_delay_share share = wr_delay_error_share(delay, i_connection);
    ret->current = share.current;
    ret->current_s = share.current_s;
    ret->sum = share.sum;
    return WRSIM_OK;
}

wrsim_status wrsim_delay_state_get(const wrsim *sim, int variable, wrsim_delay_state *ret)
{
    if (!sim || !ret)
        return WRSIM_E_ARG;
    int i_subsystem, i_state;
    if (wr_lookup_state(sim->assembly, variable, &i_subsystem, &i_state) != 0)
        return WRSIM_E_ARG;
    if (!is_watched(sim))
        return WRSIM_E_STATE;
    const wr_delay_error *const delay = watcher(sim, i_subsystem);
    *ret = delay ? wr_delay_error_of_state(delay, i_state) : (wrsim_delay_state){.current = 0.0};
    return WRSIM_OK;
}

static void fill_account(const wrsim *sim, wrsim_error_account *account)
{
    double most = 0.0;
    for (int i = 0; i < sim->assembly->n_subsystem && is_watched(sim); i++) {
        const wr_setup *const m = &sim->assembly->setup[i];
        const wr_delay_error *const delay = watcher(sim, i);
        const double error = delay ? wr_delay_error_sum(delay).error : 0.0;
        if (error > account->error) {
            account->error = error;
            account->subsystem = m->name;
        }
        for (int j = 0; delay && j < m->subsystem->n_source; j++) {
            const wr_delay_share share = wr_delay_error_share(delay, j);
            if (!(share.sum > most))
                continue;
            most = share.sum;
            snprintf(account->connection, sizeof account->connection, "%s -> %s",
                     sim->assembly->setup[m->link.producer[j]].name, m->name);
        }
    }
    account->is_above = account->limit > 0.0 && !(account->error <= account->limit);
}

const wr_driver_ops wr_slack_driver = {
    WR_DRIVER_CALL_ROWS,     .error_noun = "stale inputs", .place = place, .windows = windows,
    .sweeps = sweeps,        .set_pace = set_pace,         .jumps = jumps, .stats = fill_stats,
    .account = fill_account, .sweep_left = sweep_left,     .age = age};
