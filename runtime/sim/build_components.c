/* Builds plug-ins, components and graph; build_subsystems.c builds subsystems. See build_components.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include "runtime/sim/build_components.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap_pool.h"
#include "base/names.h"
#include "base/same_file.h"
#include "models/models.h"
#include "runtime/graph/nominals.h"
#include "runtime/sim/build_subsystems.h"
#include "runtime/sim/component_process.h"
#include "runtime/sim/lookup.h"
#include "runtime/sim/ports.h"
#include "runtime/sim/scenario_splice.h"
#include "subsystems/model_host/descriptor.h"
#include "subsystems/model_host/fmi/fmi_config.h"
#include "subsystems/model_process/model_process.h"

/* ---- models ---- */

/* Adds the host's models. Reports a host's model that has the name of a built-in model. */
static void take_host_models(wr_assembly *a, const wrsim_model *const *models, wr_diag *diag)
{
    if (!models || wr_model_files_check("the host (wrsim_host.models)", models, NULL, diag) < 0) {
        a->is_model_missing = models != NULL;
        return;
    }
    for (int k = 0; models[k]; k++)
        if (wr_lookup_model(a, models[k]->name))
            wr_diag_add(diag, WRSIM_E_PLUGIN, NULL,
                        "the host (wrsim_host.models) has a model '%s', but another model has this "
                        "name; rename the model of the host",
                        models[k]->name);
    a->host_models = models;
}

/* Returns the index of an open file, also by another path; -1: none. */
static int find_file(const wr_assembly *a, const char *path)
{
    for (int i = 0; i < a->n_plugin; i++)
        if (strcmp(a->plugin_path[i], path) == 0 || wr_same_file(a->plugin_path[i], path))
            return i;
    return -1;
}

/* Adds an opened file; plugin NULL: the file has failed. Returns its models, or NULL. */
static const wrsim_model *const *add_file(wr_assembly *a, const char *path, wr_model_files *plugin)
{
    if (!plugin) {
        a->is_model_missing = 1;
        return NULL;
    }
    a->plugin_path[a->n_plugin] = path;
    a->plugin[a->n_plugin++] = plugin;
    return wr_model_files_models(plugin);
}

/* Opens a file of models. Returns its models, or NULL with the reason in diag. */
static const wrsim_model *const *open_file(wr_assembly *a, const char *path, const wr_where *where,
                                           wr_diag *diag)
{
    return add_file(a, path, path ? wr_model_files_open(path, where, diag) : NULL);
}

/* Opens a plug-in, in this process or in a process of a component. Returns as open_file(). */
static const wrsim_model *const *open_plugin(wr_assembly *a, const wr_set_plugin *set,
                                             wr_diag *diag)
{
    wr_model_process **const process = &a->plugin_process[a->n_plugin];
    const int status = wr_component_process_list(a, set, process, diag);
    if (status == 0)
        return open_file(a, set->file, &set->where, diag);
    wr_model_files *const listed =
        status > 0 ? wr_model_files_of_list(wr_model_process_models(*process)) : NULL;
    if (status > 0 && !listed) {
        wr_model_process_end(process);
        wr_assembly_out_of_memory(diag);
    }
    return add_file(a, set->file, listed);
}

