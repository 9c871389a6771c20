/* The graph of connections between components: checks names, units and single drivers, and groups components into subsystems.
 *
 * Two units of one dimension may differ by a factor and an offset. The connection then converts the value (base/unit.h). Units of two
 * dimensions are an error. If wrsim cannot read a unit, both names must be equal.
 *
 * Thread: one owner. Real-time: no (setup only). */
#ifndef WR_GRAPH_H
#define WR_GRAPH_H

#include "base/diag.h"
#include "base/unit.h"

/* An input or output of a component. The caller owns the strings. */
typedef struct wr_graph_port {
    const char *name, *unit; /* unit "" or NULL: the graph does not check the unit */
    int is_required;         /* 1: the input must be driven */
    const char *state;       /* of an output: the state whose value the output has; NULL: none */
} wr_graph_port;

/* A component. A node without a name is a component whose name the reader of the config has refused, so any unknown name may mean this
 * node. The inputs and outputs of an opaque node are unknown. */
typedef struct wr_graph_node {
    const char *name;
    wr_where where;
    int is_opaque;
    int n_input, n_output;
    const wr_graph_port *input, *output;
    /* 1: the program makes the node. No [[subsystem]] can list the node. The node is alone in a subsystem, also in a monolithic run,
     * unless wr_graph_add_node() adds the node. */
    int is_made;
    int i_subsystem; /* number of the node's subsystem, set by wr_graph_group() */
} wr_graph_node;

/* A connection from an output to the input that the output drives. */
typedef struct wr_graph_edge {
    int from, i_output; /* component and its output */
    int to, i_input;    /* component and its input */
    double period_s;    /* time between exchanges, as in wr_graph_link, s */
    /* from the unit of the output to the unit of the input, with the transformation of the link */
    wr_unit_scale scale;
    wr_where where;
} wr_graph_edge;

/* Returns the shorter of two periods, s; 0: no period. */
static inline double wr_graph_shorter(double a_s, double b_s)
{
    return b_s > 0.0 && (!(a_s > 0.0) || b_s < a_s) ? b_s : a_s;
}

/* A connection of the config. Both ends are "component.variable". If the reader of the config has refused the connection, an end is
 * NULL, and the connection may drive any input. */
typedef struct wr_graph_link {
    const char *from, *to;
    /* Time between exchanges if the connection's ends are in two subsystems, s; 0: default. */
    double period_s;
    wr_unit_scale change; /* transformation of the value in the unit of the input */
    int is_unconverted;   /* 1: no conversion and no comparison of units */
    wr_where where_from, where_to;
    const char *noun; /* kind of the connection in messages; NULL: "connection" */
} wr_graph_link;

/* A subsystem of the config. name is NULL if the reader of the config has refused the name. */
typedef struct wr_graph_subsystem {
    const char *name;
    int n_component;
    /* names, or globs such as "cyl*", which select all matching components */
    const char *const *component;
    wr_where where, where_components; /* place of the table, and of its list of components */
} wr_graph_subsystem;

typedef struct wr_graph {
    int n_node, n_edge, n_subsystem;
    wr_graph_node *node;
    wr_graph_edge *edge; /* sorted by (to, i_input) */
} wr_graph;

/* Builds and checks the graph. Errors of names: equal names of components, an end that is not "component.variable", unknown names (with
 * the nearest name). Errors of connections: units that do not fit, inputs driven twice, open required inputs. Copies the nodes, but not
 * their inputs and outputs. Adds all errors to diag, except consequences of other errors. Returns NULL after an error. */
wr_graph *wr_graph_create(const wr_graph_node *nodes, int n_nodes, const wr_graph_link *links,
                          int n_links, wr_diag *diag);
void wr_graph_destroy(wr_graph **graph);

/* Sets i_subsystem of every node and n_subsystem, if there are no errors. Components that no subsystem lists form one subsystem each,
 * in the order of the config, after the listed subsystems. If is_monolithic is 1, all components are in subsystem 0, except nodes with
 * is_made.
 * Errors: a component in two subsystems, two subsystems of one name, unknown names, an empty subsystem. Returns WRSIM_OK, WRSIM_E_GRAPH
 * after errors, or WRSIM_E_MEMORY. */
wrsim_status wr_graph_group(wr_graph *graph, const wr_graph_subsystem *subsystems, int n_subsystems,
                            int is_monolithic, wr_diag *diag);

/* Adds a node with its i_subsystem. The caller owns the node's inputs and outputs. Returns the node's index, or -1 when out of memory. */
int wr_graph_add_node(wr_graph *graph, const wr_graph_node *node);

/* Makes an edge drive its input, in place of any earlier edge, without checks. Returns 0, or -1 when out of memory. */
int wr_graph_drive(wr_graph *graph, const wr_graph_edge *edge);

/* Returns the edge that drives an input, or NULL. */
const wr_graph_edge *wr_graph_driver(const wr_graph *graph, int i_node, int i_input);

#endif
