/* Sets variables. See ssp_values.h.
 *
 * Thread: one owner. Real-time: no (setup only). */
#include "subsystems/model_host/fmi/ssp_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "subsystems/model_host/fmi/ssp_links.h"
#include "subsystems/model_host/fmi/ssp_maps.h"
#include "subsystems/model_host/fmi/ssp_sources.h"
#include "subsystems/model_host/fmi/ssp_units.h"

/* Largest relative difference of two values that count as equal after conversions of units (assumed). */
static const double SAME = 1e-12;

/* Applies a transformation to a value. name: target of the value. */
static int change_value(const wr_ssp_flattener *f, wr_ssp_assigned *a, const wr_ssp_transfer *by,
                        const char *name)
{
    const wr_ssp_change *const c = by->change;
    if (c->kind == WR_SSP_NO_CHANGE)
        return 0;
    const int is_fit = c->kind == WR_SSP_LINEAR        ? a->type == WR_FMI_FLOAT64
                       : c->kind == WR_SSP_BOOLEAN_MAP ? a->type == WR_FMI_BOOLEAN
                       : c->kind == WR_SSP_INTEGER_MAP ? a->type == WR_FMI_INT32
                                                       : a->type == WR_FMI_ENUMERATION;
    if (!is_fit)
        return wr_ssp_parts_fail(
            f, a->in, a->line,
            "the parameter '%.*s' has a type that its transformation does not take; "
            "correct one of them",
            WR_SSP_QUOTED, a->name);
    if (c->kind == WR_SSP_LINEAR) {
        a->number = c->factor * a->number + c->offset;
        return 0;
    }
    for (int i = 0; i < c->n_map; i++) {
        const struct wr_ssp_map *const m = &c->map[i];
        if (a->type == WR_FMI_ENUMERATION ? strcmp(m->source, a->text) != 0
                                          : fabs(m->from - a->number) > 0.5)
            continue;
        a->number = m->to;
        a->text = m->target;
        return 0;
    }
    return wr_ssp_parts_fail(f, by->in, c->line,
                             "the map to '%.*s' has no <MapEntry> for '%.*s', the value of the "
                             "parameter '%.*s'; add one",
                             WR_SSP_QUOTED, name, WR_SSP_QUOTED, a->text, WR_SSP_QUOTED, a->name);
}

/* Converts a value to the unit of its target. noun, name: the target in messages. */
static int convert_value(const wr_ssp_flattener *f, wr_ssp_assigned *a, const wr_fmi_unit *to,
                         const char *noun, const char *name)
{
    wr_unit_scale scale;
    if (!wr_ssp_units_convert(&a->unit, to, &scale))
        return wr_ssp_parts_fail(
            f, a->in, a->line,
            "the parameter '%.*s' has the unit '%.*s', which does not fit '%.*s' of %s "
            "'%.*s'; correct the unit",
            WR_SSP_QUOTED, a->name, WR_SSP_QUOTED, a->unit.name, WR_SSP_QUOTED, to->name, noun,
            WR_SSP_QUOTED, name);
    if (a->is_bare && wr_unit_is_scaled(scale))
        return wr_ssp_parts_fail(
            f, a->in, a->line,
            "the parameter '%.*s' has a linear transformation at a connector without unit, and "
            "then a conversion of units to %s '%.*s'; give the connector a unit",
            WR_SSP_QUOTED, a->name, noun, WR_SSP_QUOTED, name);
    a->number = wr_unit_apply(scale, a->number);
    a->unit = to->name ? *to : a->unit;
    return 0;
}

/* Returns 1 if wrsim can set a variable before a run. */
static int is_settable(const wr_ssp_component *c, const wr_ssp_opened *fmu,
                       const wr_fmi_variable *v)
{
    if (v->causality == WR_FMI_PARAMETER)
        return v->variability != WR_FMI_CONSTANT;
    return v->causality == WR_FMI_INPUT ||
           (fmu->is_state[v - c->description->variable] && v->initial != WR_FMI_CALCULATED &&
            wr_ssp_component_kind(c) == WR_FMI_ME);
}

/* Returns 1 if a variable takes values of the type of a parameter. */
static int takes_type(const wr_fmi_variable *v, wr_fmi_type type)
{
    if (v->type == WR_FMI_ENUMERATION)
        return type == WR_FMI_ENUMERATION || type == WR_FMI_INT32;
    if (v->type == WR_FMI_BOOLEAN)
        return type == WR_FMI_BOOLEAN;
    return type == WR_FMI_INT32 || (type == WR_FMI_FLOAT64 && !wr_ssp_parts_is_integer(v->type));
}