static void open_plugins(wr_assembly *a, wr_diag *diag)
{
    const int n_most = a->settings->n_plugins + a->settings->n_components;
    a->plugin = WR_TAKE(a->pool, wr_model_files *, n_most);
    a->plugin_path = WR_TAKE(a->pool, const char *, n_most);
    a->plugin_process = WR_TAKE(a->pool, wr_model_process *, n_most);
    if (!a->plugin || !a->plugin_path || !a->plugin_process) {
        wr_assembly_out_of_memory(diag);
        return;
    }
    a->is_model_missing |= a->settings->is_partial[WR_LIST_PLUGIN];
    for (int i = 0; i < a->settings->n_plugins; i++) {
        const wr_set_plugin *const set = &a->settings->plugins[i];
        const int i_open = set->file ? find_file(a, set->file) : -1;
        if (i_open >= 0) {
            wr_diag_add(diag, WRSIM_E_CONFIG, &set->where,
                        "plug-in '%s' is listed twice, also as '%s'; remove one of the entries",
                        set->file, a->plugin_path[i_open]);
            continue;
        }
        const wrsim_model *const *const models = open_plugin(a, set, diag);
        for (int k = 0; models && models[k]; k++)
            if (wr_lookup_model(a, models[k]->name))
                wr_diag_add(diag, WRSIM_E_PLUGIN, &set->where,
                            "plug-in '%s' has a model '%s', but another model has this name; "
                            "rename the model in the plug-in",
                            set->file, models[k]->name);
        a->n_named_plugin = a->n_plugin; /* the search finds models of earlier plug-ins only */
    }
    for (int i = 0; i < a->settings->n_components; i++) {
        const wr_set_component *const set = &a->settings->components[i];
        if (!set->fmu)
            continue;
        if (wr_fmi_config_is_fmu(set->fmu) && set->has_own_process)
            continue; /* only the process opens the FMU */
        if (wr_fmi_config_is_fmu(set->fmu)) {
            if (find_file(a, set->fmu) < 0)
                (void)open_file(a, set->fmu, &set->where_model, diag);
            continue;
        }
        a->is_model_missing = 1;
        wr_fmi_config_refuse(set->fmu,
                             "name a plug-in in [[plugin]] and its model by the key 'model'",
                             &set->where_model, diag);
    }
}

static const char *name_of(const wr_set_component *set) { return set->name ? set->name : "?"; }

static void report_unknown_model(const wr_assembly *a, const wr_set_component *set, wr_diag *diag)
{
    if (a->is_model_missing)
        return;
    const char *const dot = strrchr(set->model, '.');
    if (dot && strcmp(dot, ".fmu") == 0) {
        wr_diag_add(diag, WRSIM_E_CONFIG, &set->where_model,
                    "component '%s': the key 'model' takes the name of a model, but '%s' is a "
                    "file; name an FMU by the key 'fmu'",
                    name_of(set), set->model);
        return;
    }
    int n = 0;
    const wrsim_model *const *list;
    const char **names = NULL;
    for (int pass = 0; pass < 2; pass++) { /* pass 0 counts the models, pass 1 stores their names */
        n = 0;
        for (int i = 0; (list = wr_lookup_models(a, i)); i++)
            for (int k = 0; list[k]; k++, n++)
                if (names)
                    names[n] = list[k]->name;
        if (!names && !(names = WR_TAKE(a->pool, const char *, n))) {
            wr_assembly_out_of_memory(diag);
            return;
        }
    }
    const char *nearest = wr_names_nearest(set->model, names, n);
    for (int i = 0; i < n && !nearest; i++) { /* the name without the part before the dot */
        const char *const last = strrchr(names[i], '.');
        nearest = last && strcmp(last + 1, set->model) == 0 ? names[i] : NULL;
    }
    wr_diag_add(
        diag, WRSIM_E_CONFIG, &set->where_model, "component '%s': unknown model '%s'; %s%s%s",
        name_of(set), set->model, nearest ? "did you mean '" : "",
        nearest ? nearest : "`wrsim models` lists models, or add [[plugin]]", nearest ? "'?" : "");
}

/* ---- components ---- */

static wr_assignment *to_assignments(const wr_assembly *a, const wr_set_value *values, int n)
{
    wr_assignment *const out = WR_TAKE(a->pool, wr_assignment, n);
    for (int i = 0; out && i < n; i++)
        out[i] = (wr_assignment){.name = values[i].name,
                                 .value = values[i].value,
                                 .is_flag = values[i].is_flag,
                                 .text = values[i].text,
                                 .number_hint = values[i].number_hint,
                                 .where = values[i].where,
                                 .is_refused = isnan(values[i].value)};
    return out;
}

