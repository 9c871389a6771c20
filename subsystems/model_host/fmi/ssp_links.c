/* Joins outputs and inputs. See ssp_links.h.
 *
 * Thread: one owner. Real-time: no (setup only). */
#include "subsystems/model_host/fmi/ssp_links.h"

#include <math.h>

#include "subsystems/model_host/fmi/ssp_maps.h"
#include "subsystems/model_host/fmi/ssp_units.h"

/* Refuses a connection of types that do not fit. */
static int check_types(const wr_ssp_flattener *f, const wr_ssp_node *from, const wr_ssp_node *to,
                       const wr_ssp_opened *in, int line)
{
    const wr_fmi_type a = from->variable->type, b = to->variable->type;
    const int is_text =
        a == WR_FMI_STRING || a == WR_FMI_BINARY || b == WR_FMI_STRING || b == WR_FMI_BINARY;
    const int fits = !wr_ssp_parts_is_integer(b) ||
                     (b == WR_FMI_BOOLEAN ? a == WR_FMI_BOOLEAN : wr_ssp_parts_is_integer(a));
    if (fits && !is_text)
        return 0;
    char names[2][3 * WR_SSP_QUOTED];
    wr_ssp_parts_name_node(f, (int)(from - f->p->node), names[0], sizeof names[0]);
    wr_ssp_parts_name_node(f, (int)(to - f->p->node), names[1], sizeof names[1]);
    return wr_ssp_parts_fail(
        f, in, line,
        "the connection of '%s' (%s) and '%s' (%s) %s; remove the connection, or change "
        "the FMUs",
        names[0], wr_ssp_parts_type(a), names[1], wr_ssp_parts_type(b),
        is_text ? "carries a text, and wrsim has numbers only" : "has types that do not fit");
}

/* The value on a way, after conversions of units and transformations. */
typedef struct carried {
    wr_fmi_unit unit;     /* unit of the present value */
    wr_unit_scale total;  /* conversions and transformations from the output on */
    wr_unit_scale change; /* the transformations from the output on, without conversions */
    int has_change, is_unconverted; /* is_unconverted: a connection has no conversion */
} carried;

/* Passes a value through a connection into node `to`. next_unit: the unit of the first node, from `to` on, that has a unit. */
static int carry(const wr_ssp_flattener *f, carried *at, const wr_ssp_node *to,
                 const wr_fmi_unit *next_unit)
{
    const wr_ssp_connection *const c = to->by;
    wr_unit_scale scale = {0.0, 0.0};
    at->is_unconverted |= c->is_unconverted;
    if (c->is_unconverted) {
        at->unit = to->unit;
    } else {
        if (!wr_ssp_units_convert(&at->unit, &to->unit, &scale)) {
            char name[3 * WR_SSP_QUOTED];
            const wr_fmi_unit *const unknown = !at->unit.has_base   ? &at->unit
                                               : !to->unit.has_base ? &to->unit
                                                                    : NULL;
            if (unknown)
                return wr_ssp_parts_fail(
                    f, to->by_file, c->line,
                    "the connection to '%s' is from the unit '%.*s' to '%.*s', but '%.*s' "
                    "has no <BaseUnit>; define the unit, or set suppressUnitConversion",
                    wr_ssp_parts_name_node(f, (int)(to - f->p->node), name, sizeof name),
                    WR_SSP_QUOTED, at->unit.name, WR_SSP_QUOTED, to->unit.name, WR_SSP_QUOTED,
                    unknown->name);
            return wr_ssp_parts_fail(
                f, to->by_file, c->line,
                "the connection to '%s' is from the unit '%.*s' to '%.*s', which do not "
                "fit; correct a unit, or set suppressUnitConversion",
                wr_ssp_parts_name_node(f, (int)(to - f->p->node), name, sizeof name), WR_SSP_QUOTED,
                at->unit.name, WR_SSP_QUOTED, to->unit.name);
        }
        if (to->unit.name) {
            wr_fmi_unit unit = to->unit;
            unit.definition.is_difference |= at->unit.definition.is_difference;
            at->unit = unit;
        }
    }
    at->total = wr_unit_compose(at->total, scale);
    if (c->change.kind != WR_SSP_LINEAR)
        return 0;
    if (!to->unit.name && at->unit.name && next_unit->name && !c->is_unconverted &&
        (!wr_ssp_units_convert(&at->unit, next_unit, &scale) || wr_unit_is_scaled(scale))) {
        char name[3 * WR_SSP_QUOTED];
        return wr_ssp_parts_fail(
            f, to->by_file, c->line,
            "the transformation to '%s' has no unit, because this connector has none; give "
            "the connector a unit",
            wr_ssp_parts_name_node(f, (int)(to - f->p->node), name, sizeof name));
    }
    const wr_unit_scale change = {c->change.factor, c->change.offset};
    if (!(fabs(change.factor) > 0.0))
        return wr_ssp_parts_fail(
            f, to->by_file, c->line,
            "the transformation has the factor 0; remove the connection, and set the input");
    at->total = wr_unit_compose(at->total, change);
    at->change = wr_unit_compose(at->change, change);
    at->has_change = 1;
    if (!wr_unit_is_invertible(at->total) || !wr_unit_is_invertible(at->change))
        return wr_ssp_parts_fail(
            f, to->by_file, c->line,
            "the transformations up to this connection have a product of 0 or infinity; correct a "
            "factor or an offset");
    return 0;
}

