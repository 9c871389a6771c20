/* Maps of values. See ssp_maps.h.
 *
 * Thread: one owner. Real-time: no (setup only). */
#include "subsystems/model_host/fmi/ssp_maps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const wr_fmi_item truths[] = {{"false", 0.0}, {"true", 1.0}};

wr_ssp_items wr_ssp_maps_items(const wr_description *d, const wr_fmi_variable *v)
{
    if (v->declared_type < 0)
        return (wr_ssp_items){NULL, 0};
    const wr_fmi_declared_type *const t = &d->type[v->declared_type];
    return (wr_ssp_items){t->item, t->n_item};
}

/* Returns the items of a node's enumeration, or of the Booleans; n is 0 if the node has no such list. */
static wr_ssp_items items_of(const wr_ssp_flattener *f, const wr_ssp_node *n)
{
    const wr_ssp_instance *const i = &f->p->instance[n->instance];
    if (n->variable ? n->variable->type == WR_FMI_BOOLEAN : n->connector->type == WR_FMI_BOOLEAN)
        return (wr_ssp_items){truths, 2};
    if (n->variable && n->variable->type == WR_FMI_ENUMERATION) {
        const wr_description *const d = f->s->component[i->component].description;
        return wr_ssp_maps_items(d, n->variable);
    }
    const wr_ssp_scope *const scope = &i->file->file->scope;
    for (int k = 0; n->connector->enumeration && k < scope->n_enumeration; k++)
        if (strcmp(scope->enumeration[k].name, n->connector->enumeration) == 0)
            return (wr_ssp_items){scope->enumeration[k].item, scope->enumeration[k].n_item};
    return (wr_ssp_items){NULL, 0};
}

const wr_fmi_item *wr_ssp_maps_find(wr_ssp_items of, const char *name, double value)
{
    for (int i = 0; i < of.n; i++)
        if (name ? strcmp(of.item[i].name, name) == 0 : fabs(of.item[i].value - value) < 0.5)
            return &of.item[i];
    return NULL;
}

/* Replaces a value by the map of a connection. from, to: items of both sides. */
static int map_value(const wr_ssp_flattener *f, int i_node, wr_ssp_items from, wr_ssp_items to,
                     double *value)
{
    const wr_ssp_node *const n = &f->p->node[i_node];
    const wr_ssp_change *const c = &n->by->change;
    const wr_fmi_item *const item = wr_ssp_maps_find(from, NULL, *value);
    char name[3 * WR_SSP_QUOTED], number[32];
    wr_ssp_parts_name_node(f, i_node, name, sizeof name);
    for (int i = 0; i < c->n_map; i++) {
        const struct wr_ssp_map *const m = &c->map[i];
        const int is_named = c->kind == WR_SSP_ENUMERATION_MAP;
        if (is_named ? !item || strcmp(item->name, m->source) != 0 : fabs(m->from - *value) > 0.5)
            continue;
        const wr_fmi_item *const target = is_named ? wr_ssp_maps_find(to, m->target, 0.0) : NULL;
        if (is_named && !target)
            return wr_ssp_parts_fail(f, n->by_file, c->line,
                                     "the map of the connection to '%s' has the target '%.*s', "
                                     "which the enumeration does not have; correct the map",
                                     name, WR_SSP_QUOTED, m->target);
        *value = target ? target->value : m->to;
        return 0;
    }
    snprintf(number, sizeof number, "%.10g", *value);
    return wr_ssp_parts_fail(f, n->by_file, c->line,
                             "the map of the connection to '%s' has no <MapEntry> for the value "
                             "'%.*s' of its source; add one for each value of the source",
                             name, WR_SSP_QUOTED, item ? item->name : number);
}

enum { MOST_ITEMS = 1000 }; /* of an enumeration that is compared or changed by a map (assumed) */

