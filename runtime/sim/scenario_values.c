/* What a host says of scenarios: wrsim/scenario.h. It goes the way of ports.
 *
 * Thread: the simulation's owner, between two advances. Real-time: yes, but for finding one by its name.
 */
#include <math.h>
#include <string.h>

#include "runtime/config/settings.h"
#include "runtime/sim/scenarios.h"
#include "runtime/sim/simulation.h"
#include "subsystems/playback/port_player.h"

static const wr_set_scenario *find(const wrsim *sim, int scenario)
{
    const int is_there = sim && scenario >= 0 && scenario < sim->settings->n_scenarios;
    return is_there ? &sim->settings->scenarios[scenario] : NULL;
}

int wrsim_scenario_count(const wrsim *sim) { return sim ? sim->settings->n_scenarios : 0; }

int wrsim_scenario_find(const wrsim *sim, const char *name)
{
    for (int i = 0; name && i < wrsim_scenario_count(sim); i++)
        if (strcmp(sim->settings->scenarios[i].name, name) == 0)
            return i;
    return -1;
}

wrsim_status wrsim_scenario_info(const wrsim *sim, int scenario, wrsim_scenario *ret)
{
    const wr_set_scenario *const set = find(sim, scenario);
    if (!set || !ret)
        return WRSIM_E_ARG;
    *ret = (wrsim_scenario){.name = set->name,
                            .action = wr_settings_actions[set->action],
                            .target = set->signal.name ? set->signal.name : set->parameter.name,
                            .is_triggered = set->is_api};
    return WRSIM_OK;
}

wrsim_status wrsim_scenario_trigger(wrsim *sim, int scenario, int is_on)
{
    const wr_set_scenario *const set = find(sim, scenario);
    if (!set || !set->is_api)
        return WRSIM_E_ARG;
    if (wr_simulation_where(sim) != WR_SIM_PREPARED)
        return WRSIM_E_STATE;
    const wr_scenarios *const list = sim->assembly->scenarios;
    wr_port_player_set(list->player, list->scenario[scenario].i_on, is_on ? 1.0 : 0.0);
    return WRSIM_OK;
}

wrsim_status wrsim_scenario_set_value(wrsim *sim, int scenario, double value)
{
    const wr_set_scenario *const set = find(sim, scenario);
    if (!set || !set->is_api || !wr_scenarios_has_value(set) || !isfinite(value))
        return WRSIM_E_ARG;
    if (wr_simulation_where(sim) != WR_SIM_PREPARED)
        return WRSIM_E_STATE;
    const wr_scenarios *const list = sim->assembly->scenarios;
    wr_port_player_set(list->player, list->scenario[scenario].i_level, value);
    return WRSIM_OK;
}