/* Returns whether two transformations agree within rounding. */
static int agrees(wr_unit_scale a, wr_unit_scale b)
{
    static const double ROUNDING =
        1e-12; /* some thousand times the rounding of one operation (assumed) */
    const double fa = wr_unit_is_scaled(a) ? a.factor : 1.0,
                 fb = wr_unit_is_scaled(b) ? b.factor : 1.0;
    return fabs(fa - fb) <= ROUNDING * fabs(fb) &&
           fabs(a.offset - b.offset) <= ROUNDING * fmax(fabs(a.offset), fabs(b.offset));
}

/* Fills the keys of a link. Together with wrsim's conversion of units, unless is_unconverted is 1, the keys give at->total. Returns 0, or
 * -1 if only one variable has differences and the other unit has an offset. */
static int fill_link(const wr_ssp_flattener *f, wr_ssp_link *link, const carried *at,
                     const wr_ssp_node *from, const wr_ssp_node *to)
{
    wr_unit_scale own;
    const wr_unit_match match = wr_unit_convert(from->variable->unit, to->variable->unit, &own);
    const int fits = match == WR_UNIT_FITS;
    if (match == WR_UNIT_DIFFERENCE && !at->is_unconverted)
        return wr_ssp_parts_fail(
            f, to->by_file, to->by->line,
            "the connection leads from the unit '%.*s' to '%.*s', but only one of the two "
            "variables has relativeQuantity; correct one of them, or set "
            "suppressUnitConversion",
            WR_SSP_QUOTED, from->variable->unit, WR_SSP_QUOTED, to->variable->unit);
    link->factor = 1.0;
    if (fits && agrees(wr_unit_compose(own, at->change), at->total)) {
        if (at->has_change) {
            link->factor = at->change.factor;
            link->offset = at->change.offset;
        }
        return 0;
    }
    link->is_unconverted = !fits || wr_unit_is_scaled(own);
    if (wr_unit_is_scaled(at->total)) {
        link->factor = at->total.factor;
        link->offset = at->total.offset;
    }
    return 0;
}

