/* Gauss-Seidel levels: which subsystems are integrated at once in a sweep, and which first. See setup_work.h.
 *
 * A config may give every subsystem a level: then sweeps are Jacobi within a level and Gauss-Seidel between
 * them, whoever reads whom. Without, levels follow the connections (order.h), and no two of one level are
 * connected.
 *
 * Thread: one owner. Real-time: no.
 */
#include "base/rows.h"
#include "runtime/config/keys.h"
#include "runtime/sim/bag.h"
#include "runtime/sim/setup_work.h"
#include "subsystems/order/order.h"

/* ---- of the connections ---- */

static wrsim_status set_by_graph(wr_assembly *a, wr_diag *diag)
{
    int n_arc = 0;
    for (int i = 0; i < a->n_subsystem; i++)
        n_arc += a->setup[i].n_source;
    const wr_rows arcs = {WR_TAKE(a->bag, int, a->n_subsystem + 2), WR_TAKE(a->bag, int, n_arc)};
    int *const level = WR_TAKE(a->bag, int, a->n_subsystem);
    if (!arcs.start || !arcs.item || !level)
        return wr_setups_out_of_memory(diag);
    /* From producer to consumer. */
    for (int i = 0; i < a->n_subsystem; i++)
        for (int s = 0; s < a->setup[i].n_source; s++)
            wr_rows_count(&arcs, a->setup[i].producer[s]);
    wr_rows_begin(&arcs, a->n_subsystem);
    for (int i = 0; i < a->n_subsystem; i++)
        for (int s = 0; s < a->setup[i].n_source; s++)
            wr_rows_put(&arcs, a->setup[i].producer[s], i);
    if (wr_order_levels(a->n_subsystem, arcs.start, arcs.item, level) < 0)
        return wr_setups_out_of_memory(diag);
    for (int i = 0; i < a->n_subsystem; i++)
        a->setup[i].level = level[i];
    return WRSIM_OK;
}

/* ---- of the config ---- */

static int is_given(const wr_set_subsystem *s)
{
    return s->where_level.file != NULL || s->where_level.line > 0;
}

/* The first subsystem with a level, -1: none has. */
static int find_given(const wr_settings *set)
{
    for (int i = 0; i < set->n_subsystems; i++)
        if (is_given(&set->subsystems[i]))
            return i;
    return -1;
}

/* Input ports are known ahead, and so come before all others. Levels that nobody has are left out. */
static wrsim_status set_as_given(wr_assembly *a, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    int *const rank = WR_TAKE(a->bag, int, WR_KEY_MOST_LEVEL + 1);
    if (!rank)
        return wr_setups_out_of_memory(diag);
    for (int i = 0; i < set->n_subsystems; i++)
        rank[set->subsystems[i].level] = 1;
    int n = a->i_port >= 0;
    for (int k = 0; k <= WR_KEY_MOST_LEVEL; k++) {
        const int is_used = rank[k];
        rank[k] = n;
        n += is_used;
    }
    for (int i = 0; i < a->n_subsystem;
         i++) /* the ports' subsystem is behind those of the config */
        a->setup[i].level = i < set->n_subsystems ? rank[set->subsystems[i].level] : 0;
    return WRSIM_OK;
}

wrsim_status wr_setups_set_levels(wr_assembly *a, wr_diag *diag)
{
    if (a->settings->simulation.monolithic || find_given(a->settings) < 0)
        return set_by_graph(a, diag);
    return set_as_given(a, diag);
}

void wr_setups_check_levels(const wr_assembly *a, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    const int i_given = find_given(set);
    if (i_given < 0)
        return;
    const char *const given = set->subsystems[i_given].name;
    for (int i = 0; i < set->n_subsystems; i++)
        if (!is_given(&set->subsystems[i]) && set->subsystems[i].name && given)
            wr_diag_add(
                diag, WRSIM_E_CONFIG, &set->subsystems[i].where,
                "subsystem '%s' has no 'level', but '%s' has; give all of them one, or none",
                set->subsystems[i].name, given);
    for (int i = 0; a->graph && !set->simulation.monolithic && i < a->n_listed; i++)
        if (a->graph->node[i].i_subsystem >= set->n_subsystems && a->graph->node[i].name && given)
            wr_diag_add(
                diag, WRSIM_E_CONFIG, &a->graph->node[i].where,
                "component '%s' is in no [[subsystem]], and so has no 'level', but '%s' has; "
                "list it in a [[subsystem]] with a level",
                a->graph->node[i].name, given);
}