/* Returns the *ret_n parameters of the config, with how->value for how->parameter (NULL: no change). Returns NULL when out of memory. */
static wr_assignment *list_parameters(const wr_assembly *a, const wr_set_component *set,
                                      const wr_remake *how, int *ret_n)
{
    const int n = set->n_parameters;
    wr_assignment *const params = WR_TAKE(a->pool, wr_assignment, n + 1);
    wr_assignment *const given = to_assignments(a, set->parameters, n);
    *ret_n = 0;
    for (int i = 0; params && given && i < n; i++)
        if (!how->parameter || strcmp(given[i].name, how->parameter) != 0)
            params[(*ret_n)++] = given[i];
    if (params && how->parameter)
        params[(*ret_n)++] =
            (wr_assignment){.name = how->parameter, .value = how->value, .where = *how->where};
    return given ? params : NULL;
}

/* Returns why a name is no parameter of the FMU of component i; NULL: unknown. */
static const char *explain(const wr_assembly *a, int i, const char *name)
{
    if (a->process[i])
        return wr_model_process_explain(a->process[i], name);
    const int i_fmu = find_file(a, a->settings->components[i].fmu);
    return i_fmu >= 0 ? wr_model_files_explain(a->plugin[i_fmu], name) : NULL;
}

/* Reports and removes values of variables of the FMU of component i that are no parameters. Returns the new number of values, or -1 when
 * out of memory. */
static int refuse_fixed(const wr_assembly *a, int i_component, const wrsim_model *model,
                        wr_assignment *values, int n, wr_diag *diag)
{
    const wr_set_component *const set = &a->settings->components[i_component];
    if (!set->fmu || n == 0)
        return n;
    wr_named *const names = WR_TAKE(a->pool, wr_named, model->n_param);
    if (!names)
        return -1;
    for (int i = 0; i < model->n_param; i++)
        names[i] = (wr_named){model->params[i].name, i};
    wr_names_sort(names, model->n_param);
    int n_kept = 0;
    for (int i = 0; i < n; i++) {
        const char *const name = values[i].name;
        const char *const why = wr_names_find(names, model->n_param, name, strlen(name)) < 0
                                    ? explain(a, i_component, name)
                                    : NULL;
        if (why)
            wr_diag_add(diag, WRSIM_E_CONFIG, &values[i].where, "component '%s': '%.64s' %s",
                        name_of(set), name, why);
        else
            values[n_kept++] = values[i];
    }
    return n_kept;
}

/* Applies the time scale of the config. A shorter declaration of the model counts. */
static void take_time_scale(wr_component *component, const wr_set_component *set, wr_diag *diag)
{
    if (!(set->time_scale_s > 0.0))
        return;
    if (component->model->stepper)
        wr_diag_add(diag, WRSIM_E_CONFIG, &set->where_time_scale,
                    "component '%s': 'time_scale' has no effect, because the model advances "
                    "itself; remove the key",
                    set->name);
    component->time_scale_s = component->time_scale_s > 0.0
                                  ? wr_min(component->time_scale_s, set->time_scale_s)
                                  : set->time_scale_s;
}

static wr_component *make_component(const wr_assembly *a, int i, const wr_remake *how,
                                    wr_diag *diag)
{
    const wr_set_component *const set = &a->settings->components[i];
    int n_params;
    wr_assignment *const params = list_parameters(a, set, how, &n_params);
    const wr_assignment *const starts = to_assignments(a, set->start, set->n_start);
    n_params = params ? refuse_fixed(a, i, how->model, params, n_params, diag) : -1;
    if (n_params < 0 || !starts) {
        wr_assembly_out_of_memory(diag);
        return NULL;
    }
    wr_component *const component =
        wr_component_create(name_of(set), how->model, &set->where, params, n_params, NULL, 0, diag);
    /* A wrong start value does not invalidate the component. A component with a changed parameter gets no start values, because an error of
     * a start value is no refusal of the parameter. */
    if (component) {
        if (!how->parameter)
            wr_component_set_start(component, starts, set->n_start, diag);
        component->tolerance_factor = set->tolerance_factor;
        component->cost_s = set->cost_s;
        component->is_cost_measured = set->is_cost_measured;
        take_time_scale(component, set, diag);
        component->points = (wr_points_mode)a->settings->simulation.points;
    }
    return component;
}

