/* Connections of a group as a graph (group_graph.h). base/order.h finds the strong components.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#include "subsystems/group/group_graph.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

void wr_group_rows_done(wr_rows *rows)
{
    free(rows->start);
    free(rows->item);
    *rows = (wr_rows){NULL, NULL};
}

/* Adds to count[n_row] the entries in each row of a component's pattern, with duplicates; an undeclared pattern is full. */
static void count_rows(const wr_component *component, wrsim_pattern pattern, int n_row,
                       int n_column, int64_t *count)
{
    const wr_incidence *const incidence = &component->pattern[pattern];
    if (!incidence->is_declared)
        for (int r = 0; r < n_row; r++)
            count[r] += n_column;
    else
        for (int i = 0; i < incidence->n; i++)
            count[incidence->row[i]]++;
}

int wr_group_rows_init(wr_rows *ret_rows, const wr_group *group, wrsim_pattern pattern,
                       wrsim_kind row_kind, const int *row_start, wrsim_kind column_kind,
                       const int *column_start)
{
    const int n_component = group->n_component;
    const size_t n_row = (size_t)row_start[n_component];
    const int is_output = row_kind == WRSIM_OUTPUT;
    wr_rows rows = {.start = calloc(n_row + 2, sizeof(int)), .item = NULL};
    int64_t *const count = calloc(n_row + 1, sizeof *count);
    int64_t total = 0;
    if (!rows.start || !count)
        goto fail;
    for (int c = 0; c < n_component; c++)
        count_rows(group->component[c], pattern, group->component[c]->n[row_kind],
                   group->component[c]->n[column_kind], count + row_start[c]);
    for (size_t r = 0; r < n_row; r++) {
        if (is_output && group->state_of_output[r] >= 0)
            count[r] = pattern == WRSIM_X_Y;
        total += count[r];
        if (total > INT_MAX / 2)
            goto fail;
        rows.start[r + 2] = (int)total;
    }
    rows.item = malloc(((size_t)total + 1) * sizeof *rows.item);
    if (!rows.item)
        goto fail;
    for (int c = 0; c < n_component; c++) {
        const wr_component *const component = group->component[c];
        const wr_incidence *const incidence = &component->pattern[pattern];
        const int n = incidence->is_declared ? incidence->n : component->n[row_kind];
        for (int i = 0; i < n; i++) {
            const int r = row_start[c] + (incidence->is_declared ? incidence->row[i] : i);
            if (is_output && group->state_of_output[r] >= 0)
                continue;
            if (incidence->is_declared)
                wr_rows_put(&rows, r, column_start[c] + incidence->column[i]);
            else
                for (int k = column_start[c]; k < column_start[c + 1]; k++)
                    wr_rows_put(&rows, r, k);
        }
    }
    for (size_t r = 0; is_output && r < n_row; r++)
        if (group->state_of_output[r] >= 0 && pattern == WRSIM_X_Y)
            wr_rows_put(&rows, r, group->state_of_output[r]);
    free(count);
    *ret_rows = rows;
    return 0;
fail:
    free(count);
    wr_group_rows_done(&rows);
    return -1;
}

/* Places the direct feedthrough of all outputs, which the plans need. */
static int feedthrough_place(wr_arena *arena, wr_group *group)
{
    wr_rows rows;
    if (wr_group_rows_init(&rows, group, WRSIM_U_Y, WRSIM_OUTPUT, group->y_start, WRSIM_INPUT,
                           group->u_start) < 0)
        return -1;
    const int n = rows.start[group->n_y];
    int *const start = WR_NEW_ARRAY(arena, int, group->n_y + 1);
    int *const column = WR_NEW_ARRAY(arena, int, n);
    if (start && column) {
        memcpy(start, rows.start, ((size_t)group->n_y + 1) * sizeof *start);
        memcpy(column, rows.item, (size_t)n * sizeof *column);
        group->graph->uy_start = start;
        group->graph->uy = column;
    }
    wr_group_rows_done(&rows);
    return start && column ? 0 : -1;
}

/* Places the component of each input and output. */
static int owners_place(wr_arena *arena, wr_group *group)
{
    wr_arena_cold(arena, 1);
    int *const owner_u = WR_NEW_ARRAY(arena, int, group->n_u);
    int *const owner_y = WR_NEW_ARRAY(arena, int, group->n_y);
    if (!owner_u || !owner_y)
        return -1;
    for (int c = 0; c < group->n_component; c++) {
        for (int u = group->u_start[c]; u < group->u_start[c + 1]; u++)
            owner_u[u] = c;
        for (int y = group->y_start[c]; y < group->y_start[c + 1]; y++)
            owner_y[y] = c;
    }
    group->graph->owner_u = owner_u;
    group->graph->owner_y = owner_y;
    return 0;
}

