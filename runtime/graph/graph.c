/* Resolves names to indices and reports every error at its place. See graph.h.
 *
 * One sorted directory contains all names of components, inputs and outputs. So a connection costs four binary searches in models of any
 * size.
 *
 * Thread: one owner. Real-time: no (setup only). */
#include "runtime/graph/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"

/* Kind of a name in the directory. */
typedef enum entry_kind { ENTRY_NODE, ENTRY_INPUT, ENTRY_OUTPUT } entry_kind;

typedef struct entry {
    entry_kind kind;
    int i_node; /* owner of an input or output; 0 for nodes */
    const char *name;
    size_t n_name; /* number of bytes of name to compare */
    int index;     /* index of the node; index of the input or output in the node */
} entry;

typedef struct directory {
    entry *entry; /* nodes, then the inputs of each node, then the outputs of each node */
    int n_entry;
    /* [2 n_node + 1] first entry of each node's inputs, then of each node's outputs; NULL: a directory without inputs and outputs */
    int *port_start;
    int n_node;
} directory;

static int compare_ints(int a, int b) { return (a > b) - (a < b); }

static int compare_names(const entry *a, const entry *b)
{
    if (a->kind != b->kind)
        return compare_ints((int)a->kind, (int)b->kind);
    if (a->i_node != b->i_node)
        return compare_ints(a->i_node, b->i_node);
    const size_t n_common = a->n_name < b->n_name ? a->n_name : b->n_name;
    const int order = memcmp(a->name, b->name, n_common);
    if (order != 0)
        return order;
    return (a->n_name > b->n_name) - (a->n_name < b->n_name);
}

static int compare_entries(const void *left, const void *right)
{
    const entry *const a = left, *const b = right;
    const int order = compare_names(a, b);
    return order ? order : compare_ints(a->index, b->index);
}

static void add_entry(directory *names, entry_kind kind, int i_node, const char *name, int index)
{
    names->entry[names->n_entry++] = (entry){kind, i_node, name, strlen(name), index};
}

static void sort_from(directory *names, int first)
{
    qsort(names->entry + first, (size_t)(names->n_entry - first), sizeof(entry), compare_entries);
}

/* Adds the inputs or outputs of a node, and sorts these entries by name. */
static void add_ports(directory *names, entry_kind kind, int i_node, int n,
                      const wr_graph_port *port)
{
    const int first = names->n_entry;
    names->port_start[(kind == ENTRY_OUTPUT) * names->n_node + i_node] = first;
    for (int j = 0; j < n; j++)
        add_entry(names, kind, i_node, port[j].name, j);
    sort_from(names, first);
}

/* Lists the names of nodes and, if with_ports is 1, the names of their inputs and outputs. Returns 0, or -1 when out of memory. */
static int directory_init(directory *names, const wr_graph_node *nodes, int n_nodes, int with_ports)
{
    size_t n = (size_t)n_nodes;
    for (int i = 0; with_ports && i < n_nodes; i++)
        n += (size_t)nodes[i].n_input + (size_t)nodes[i].n_output;
    *names = (directory){.entry = malloc((n + 1) * sizeof(entry)), .n_node = n_nodes};
    if (!names->entry)
        return -1;
    for (int i = 0; i < n_nodes; i++)
        if (nodes[i].name)
            add_entry(names, ENTRY_NODE, 0, nodes[i].name, i);
    sort_from(names, 0);
    if (!with_ports)
        return 0;
    names->port_start = malloc((2 * (size_t)n_nodes + 1) * sizeof *names->port_start);
    if (!names->port_start)
        return -1;
    for (int i = 0; i < n_nodes; i++)
        add_ports(names, ENTRY_INPUT, i, nodes[i].name ? nodes[i].n_input : 0, nodes[i].input);
    for (int i = 0; i < n_nodes; i++)
        add_ports(names, ENTRY_OUTPUT, i, nodes[i].name ? nodes[i].n_output : 0, nodes[i].output);
    names->port_start[2 * n_nodes] = names->n_entry;
    return 0;
}

static void directory_done(directory *names)
{
    free(names->entry);
    free(names->port_start);
    *names = (directory){0};
}