/* Returns the model of an FMU for the mode and the event mode of a component; NULL: the FMU lacks this kind. Models of co-simulation have a
 * stepper, which has events in event mode. */
static const wrsim_model *find_kind(const wrsim_model *const *models, const wr_set_component *set)
{
    const int is_cs = set->mode && strcmp(set->mode, "cs") == 0;
    while (set->mode && *models && ((*models)->stepper != NULL) != is_cs)
        models++;
    const wrsim_model *const first = *models;
    while (set->event_mode < 0 && *models && !((*models)->stepper && !(*models)->stepper->event))
        models++;
    return *models && first->stepper ? *models : first;
}

/* Reports an event mode that the model of an FMU lacks. */
static void check_event_mode(const wr_set_component *set, const wrsim_model *model, wr_diag *diag)
{
    if (set->event_mode != 0 && !model->stepper)
        wr_diag_add(diag, WRSIM_E_CONFIG, &set->where_event_mode,
                    "component '%s': 'event_mode' has no effect on model exchange, whose events "
                    "wrsim handles; remove the key, or set mode = \"cs\" if the FMU has "
                    "co-simulation",
                    name_of(set));
    else if (set->event_mode > 0 && !model->stepper->event)
        wr_diag_add(diag, WRSIM_E_CONFIG, &set->where_event_mode,
                    "component '%s': the FMU '%s' has no event mode; remove 'event_mode'",
                    name_of(set), set->fmu);
}

/* Finds the model of component i: in the list of its FMU, or by its name. from: the models of its process; NULL: of the assembly. Returns
 * NULL with the reason in diag. */
static const wrsim_model *find_model(const wr_assembly *a, int i, const wrsim_model *const *from,
                                     wr_diag *diag)
{
    const wr_set_component *const set = &a->settings->components[i];
    if (!set->fmu) {
        while (from && *from && strcmp((*from)->name, set->model) != 0)
            from++;
        const wrsim_model *const model = from ? *from : wr_lookup_model(a, set->model);
        if (!model)
            report_unknown_model(a, set, diag);
        return model;
    }
    const wrsim_model *const model =
        find_kind(from ? from : wr_model_files_models(a->plugin[find_file(a, set->fmu)]), set);
    if (model) {
        check_event_mode(set, model, diag);
        return model;
    }
    const int is_cs = strcmp(set->mode, "cs") == 0;
    wr_diag_add(diag, WRSIM_E_CONFIG, &set->where_mode,
                "component '%s': the FMU '%s' has no %s; set mode = \"%s\", or remove 'mode'",
                name_of(set), set->fmu, is_cs ? "co-simulation" : "model exchange",
                is_cs ? "me" : "cs");
    return NULL;
}

/* Creates component i. Returns NULL if the component cannot be created. Then diag has an error, of this function or of an earlier check. */
static wr_component *create_component(wr_assembly *a, int i, wr_diag *diag)
{
    const wr_set_component *const set = &a->settings->components[i];
    const int is_fmu = set->fmu && wr_fmi_config_is_fmu(set->fmu);
    const int is_opened = is_fmu && find_file(a, set->fmu) >= 0;
    if (!set->model && !is_opened && !(is_fmu && set->has_own_process))
        return NULL;
    const wrsim_model *model = is_fmu && set->has_own_process ? NULL : find_model(a, i, NULL, diag);
    if (set->is_partial || (!model && !(is_fmu && set->has_own_process)))
        return NULL;
    if (!model || wr_component_process_is_needed(a, i, model)) {
        const wrsim_model *const *const models = wr_component_process_start(a, i, model, diag);
        model = models ? find_model(a, i, models, diag) : NULL;
    }
    wr_component *const component =
        model ? make_component(a, i, &(wr_remake){.model = model}, diag) : NULL;
    if (component && a->process[i])
        wr_model_process_take_sizes(a->process[i], component);
    return component;
}

