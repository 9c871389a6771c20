/* Values of ports while a simulation runs: wrsim/port.h.
 *
 * Thread: the simulation's owner, between two advances. Real-time: yes, but for finding one by its name.
 */
#include <math.h>
#include <string.h>

#include "runtime/sim/inspect.h"
#include "runtime/sim/ports.h"
#include "runtime/sim/simulation.h"
#include "subsystems/playback/port_player.h"

static const wr_ports *ports_of(const wrsim *sim)
{
    static const wr_ports none = {0};
    return sim && sim->assembly && sim->assembly->ports ? sim->assembly->ports : &none;
}

static const wr_port *find(const wrsim *sim, int port)
{
    return port >= 0 && port < ports_of(sim)->n ? &ports_of(sim)->port[port] : NULL;
}

int wrsim_port_count(const wrsim *sim) { return ports_of(sim)->n; }

int wrsim_port_find(const wrsim *sim, const char *name)
{
    for (int i = 0; name && i < ports_of(sim)->n; i++)
        if (strcmp(ports_of(sim)->port[i].name, name) == 0)
            return i;
    return -1;
}

wrsim_status wrsim_port_info(const wrsim *sim, int port, wrsim_port *ret)
{
    const wr_port *const p = find(sim, port);
    if (!p || !ret)
        return WRSIM_E_ARG;
    *ret = (wrsim_port){.name = p->name,
                        .unit = p->unit,
                        .direction = p->i_signal >= 0 ? WRSIM_PORT_INPUT : WRSIM_PORT_OUTPUT};
    return WRSIM_OK;
}

wrsim_status wrsim_port_set_many(wrsim *sim, int n, const int *port, const double *value)
{
    if (!sim || n < 0 || (n > 0 && (!port || !value)))
        return WRSIM_E_ARG;
    if (wr_simulation_where(sim) != WR_SIM_PREPARED)
        return WRSIM_E_STATE;
    for (int i = 0; i < n; i++) {
        const wr_port *const p = find(sim, port[i]);
        if (!p || p->i_signal < 0 || !isfinite(value[i]))
            return WRSIM_E_ARG;
    }
    for (int i = 0; i < n; i++)
        wr_port_player_set(ports_of(sim)->player, find(sim, port[i])->i_signal, value[i]);
    return WRSIM_OK;
}

wrsim_status wrsim_port_set(wrsim *sim, int port, double value)
{
    return wrsim_port_set_many(sim, 1, &port, &value);
}

wrsim_status wrsim_port_get_many(const wrsim *sim, int n, const int *port, double *ret_value)
{
    if (!sim || n < 0 || (n > 0 && (!port || !ret_value)))
        return WRSIM_E_ARG;
    if (!sim->has_values)
        return WRSIM_E_STATE;
    for (int i = 0; i < n; i++) {
        const wr_port *const p = find(sim, port[i]);
        if (!p || p->i_shown < 0)
            return WRSIM_E_ARG;
    }
    for (int i = 0; i < n; i++)
        ret_value[i] = ports_of(sim)->latched[find(sim, port[i])->i_shown];
    return WRSIM_OK;
}

double wrsim_port_get(const wrsim *sim, int port)
{
    double value = (double)NAN;
    wrsim_port_get_many(sim, 1, &port, &value);
    return value;
}

void wr_ports_sample(wrsim *sim)
{
    if (ports_of(sim)->player)
        wr_port_player_sample(ports_of(sim)->player);
}

void wr_ports_latch(wrsim *sim)
{
    const wr_ports *const ports = ports_of(sim);
    if (ports->n_shown > 0)
        wr_inspect_many(sim, ports->n_shown, ports->variable, ports->latched);
}
