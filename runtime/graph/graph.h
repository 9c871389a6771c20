/* Who drives whom: connections between components, checked for names, units and single drivers, and
 * the grouping of components into subsystems.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_GRAPH_H
#define WR_GRAPH_H

#include "base/diag.h"

/* What the graph needs to know of a component; strings belong to the caller. */
typedef struct wr_graph_port {
    const char *name, *unit; /* unit "" or NULL: not checked */
    int is_required;         /* an input that must be driven */
} wr_graph_port;

/* A node without a name stands for a component that could not be read: any name may be meant for
 * it. An opaque one is there, but its inputs and outputs are not known. */
typedef struct wr_graph_node {
    const char *name;
    wr_where where;
    int is_opaque;
    int n_input, n_output;
    const wr_graph_port *input, *output;
    /* Made by the program: no [[subsystem]] lists it, not even by a pattern, and it is alone in one of its own, also where
     * all others are one; unless it was added later. */
    int is_made;
    int i_subsystem; /* set by wr_graph_group */
} wr_graph_node;

/* An output drives an input. */
typedef struct wr_graph_edge {
    int from, i_output; /* component and its output */
    int to, i_input;    /* component and its input */
    double period_s;    /* as of the link */
    wr_where where;
} wr_graph_edge;

/* The shorter of two periods; 0 is none. */
static inline double wr_graph_shorter(double a_s, double b_s)
{
    return b_s > 0.0 && (!(a_s > 0.0) || b_s < a_s) ? b_s : a_s;
}

/* One connection as the config has it: "component.variable" on both sides. Both are NULL for one
 * that could not be read: any input may be meant by it. */
typedef struct wr_graph_link {
    const char *from, *to;
    double period_s; /* of exchange where it is cut; 0: as all */
    wr_where where_from, where_to;
    const char *noun; /* what messages call it; NULL: "connection" */
} wr_graph_link;

/* One subsystem as the config has it; a name that could not be read is NULL. */
typedef struct wr_graph_subsystem {
    const char *name;
    int n_component;
    const char *const *component; /* names; a glob such as "cyl*" takes all that match */
    wr_where where;
} wr_graph_subsystem;

typedef struct wr_graph {
    int n_node, n_edge, n_subsystem;
    wr_graph_node *node;
    wr_graph_edge *edge; /* sorted by (to, i_input) */
} wr_graph;

/* Builds and checks the graph: unknown component or variable (nearest name suggested), units that
 * differ, inputs driven twice, required inputs left open. Copies the nodes (not their ports).
 * Adds every error to diag, but none that only follows from another or from what could not be read;
 * NULL if there is any. */
wr_graph *wr_graph_create(const wr_graph_node *nodes, int n_nodes, const wr_graph_link *links,
                          int n_links, wr_diag *diag);
void wr_graph_destroy(wr_graph **graph);

/* Sets i_subsystem of every node. Components that no subsystem names become one subsystem each, in
 * config order after the named ones; is_monolithic puts all into subsystem 0; for those that the program has made see
 * wr_graph_node. Errors: a component
 * in two subsystems, unknown names, an empty subsystem. n_subsystem of the graph is set. */
wrsim_status wr_graph_group(wr_graph *graph, const wr_graph_subsystem *subsystems, int n_subsystems,
                            int is_monolithic, wr_diag *diag);

/* Adds a node, which is in the subsystem that it says; its ports belong to the caller. Returns its index, -1 when out
 * of memory. */
int wr_graph_add_node(wr_graph *graph, const wr_graph_node *node);

/* Has an input driven by that edge from now on, whatever drove it before; nothing is checked. 0, or -1 when out of memory. */
int wr_graph_drive(wr_graph *graph, const wr_graph_edge *edge);

/* The edge that drives an input, or NULL. */
const wr_graph_edge *wr_graph_driver(const wr_graph *graph, int i_node, int i_input);

/* Asserts every invariant. */
void wr_graph_check(const wr_graph *graph);

#endif
