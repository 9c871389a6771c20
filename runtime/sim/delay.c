/* Delay errors of a slackened run (wrsim/delay.h).
 *
 * Thread: the simulation's owner, between runs. Real-time: no.
 */
#include "runtime/sim/delay.h"

#include <math.h>
#include <stdio.h>

#include "runtime/sim/drive.h"

/* What watches a subsystem; NULL: nothing. */
static const wr_delay_error *watcher(const wrsim *sim, int i_subsystem)
{
    return sim->slack ? wr_slack_delay_error(sim->slack, i_subsystem) : NULL;
}

static int is_watched(const wrsim *sim)
{
    return sim->slack && sim->has_values && sim->settings->slack.watch > 0;
}

/* "component.state" of a subsystem's state; "" where there is none. */
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

static int is_said(double limit, int action)
{
    return limit > 0.0 && (action == WR_ACTION_WARN || action == WR_ACTION_STOP);
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
    const wr_slack_limits limits = wr_slack_limits_get(sim->slack, i_subsystem);
    ret->n_above_loc = limits.local.n;
    ret->n_above_glo = limits.global.n;
    if (limits.local.n > 0)
        ret->first_above_loc_s = limits.local.first_s;
    if (limits.global.n > 0)
        ret->first_above_glo_s = limits.global.first_s;
    ret->n_sweep = limits.n_sweep;
    const wr_set_slack *const set = &sim->settings->slack;
    ret->said_loc = is_said(set->eps_loc, set->on_loc) ? set->eps_loc : (double)INFINITY;
    ret->said_glo = is_said(set->eps_glo, set->on_glo) ? set->eps_glo : (double)INFINITY;
    ret->n_period = sum.n_record;
    ret->n_lost = sum.n_lost;
    ret->n_failed = sum.n_failed;
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
    const wr_setup *const producer = &sim->assembly->setup[m->producer[i_connection]];
    *ret = (wrsim_delay_connection){
        .reader = m->name,
        .producer = producer->name,
        .is_played = (producer->subsystem->flags & WR_SUBSYSTEM_IS_PLAYED) != 0,
        .is_awaited = wr_slack_is_awaited(sim->slack, i_subsystem, i_connection),
        .period_s = wr_slack_exchange_s(sim->slack, i_subsystem, i_connection)};
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
    if (wr_assembly_state(sim->assembly, variable, &i_subsystem, &i_state) != 0)
        return WRSIM_E_ARG;
    if (!is_watched(sim))
        return WRSIM_E_STATE;
    const wr_delay_error *const delay = watcher(sim, i_subsystem);
    *ret = (wrsim_delay_state){.current = 0.0};
    if (!delay)
        return WRSIM_OK;
    ret->current = wr_delay_error_current(delay, i_state);
    ret->accumulated = wr_delay_error_accumulated(delay, i_state);
    ret->estimate = wr_delay_error_estimate(delay, i_state);
    ret->most = wr_delay_error_most(delay, i_state);
    return WRSIM_OK;
}

void wr_delay_account(const wrsim *sim, wrsim_error_account *account)
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
                     sim->assembly->setup[m->producer[j]].name, m->name);
        }
    }
    account->is_above = account->limit > 0.0 && !(account->error <= account->limit);
}

/* ---- configuration ---- */

/* The part of slack.period that it should be: 2^-k, k = 0 ... 10. */
static void check_part(const wr_settings *set, double part_s, const char *key,
                       const wr_where *where, wr_diag *diag)
{
    static const double ROUNDING = 1e-9, MOST = 10.0; /* MOST: as WR_SLACK_MOST_HALVINGS */
    const double period_s = wr_settings_slack_period(set);
    const double k = wr_clamp(floor(log2(period_s / part_s) + 0.5), 0.0, MOST);
    if (fabs(ldexp(part_s, (int)k) / period_s - 1.0) <= ROUNDING)
        return;
    wr_diag_add(diag, WRSIM_E_CONFIG, where,
                "%s = %.9g s must be slack.period (%.9g s) or a half, a quarter ... a 1024th of "
                "it; the nearest is %.9g s",
                key, part_s, period_s, ldexp(period_s, -(int)k));
}

/* Shorter periods of some: each must divide that of all, and nobody goes back. */
static void check_periods(const wr_settings *set, wr_diag *diag)
{
    const wr_set_slack *const k = &set->slack;
    const char *shorter = wr_settings_is_shortening(set) ? "\"shorten\"" : NULL;
    const wr_where place = wr_settings_place(set, "slack.shortest_period");
    if (k->shortest_period_s > 0.0)
        check_part(set, k->shortest_period_s, "slack.shortest_period", &place, diag);
    const wr_where *last = NULL;
    for (int i = 0; i < set->n_connections; i++) {
        const wr_set_connection *const c = &set->connections[i];
        if (!(c->period_s > 0.0))
            continue;
        /* One line of the config makes several that follow one another. */
        if (!last || last->line != c->where_period.line || last->column != c->where_period.column)
            check_part(set, c->period_s, "'period' of a connection", &c->where_period, diag);
        last = &c->where_period;
        shorter = "'period' of a connection";
    }
    const int is_relaxed = (k->eps_loc > 0.0 && k->on_loc == WR_ACTION_RELAX) ||
                           (k->eps_glo > 0.0 && k->on_glo == WR_ACTION_RELAX);
    const wr_where where = wr_settings_place(set, k->sweeps > 1                  ? "slack.sweeps"
                                                  : k->on_loc == WR_ACTION_RELAX ? "slack.on_loc"
                                                                                 : "slack.on_glo");
    if (shorter && (k->sweeps > 1 || is_relaxed))
        wr_diag_add(diag, WRSIM_E_CONFIG, &where,
                    "%s does not go with several sweeps (slack.sweeps, \"relax\"): in these all "
                    "subsystems have the same periods",
                    shorter);
}

void wr_delay_check(const wr_settings *set, wr_diag *diag)
{
    const wr_set_slack *const k = &set->slack;
    const int is_slack = set->relaxation.scheme == WR_SCHEME_SLACK;
    if (k->watch > 0 && !is_slack) {
        const wr_where where = wr_settings_place(set, "slack.watch");
        wr_diag_add(diag, WRSIM_E_CONFIG, &where,
                    "slack.watch goes with relaxation.scheme = \"slack\": relaxation has an error "
                    "account of its own");
    }
    if (is_slack)
        check_periods(set, diag);
    static const char *const keys[] = {"slack.eps_loc", "slack.eps_glo"};
    const double limits[] = {k->eps_loc, k->eps_glo};
    for (int i = 0; i < 2; i++) {
        const wr_where where = wr_settings_place(set, keys[i]);
        if (limits[i] > 0.0 && k->watch == 0)
            wr_diag_add(diag, WRSIM_E_CONFIG, &where,
                        "%s is compared with nothing: set slack.watch, for example to 1", keys[i]);
    }
}