/* If the config has input ports or scenarios that a host triggers, creates the component of the input ports. */
static void make_ports(wr_assembly *a, wr_diag *diag)
{
    if (wr_ports_count_signals(a->settings) == 0)
        return;
    const int i_other = wr_names_find(a->named, a->n_named, WR_PORTS_NAME, strlen(WR_PORTS_NAME));
    if (i_other >= 0) {
        wr_diag_add(diag, WRSIM_E_CONFIG, &a->component[i_other]->where,
                    "component '%s': this name is reserved for signals that the host sets; "
                    "choose another name",
                    WR_PORTS_NAME);
        return;
    }
    a->i_port = a->n_component++;
    a->component[a->i_port] = wr_ports_component(a, diag);
    if (a->component[a->i_port])
        a->named[a->n_named++] = (wr_named){a->component[a->i_port]->name, a->i_port};
    wr_names_sort(a->named, a->n_named);
}

static void create_components(wr_assembly *a, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    const int n_most = set->n_components + 1 + set->n_scenarios; /* 1: the input ports */
    a->i_port = -1;
    a->n_listed = set->n_components;
    a->component = WR_TAKE(a->pool, wr_component *, n_most);
    a->within = WR_TAKE(a->pool, wr_component *, n_most);
    a->process = WR_TAKE(a->pool, wr_model_process *, n_most);
    a->named = WR_TAKE(a->pool, wr_named, n_most);
    if (!a->component || !a->within || !a->process || !a->named || wr_scenarios_create(a) < 0) {
        wr_assembly_out_of_memory(diag);
        return;
    }
    a->n_component = set->n_components;
    for (int i = 0; i < a->n_component; i++) {
        a->component[i] = create_component(a, i, diag);
        if (!a->component[i])
            continue;
        a->named[a->n_named++] = (wr_named){a->component[i]->name, i};
        a->n_stepper += a->component[i]->model->stepper != NULL;
    }
    wr_names_sort(a->named, a->n_named);
    wr_scenarios_tune(a, make_component, diag);
    make_ports(a, diag);
}

/* ---- graph ---- */

static wr_graph_port *make_signals(const wr_assembly *a, const wr_component *c, wrsim_kind kind)
{
    wr_graph_port *const ports = WR_TAKE(a->pool, wr_graph_port, c->n[kind]);
    for (int i = 0; ports && i < c->n[kind]; i++) {
        const wr_variable *const v = &c->variable[kind][i];
        ports[i] = (wr_graph_port){
            .name = v->name,
            .unit = v->unit,
            .is_required = (v->flags & WRSIM_REQUIRED) != 0,
            .state = v->flags & WRSIM_IS_STATE ? c->variable[WRSIM_STATE][v->index].name : NULL};
    }
    return ports;
}

/* Makes a node per component. A component that could not be created is opaque. One more node, without a name, is for components that could
 * not be read, if any. */
static wr_graph_node *make_nodes(const wr_assembly *a)
{
    wr_graph_node *const nodes = WR_TAKE(a->pool, wr_graph_node, a->n_component + 1);
    for (int i = 0; nodes && i < a->n_component; i++) {
        const wr_component *const c = a->component[i];
        if (i < a->n_listed) {
            const wr_set_component *const set = &a->settings->components[i];
            nodes[i] = (wr_graph_node){.name = set->name, .where = set->where};
        } else
            nodes[i] = (wr_graph_node){.name = c ? c->name : NULL, .is_made = 1};
        nodes[i].is_opaque = !c;
        if (!c)
            continue;
        nodes[i].where = c->where;
        nodes[i].n_input = c->n[WRSIM_INPUT];
        nodes[i].n_output = c->n[WRSIM_OUTPUT];
        nodes[i].input = make_signals(a, c, WRSIM_INPUT);
        nodes[i].output = make_signals(a, c, WRSIM_OUTPUT);
        if (!nodes[i].input || !nodes[i].output)
            return NULL;
    }
    return nodes;
}