/* Adds the link that drives a connector of a component, if an output does. */
static int add_link(const wr_ssp_flattener *f, int i_node)
{
    const wr_ssp_node *const all = f->p->node;
    int way[WR_SSP_MOST_WAY], n_way = 0;
    for (int k = i_node; k >= 0; k = all[k].driver) {
        char name[3 * WR_SSP_QUOTED];
        if (n_way == WR_SSP_MOST_WAY)
            return wr_ssp_parts_fail(
                f, all[i_node].by_file, all[i_node].by->line,
                "the connections to '%s' form a loop through systems; remove one of them",
                wr_ssp_parts_name_node(f, i_node, name, sizeof name));
        way[n_way++] = k;
    }
    const wr_ssp_node *const from = &all[way[n_way - 1]], *const to = &all[i_node];
    if (f->p->instance[from->instance].component < 0)
        return 0;
    for (int k = 0; k < n_way / 2; k++) {
        const int other = way[k];
        way[k] = way[n_way - 1 - k];
        way[n_way - 1 - k] = other;
    }
    if (from->connector->kind == WR_SSP_CALCULATED) {
        char name[3 * WR_SSP_QUOTED];
        return wr_ssp_parts_fail(
            f, to->by_file, to->by->line,
            "the connection starts at the calculated parameter '%s', and wrsim connects "
            "outputs to inputs only; remove the connection, and set the value",
            wr_ssp_parts_name_node(f, way[0], name, sizeof name));
    }
    if (check_types(f, from, to, to->by_file, to->by->line) < 0)
        return -1;
    carried at = {.unit = from->unit};
    int n_map = 0, n_scaled = 0;
    for (int k = 1; k < n_way; k++) {
        static const wr_fmi_unit unknown = {0};
        const wr_fmi_unit *next = &unknown;
        for (int j = k; j < n_way && !next->name; j++)
            next = &all[way[j]].unit;
        const wr_ssp_change_kind kind = all[way[k]].by->change.kind;
        n_map += kind != WR_SSP_NO_CHANGE && kind != WR_SSP_LINEAR;
        if (kind == WR_SSP_LINEAR && wr_ssp_parts_is_integer(to->variable->type))
            return wr_ssp_parts_fail(
                f, all[way[k]].by_file, all[way[k]].by->line,
                "the linear transformation leads to an input of another type than Real; "
                "use a map of values");
        if (carry(f, &at, &all[way[k]], next) < 0)
            return -1;
        n_scaled += wr_unit_is_scaled(at.total);
    }
    if (n_map > 0 && n_scaled > 0)
        return wr_ssp_parts_fail(
            f, to->by_file, to->by->line,
            "the connections from '%.*s' to '%.*s' have a map, and also a linear "
            "transformation or a conversion of units; use one of them",
            WR_SSP_QUOTED, from->connector->name, WR_SSP_QUOTED, to->connector->name);
    wr_ssp_link *const link = WR_SSP_APPEND(f, f->s->link, f->s->n_link);
    if (!link)
        return -1;
    *link = (wr_ssp_link){.from = f->p->instance[from->instance].component,
                          .to = f->p->instance[to->instance].component,
                          .output = from->connector->name,
                          .input = to->connector->name};
    if (fill_link(f, link, &at, from, to) < 0)
        return -1;
    return n_map > 0 ? wr_ssp_maps_fit(f, way, n_way, &link->factor, &link->offset)
                     : wr_ssp_maps_compare(f, way[0], i_node);
}

int wr_ssp_links_add(const wr_ssp_flattener *f)
{
    for (int k = 0; k < f->p->n_node; k++) {
        const wr_ssp_node *const n = &f->p->node[k];
        if (f->p->instance[n->instance].component >= 0 && n->driver >= 0 && add_link(f, k) < 0)
            return -1;
    }
    return 0;
}

int wr_ssp_links_drives(const wr_ssp_flattener *f, int i_node)
{
    int k = i_node;
    while (f->p->node[k].driver >= 0)
        k = f->p->node[k].driver;
    return k != i_node && f->p->instance[f->p->node[k].instance].component >= 0;
}
