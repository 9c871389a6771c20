/* Ports of a simulation. See ports.h. Thread: one owner. Real-time: as in ports.h and wrsim/port.h. */
#include "runtime/sim/ports.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap_pool.h"
#include "base/names.h"
#include "runtime/sim/inspect.h"
#include "runtime/sim/lookup.h"
#include "runtime/sim/scenarios.h"
#include "runtime/sim/simulation.h"
#include "subsystems/playback/port_player.h"

/* Returns 1 for an input port. A port with an error is neither input nor output. */
static int is_input(const wr_set_port *set) { return set->name && set->n_to > 0; }
static int is_output(const wr_set_port *set) { return set->name && set->from.name; }

int wr_ports_count_signals(const wr_settings *set)
{
    return wr_ports_api_output(set, wr_scenarios_count_api(set));
}

int wr_ports_api_output(const wr_settings *set, int i_api)
{
    int n_input = 0;
    for (int i = 0; i < set->n_ports; i++)
        n_input += is_input(&set->ports[i]);
    return n_input + 2 * i_api;
}

int wr_ports_count_links(const wr_settings *set)
{
    int n = 0;
    for (int i = 0; i < set->n_ports; i++)
        n += is_input(&set->ports[i]) ? set->ports[i].n_to : 0;
    return n;
}

int wr_ports_links(const wr_assembly *a, wr_graph_link *links)
{
    const wr_settings *const set = a->settings;
    int n = 0;
    for (int i = 0; a->i_port >= 0 && i < set->n_ports; i++) {
        const wr_set_port *const p = &set->ports[i];
        const char *const from =
            is_input(p) ? wr_heap_pool_join(a->pool, WR_PORTS_NAME, p->name) : NULL;
        if (is_input(p) && !from)
            return -1;
        for (int k = 0; is_input(p) && k < p->n_to; k++)
            links[n++] = (wr_graph_link){.from = from,
                                         .to = p->to[k].name,
                                         .noun = "port",
                                         .where_from = p->where,
                                         .where_to = p->to[k].where};
    }
    return n;
}

/* ---- the component ---- */

/* User data of the model of the ports: one variable per input port, then two per scenario that a host triggers. */
typedef struct port_list {
    int n;
    wrsim_variable *variable; /* [n] */
} port_list;

static int describe(wrsim_instance *self, wrsim_description *to)
{
    to->time_scale_s = (double)INFINITY;
    const port_list *const list = self->user;
    for (int i = 0; i < list->n; i++)
        if (to->add(to, WRSIM_OUTPUT, &list->variable[i]) != 0)
            return -1;
    return to->depends(to, WRSIM_U_Y, -1, -1);
}

/* The run never calls this function, because ports are played. */
static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)at;
    (void)ret_y;
    self->message = "the component of ports was evaluated; report this error of wrsim";
    return -1;
}

/* Returns the first input that a port drives; NULL if the input does not exist. */
static const wr_variable *find_input(const wr_assembly *a, const wr_set_port *p)
{
    const char *const name = p->to[0].name;
    const size_t n = strcspn(name, ".");
    const int i = wr_names_find(a->named, a->n_named, name, n);
    const int k = i >= 0 ? wr_component_find(a->component[i], WRSIM_INPUT, name + n + 1) : -1;
    return k >= 0 ? &a->component[i]->variable[WRSIM_INPUT][k] : NULL;
}

/* Adds the two signals of a scenario that a host triggers. Returns 0, or -1 when out of memory. */
static int add_scenario(const wr_assembly *a, const wr_set_scenario *s, port_list *list)
{
    static const char *const names[2] = {"is_on", "level"};
    for (int k = 0; s->is_api && !s->is_refused && k < 2; k++) {
        const size_t bytes = strlen(s->name) + 1 + strlen(names[k]) + 1;
        char *const name = WR_TAKE(a->pool, char, bytes);
        if (!name)
            return -1;
        snprintf(name, bytes, "%s_%s", s->name, names[k]);
        list->variable[list->n++] =
            (wrsim_variable){.name = name,
                             .description = "scenario signal that the host sets",
                             .flags = WRSIM_DISCONTINUOUS};
    }
    return 0;
}

double wr_ports_start(const wr_assembly *a, const wr_set_port *set)
{
    const wr_variable *const input = find_input(a, set);
    return !isnan(set->start) ? set->start : input ? input->start : 0.0;
}

