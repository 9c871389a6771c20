/* Delay errors of a slackened run (wrsim/delay.h).
 *
 * Thread: the simulation's owner, between runs. Real-time: no.
 */
#include "wrsim/delay.h"

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

wrsim_status wrsim_delay_subsystem_get(const wrsim *sim, int i_subsystem,
                                       wrsim_delay_subsystem *ret)
{
    if (!sim || !ret || i_subsystem < 0 || i_subsystem >= sim->assembly->n_subsystem)
        return WRSIM_E_ARG;
    if (!is_watched(sim))
        return WRSIM_E_STATE;
    const wr_setup *const m = &sim->assembly->setup[i_subsystem];
    const wr_delay_error *const delay = watcher(sim, i_subsystem);
    *ret = (wrsim_delay_subsystem){.name = m->name, .n_connection = m->subsystem->n_source};
    if (!delay)
        return WRSIM_OK;
    const wr_delay_sum sum = wr_delay_error_sum(delay);
    ret->n_period = sum.n_record;
    ret->n_lost = sum.n_lost;
    ret->n_rhs = sum.n_rhs;
    ret->current = sum.current;
    ret->current_s = sum.current_s;
    name_state(m, sum.i_state, ret->current_state, sizeof ret->current_state);
    ret->estimate = sum.estimate;
    ret->estimate_s = sum.estimate_s;
    name_state(m, sum.i_estimated, ret->estimate_state, sizeof ret->estimate_state);
    return WRSIM_OK;
}

/* Of a source: the inputs that read it all have its age. */
static void take_age(const wrsim *sim, int i_subsystem, int i_source, wrsim_delay_connection *ret)
{
    const wr_subsystem *const s = sim->assembly->setup[i_subsystem].subsystem;
    for (int j = 0; j < s->n_external; j++) {
        if (s->external_source[j] != i_source)
            continue;
        const wr_slack_age age = wr_slack_age_get(sim->slack, i_subsystem, j);
        ret->n_read = age.n_read;
        ret->age_mean_s = age.mean_s;
        ret->age_most_s = age.most_s;
        return;
    }
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
    *ret = (wrsim_delay_connection){.reader = m->name,
                                    .producer = producer->name,
                                    .is_played =
                                        (producer->subsystem->flags & WR_SUBSYSTEM_IS_PLAYED) != 0};
    take_age(sim, i_subsystem, i_connection, ret);
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
    return WRSIM_OK;
}
