/* The graph of connections: the output that drives each input of a group, and the inputs that an output reads directly.
 *
 * An arc leads from output a to output b if a drives an input that b reads directly. Outputs that are states have no arcs.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_GROUP_GRAPH_H
#define WR_GROUP_GRAPH_H

#include "base/rows.h"
#include "subsystems/group/group_layout.h"

/* Arcs between outputs, and from an output to the inputs that the output drives. */
typedef struct wr_group_arcs {
    int *start, *to;           /* [n_y + 2] first arc of each output; outputs at the ends of arcs */
    int *drive_start, *drives; /* [n_y + 2] first input of each output; inputs that it drives */
} wr_group_arcs;

typedef struct wr_group_graph {
    const int *driver;          /* [n_u] output that drives an input, -1 open, -2 - k external k */
    const wr_unit_scale *scale; /* [n_u] conversion of the driver's value */
    const wr_group_arcs *arcs;
    const int *scc;      /* [n_y] number of the strong component, in evaluation order */
    const int *owner_y;  /* [n_y] component of an output */
    const int *owner_u;  /* [n_u] component of an input */
    const int *uy_start; /* [n_y + 1] first input of each output in uy */
    const int *uy;       /* inputs (group numbers) that each output reads directly */
} wr_group_graph;

/* Return the outputs that drive all inputs, [n_u], and the output that drives an input: -1 open, -2 - k external input k. */
WR_GROUP_GET(const int *, drivers, graph->driver)
WR_GROUP_GET_AT(int, driver, graph->driver)
/* Returns the conversion from the unit of the driver to the unit of the input. */
WR_GROUP_GET_AT(wr_unit_scale, scale, graph->scale)
WR_GROUP_GET_AT(int, owner_of_output, graph->owner_y)
WR_GROUP_GET_AT(int, owner_of_input, graph->owner_u)
/* Returns the first place of the inputs that an output reads directly. The last place is before first_input(output + 1). */
WR_GROUP_GET_AT(int, first_input, graph->uy_start)
WR_GROUP_GET_AT(int, input_at, graph->uy)
WR_GROUP_GET(const wr_group_arcs *, arcs_of, graph->arcs)
/* Returns the numbers of the strong components of outputs, in evaluation order, [n_y]. */
WR_GROUP_GET(const int *, sccs, graph->scc)
WR_GROUP_GET_AT(int, scc, graph->scc)

static inline int wr_group_is_computed(const wr_group *group, int i_output)
{
    return group->state_of_output[i_output] < 0;
}

/* Returns the computed output that drives an input, or -1. */
static inline int wr_group_computed_driver(const wr_group *group, int i_input)
{
    const int driver = group->graph->driver[i_input];
    return driver >= 0 && wr_group_is_computed(group, driver) ? driver : -1;
}

/* Builds the compressed rows of a pattern over the group, on the heap, in group numbers. The row of an output that is a state has only that
 * state in the pattern X_Y, and is empty in other patterns. Duplicate declarations stay. Returns 0, or -1 if the rows are too large or
 * memory is exhausted. */
int wr_group_rows_init(wr_rows *ret_rows, const wr_group *group, wrsim_pattern pattern,
                       wrsim_kind row_kind, const int *row_start, wrsim_kind column_kind,
                       const int *column_start);
void wr_group_rows_done(wr_rows *rows);

/* Fills group->graph except for arcs and scc. Returns 0 or a negative status; diag has the reason unless memory is exhausted. The
 * config's connections are already checked, so an end that does not exist is an internal error. */
wrsim_status wr_group_drivers_place(wr_arena *arena, wr_group *group, const wr_group_edge *edges,
                                    int n_edges, wr_diag *diag);

/* Fills arcs and scc. Returns the number of strong components, or -1 when out of memory. */
int wr_group_arcs_place(wr_arena *arena, wr_group *group);

/* Returns the component of state i. */
int wr_group_owner_of_state(const wr_group *group, int i);

#endif
