/* Compares connectors and joins their nodes. See ssp_connections.h.
 *
 * Thread: one owner. Real-time: no (setup only). */
#include "subsystems/model_host/fmi/ssp_connections.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "subsystems/model_host/fmi/ssp_sources.h"
#include "subsystems/model_host/fmi/ssp_units.h"

static const char *const connector_kinds[WR_SSP_CONNECTOR_KINDS] = {
    "input", "output", "parameter", "calculated parameter", "inout"};

/* Finds the variable of a connector in the FMU, compares kind and unit, and sets the unit of the node. */
static int check_connector(const wr_ssp_flattener *f, wr_ssp_node *n)
{
    static const int causality_of[WR_SSP_CONNECTOR_KINDS] = {
        WR_FMI_INPUT, WR_FMI_OUTPUT, WR_FMI_PARAMETER, WR_FMI_CALCULATED_PARAMETER, -1};
    const wr_ssp_instance *const i = &f->p->instance[n->instance];
    const wr_ssp_connector *const c = n->connector;
    const wr_ssp_opened *const fmu = i->fmu;
    const wr_fmi_variable *const v = n->variable = wr_ssp_sources_variable(fmu, c->name);
    if (!v) {
        char hint[WR_NAMES_HINT_BYTES];
        const wr_description *const d = fmu->description;
        const char **const names = malloc(((size_t)d->n_variable + 1) * sizeof *names);
        for (int k = 0; names && k < d->n_variable; k++)
            names[k] =
                (int)d->variable[k].causality == causality_of[c->kind] ? d->variable[k].name : NULL;
        wr_names_hint(c->name, names, names ? d->n_variable : 0, hint);
        free(names);
        return wr_ssp_parts_fail(
            f, i->file, c->line,
            "the component '%.*s' has the connector '%.*s', but its FMU has no such "
            "variable; %s",
            WR_SSP_QUOTED, i->path, WR_SSP_QUOTED, c->name, hint);
    }
    if ((int)v->causality != causality_of[c->kind])
        return wr_ssp_parts_fail(
            f, i->file, c->line,
            "the connector '%.*s' of the component '%.*s' is of the kind %s, but the "
            "variable of the FMU is not; correct the kind",
            WR_SSP_QUOTED, c->name, WR_SSP_QUOTED, i->path, connector_kinds[c->kind]);
    wr_unit_scale scale;
    n->unit = wr_ssp_units_of_variable(v);
    if (!c->unit)
        return 0;
    const wr_fmi_unit own =
        wr_ssp_units_find(i->file->file->scope.unit, i->file->file->scope.n_unit, c->unit);
    if (!n->unit.name)
        n->unit = own;
    else if (!wr_ssp_units_convert(&own, &n->unit, &scale) || wr_unit_is_scaled(scale))
        return wr_ssp_parts_fail(
            f, i->file, c->line,
            "the connector '%.*s' of the component '%.*s' has the unit '%.*s', but the "
            "variable of the FMU has '%.*s'; correct one of them",
            WR_SSP_QUOTED, c->name, WR_SSP_QUOTED, i->path, WR_SSP_QUOTED, c->unit, WR_SSP_QUOTED,
            n->unit.name);
    return 0;
}

/* Compares the connectors of a component that refers to a system with the connectors of the system, which connections use. */
static int check_outer(const wr_ssp_flattener *f, const wr_ssp_instance *i)
{
    const wr_ssp_scope *const scope = &i->outer_file->file->scope;
    for (int c = 0; c < i->outer->n_connector; c++) {
        const wr_ssp_connector *const outer = &i->outer->connector[c];
        const int k = wr_names_find(i->connector, i->n_node, outer->name, strlen(outer->name));
        const wr_ssp_node *const inner = k < 0 ? NULL : &f->p->node[k];
        const wr_fmi_unit unit = wr_ssp_units_find(scope->unit, scope->n_unit, outer->unit);
        wr_unit_scale scale = {0.0, 0.0};
        const char *const fault =
            !inner                                  ? "which its system does not have"
            : inner->connector->kind != outer->kind ? "which has another kind in its system"
            : !wr_ssp_units_convert(&unit, &inner->unit, &scale) || wr_unit_is_scaled(scale)
                ? "which has another unit in its system"
                : NULL;
        if (fault)
            return wr_ssp_parts_fail(
                f, i->outer_file, outer->line,
                "the component '%.*s' has the connector '%.*s', %s; correct the component or "
                "its system",
                WR_SSP_QUOTED, i->path, WR_SSP_QUOTED, outer->name, fault);
    }
    return 0;
}