static void build_graph(wr_assembly *a, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    wr_graph_node *const nodes = make_nodes(a);
    wr_graph_link *const links =
        WR_TAKE(a->pool, wr_graph_link, set->n_connections + wr_ports_count_links(set) + 1);
    wr_graph_subsystem *const groups = WR_TAKE(a->pool, wr_graph_subsystem, set->n_subsystems);
    if (!nodes || !links || !groups) {
        wr_assembly_out_of_memory(diag);
        return;
    }
    for (int i = 0; i < set->n_connections; i++) {
        const wr_set_connection *const c = &set->connections[i];
        const wr_unit_scale change = {c->factor, c->offset};
        links[i] = (wr_graph_link){.from = c->from,
                                   .to = c->to,
                                   .period_s = c->period_s,
                                   .is_unconverted = c->is_unconverted,
                                   .where_from = c->where_from,
                                   .where_to = c->where_to};
        if (!wr_unit_is_same_scale(change, (wr_unit_scale){1.0, 0.0}))
            links[i].change = change;
    }
    int n_groups = 0;
    for (int i = 0; i < set->n_subsystems; i++)
        if (set->subsystems[i].n_components > 0) /* the config's reader refuses an empty list */
            groups[n_groups++] =
                (wr_graph_subsystem){.name = set->subsystems[i].name,
                                     .n_component = set->subsystems[i].n_components,
                                     .component = set->subsystems[i].components,
                                     .where = set->subsystems[i].where,
                                     .where_components = set->subsystems[i].where_components};
    const int n_nodes = a->n_component + (set->is_partial[WR_LIST_COMPONENT] ? 1 : 0);
    const int n_ports = wr_ports_links(a, links + set->n_connections);
    if (n_ports < 0) {
        wr_assembly_out_of_memory(diag);
        return;
    }
    int n_links = set->n_connections + n_ports;
    if (set->is_partial[WR_LIST_CONNECTION] || set->is_partial[WR_LIST_PORT] ||
        (a->i_port < 0 && wr_ports_count_signals(set) > 0))
        n_links++; /* a link without ends represents unread and missing links */
    a->graph = wr_graph_create(nodes, n_nodes, links, n_links, diag);
    /* Without a valid graph, wr_graph_group() checks only the subsystems. */
    wr_graph unconnected = {.node = nodes, .n_node = n_nodes};
    wr_graph_group(a->graph ? a->graph : &unconnected, groups, n_groups, set->simulation.monolithic,
                   diag);
}

/* ---- start values ---- */

/* Refuses start values of connected inputs, because a connected input always has the value of the connected output. */
static void check_starts(const wr_assembly *a, wr_diag *diag)
{
    const int n_driven = a->settings->n_connections;
    wr_named *const driven = WR_TAKE(a->pool, wr_named, n_driven);
    for (int i = 0; driven && i < n_driven; i++)
        driven[i] = (wr_named){a->settings->connections[i].to, i};
    if (driven)
        wr_names_sort(driven, n_driven);
    for (int i = 0; driven && i < a->n_listed; i++) {
        const wr_set_component *const set = &a->settings->components[i];
        for (int k = 0; a->component[i] && set->name && k < set->n_start; k++) {
            const char *const name = set->start[k].name;
            if (wr_component_find(a->component[i], WRSIM_INPUT, name) < 0)
                continue;
            const char *const full = wr_heap_pool_join(a->pool, set->name, name);
            if (full && wr_names_find(driven, n_driven, full, strlen(full)) >= 0)
                wr_diag_add(diag, WRSIM_E_CONFIG, &set->start[k].where,
                            "component '%s': input '%s' is connected, so the config cannot set "
                            "its start value; remove the start value or the connection",
                            set->name, name);
        }
    }
}