/* Returns the index of a name, or the first index of a repeated name; -1 if the name is absent. */
static int directory_find(const directory *names, entry_kind kind, int i_node, const char *name,
                          size_t n_name)
{
    const entry wanted = {kind, i_node, name, n_name, 0};
    int low = 0, high = names->port_start ? names->port_start[0] : names->n_entry;
    if (kind != ENTRY_NODE) {
        const int i_list = (kind == ENTRY_OUTPUT) * names->n_node + i_node;
        low = names->port_start[i_list];
        high = names->port_start[i_list + 1];
    }
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (compare_names(&names->entry[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const int is_found = low < names->n_entry && compare_names(&names->entry[low], &wanted) == 0;
    return is_found ? names->entry[low].index : -1;
}

/* Returns 1 if a refused component has no name, or if two components have one name. An unknown name may belong to such a component. */
static int has_nameless(const directory *names, const wr_graph_node *nodes, int n_nodes)
{
    for (int i = 0; i < n_nodes; i++)
        if (!nodes[i].name)
            return 1;
    for (int i = 1; i < names->n_entry && names->entry[i].kind == ENTRY_NODE; i++)
        if (compare_names(&names->entry[i - 1], &names->entry[i]) == 0)
            return 1;
    return 0;
}

/* Returns a hint for the end of a message: similar names among nodes, or, if nodes is NULL, among inputs or outputs. If diag is full, diag
 * drops the message, so the function skips the search. */
static const char *find_hint(char ret_hint[WR_NAMES_HINT_BYTES], const char *name,
                             const wr_graph_node *nodes, const wr_graph_port *ports, int n_names,
                             const wr_diag *diag)
{
    const char **const names = malloc(((size_t)n_names + 1) * sizeof *names);
    const int n = names && diag->n_items < WR_DIAG_MAX ? n_names : 0;
    for (int i = 0; i < n; i++)
        names[i] = !nodes ? ports[i].name : nodes[i].is_made ? NULL : nodes[i].name;
    wr_names_hint(name, names, n, ret_hint);
    free(names);
    return ret_hint;
}

/* Writes a place such as "engine.toml:41". */
static void place_text(char *ret_text, size_t cap, const wr_where *where)
{
    if (where->file && where->line > 0)
        snprintf(ret_text, cap, "%s:%d", where->file, where->line);
    else if (where->line > 0)
        snprintf(ret_text, cap, "line %d", where->line);
    else
        snprintf(ret_text, cap, "%s", where->file ? where->file : "another place");
}

enum { PLACE_BYTES = 280, NAME_BYTES = 160 };

/* State of wr_graph_create(). */
typedef struct build {
    wr_graph *graph;
    directory names;
    const wr_graph_link *links;
    wr_diag *diag;
    int *input_start; /* [n_node + 1] number of each node's first input among all inputs */
    /* [all inputs] 1: a connection drives the input, or a wrong connection may mean the input */
    unsigned char *is_meant;
    int has_nameless;
} build;

/* An edge during the construction of the graph. Edges are sorted by driven input, then by connection. */
typedef struct raw_edge {
    wr_graph_edge edge;
    int i_link;
} raw_edge;

static int compare_edges(const void *left, const void *right)
{
    const raw_edge *const a = left, *const b = right;
    if (a->edge.to != b->edge.to)
        return compare_ints(a->edge.to, b->edge.to);
    if (a->edge.i_input != b->edge.i_input)
        return compare_ints(a->edge.i_input, b->edge.i_input);
    return compare_ints(a->i_link, b->i_link);
}

static const wr_where *where_of(const wr_graph_link *link, entry_kind kind)
{
    return kind == ENTRY_OUTPUT ? &link->where_from : &link->where_to;
}

static const char *noun_of(const wr_graph_link *link)
{
    return link->noun ? link->noun : "connection";
}

static void report_unknown_node(const build *work, const wr_graph_link *link, entry_kind kind,
                                const char *full, const char *name)
{
    if (work->has_nameless)
        return;
    char hint[WR_NAMES_HINT_BYTES];
    wr_diag_add(work->diag, WRSIM_E_GRAPH, where_of(link, kind),
                "%s %s '%.160s': unknown component '%.96s'; %s", noun_of(link),
                kind == ENTRY_OUTPUT ? "from" : "to", full, name,
                find_hint(hint, name, work->graph->node, NULL, work->graph->n_node, work->diag));
}

static void report_unknown_port(const build *work, const wr_graph_link *link, entry_kind kind,
                                const char *full, int i_node, const char *name)
{
    const wr_graph_node *const node = &work->graph->node[i_node];
    const int is_output = kind == ENTRY_OUTPUT;
    const char *const end = is_output ? "from" : "to";
    const char *const noun = is_output ? "output" : "input";
    const entry_kind other = is_output ? ENTRY_INPUT : ENTRY_OUTPUT;
    if (directory_find(&work->names, other, i_node, name, strlen(name)) >= 0) {
        wr_diag_add(
            work->diag, WRSIM_E_GRAPH, where_of(link, kind),
            "%s %s '%.160s': '%.96s' is an %s of component '%.96s'; connect an output to an input",
            noun_of(link), end, full, name, is_output ? "input" : "output", node->name);
        return;
    }
    char hint[WR_NAMES_HINT_BYTES];
    for (int i = 0; is_output && i < node->n_output; i++)
        if (node->output[i].state && strcmp(node->output[i].state, name) == 0) {
            wr_diag_add(work->diag, WRSIM_E_GRAPH, where_of(link, kind),
                        "%s %s '%.160s': '%.96s' is a state of component '%.96s', and no output; "
                        "connect the output '%.96s', which has the same value",
                        noun_of(link), end, full, name, node->name, node->output[i].name);
            return;
        }
    find_hint(hint, name, NULL, is_output ? node->output : node->input,
              is_output ? node->n_output : node->n_input, work->diag);
    wr_diag_add(work->diag, WRSIM_E_GRAPH, where_of(link, kind),
                "%s %s '%.160s': component '%.96s' has no %s '%.96s'; %s", noun_of(link), end, full,
                node->name, noun, name, hint);
}

/* Resolves one end of a connection, "component.variable". Returns 0, or -1 on failure. Adds an error to diag, unless the error may
 * follow from a refused component. */
static int resolve(const build *work, const wr_graph_link *link, entry_kind kind, int *ret_node,
                   int *ret_port)
{
    const int is_output = kind == ENTRY_OUTPUT;
    const char *const full = is_output ? link->from : link->to;
    const char *const end = is_output ? "from" : "to";
    const char *const dot = strchr(full, '.');
    if (!dot || dot == full || dot[1] == '\0') {
        wr_diag_add(work->diag, WRSIM_E_GRAPH, where_of(link, kind),
                    "%s %s '%.160s' must have the form 'component.%s'", noun_of(link), end, full,
                    is_output ? "output" : "input");
        return -1;
    }
    const size_t n_node = (size_t)(dot - full);
    const int i_node = directory_find(&work->names, ENTRY_NODE, 0, full, n_node);
    if (i_node < 0) {
        char name[NAME_BYTES];
        snprintf(name, sizeof name, "%.*s", (int)(n_node < NAME_BYTES ? n_node : NAME_BYTES), full);
        report_unknown_node(work, link, kind, full, name);
        return -1;
    }
    if (work->graph->node[i_node].is_opaque)
        return -1;
    const int i_port = directory_find(&work->names, kind, i_node, dot + 1, strlen(dot + 1));
    if (i_port < 0) {
        report_unknown_port(work, link, kind, full, i_node, dot + 1);
        return -1;
    }
    *ret_node = i_node;
    *ret_port = i_port;
    return 0;
}

/* Marks the inputs that a wrong connection may mean, so that check_open_inputs() skips these inputs. If the component in `to` exists,
 * the function marks all its inputs. Otherwise the function marks the inputs of that name in all components; without a name all inputs. */
static void excuse_inputs(const build *work, const char *to)
{
    const wr_graph *const graph = work->graph;
    const char *const dot = to ? strchr(to, '.') : NULL;
    const int i_known =
        dot ? directory_find(&work->names, ENTRY_NODE, 0, to, (size_t)(dot - to)) : -1;
    if (i_known >= 0 ? graph->node[i_known].is_opaque : dot && work->has_nameless)
        return; /* resolve() reports no error, because the component may be a refused component */
    if (work->diag->n_items >= WR_DIAG_MAX)
        return; /* diag drops further errors */
    for (int i = 0; i < graph->n_node; i++)
        for (int j = 0; j < graph->node[i].n_input; j++)
            if (i == i_known ||
                (i_known < 0 && (!dot || strcmp(graph->node[i].input[j].name, dot + 1) == 0)))
                work->is_meant[work->input_start[i] + j] = 1;
}

static void refuse_units(const build *work, const wr_graph_edge *e, wr_unit_match match)
{
    const wr_graph_node *const from = &work->graph->node[e->from], *const to =
                                                                       &work->graph->node[e->to];
    const wr_graph_port *const output = &from->output[e->i_output], *const input =
                                                                        &to->input[e->i_input];
    wr_unit unit;
    char dimension[2][WR_UNIT_TEXT_BYTES] = {"", ""};
    for (int k = 0; k < 2; k++)
        if (wr_unit_read(k == 0 ? input->unit : output->unit, &unit) == 0)
            wr_unit_text(&unit, dimension[k]);
    if (match == WR_UNIT_OTHER_DIMENSION)
        wr_diag_add(
            work->diag, WRSIM_E_GRAPH, &e->where,
            "input '%.96s.%.96s' (unit %.64s, in SI base units %s) and its driver "
            "'%.96s.%.96s' (unit %.64s, in SI base units %s) have different dimensions; "
            "connect another signal, or set convert = false in a [[connection]] with a wrong unit",
            to->name, input->name, input->unit, dimension[0], from->name, output->name,
            output->unit, dimension[1]);
    else if (match == WR_UNIT_DIFFERENCE)
        wr_diag_add(work->diag, WRSIM_E_GRAPH, &e->where,
                    "input '%.96s.%.96s' (unit %.64s) and its driver '%.96s.%.96s' (unit %.64s) do "
                    "not fit, because only one of them is a difference (FMI: relativeQuantity), "
                    "and the other unit has an offset; connect another signal, or set convert = "
                    "false in a [[connection]]",
                    to->name, input->name, input->unit, from->name, output->name, output->unit);
    else
        wr_diag_add(work->diag, WRSIM_E_GRAPH, &e->where,
                    "input '%.96s.%.96s' (unit %.64s) and its driver '%.96s.%.96s' (unit %.64s) "
                    "have different units, and wrsim cannot read '%.64s'; correct this unit in the "
                    "model, or set convert = false in a [[connection]]",
                    to->name, input->name, input->unit, from->name, output->name, output->unit,
                    dimension[0][0] ? output->unit : input->unit);
}

/* Resolves both ends of each connection. Reports the errors of both ends. Returns the number of edges. */
static int resolve_links(const build *work, int n_links, raw_edge *ret_edges)
{
    int n_edge = 0;
    for (int i = 0; i < n_links; i++) {
        const wr_graph_link *const link = &work->links[i];
        if (!link->from || !link->to) {
            excuse_inputs(work, NULL);
            continue;
        }
        wr_graph_edge edge = {.period_s = link->period_s, .where = link->where_to};
        const int from_status = resolve(work, link, ENTRY_OUTPUT, &edge.from, &edge.i_output);
        const int to_status = resolve(work, link, ENTRY_INPUT, &edge.to, &edge.i_input);
        if (to_status == 0)
            work->is_meant[work->input_start[edge.to] + edge.i_input] = 1;
        else
            excuse_inputs(work, link->to);
        if (from_status != 0 || to_status != 0)
            continue;
        const wr_graph_node *const from = &work->graph->node[edge.from];
        const wr_graph_node *const to = &work->graph->node[edge.to];
        const wr_graph_port *const output = &from->output[edge.i_output];
        const wr_graph_port *const input = &to->input[edge.i_input];
        if (!link->is_unconverted) {
            const wr_unit_match match = wr_unit_convert(output->unit, input->unit, &edge.scale);
            if (match != WR_UNIT_FITS)
                refuse_units(work, &edge, match);
        }
        edge.scale = wr_unit_compose(edge.scale, link->change);
        if (wr_unit_is_scaled(link->change) && !wr_unit_is_invertible(edge.scale))
            wr_diag_add(work->diag, WRSIM_E_GRAPH, &edge.where,
                        "the connection from '%.96s' to '%.96s' has the factor %g and the offset "
                        "%g with its conversion of units, which exceed the range of numbers; "
                        "change 'factor' and 'offset'",
                        link->from, link->to, edge.scale.factor, edge.scale.offset);
        ret_edges[n_edge++] = (raw_edge){edge, i};
    }
    return n_edge;
}

static void check_double_drivers(const build *work, const raw_edge *edges, int n_edge)
{
    for (int i = 1; i < n_edge; i++) {
        const raw_edge *const first = &edges[i - 1], *const second = &edges[i];
        if (first->edge.to != second->edge.to || first->edge.i_input != second->edge.i_input)
            continue;
        char place[PLACE_BYTES];
        place_text(place, sizeof place, &first->edge.where);
        wr_diag_add(work->diag, WRSIM_E_GRAPH, &second->edge.where,
                    "input '%.120s' is driven twice: by '%.120s' here and by '%.120s' at %.200s; "
                    "remove one of the two",
                    work->links[second->i_link].to, work->links[second->i_link].from,
                    work->links[first->i_link].from, place);
    }
}

static void check_open_inputs(const build *work)
{
    const wr_graph *const graph = work->graph;
    for (int i = 0; i < graph->n_node; i++)
        for (int j = 0; j < graph->node[i].n_input; j++)
            if (graph->node[i].input[j].is_required && !graph->node[i].is_opaque &&
                !work->is_meant[work->input_start[i] + j])
                wr_diag_add(work->diag, WRSIM_E_GRAPH, &graph->node[i].where,
                            "input '%.96s.%.96s' has no default and no connection; add a "
                            "connection",
                            graph->node[i].name, graph->node[i].input[j].name);
}

/* Reports components with equal names, and makes them opaque, because connections to these components are ambiguous. */
static void check_node_names(const build *work)
{
    for (int i = 1; i < work->names.n_entry; i++) {
        const entry *const first = &work->names.entry[i - 1], *const second = &work->names.entry[i];
        if (second->kind != ENTRY_NODE || compare_names(first, second) != 0)
            continue;
        char place[PLACE_BYTES];
        place_text(place, sizeof place, &work->graph->node[first->index].where);
        wr_diag_add(work->diag, WRSIM_E_GRAPH, &work->graph->node[second->index].where,
                    "component '%.96s' is defined twice: here and at %.200s; rename one of them",
                    second->name, place);
        work->graph->node[first->index].is_opaque = work->graph->node[second->index].is_opaque = 1;
    }
}

/* Copies the nodes and allocates memory. Returns 0, or -1 when out of memory. */
static int build_init(build *work, const wr_graph_node *nodes, int n_nodes, int n_links)
{
    wr_graph *const graph = work->graph;
    graph->node = malloc(((size_t)n_nodes + 1) * sizeof *graph->node);
    graph->edge = malloc(((size_t)n_links + 1) * sizeof *graph->edge);
    work->input_start = malloc(((size_t)n_nodes + 1) * sizeof *work->input_start);
    if (!graph->node || !graph->edge || !work->input_start ||
        directory_init(&work->names, nodes, n_nodes, 1) != 0)
        return -1;
    graph->n_node = n_nodes;
    int n_input = 0;
    for (int i = 0; i < n_nodes; i++) {
        graph->node[i] = nodes[i];
        graph->node[i].i_subsystem = -1;
        graph->node[i].is_opaque |= !nodes[i].name;
        work->input_start[i] = n_input;
        n_input += nodes[i].n_input;
    }
    work->input_start[n_nodes] = n_input;
    work->has_nameless = has_nameless(&work->names, nodes, n_nodes);
    work->is_meant = calloc((size_t)n_input + 1, 1);
    return work->is_meant ? 0 : -1;
}

static void build_done(build *work)
{
    directory_done(&work->names);
    free(work->input_start);
    free(work->is_meant);
}

wr_graph *wr_graph_create(const wr_graph_node *nodes, int n_nodes, const wr_graph_link *links,
                          int n_links, wr_diag *diag)
{
    const int n_error_before = diag->n_items + diag->n_dropped;
    wr_graph *graph = calloc(1, sizeof *graph);
    raw_edge *edges = malloc(((size_t)n_links + 1) * sizeof *edges);
    build work = {.graph = graph, .links = links, .diag = diag};
    if (!graph || !edges || build_init(&work, nodes, n_nodes, n_links) != 0) {
        wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory while connecting components");
        goto fail;
    }
    check_node_names(&work);
    const int n_edge = resolve_links(&work, n_links, edges);
    qsort(edges, (size_t)n_edge, sizeof *edges, compare_edges);
    check_double_drivers(&work, edges, n_edge);
    check_open_inputs(&work);
    if (diag->n_items + diag->n_dropped > n_error_before)
        goto fail;
    for (int i = 0; i < n_edge; i++)
        graph->edge[i] = edges[i].edge;
    graph->n_edge = n_edge;
    free(edges);
    build_done(&work);
    return graph;
fail:
    free(edges);
    build_done(&work);
    wr_graph_destroy(&graph);
    return NULL;
}

void wr_graph_destroy(wr_graph **graph)
{
    if (!graph || !*graph)
        return;
    free((*graph)->node);
    free((*graph)->edge);
    free(*graph);
    *graph = NULL;
}

/* Returns the index of the first edge whose input is the given input or a later input. */
static int first_from(const wr_graph *graph, int i_node, int i_input)
{
    int low = 0, high = graph->n_edge;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const wr_graph_edge *const edge = &graph->edge[middle];
        if (edge->to < i_node || (edge->to == i_node && edge->i_input < i_input))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const wr_graph_edge *wr_graph_driver(const wr_graph *graph, int i_node, int i_input)
{
    const int i = first_from(graph, i_node, i_input);
    const wr_graph_edge *const edge = i < graph->n_edge ? &graph->edge[i] : NULL;
    return edge && edge->to == i_node && edge->i_input == i_input ? edge : NULL;
}

int wr_graph_add_node(wr_graph *graph, const wr_graph_node *node)
{
    wr_graph_node *const grown =
        realloc(graph->node, ((size_t)graph->n_node + 1) * sizeof *graph->node);
    if (!grown)
        return -1;
    graph->node = grown;
    graph->node[graph->n_node] = *node;
    return graph->n_node++;
}

int wr_graph_drive(wr_graph *graph, const wr_graph_edge *edge)
{
    const int i = first_from(graph, edge->to, edge->i_input);
    if (i < graph->n_edge && graph->edge[i].to == edge->to &&
        graph->edge[i].i_input == edge->i_input) {
        graph->edge[i] = *edge;
        return 0;
    }
    wr_graph_edge *const grown =
        realloc(graph->edge, ((size_t)graph->n_edge + 1) * sizeof *graph->edge);
    if (!grown)
        return -1;
    graph->edge = grown;
    memmove(grown + i + 1, grown + i, (size_t)(graph->n_edge - i) * sizeof *grown);
    grown[i] = *edge;
    graph->n_edge++;
    return 0;
}

/* State of wr_graph_group(). */
typedef struct grouping {
    const wr_graph *graph;
    const wr_graph_subsystem *subsystems;
    directory names;
    int *subsystem_of; /* [n_node] subsystem of each node; -1: no subsystem yet */
    int has_nameless;
    wr_diag *diag;
} grouping;

static const char *name_of(const wr_graph_subsystem *subsystem)
{
    return subsystem->name ? subsystem->name : "?";
}

static void put_into(const grouping *work, int i_node, int i_subsystem)
{
    if (work->graph->node[i_node].is_made)
        return;
    const int i_old = work->subsystem_of[i_node];
    if (i_old < 0)
        work->subsystem_of[i_node] = i_subsystem;
    if (i_old < 0 || i_old == i_subsystem)
        return;
    char place[PLACE_BYTES];
    place_text(place, sizeof place, &work->subsystems[i_old].where);
    wr_diag_add(work->diag, WRSIM_E_GRAPH, &work->subsystems[i_subsystem].where,
                "component '%.96s' is in two subsystems: in '%.96s' here and in '%.96s' at %.200s; "
                "remove one entry",
                work->graph->node[i_node].name, name_of(&work->subsystems[i_subsystem]),
                name_of(&work->subsystems[i_old]), place);
}

/* Puts a listed name, or the matches of a glob, into a subsystem. */
static void put_listed(const grouping *work, const char *listed, int i_subsystem)
{
    const wr_graph *const graph = work->graph;
    const wr_graph_subsystem *const subsystem = &work->subsystems[i_subsystem];
    if (wr_names_is_glob(listed)) {
        int n_match = 0;
        for (int i = 0; i < graph->n_node; i++)
            if (graph->node[i].name && !graph->node[i].is_made &&
                wr_names_match(listed, graph->node[i].name)) {
                n_match++;
                put_into(work, i, i_subsystem);
            }
        if (n_match == 0 && !work->has_nameless)
            wr_diag_add(work->diag, WRSIM_E_GRAPH, &subsystem->where_components,
                        "subsystem '%.96s': no component matches '%.96s'; correct the pattern",
                        name_of(subsystem), listed);
        return;
    }
    const int i_node = directory_find(&work->names, ENTRY_NODE, 0, listed, strlen(listed));
    if (i_node >= 0 && !graph->node[i_node].is_made) {
        put_into(work, i_node, i_subsystem);
        return;
    }
    if (work->has_nameless)
        return;
    char hint[WR_NAMES_HINT_BYTES];
    wr_diag_add(work->diag, WRSIM_E_GRAPH, &subsystem->where_components,
                "subsystem '%.96s': unknown component '%.96s'; %s", name_of(subsystem), listed,
                find_hint(hint, listed, graph->node, NULL, graph->n_node, work->diag));
}

/* Reports subsystems with equal names. Returns 0, or -1 when out of memory. */
static int check_subsystem_names(const grouping *work, int n_subsystems)
{
    directory names = {.entry = malloc(((size_t)n_subsystems + 1) * sizeof(entry))};
    if (!names.entry)
        return -1;
    for (int i = 0; i < n_subsystems; i++)
        if (work->subsystems[i].name)
            add_entry(&names, ENTRY_NODE, 0, work->subsystems[i].name, i);
    qsort(names.entry, (size_t)names.n_entry, sizeof(entry), compare_entries);
    for (int i = 1; i < names.n_entry; i++) {
        if (compare_names(&names.entry[i - 1], &names.entry[i]) != 0)
            continue;
        char place[PLACE_BYTES];
        place_text(place, sizeof place, &work->subsystems[names.entry[i - 1].index].where);
        wr_diag_add(work->diag, WRSIM_E_GRAPH, &work->subsystems[names.entry[i].index].where,
                    "subsystem '%.96s' is defined twice: here and at %.200s; rename one of them",
                    names.entry[i].name, place);
    }
    directory_done(&names);
    return 0;
}

/* Writes the subsystem number of each node. Nodes with is_made get the last numbers, so that the other subsystems keep their numbers. */
static void commit_groups(wr_graph *graph, const int *subsystem_of, int n_named, int is_monolithic)
{
    int n_subsystem = is_monolithic ? graph->n_node > 0 : n_named;
    for (int i = 0; i < graph->n_node; i++) {
        if (graph->node[i].is_made)
            continue;
        int i_subsystem = is_monolithic ? 0 : subsystem_of[i];
        if (i_subsystem < 0)
            i_subsystem = n_subsystem++;
        graph->node[i].i_subsystem = i_subsystem;
    }
    for (int i = 0; i < graph->n_node; i++)
        if (graph->node[i].is_made)
            graph->node[i].i_subsystem = n_subsystem++;
    graph->n_subsystem = n_subsystem;
}

wrsim_status wr_graph_group(wr_graph *graph, const wr_graph_subsystem *subsystems, int n_subsystems,
                            int is_monolithic, wr_diag *diag)
{
    const int n_error_before = diag->n_items + diag->n_dropped;
    wrsim_status status = WRSIM_OK;
    grouping work = {.graph = graph, .subsystems = subsystems, .diag = diag};
    work.subsystem_of = malloc(((size_t)graph->n_node + 1) * sizeof *work.subsystem_of);
    for (int i = 0; work.subsystem_of && i < graph->n_node; i++)
        work.subsystem_of[i] = -1;
    if (!work.subsystem_of || directory_init(&work.names, graph->node, graph->n_node, 0) != 0 ||
        check_subsystem_names(&work, n_subsystems) != 0) {
        status = wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory while grouping components");
        goto out;
    }
    work.has_nameless = has_nameless(&work.names, graph->node, graph->n_node);
    /* A monolithic run ignores the lists of components, but their errors are errors in every run. */
    for (int i = 0; i < n_subsystems; i++) {
        const wr_graph_subsystem *const subsystem = &work.subsystems[i];
        if (subsystem->n_component == 0)
            wr_diag_add(work.diag, WRSIM_E_GRAPH, &subsystem->where,
                        "subsystem '%.96s' has no components; list at least one",
                        name_of(subsystem));
        for (int j = 0; j < subsystem->n_component; j++)
            put_listed(&work, subsystem->component[j], i);
    }
    if (diag->n_items + diag->n_dropped > n_error_before)
        status = WRSIM_E_GRAPH;
    else
        commit_groups(graph, work.subsystem_of, n_subsystems, is_monolithic);
out:
    directory_done(&work.names);
    free(work.subsystem_of);
    return status;
}