int wr_ssp_connections_check(const wr_ssp_flattener *f)
{
    for (int k = 0; k < f->p->n_node; k++) {
        wr_ssp_node *const n = &f->p->node[k];
        const wr_ssp_instance *const i = &f->p->instance[n->instance];
        if (n->connector->kind == WR_SSP_INOUT)
            return wr_ssp_parts_fail(
                f, i->file, n->connector->line,
                "the connector '%.*s' of '%.*s' is of the kind inout, which has no "
                "direction; use input or output",
                WR_SSP_QUOTED, n->connector->name, WR_SSP_QUOTED, wr_ssp_parts_path(i));
        if (i->component >= 0 ? check_connector(f, n) < 0 : 0)
            return -1;
        if (i->component < 0)
            n->unit = wr_ssp_units_find(i->file->file->scope.unit, i->file->file->scope.n_unit,
                                        n->connector->unit);
        if (n->unit.name && !n->unit.has_base && i->component < 0)
            return wr_ssp_parts_fail(
                f, i->file, n->connector->line,
                "the connector '%.*s' of '%.*s' has the unit '%.*s', which the file does "
                "not define; add it to <Units>",
                WR_SSP_QUOTED, n->connector->name, WR_SSP_QUOTED, wr_ssp_parts_path(i),
                WR_SSP_QUOTED, n->unit.name);
    }
    for (int k = 0; k < f->p->n_instance; k++)
        if (f->p->instance[k].outer && check_outer(f, &f->p->instance[k]) < 0)
            return -1;
    return 0;
}

/* Returns the node of an end of a connection, or -1 after an error. */
static int find_end(const wr_ssp_flattener *f, const wr_ssp_instance *system,
                    const wr_ssp_connection *c, int end)
{
    const wr_ssp_instance *owner = system;
    char hint[WR_NAMES_HINT_BYTES];
    if (c->element[end]) {
        const int k =
            wr_names_find(system->child, system->n_child, c->element[end], strlen(c->element[end]));
        if (k < 0) {
            const char **const names = malloc(((size_t)system->n_child + 1) * sizeof *names);
            for (int i = 0; names && i < system->n_child; i++)
                names[i] = system->child[i].name;
            wr_names_hint(c->element[end], names, names ? system->n_child : 0, hint);
            free(names);
            return wr_ssp_parts_fail(
                f, system->file, c->line,
                "the connection names the element '%.*s', which the system '%.*s' does not "
                "have; %s",
                WR_SSP_QUOTED, c->element[end], WR_SSP_QUOTED, wr_ssp_parts_path(system), hint);
        }
        owner = &f->p->instance[k];
    }
    const char *const name = c->connector[end];
    const int k = wr_names_find(owner->connector, owner->n_node, name, strlen(name));
    if (k >= 0)
        return k;
    const char **const names = malloc(((size_t)owner->n_node + 1) * sizeof *names);
    for (int i = 0; names && i < owner->n_node; i++)
        names[i] = owner->connector[i].name;
    wr_names_hint(name, names, names ? owner->n_node : 0, hint);
    free(names);
    return wr_ssp_parts_fail(f, system->file, c->line, "'%.*s' has no connector '%.*s'; %s",
                             WR_SSP_QUOTED, wr_ssp_parts_path(owner), WR_SSP_QUOTED, name, hint);
}

/* Returns 1 if a node is the source of connections inside of a system. */
static int is_source(const wr_ssp_flattener *f, int i_node, const wr_ssp_instance *system)
{
    const wr_ssp_node *const n = &f->p->node[i_node];
    const int is_own = &f->p->instance[n->instance] == system;
    return (n->connector->kind == WR_SSP_INPUT || n->connector->kind == WR_SSP_PARAMETER) == is_own;
}

static int add_connection(const wr_ssp_flattener *f, const wr_ssp_instance *system,
                          const wr_ssp_connection *c)
{
    char a[3 * WR_SSP_QUOTED], b[3 * WR_SSP_QUOTED];
    const int start = find_end(f, system, c, 0);
    const int end = start < 0 ? -1 : find_end(f, system, c, 1);
    if (end < 0)
        return -1;
    const int from_start = is_source(f, start, system), from_end = is_source(f, end, system);
    wr_ssp_parts_name_node(f, start, a, sizeof a);
    wr_ssp_parts_name_node(f, end, b, sizeof b);
    if (from_start == from_end)
        return wr_ssp_parts_fail(
            f, system->file, c->line,
            "the connection of '%s' and '%s' has two %s; connect a source to a sink", a, b,
            from_start ? "sources, such as outputs" : "sinks, such as inputs");
    const int from = from_start ? start : end, to = from_start ? end : start;
    wr_ssp_node *const sink = &f->p->node[to];
    const wr_ssp_connector_kind kinds[] = {f->p->node[from].connector->kind, sink->connector->kind};
    const int is_parameter = kinds[1] == WR_SSP_PARAMETER || kinds[1] == WR_SSP_CALCULATED;
    if (is_parameter && (kinds[0] == WR_SSP_INPUT || kinds[0] == WR_SSP_OUTPUT))
        return wr_ssp_parts_fail(
            f, system->file, c->line,
            "the connection of '%s' and '%s' drives a parameter by a signal; connect the "
            "signal to an input",
            a, b);
    if (sink->driver >= 0)
        return wr_ssp_parts_fail(
            f, system->file, c->line,
            "'%s' is driven twice, here and in line %d; remove one of the connections",
            from_start ? b : a, sink->by->line);
    sink->driver = from;
    sink->by = c;
    sink->by_file = system->file;
    sink->next_driven = f->p->node[from].first_driven;
    f->p->node[from].first_driven = to;
    return 0;
}

int wr_ssp_connections_add(const wr_ssp_flattener *f)
{
    for (int k = 0; k < f->p->n_instance; k++) {
        const wr_ssp_instance *const i = &f->p->instance[k];
        for (int c = 0; c < i->element->n_connection; c++)
            if (add_connection(f, i, &i->element->connection[c]) < 0)
                return -1;
    }
    return 0;
}