wr_component *wr_ports_component(wr_assembly *a, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    port_list *const list = WR_TAKE(a->pool, port_list, 1);
    wrsim_model *const model = WR_TAKE(a->pool, wrsim_model, 1);
    wrsim_variable *const variable = WR_TAKE(a->pool, wrsim_variable, wr_ports_count_signals(set));
    if (!list || !model || !variable) {
        wr_assembly_out_of_memory(diag);
        return NULL;
    }
    *list = (port_list){.variable = variable};
    const wr_where *where = NULL;
    for (int i = 0; i < set->n_ports; i++) {
        const wr_set_port *const p = &set->ports[i];
        if (!is_input(p))
            continue;
        const wr_variable *const input = find_input(a, p);
        variable[list->n++] = (wrsim_variable){.name = p->name,
                                               .unit = input ? input->unit : "",
                                               .description = "value that the host sets",
                                               .flags = WRSIM_DISCONTINUOUS};
        where = where ? where : &p->where;
    }
    for (int i = 0; i < set->n_scenarios; i++)
        if (add_scenario(a, &set->scenarios[i], list) < 0) {
            wr_assembly_out_of_memory(diag);
            return NULL;
        }
    *model = (wrsim_model){.abi = WRSIM_MODEL_ABI,
                           .struct_size = sizeof *model,
                           .name = WR_PORTS_NAME,
                           .description = "input ports",
                           .caps = WRSIM_CAP_RT_SAFE,
                           .describe = describe,
                           .output = output,
                           .user = list};
    return wr_component_create(WR_PORTS_NAME, model, where, NULL, 0, NULL, 0, diag);
}

/* ---- output ports ---- */

void wr_ports_check(const wr_assembly *a, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    for (int i = 0; i < set->n_ports; i++) {
        const wr_set_port *const p = &set->ports[i];
        int i_component, index;
        wrsim_kind kind;
        if (!is_output(p) || wr_lookup_name(a, p->from.name, &i_component, &kind, &index) == 0 ||
            wr_lookup_may_lack(a, p->from.name))
            continue;
        char hint[WR_NAMES_HINT_BYTES];
        wr_diag_add(diag, WRSIM_E_CONFIG, &p->from.where,
                    "port from '%.160s': unknown output, state or input; %s", p->from.name,
                    wr_lookup_hint(a, p->from.name, hint));
    }
}

/* An output port and its variable. */
typedef struct shown {
    int i_port, i_subsystem, variable;
} shown;

static int compare_shown(const void *left, const void *right)
{
    const shown *const a = left, *const b = right;
    if (a->i_subsystem != b->i_subsystem)
        return (a->i_subsystem > b->i_subsystem) - (a->i_subsystem < b->i_subsystem);
    return (a->i_port > b->i_port) - (a->i_port < b->i_port);
}

/* Finds the variable of an output port. A connected input has the value of the connected output. If a subsystem without a group does not
 * publish the value, the value is unknown, so the function refuses the port. */
static wrsim_status find_shown(const wr_assembly *a, int i_port, shown *ret, wr_diag *diag)
{
    const wr_set_port *const set = &a->settings->ports[i_port];
    int i_component, index;
    wrsim_kind kind;
    wr_lookup_name(a, set->from.name, &i_component, &kind, &index);
    wr_port *const p = &a->ports->port[i_port];
    p->unit = a->component[i_component]->variable[kind][index].unit;
    *ret = (shown){i_port, 0, wr_lookup_number(a, i_component, kind, index)};
    const wr_graph_edge *const driver =
        kind == WRSIM_INPUT ? wr_graph_driver(a->graph, i_component, index) : NULL;
    const int i_source = driver ? driver->from : i_component;
    const int i_output = driver ? driver->i_output : kind == WRSIM_OUTPUT ? index : -1;
    ret->i_subsystem = a->graph->node[i_source].i_subsystem;
    const wr_setup *const m = &a->setup[ret->i_subsystem];
    if (m->kind->has_group ||
        (i_output >= 0 && a->signal_of[wr_lookup_number(a, i_source, WRSIM_OUTPUT, i_output)] >= 0))
        return WRSIM_OK;
    return wr_diag_add(diag, WRSIM_E_CONFIG, &set->from.where,
                       "port from '%.160s': the value is unknown, because its subsystem '%s' is "
                       "played or advances itself, and no other subsystem reads the signal; remove "
                       "the port",
                       set->from.name, m->name);
}