/* ---- assembly ---- */

wr_assembly *wr_build_components_create(const wr_settings *settings, const wr_memory *memory,
                                        const wrsim_model *const *host_models, wr_diag *diag)
{
    WR_ASSERT(settings->simulation.monolithic != WR_GROUPING_AUTO);
    const int n_before = diag->n_items;
    wr_assembly *a = calloc(1, sizeof *a);
    if (!a || !(a->pool = wr_heap_pool_create(memory))) {
        wr_assembly_out_of_memory(diag);
        goto fail;
    }
    a->settings = settings;
    a->memory = memory;
    if (settings->n_components == 0 && !settings->is_partial[WR_LIST_COMPONENT]) {
        WR_SETTINGS_REFUSE(
            settings, "component", diag,
            "the config has no components; add a [[component]] with a name and a model");
    }
    take_host_models(a, host_models, diag);
    open_plugins(a, diag);
    create_components(a, diag);
    /* The checks run even after errors, so that diag gets all errors at once. */
    if (a->component && a->named && a->scenarios) {
        build_graph(a, diag);
        check_starts(a, diag);
        wr_scenarios_check(a, diag);
        if (wr_diag_status(diag) >= 0)
            wr_scenarios_splice(a, diag);
        wr_ports_check(a, diag);
        wr_build_subsystems_check(a, diag);
    }
    if (wr_diag_status(diag) < 0)
        goto fail;
    if (wr_nominals_settle(a->component, a->graph, &a->warnings) < 0) {
        wr_assembly_out_of_memory(diag);
        goto fail;
    }
    if (wr_build_subsystems_create(a, diag) < 0 || wr_ports_place(a, diag) < 0 ||
        wr_heap_pool_is_short(a->pool))
        goto fail;
    int has_tolerance = 0;
    for (int i = 0; i < a->n_subsystem && !has_tolerance; i++)
        if (a->setup[i].subsystem->flags & WR_SUBSYSTEM_HAS_TOLERANCE)
            has_tolerance = 1;
    int has_events = 0;
    for (int i = 0; i < a->n_component; i++)
        has_events |= a->component[i]->n[WRSIM_INDICATOR] > 0 || a->component[i]->model->next_time;
    wr_unused_keys_warn(a->settings, has_tolerance, has_events, &a->warnings);
    for (int i = 0; i < a->settings->warnings.n_items; i++) {
        const wrsim_error *const w = &a->settings->warnings.items[i];
        wr_diag_add(&a->warnings, WRSIM_OK, &(wr_where){.file = w->file, .line = w->line}, "%s",
                    w->text);
    }
    a->warnings.n_dropped += a->settings->warnings.n_dropped;
    wr_diag_sort(&a->warnings);
    wr_scenarios_place(a);
    return a;

fail:
    if (a && a->pool && wr_heap_pool_is_short(a->pool)) {
        diag->n_items = n_before; /* other errors may follow from missing memory */
        wr_assembly_out_of_memory(diag);
    }
    wr_build_components_destroy(&a);
    return NULL;
}

void wr_build_components_destroy(wr_assembly **assembly)
{
    if (!assembly || !*assembly)
        return;
    wr_assembly *const a = *assembly;
    wr_build_subsystems_destroy(a);
    wr_graph_destroy(&a->graph);
    for (int i = 0; i < a->n_component; i++) {
        wr_component_destroy(&a->component[i]);
        wr_component_destroy(&a->within[i]);
    }
    wr_component_process_end(a);
    for (int i = 0; i < a->n_plugin; i++)
        wr_model_files_close(&a->plugin[i]);
    wr_heap_pool_destroy(&a->pool);
    wr_diag_done(&a->warnings);
    wr_diag_done(&a->length_warnings);
    free(a);
    *assembly = NULL;
}