wrsim_status wr_group_drivers_place(wr_arena *arena, wr_group *group, const wr_group_edge *edges,
                                    int n_edges, wr_diag *diag)
{
    group->graph = WR_NEW(arena, wr_group_graph);
    if (!group->graph || owners_place(arena, group) < 0)
        return WRSIM_E_MEMORY;
    int *const driver = WR_NEW_ARRAY(arena, int, group->n_u);
    wr_unit_scale *const scale = WR_NEW_ARRAY(arena, wr_unit_scale, group->n_u);
    if (!driver || !scale)
        return WRSIM_E_MEMORY;
    for (int u = 0; u < group->n_u; u++)
        driver[u] = -1;
    for (int i = 0; i < n_edges; i++) {
        const wr_group_edge *const e = &edges[i];
        const int is_to_valid = e->to >= 0 && e->to < group->n_component && e->i_input >= 0 &&
                                e->i_input < group->component[e->to]->n[WRSIM_INPUT];
        const int is_from_valid =
            e->from == -1 ? e->i_external >= 0 && e->i_external < group->n_external
                          : e->from >= 0 && e->from < group->n_component && e->i_output >= 0 &&
                                e->i_output < group->component[e->from]->n[WRSIM_OUTPUT];
        if (!is_to_valid || !is_from_valid)
            return wr_diag_add(diag, WRSIM_E_INTERNAL, NULL,
                               "connection %d of a subsystem has an end that does not exist; "
                               "report this error of wrsim",
                               i);
        int *const slot = &driver[group->u_start[e->to] + e->i_input];
        if (*slot != -1)
            return wr_diag_add(diag, WRSIM_E_GRAPH, &group->component[e->to]->where,
                               "input '%s.%s' is driven twice; remove one connection",
                               group->component[e->to]->name,
                               group->component[e->to]->variable[WRSIM_INPUT][e->i_input].name);
        *slot = e->from == -1 ? -2 - e->i_external : group->y_start[e->from] + e->i_output;
        scale[group->u_start[e->to] + e->i_input] = e->scale;
    }
    group->graph->driver = driver;
    group->graph->scale = scale;
    return feedthrough_place(arena, group) < 0 ? WRSIM_E_MEMORY : WRSIM_OK;
}

static const wr_group_arcs *arcs_place(wr_arena *arena, const wr_group *group)
{
    const wr_group_graph *const graph = group->graph;
    const int n_y = group->n_y;
    const int before = wr_arena_cold(arena, 1);
    wr_group_arcs *const a = WR_NEW(arena, wr_group_arcs);
    if (!a)
        return NULL;
    *a = (wr_group_arcs){.start = WR_NEW_ARRAY(arena, int, n_y + 2),
                         .to = WR_NEW_ARRAY(arena, int, graph->uy_start[n_y] + 1),
                         .drive_start = WR_NEW_ARRAY(arena, int, n_y + 2),
                         .drives = WR_NEW_ARRAY(arena, int, group->n_u + 1)};
    wr_arena_cold(arena, before);
    if (!a->start || !a->to || !a->drive_start || !a->drives)
        return NULL;
    const wr_rows arcs = {a->start, a->to}, drives = {a->drive_start, a->drives};
    for (int b = 0; b < group->n_y; b++)
        for (int k = graph->uy_start[b]; k < graph->uy_start[b + 1]; k++) {
            const int from = wr_group_computed_driver(group, graph->uy[k]);
            if (from >= 0)
                wr_rows_count(&arcs, from);
        }
    wr_rows_begin(&arcs, group->n_y);
    for (int b = 0; b < group->n_y; b++)
        for (int k = graph->uy_start[b]; k < graph->uy_start[b + 1]; k++) {
            const int from = wr_group_computed_driver(group, graph->uy[k]);
            if (from >= 0)
                wr_rows_put(&arcs, from, b);
        }
    for (int u = 0; u < group->n_u; u++)
        if (graph->driver[u] >= 0)
            wr_rows_count(&drives, graph->driver[u]);
    wr_rows_begin(&drives, group->n_y);
    for (int u = 0; u < group->n_u; u++)
        if (graph->driver[u] >= 0)
            wr_rows_put(&drives, graph->driver[u], u);
    return a;
}

int wr_group_arcs_place(wr_arena *arena, wr_group *group)
{
    const wr_group_arcs *const arcs = arcs_place(arena, group);
    int *const scc = WR_NEW_ARRAY(arena, int, group->n_y);
    if (!arcs || !scc)
        return -1;
    group->graph->arcs = arcs;
    group->graph->scc = scc;
    return wr_order_scc(group->n_y, arcs->start, arcs->to, scc);
}

int wr_group_owner_of_state(const wr_group *group, int i)
{
    int c = 0;
    while (group->x_start[c + 1] <= i)
        c++;
    return c;
}