static int put_setting(const wr_ssp_flattener *f, const wr_ssp_assigned *a, int component,
                       const wr_fmi_variable *v, double value)
{
    wr_ssp_taken *const t = WR_SSP_APPEND(f, f->p->taken, f->p->n_taken);
    if (!t)
        return -1;
    const wr_fmi_variable *const all = f->s->component[component].description->variable;
    *t = (wr_ssp_taken){.component = component,
                        .variable = v->alias_of >= 0 ? v->alias_of : (int)(v - all),
                        .order = f->p->n_taken,
                        .binding = a->binding,
                        .setting = {v, value},
                        .in = a->in,
                        .line = a->line};
    return 0;
}

/* Sets a variable of a component. */
static int set_variable(const wr_ssp_flattener *f, const wr_ssp_assigned *a,
                        const wr_ssp_instance *i, const wr_fmi_variable *v)
{
    wr_ssp_component *const c = &f->s->component[i->component];
    const wr_description *const d = c->description;
    double value = a->number;
    if (v->type == WR_FMI_STRING || v->type == WR_FMI_BINARY) {
        if (v->type == WR_FMI_STRING && a->type == WR_FMI_STRING && v->n_start > 0 &&
            strcmp(v->text[0], a->text) == 0)
            return 0;
        return wr_ssp_parts_fail(
            f, a->in, a->line,
            "the parameter '%.*s' sets the text '%.*s.%.*s', and wrsim sets numbers only; "
            "set the text in the FMU",
            WR_SSP_QUOTED, a->name, WR_SSP_QUOTED, i->path, WR_SSP_QUOTED, v->name);
    }
    if (!takes_type(v, a->type))
        return wr_ssp_parts_fail(
            f, a->in, a->line,
            "the parameter '%.*s' has another type than '%.*s.%.*s' (%s); correct the type",
            WR_SSP_QUOTED, a->name, WR_SSP_QUOTED, i->path, WR_SSP_QUOTED, v->name,
            wr_ssp_parts_type(v->type));
    if (v->type == WR_FMI_ENUMERATION) {
        const wr_fmi_item *const item = wr_ssp_maps_find(
            wr_ssp_maps_items(d, v), a->type == WR_FMI_ENUMERATION ? a->text : NULL, a->number);
        if (!item)
            return wr_ssp_parts_fail(
                f, a->in, a->line,
                "the parameter '%.*s' has the value '%.*s', which the enumeration of "
                "'%.*s.%.*s' does not have; correct the value",
                WR_SSP_QUOTED, a->name, WR_SSP_QUOTED, a->text, WR_SSP_QUOTED, i->path,
                WR_SSP_QUOTED, v->name);
        value = item->value;
    }
    const int k = wr_names_find(i->connector, i->n_node, v->name, strlen(v->name));
    if (k >= 0 && wr_ssp_links_drives(f, k))
        return wr_ssp_parts_note(
            f, a->in, a->line,
            "a connection drives '%s.%s', so its value is not used; remove the value", i->path,
            v->name);
    if (is_settable(c, i->fmu, v))
        return put_setting(f, a, i->component, v, value);
    if (v->start && v->n_start > 0 && fabs(v->start[0] - value) <= 0.0)
        return 0;
    return wr_ssp_parts_fail(
        f, a->in, a->line,
        "the parameter '%.*s' sets '%.*s.%.*s', and wrsim sets parameters, inputs and "
        "start values of states of model exchange only; remove the value",
        WR_SSP_QUOTED, a->name, WR_SSP_QUOTED, i->path, WR_SSP_QUOTED, v->name);
}

/* Sets a variable of a component, in its unit and after a transformation. Returns 1, or -1. */
static int assign(const wr_ssp_flattener *f, const wr_ssp_assigned *from, const wr_ssp_instance *i,
                  const wr_fmi_variable *v, const wr_ssp_transfer *by)
{
    const int k = wr_names_find(i->connector, i->n_node, v->name, strlen(v->name));
    const wr_fmi_unit unit = k >= 0 ? f->p->node[k].unit : wr_ssp_units_of_variable(v);
    wr_ssp_assigned a = *from;
    if (wr_ssp_parts_visit(f, from->in, from->line) < 0)
        return -1;
    if (v->n_dimension > 0)
        return wr_ssp_parts_fail(
            f, a.in, a.line,
            "the parameter '%.*s' sets an array, which SSP 1.0 does not allow; remove the "
            "parameter",
            WR_SSP_QUOTED, a.name);
    if (!by->is_unconverted && convert_value(f, &a, &unit, "the variable", v->name) < 0)
        return -1;
    return change_value(f, &a, by, v->name) < 0 || set_variable(f, &a, i, v) < 0 ? -1 : 1;
}