wrsim_status wr_ports_place(wr_assembly *a, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    wr_ports *const ports = a->ports = WR_TAKE(a->pool, wr_ports, 1);
    if (ports)
        ports->port = WR_TAKE(a->pool, wr_port, set->n_ports);
    if (!ports || !ports->port)
        return wr_assembly_out_of_memory(diag);
    ports->n = set->n_ports;
    for (int i = 0; i < ports->n; i++) {
        wr_port *const p = &ports->port[i];
        *p = (wr_port){.name = set->ports[i].name, .unit = "", .i_signal = -1, .i_shown = -1};
        if (!is_input(&set->ports[i]))
            continue;
        const int k = ports->n_input++;
        p->i_signal = a->signal_of[wr_lookup_number(a, a->i_port, WRSIM_OUTPUT, k)];
        p->unit = a->component[a->i_port]->variable[WRSIM_OUTPUT][k].unit;
    }
    if (a->i_port >= 0)
        ports->player = a->setup[a->graph->node[a->i_port].i_subsystem].subsystem;
    shown *const list = WR_TAKE(a->pool, shown, ports->n);
    ports->variable = WR_TAKE(a->pool, int, ports->n);
    ports->latched = WR_TAKE(a->pool, double, ports->n);
    if (!list || !ports->variable || !ports->latched)
        return wr_assembly_out_of_memory(diag);
    for (int i = 0; i < ports->n; i++)
        if (is_output(&a->settings->ports[i]))
            find_shown(a, i, &list[ports->n_shown++], diag);
    qsort(list, (size_t)ports->n_shown, sizeof *list, compare_shown);
    for (int i = 0; i < ports->n_shown; i++) {
        ports->port[list[i].i_port].i_shown = i;
        ports->variable[i] = list[i].variable;
        ports->latched[i] = (double)NAN;
    }
    return wr_diag_status(diag);
}

/* ---- values ---- */

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

/* Writes an error about a name that is no port of the direction. */
static wrsim_status refuse_name(const wrsim *sim, wrsim_port_direction direction, const char *name,
                                wrsim_error *err)
{
    const int is_port = wrsim_port_find(sim, name) >= 0;
    const int is_input = direction == WRSIM_PORT_INPUT;
    const char **const names = malloc(((size_t)ports_of(sim)->n + 1) * sizeof *names);
    char hint[WR_NAMES_HINT_BYTES];
    int n = 0;
    for (int i = 0; names && i < ports_of(sim)->n; i++)
        if ((ports_of(sim)->port[i].i_signal >= 0) == is_input)
            names[n++] = ports_of(sim)->port[i].name;
    wr_names_hint(name, names, n, hint);
    free(names);
    return wr_error_set(err, WRSIM_E_ARG, "no %s port has the name '%.100s'%s; %s",
                        is_input ? "input" : "output", name,
                        !is_port   ? ""
                        : is_input ? ", which is an output port"
                                   : ", which is an input port",
                        hint);
}

wrsim_status wrsim_port_find_many(const wrsim *sim, wrsim_port_direction direction, int n,
                                  const char *const *name, int *ret_port, wrsim_error *err)
{
    if (!sim || n < 0 || (n > 0 && (!name || !ret_port)))
        return wr_error_set(err, WRSIM_E_ARG,
                            "wrsim_port_find_many: an argument is NULL or negative; pass valid "
                            "arguments");
    for (int i = 0; i < n; i++) {
        if (!name[i])
            return wr_error_set(err, WRSIM_E_ARG,
                                "wrsim_port_find_many: name %d is NULL; pass a name", i);
        const wr_port *const p = find(sim, wrsim_port_find(sim, name[i]));
        if (!p || (p->i_signal >= 0) != (direction == WRSIM_PORT_INPUT))
            return refuse_name(sim, direction, name[i], err);
    }
    for (int i = 0; i < n; i++)
        ret_port[i] = wrsim_port_find(sim, name[i]);
    return WRSIM_OK;
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

wrsim_status wr_ports_set_slope(wrsim *sim, int port, double slope)
{
    const wr_port *const p = find(sim, port);
    if (!p || p->i_signal < 0 || !isfinite(slope))
        return WRSIM_E_ARG;
    if (wr_simulation_where(sim) != WR_SIM_PREPARED)
        return WRSIM_E_STATE;
    return wr_port_player_set_slope(ports_of(sim)->player, p->i_signal, slope) == 0 ? WRSIM_OK
                                                                                    : WRSIM_E_ARG;
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
