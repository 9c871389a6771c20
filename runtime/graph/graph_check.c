/* Invariants of a graph. See graph.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include <string.h>

#include "runtime/graph/graph.h"

static int is_in_range(int i, int n) { return i >= 0 && i < n; }

static int edge_is_valid(const wr_graph *graph, const wr_graph_edge *edge)
{
    if (!is_in_range(edge->from, graph->n_node) || !is_in_range(edge->to, graph->n_node))
        return 0;
    const wr_graph_node *const from = &graph->node[edge->from], *const to = &graph->node[edge->to];
    if (!is_in_range(edge->i_output, from->n_output) || !is_in_range(edge->i_input, to->n_input))
        return 0;
    const char *const a = from->output[edge->i_output].unit;
    const char *const b = to->input[edge->i_input].unit;
    return !a || !b || !*a || !*b || strcmp(a, b) == 0;
}

/* Strict order, because an input has one driver. */
static int is_sorted(const wr_graph_edge *a, const wr_graph_edge *b)
{
    return a->to < b->to || (a->to == b->to && a->i_input < b->i_input);
}

/* Returns 1 if every subsystem has a node. */
static int subsystems_are_filled(const wr_graph *graph)
{
    for (int i_subsystem = 0; i_subsystem < graph->n_subsystem; i_subsystem++) {
        int i = 0;
        while (i < graph->n_node && graph->node[i].i_subsystem != i_subsystem)
            i++;
        if (i == graph->n_node)
            return 0;
    }
    return 1;
}

static int required_inputs_are_driven(const wr_graph *graph, int i_node)
{
    const wr_graph_node *const node = &graph->node[i_node];
    for (int i = 0; i < node->n_input; i++)
        if (node->input[i].is_required && !wr_graph_driver(graph, i_node, i))
            return 0;
    return 1;
}

void wr_graph_check(const wr_graph *graph)
{
    for (int i = 0; i < graph->n_edge; i++) {
        const wr_graph_edge *const edge = &graph->edge[i];
        const int is_valid = edge_is_valid(graph, edge);
        WR_ASSERT(is_valid);
        const int is_ordered = i == 0 || is_sorted(edge - 1, edge);
        WR_ASSERT(is_ordered);
        const int is_found = wr_graph_driver(graph, edge->to, edge->i_input) == edge;
        WR_ASSERT(is_found);
        (void)is_valid, (void)is_ordered, (void)is_found; /* unused in builds without assertions */
    }
    for (int i = 0; i < graph->n_node; i++) {
        const int is_driven = required_inputs_are_driven(graph, i);
        WR_ASSERT(is_driven);
        const int i_subsystem = graph->node[i].i_subsystem;
        const int is_placed = graph->n_subsystem == 0
                                  ? i_subsystem == -1
                                  : is_in_range(i_subsystem, graph->n_subsystem);
        WR_ASSERT(is_placed);
        (void)is_driven, (void)is_placed;
    }
    const int is_filled = subsystems_are_filled(graph);
    WR_ASSERT(is_filled);
    (void)is_filled;
}