/* Passes a value from a connector of a system to the variables that the connector drives. Returns the number of variables, or -1. */
static int assign_connector(const wr_ssp_flattener *f, const wr_ssp_assigned *from, int i_node,
                            const wr_ssp_transfer *by, int depth)
{
    const wr_ssp_node *const n = &f->p->node[i_node];
    wr_ssp_assigned a = *from;
    if (wr_ssp_parts_visit(f, from->in, from->line) < 0)
        return -1;
    if (depth == WR_SSP_MOST_WAY)
        return wr_ssp_parts_fail(
            f, a.in, a.line,
            "the parameter '%.*s' leads into a loop of connections; remove one of them",
            WR_SSP_QUOTED, a.name);
    if (!by->is_unconverted &&
        convert_value(f, &a, &n->unit, "the connector", n->connector->name) < 0)
        return -1;
    a.unit = by->is_unconverted ? n->unit : a.unit;
    if (change_value(f, &a, by, n->connector->name) < 0)
        return -1;
    a.is_bare |= by->change->kind == WR_SSP_LINEAR && !n->unit.name && a.unit.name;
    int n_found = 0;
    for (int k = n->first_driven; k >= 0; k = f->p->node[k].next_driven) {
        const wr_ssp_node *const to = &f->p->node[k];
        const wr_ssp_instance *const i = &f->p->instance[to->instance];
        const wr_ssp_transfer on = {&to->by->change, to->by_file, to->by->is_unconverted};
        const int n_new = i->component >= 0 ? assign(f, &a, i, to->variable, &on)
                                            : assign_connector(f, &a, k, &on, depth + 1);
        if (n_new < 0)
            return -1;
        n_found += n_new;
    }
    return n_found;
}

int wr_ssp_values_apply(const wr_ssp_flattener *f, const wr_ssp_assigned *a, int i_instance,
                        const char *name, const wr_ssp_transfer *by)
{
    const wr_ssp_instance *const i = &f->p->instance[i_instance];
    int n_found = 0;
    if (wr_ssp_parts_visit(f, a->in, a->line) < 0)
        return -1;
    if (i->component >= 0) {
        const wr_fmi_variable *const v = wr_ssp_sources_variable(i->fmu, name);
        return v ? assign(f, a, i, v, by) : 0;
    }
    const int k = wr_names_find(i->connector, i->n_node, name, strlen(name));
    if (k >= 0)
        n_found = assign_connector(f, a, k, by, 0);
    if (n_found < 0)
        return -1;
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        const int child = wr_names_find(i->child, i->n_child, name, (size_t)(dot - name));
        const int n = child >= 0 ? wr_ssp_values_apply(f, a, child, dot + 1, by) : 0;
        if (n < 0)
            return -1;
        n_found += n;
    }
    return n_found;
}

static int compare_taken(const void *a, const void *b)
{
    const wr_ssp_taken *const x = a, *const y = b;
    return x->component != y->component
               ? (x->component > y->component) - (x->component < y->component)
           : x->variable != y->variable ? (x->variable > y->variable) - (x->variable < y->variable)
                                        : (x->order > y->order) - (x->order < y->order);
}

int wr_ssp_values_store(const wr_ssp_flattener *f)
{
    wr_ssp_taken *const all = f->p->taken;
    const int n = f->p->n_taken;
    if (n > 0)
        qsort(all, (size_t)n, sizeof *all, compare_taken);
    for (int first = 0, end = 0; first < n; first = end) {
        while (end < n && all[end].component == all[first].component &&
               all[end].variable == all[first].variable)
            end++;
        const wr_ssp_taken *const last = &all[end - 1];
        wr_ssp_component *const c = &f->s->component[last->component];
        /* SSP 1.0 gives no order to the values of one binding. */
        for (int k = end - 1; k >= first && all[k].binding == last->binding; k--)
            if (fabs(all[k].setting.value - last->setting.value) > SAME * fabs(last->setting.value))
                return wr_ssp_parts_fail(
                    f, last->in, last->line,
                    "a parameter binding sets '%.*s.%.*s' to two values, here and in "
                    "line %d; remove one of the values",
                    WR_SSP_QUOTED, c->path, WR_SSP_QUOTED, last->setting.variable->name,
                    all[k].line);
        wr_ssp_setting *const s = WR_SSP_APPEND(f, c->setting, c->n_setting);
        if (!s)
            return -1;
        *s = last->setting;
    }
    return 0;
}