int wr_ssp_maps_compare(const wr_ssp_flattener *f, int i_from, int i_to)
{
    const wr_ssp_node *const from = &f->p->node[i_from], *const to = &f->p->node[i_to];
    if (from->variable->type != WR_FMI_ENUMERATION || to->variable->type != WR_FMI_ENUMERATION)
        return 0;
    const wr_ssp_items a = items_of(f, from), b = items_of(f, to);
    for (int i = 0; i < a.n && a.n <= MOST_ITEMS && b.n > 0 && b.n <= MOST_ITEMS; i++) {
        const wr_fmi_item *const item = wr_ssp_maps_find(b, NULL, a.item[i].value);
        char name[3 * WR_SSP_QUOTED];
        if (!item || strcmp(item->name, a.item[i].name) != 0)
            return wr_ssp_parts_note(
                f, to->by_file, to->by->line,
                "the connection to '%s' passes the number %.10g, which is the item '%.*s' of the "
                "output, but %s%.*s%s of the input; correct an FMU, or map the items by "
                "<EnumerationMappingTransformation>",
                wr_ssp_parts_name_node(f, i_to, name, sizeof name), a.item[i].value, WR_SSP_QUOTED,
                a.item[i].name, item ? "the item '" : "no item", WR_SSP_QUOTED,
                item ? item->name : "", item ? "'" : "");
    }
    return 0;
}

/* Changes the values of all items at the output to the values at the input. */
static int map_items(const wr_ssp_flattener *f, const int *way, int n_way, wr_ssp_items all,
                     double *value)
{
    const wr_ssp_node *const nodes = f->p->node;
    wr_ssp_items known = all;
    for (int k = 1; k < n_way; k++) {
        const wr_ssp_change_kind kind = nodes[way[k]].by->change.kind;
        wr_ssp_items next = items_of(f, &nodes[way[k]]);
        for (int j = k + 1; next.n == 0 && j < n_way; j++)
            next = items_of(f, &nodes[way[j]]);
        for (int i = 0; kind != WR_SSP_NO_CHANGE && kind != WR_SSP_LINEAR && i < all.n; i++)
            if (map_value(f, way[k], known, next, &value[i]) < 0)
                return -1;
        known = next.n > 0 ? next : known;
    }
    return 0;
}

int wr_ssp_maps_fit(const wr_ssp_flattener *f, const int *way, int n_way, double *ret_factor,
                    double *ret_offset)
{
    const wr_ssp_node *const to = &f->p->node[way[n_way - 1]];
    const wr_ssp_items all = items_of(f, &f->p->node[way[0]]), end = items_of(f, to);
    double value[MOST_ITEMS];
    char name[3 * WR_SSP_QUOTED];
    wr_ssp_parts_name_node(f, way[n_way - 1], name, sizeof name);
    if (all.n < 1 || all.n > MOST_ITEMS)
        return wr_ssp_parts_fail(
            f, to->by_file, to->by->line,
            "the map of the connection to '%s' needs a Boolean or an enumeration of at most %d "
            "items at its source; declare one",
            name, MOST_ITEMS);
    for (int i = 0; i < all.n; i++)
        value[i] = all.item[i].value;
    if (map_items(f, way, n_way, all, value) < 0)
        return -1;
    int last = 0;
    for (int i = 1; i < all.n; i++)
        if (fabs(all.item[i].value - all.item[0].value) > 0.5)
            last = i;
    const double span = all.item[last].value - all.item[0].value;
    const double factor = fabs(span) > 0.5 ? (value[last] - value[0]) / span : 1.0;
    const double offset = value[0] - factor * all.item[0].value;
    for (int i = 0; i < all.n; i++) {
        if (end.n > 0 && !wr_ssp_maps_find(end, NULL, value[i]))
            return wr_ssp_parts_fail(f, to->by_file, to->by->line,
                                     "the map of the connection to '%s' gives the value %.10g, "
                                     "which the input does not have; correct the map",
                                     name, value[i]);
        if (fabs(factor * all.item[i].value + offset - value[i]) > 1e-9 || fabs(factor) < 1e-9)
            return wr_ssp_parts_fail(
                f, to->by_file, to->by->line,
                "the map of the connection to '%s' is not linear in the numbers of the items, and "
                "wrsim has linear maps only; map the values in an FMU",
                name);
    }
    *ret_factor = factor;
    *ret_offset = offset;
    return 0;
}
