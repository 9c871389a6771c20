/* Maps of values. See ssp_maps.h.
 *
 * Thread: one owner. Real-time: no (setup only). */
#include "subsystems/model_host/fmi/ssp_maps.h"

#include <math.h>
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

/* Returns the value after a map. from, to: items of both sides of an enumeration. *ret_missing: item that `to` does not have. */
static double map_value(const wr_ssp_change *c, wr_ssp_items from, wr_ssp_items to, double value,
                        const char **ret_missing)
{
    const wr_fmi_item *const item = wr_ssp_maps_find(from, NULL, value);
    for (int i = 0; i < c->n_map; i++) {
        const struct wr_ssp_map *const m = &c->map[i];
        if (c->kind != WR_SSP_ENUMERATION_MAP && fabs(m->from - value) < 0.5)
            return m->to;
        if (c->kind != WR_SSP_ENUMERATION_MAP || !item || strcmp(item->name, m->source) != 0)
            continue;
        const wr_fmi_item *const target = wr_ssp_maps_find(to, m->target, 0.0);
        if (target)
            return target->value;
        *ret_missing = m->target;
    }
    return value;
}

enum { MOST_ITEMS = 1000 }; /* of an enumeration that a map changes (assumed) */

/* Finds the linear transformation that equals the maps on a way. way: nodes from the output to the input. */
int wr_ssp_maps_fit(const wr_ssp_flattener *f, const int *way, int n_way, double *ret_factor,
                    double *ret_offset)
{
    const wr_ssp_node *const all_nodes = f->p->node;
    const wr_ssp_opened *const in = all_nodes[way[n_way - 1]].by_file;
    wr_ssp_items known = items_of(f, &all_nodes[way[0]]);
    const wr_ssp_items all = known;
    double value[MOST_ITEMS];
    const char *missing = NULL;
    int line = all_nodes[way[1]].by->line;
    for (int i = 0; i < all.n && i < MOST_ITEMS; i++)
        value[i] = all.item[i].value;
    for (int k = 1; k < n_way; k++) {
        const wr_ssp_change *const c = &all_nodes[way[k]].by->change;
        wr_ssp_items next = items_of(f, &all_nodes[way[k]]);
        for (int j = k + 1; next.n == 0 && j < n_way; j++)
            next = items_of(f, &all_nodes[way[j]]);
        if (c->kind != WR_SSP_NO_CHANGE)
            line = all_nodes[way[k]].by->line;
        for (int i = 0; c->kind != WR_SSP_NO_CHANGE && i < all.n && i < MOST_ITEMS; i++)
            value[i] = map_value(c, known, next, value[i], &missing);
        known = next.n > 0 ? next : known;
    }
    if (missing)
        return wr_ssp_parts_fail(
            f, in, line,
            "the map of a connection has the target '%.*s', which the enumeration does not "
            "have; correct the map",
            WR_SSP_QUOTED, missing);
    if (all.n == 0 || all.n > MOST_ITEMS)
        return wr_ssp_parts_fail(
            f, in, line,
            "the map of a connection needs a Boolean or an enumeration of at most %d items "
            "at its source; declare one",
            MOST_ITEMS);
    int last = 0;
    for (int i = 1; i < all.n; i++)
        if (fabs(all.item[i].value - all.item[0].value) > 0.5)
            last = i;
    const double span = all.item[last].value - all.item[0].value;
    const double factor = fabs(span) > 0.5 ? (value[last] - value[0]) / span : 1.0;
    const double offset = value[0] - factor * all.item[0].value;
    for (int i = 0; i < all.n; i++)
        if (fabs(factor * all.item[i].value + offset - value[i]) > 1e-9 || fabs(factor) < 1e-9)
            return wr_ssp_parts_fail(
                f, in, line,
                "the map of a connection is not linear in the numbers of the items, and "
                "wrsim has linear maps only; map the values in an FMU");
    *ret_factor = factor;
    *ret_offset = offset;
    return 0;
}
