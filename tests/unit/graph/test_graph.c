#include "wr_test.h"

#include <time.h>

#include "runtime/graph/graph.h"

/* A small engine: an airpath, three cylinders and a crankshaft. */
static const wr_graph_port airpath_in[] = {{"mdot", "kg/s", 0, NULL}, {"omega", "rad/s", 1, NULL}};
static const wr_graph_port airpath_out[] = {{"p_intake", "Pa", 0, NULL},
                                            {"T_intake", "K", 0, NULL}};
static const wr_graph_port cylinder_in[] = {
    {"p", "Pa", 1, NULL}, {"T", "K", 0, NULL}, {"theta", "rad", 0, NULL}, {"free", "", 0, NULL}};
static const wr_graph_port cylinder_out[] = {{"torque", "N m", 0, NULL}, {"bare", NULL, 0, NULL}};
static const wr_graph_port crank_in[] = {{"torque", "N m", 0, NULL}};
static const wr_graph_port crank_out[] = {{"theta", "rad", 0, NULL},
                                          {"omega", "rad/s", 0, "speed"}};

enum { AIRPATH, CYL1, CYL2, CYL3, CRANK, N_NODE };

#define NODE(node_name, line, in, out)                                                             \
    {                                                                                              \
        .name = (node_name), .where = {"engine.toml", (line), 1}, .n_input = (int)WR_COUNT_OF(in), \
        .n_output = (int)WR_COUNT_OF(out), .input = (in), .output = (out)                          \
    }

static const wr_graph_node nodes[N_NODE] = {
    NODE("airpath", 10, airpath_in, airpath_out), NODE("cyl1", 20, cylinder_in, cylinder_out),
    NODE("cyl2", 30, cylinder_in, cylinder_out),  NODE("cyl3", 40, cylinder_in, cylinder_out),
    NODE("crank", 50, crank_in, crank_out),
};

#define LINK(source, target, line)                                                                 \
    {                                                                                              \
        .from = (source), .to = (target), .where_from = {"engine.toml", (line), 5}, .where_to = {  \
            "engine.toml",                                                                         \
            (line),                                                                                \
            6                                                                                      \
        }                                                                                          \
    }

/* Links to every required input; cases add one link. */
static const wr_graph_link base_links[] = {
    LINK("crank.omega", "airpath.omega", 100), LINK("airpath.p_intake", "cyl3.p", 101),
    LINK("airpath.p_intake", "cyl1.p", 102),   LINK("airpath.p_intake", "cyl2.p", 103),
    LINK("crank.theta", "cyl1.theta", 104),
};
enum { N_BASE = WR_COUNT_OF(base_links) };

static int is_in_range(int i, int n) { return i >= 0 && i < n; }

/* Asserts all invariants of a graph. Edges are in strict order, because an input has one driver. */
static void assert_sound(const wr_graph *graph)
{
    for (int i = 0; i < graph->n_edge; i++) {
        const wr_graph_edge *const e = &graph->edge[i], *const before = i > 0 ? e - 1 : NULL;
        assert_true(is_in_range(e->from, graph->n_node) && is_in_range(e->to, graph->n_node));
        const wr_graph_node *const from = &graph->node[e->from], *const to = &graph->node[e->to];
        assert_true(is_in_range(e->i_output, from->n_output));
        assert_true(is_in_range(e->i_input, to->n_input));
        wr_unit_scale scale;
        assert_int_equal(
            wr_unit_convert(from->output[e->i_output].unit, to->input[e->i_input].unit, &scale),
            WR_UNIT_FITS);
        assert_memory_equal(&e->scale, &scale, sizeof scale);
        assert_true(!before || before->to < e->to ||
                    (before->to == e->to && before->i_input < e->i_input));
        assert_ptr_equal(wr_graph_driver(graph, e->to, e->i_input), e);
    }
    for (int i = 0; i < graph->n_node; i++) {
        const wr_graph_node *const node = &graph->node[i];
        for (int j = 0; j < node->n_input; j++)
            assert_true(!node->input[j].is_required || wr_graph_driver(graph, i, j));
        assert_true(graph->n_subsystem == 0 ? node->i_subsystem == -1
                                            : is_in_range(node->i_subsystem, graph->n_subsystem));
    }
    for (int k = 0; k < graph->n_subsystem; k++) {
        int n = 0;
        for (int i = 0; i < graph->n_node; i++)
            n += graph->node[i].i_subsystem == k;
        assert_true(n > 0);
    }
}

static wr_graph *base_graph(wr_diag *diag)
{
    wr_graph *const graph = wr_graph_create(nodes, N_NODE, base_links, N_BASE, diag);
    assert_non_null(graph);
    assert_int_equal(diag->n_items, 0);
    assert_sound(graph);
    return graph;
}

TEST(edges_are_sorted_and_found)
{
    wr_diag diag = {0};
    AUTO(wr_graph_destroy) wr_graph *graph = base_graph(&diag);
    assert_int_equal(graph->n_node, N_NODE);
    assert_int_equal(graph->n_edge, N_BASE);
    for (int i = 0; i < N_NODE; i++)
        assert_int_equal(graph->node[i].i_subsystem, -1);
    static const int expected_to[] = {AIRPATH, CYL1, CYL1, CYL2, CYL3};
    static const int expected_line[] = {100, 102, 104, 103, 101};
    for (int i = 0; i < N_BASE; i++) {
        assert_int_equal(graph->edge[i].to, expected_to[i]);
        assert_int_equal(graph->edge[i].where.line, expected_line[i]);
    }
    const wr_graph_edge *const driver = wr_graph_driver(graph, CYL1, 2);
    assert_non_null(driver);
    assert_int_equal(driver->from, CRANK);
    assert_int_equal(driver->i_output, 0);
    assert_null(wr_graph_driver(graph, CYL1, 1));
    assert_null(wr_graph_driver(graph, CRANK, 0));
    wr_graph_destroy(&graph);
    assert_null(graph);
}

typedef struct bad_link {
    wr_graph_link link;
    /* Whole message. The place of a message with "connection from" is the output, the place of other messages is the input. */
    const char *text;
} bad_link;

TEST(a_wrong_link_is_named)
{
    static const bad_link cases[] = {
        {LINK("airpath.p_intke", "cyl1.T", 200),
         "connection from 'airpath.p_intke': component 'airpath' has no output 'p_intke'; did you "
         "mean 'p_intake'?"},
        {LINK("airpath.T_intake", "cyl1.tetha", 201),
         "connection to 'cyl1.tetha': component 'cyl1' has no input 'tetha'; did you mean "
         "'theta'?"},
        {LINK("airpth.p_intake", "cyl1.T", 202),
         "connection from 'airpth.p_intake': unknown component 'airpth'; did you mean "
         "'airpath'?"},
        {LINK("airpath.T_intake", "zzzzzzzz.T", 203),
         "connection to 'zzzzzzzz.T': unknown component 'zzzzzzzz'; choose one of: "
         "airpath, cyl1, cyl2, cyl3, crank"},
        {LINK("airpath.quite_else", "cyl1.T", 204),
         "connection from 'airpath.quite_else': component 'airpath' has no output "
         "'quite_else'; choose one of: p_intake, T_intake"},
        {LINK("airpath", "cyl1.T", 205),
         "connection from 'airpath' must have the form 'component.output'"},
        {LINK("airpath.", "cyl1.T", 206),
         "connection from 'airpath.' must have the form 'component.output'"},
        {LINK("airpath.T_intake", ".T", 207),
         "connection to '.T' must have the form 'component.input'"},
        {LINK("airpath.mdot", "cyl1.T", 208),
         "connection from 'airpath.mdot': 'mdot' is an input of component 'airpath'; connect "
         "an output to an input"},
        {LINK("airpath.T_intake", "cyl1.torque", 209),
         "connection to 'cyl1.torque': 'torque' is an output of component 'cyl1'; connect "
         "an output to an input"},
        {LINK("airpath.p_intake", "cyl1.T", 210),
         "input 'cyl1.T' (unit K, in SI base units K) and its driver 'airpath.p_intake' (unit Pa, "
         "in SI base units kg.m-1.s-2) have different dimensions; connect another signal, or set "
         "convert = false in a [[connection]] with a wrong unit"},
        {LINK("crank.theta", "cyl1.theta", 211),
         "input 'cyl1.theta' is driven twice: by 'crank.theta' here and by 'crank.theta' at "
         "engine.toml:104; remove one of the two"},
        {LINK("crank.speed", "cyl1.theta", 212),
         "connection from 'crank.speed': 'speed' is a state of component 'crank', and no output; "
         "connect the output 'omega', which has the same value"},
    };
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        wr_graph_link links[N_BASE + 1];
        memcpy(links, base_links, sizeof base_links);
        links[N_BASE] = cases[i].link;
        AUTO(wr_diag_done) wr_diag diag = {0};
        assert_null(wr_graph_create(nodes, N_NODE, links, N_BASE + 1, &diag));
        assert_int_equal(diag.n_items, 1);
        assert_string_equal(diag.items[0].text, cases[i].text);
        assert_int_equal(diag.items[0].status, WRSIM_E_GRAPH);
        assert_int_equal(diag.items[0].line, 200 + (int)i);
        assert_int_equal(diag.items[0].column, strstr(cases[i].text, "connection from") ? 5 : 6);
        assert_string_equal(diag.items[0].file, "engine.toml");
    }
}

TEST(empty_unit_matches_anything)
{
    wr_graph_link links[N_BASE + 2];
    memcpy(links, base_links, sizeof base_links);
    links[N_BASE] = (wr_graph_link)LINK("airpath.T_intake", "cyl1.free", 300);
    links[N_BASE + 1] = (wr_graph_link)LINK("cyl2.bare", "crank.torque", 301);
    wr_diag diag = {0};
    AUTO(wr_graph_destroy)
    wr_graph *graph = wr_graph_create(nodes, N_NODE, links, N_BASE + 2, &diag);
    assert_non_null(graph);
    assert_sound(graph);
}

TEST(units_are_compared)
{
    static const struct {
        const char *output, *input, *text;
        double factor, offset;
    } cases[] = {
        {"bar", "Pa", NULL, 1e5, 0.0},
        {"degC", "K", NULL, 1.0, 273.15},
        {"N.m", "N m", NULL, 0.0, 0.0},
        {"furlong", "furlong", NULL, 0.0, 0.0},
        {"furlong", "m",
         "input 'b.u' (unit m) and its driver 'a.y' (unit furlong) have different units, and wrsim "
         "cannot read 'furlong'; correct this unit in the model, or set convert = false in a "
         "[[connection]]",
         0.0, 0.0},
        {"m", "furlong",
         "input 'b.u' (unit furlong) and its driver 'a.y' (unit m) have different units, and wrsim "
         "cannot read 'furlong'; correct this unit in the model, or set convert = false in a "
         "[[connection]]",
         0.0, 0.0},
        {"degC (difference)", "degC",
         "input 'b.u' (unit degC) and its driver 'a.y' (unit degC (difference)) do not fit, "
         "because "
         "only one of them is a difference (FMI: relativeQuantity), and the other unit has an "
         "offset; connect another signal, or set convert = false in a [[connection]]",
         0.0, 0.0},
        {"U = 2 m", "U = 4 kg",
         "input 'b.u' (unit U = 4 kg, in SI base units kg) and its driver 'a.y' (unit U = 2 m, in "
         "SI base units m) have different dimensions; connect another signal, or set convert = "
         "false in a [[connection]] with a wrong unit",
         0.0, 0.0}};
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        const wr_graph_port y = {"y", cases[i].output, 0, NULL}, u = {"u", cases[i].input, 1, NULL};
        const wr_graph_node pair[] = {{.name = "a", .n_output = 1, .output = &y},
                                      {.name = "b", .n_input = 1, .input = &u}};
        const wr_graph_link link = LINK("a.y", "b.u", 1);
        AUTO(wr_diag_done) wr_diag diag = {0};
        AUTO(wr_graph_destroy) wr_graph *graph = wr_graph_create(pair, 2, &link, 1, &diag);
        assert_int_equal(graph == NULL, cases[i].text != NULL);
        if (graph)
            assert_memory_equal(&graph->edge[0].scale, &cases[i].factor, 2 * sizeof(double));
        else
            assert_string_equal(diag.items[0].text, cases[i].text);
    }
}

TEST(a_transformation_stays_in_the_range_of_numbers)
{
    static const wr_unit_scale changes[] = {{1e-307, 0.0}, {1e-300, 1e300}, {1e307, 0.0}};
    for (size_t i = 0; i < WR_COUNT_OF(changes); i++) {
        const wr_graph_port y = {"y", i == 2 ? "bar" : "Pa", 0, NULL},
                            u = {"u", i == 2 ? "Pa" : "bar", 1, NULL};
        const wr_graph_node pair[] = {{.name = "a", .n_output = 1, .output = &y},
                                      {.name = "b", .n_input = 1, .input = &u}};
        wr_graph_link link = LINK("a.y", "b.u", 1);
        link.change = changes[i];
        AUTO(wr_diag_done) wr_diag diag = {0};
        AUTO(wr_graph_destroy) wr_graph *graph = wr_graph_create(pair, 2, &link, 1, &diag);
        assert_null(graph);
        assert_non_null(strstr(diag.items[0].text, "exceed the range of numbers"));
    }
}

TEST(a_transformation_follows_the_conversion)
{
    const wr_graph_port y = {"y", "bar", 0, NULL}, u = {"u", "Pa", 1, NULL};
    const wr_graph_node pair[] = {{.name = "a", .n_output = 1, .output = &y},
                                  {.name = "b", .n_input = 1, .input = &u}};
    const wr_unit_scale wanted[] = {{-1e5, 7.0}, {-1.0, 7.0}};
    for (int i = 0; i < 2; i++) {
        wr_graph_link link = LINK("a.y", "b.u", 1);
        link.change = (wr_unit_scale){-1.0, 7.0};
        link.is_unconverted = i;
        AUTO(wr_diag_done) wr_diag diag = {0};
        AUTO(wr_graph_destroy) wr_graph *graph = wr_graph_create(pair, 2, &link, 1, &diag);
        assert_non_null(graph);
        assert_true(wr_unit_is_same_scale(graph->edge[0].scale, wanted[i]));
    }
}

TEST(open_required_input_is_named_at_its_component)
{
    AUTO(wr_diag_done) wr_diag diag = {0};
    assert_null(wr_graph_create(nodes, N_NODE, base_links, N_BASE - 2, &diag)); /* cyl2.p open */
    assert_int_equal(diag.n_items, 1);
    assert_string_equal(diag.items[0].text, "input 'cyl2.p' has no default and no connection; "
                                            "add a connection");
    assert_int_equal(diag.items[0].line, 30);
}

/* A link with a wrong source is one error, without a second error for an open input. */
TEST(one_mistake_gives_one_error)
{
    wr_graph_link links[N_BASE];
    memcpy(links, base_links, sizeof base_links);
    links[3].from = "airpath.p_intaek";
    AUTO(wr_diag_done) wr_diag diag = {0};
    assert_null(wr_graph_create(nodes, N_NODE, links, N_BASE, &diag));
    assert_int_equal(diag.n_items, 1);
}

TEST(all_errors_come_at_once)
{
    static const wr_graph_link links[] = {
        LINK("a.x", "b.y", 1), /* two unknown components */
        LINK("crank.theta", "cyl1.T", 2),
        LINK("airpath.T_intake", "cyl1.T", 3),
    };
    AUTO(wr_diag_done) wr_diag diag = {0};
    assert_null(wr_graph_create(nodes, N_NODE, links, 3, &diag));
    /* 2 unknown, 1 unit, 1 double, 4 open: airpath.omega, cyl1.p, cyl2.p, cyl3.p */
    assert_int_equal(diag.n_items, 8);
}

TEST(component_defined_twice)
{
    const wr_graph_node twice[] = {NODE("crank", 1, crank_in, crank_out),
                                   NODE("other", 2, crank_in, crank_out),
                                   NODE("crank", 3, crank_in, crank_out)};
    AUTO(wr_diag_done) wr_diag diag = {0};
    assert_null(wr_graph_create(twice, 3, NULL, 0, &diag));
    assert_int_equal(diag.n_items, 1);
    assert_string_equal(
        diag.items[0].text,
        "component 'crank' is defined twice: here and at engine.toml:1; rename one of them");
    assert_int_equal(diag.items[0].line, 3);
}

static const char *const list_cylinders[] = {"cyl*"};
static const char *const list_air[] = {"airpath", "crank", "airpath"};
static const char *const list_one[] = {"cyl2"};
static const char *const list_typo[] = {"airpaht", "boat*"};

#define SUBSYSTEM(subsystem_name, list, line)                                                      \
    {                                                                                              \
        (subsystem_name), (int)WR_COUNT_OF(list), (list), {"engine.toml", (line), 2},              \
        {                                                                                          \
            "engine.toml", (line) + 100, 2                                                         \
        }                                                                                          \
    }

/* A component with a reading error causes no further error; errors of other components stay. */
TEST(unreadable_components_cause_no_further_error)
{
    const wr_graph_node opaque = {.name = "x", .is_opaque = 1}, nameless = {.is_opaque = 1};
    const wr_graph_node with_opaque[] = {nodes[AIRPATH], nodes[CYL1], opaque};
    const wr_graph_node with_nameless[] = {nodes[AIRPATH], nodes[CYL1], nameless};
    const struct {
        const wr_graph_node *nodes;
        wr_graph_link links[2];
        int n_error;
    } cases[] = {
        {with_opaque, {LINK("x.a", "cyl1.p", 1), LINK("x.b", "airpath.omega", 2)}, 0},
        {with_opaque, {LINK("x.a", "x.b", 1), LINK("cyl1.torque", "x.c", 2)}, 2}, /* open inputs */
        {with_opaque, {LINK("x.a", "cyl1.p", 1), LINK("airpath.q", "airpath.omega", 2)}, 1},
        {with_nameless, {LINK("y.a", "cyl1.p", 1), LINK("z.b", "airpath.omega", 2)}, 0},
        {with_nameless, {LINK("y.a", "cyl1.q", 1), LINK("z.b", "airpath.omega", 2)}, 1},
        {with_opaque, {{.from = NULL}, LINK("airpath.q", "cyl1.T", 2)}, 1},
        {with_opaque, {LINK("x.a", "cyl1.P", 1), LINK("x.b", "airpath.omega", 2)}, 1},
        {with_opaque, {LINK("x.a", "cyl9.p", 1), LINK("x.b", "airpath.omega", 2)}, 1},
    };
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        AUTO(wr_diag_done) wr_diag diag = {0};
        AUTO(wr_graph_destroy)
        wr_graph *graph = wr_graph_create(cases[i].nodes, 3, cases[i].links, 2, &diag);
        assert_int_equal(diag.n_items, cases[i].n_error);
        assert_int_equal(graph != NULL, cases[i].n_error == 0);
    }
    const wr_graph_subsystem nobody[] = {SUBSYSTEM(NULL, list_typo, 7),
                                         SUBSYSTEM(NULL, list_cylinders, 8)};
    wr_graph_node copies[3];
    memcpy(copies, with_nameless, sizeof copies);
    wr_graph bare = {.node = copies, .n_node = 3};
    wr_diag diag = {0};
    assert_int_equal(wr_graph_group(&bare, nobody, 2, 0, &diag), WRSIM_OK);
}

TEST(empty_graph)
{
    wr_diag diag = {0};
    AUTO(wr_graph_destroy) wr_graph *graph = wr_graph_create(NULL, 0, NULL, 0, &diag);
    assert_non_null(graph);
    assert_int_equal(wr_graph_group(graph, NULL, 0, 1, &diag), WRSIM_OK);
    assert_int_equal(graph->n_subsystem, 0);
    assert_sound(graph);
}

static void assert_groups(const wr_graph_subsystem *subsystems, int n_subsystems, int is_monolithic,
                          int n_expected, const int *expected)
{
    wr_diag diag = {0};
    AUTO(wr_graph_destroy) wr_graph *graph = base_graph(&diag);
    assert_int_equal(wr_graph_group(graph, subsystems, n_subsystems, is_monolithic, &diag),
                     WRSIM_OK);
    assert_int_equal(graph->n_subsystem, n_expected);
    for (int i = 0; i < N_NODE; i++)
        assert_int_equal(graph->node[i].i_subsystem, expected[i]);
    assert_sound(graph);
}

TEST(grouping)
{
    static const int own[] = {0, 1, 2, 3, 4}, none[] = {0, 0, 0, 0, 0};
    assert_groups(NULL, 0, 0, 5, own);
    assert_groups(NULL, 0, 1, 1, none);
    const wr_graph_subsystem cylinders[] = {SUBSYSTEM("cylinders", list_cylinders, 7)};
    assert_groups(cylinders, 1, 0, 3, (const int[]){1, 0, 0, 0, 2});
    assert_groups(cylinders, 1, 1, 1, none);
    const wr_graph_subsystem both[] = {SUBSYSTEM("cylinders", list_cylinders, 7),
                                       SUBSYSTEM("air", list_air, 8)};
    assert_groups(both, 2, 0, 2, (const int[]){1, 0, 0, 0, 1});
    const wr_graph_subsystem one[] = {SUBSYSTEM("one", list_one, 7)};
    assert_groups(one, 1, 0, 5, (const int[]){1, 2, 0, 3, 4});
}

static void assert_group_error(const wr_graph_subsystem *subsystems, int n_subsystems, int n_error,
                               const char *const *texts)
{
    for (int is_monolithic = 0; is_monolithic < 2; is_monolithic++) {
        AUTO(wr_diag_done) wr_diag diag = {0};
        AUTO(wr_graph_destroy) wr_graph *graph = base_graph(&diag);
        assert_int_equal(wr_graph_group(graph, subsystems, n_subsystems, is_monolithic, &diag),
                         WRSIM_E_GRAPH);
        assert_int_equal(diag.n_items, n_error);
        for (int i = 0; i < n_error; i++)
            assert_string_equal(diag.items[i].text, texts[i]);
        assert_int_equal(graph->n_subsystem, 0);
        for (int i = 0; i < N_NODE; i++)
            assert_int_equal(graph->node[i].i_subsystem, -1);
    }
}

TEST(grouping_errors)
{
    const wr_graph_subsystem twice[] = {SUBSYSTEM("all", list_cylinders, 7),
                                        SUBSYSTEM("one", list_one, 8)};
    assert_group_error(twice, 2, 1,
                       (const char *const[]){"component 'cyl2' is in two subsystems: in 'one' here "
                                             "and in 'all' at engine.toml:7; remove one entry"});
    const wr_graph_subsystem typo[] = {SUBSYSTEM("x", list_typo, 7)};
    assert_group_error(
        typo, 1, 2,
        (const char *const[]){"subsystem 'x': unknown component 'airpaht'; did you mean "
                              "'airpath'?",
                              "subsystem 'x': no component matches 'boat*'; correct the pattern"});
    AUTO(wr_diag_done) wr_diag diag = {0};
    AUTO(wr_graph_destroy) wr_graph *graph = base_graph(&diag);
    wr_graph_group(graph, typo, 1, 0, &diag);
    assert_int_equal(diag.items[0].line, 107); /* the line of the list */
    const wr_graph_subsystem empty[] = {
        {"x", 0, NULL, {"engine.toml", 7, 2}, {"engine.toml", 7, 2}}};
    assert_group_error(empty, 1, 1,
                       (const char *const[]){"subsystem 'x' has no components; list at least one"});
    const wr_graph_subsystem same[] = {SUBSYSTEM("x", list_one, 7), SUBSYSTEM("x", list_air, 8)};
    assert_group_error(
        same, 2, 1,
        (const char *const[]){
            "subsystem 'x' is defined twice: here and at engine.toml:7; rename one of them"});
}

/* 10,000 components with ten inputs each, all driven. The limit is CPU time: a quadratic lookup takes 1e9 string comparisons and exceeds
 * the limit by far; sanitizers do not. */
TEST(large_graph_is_fast)
{
    enum { N = 10000, N_PORT = 10, NAME = 16 };
    static const wr_graph_port inputs[N_PORT] = {
        {"u0", "Pa", 1, NULL}, {"u1", "Pa", 1, NULL}, {"u2", "Pa", 1, NULL}, {"u3", "Pa", 1, NULL},
        {"u4", "Pa", 1, NULL}, {"u5", "Pa", 1, NULL}, {"u6", "Pa", 1, NULL}, {"u7", "Pa", 1, NULL},
        {"u8", "Pa", 1, NULL}, {"u9", "Pa", 1, NULL}};
    static const wr_graph_port outputs[1] = {{"y", "Pa", 0, NULL}};
    AUTO(wr_test_free) wr_graph_node *many = calloc(N, sizeof *many);
    AUTO(wr_test_free) wr_graph_link *links = calloc(N * N_PORT, sizeof *links);
    char(*const names)[NAME] = calloc(N, NAME), (*const from)[NAME] = calloc(N, NAME),
                (*const to)[NAME] = calloc(N * N_PORT, NAME);
    assert_true(many && links && names && from && to);
    for (int i = 0; i < N; i++) {
        snprintf(names[i], NAME, "node%d", i);
        snprintf(from[i], NAME, "node%d.y", i);
        many[i] = (wr_graph_node){
            .name = names[i], .n_input = N_PORT, .n_output = 1, .input = inputs, .output = outputs};
        for (int j = 0; j < N_PORT; j++)
            snprintf(to[N_PORT * i + j], NAME, "node%d.u%d", i, j);
    }
    for (int i = 0; i < N * N_PORT; i++) /* 7919 is prime to 1e5: a scattered order */
        links[i] = (wr_graph_link){.from = from[(i * 31 + 7) % N],
                                   .to = to[(int)((long long)i * 7919 % (N * N_PORT))]};
    const clock_t start = clock();
    wr_diag diag = {0};
    AUTO(wr_graph_destroy) wr_graph *graph = wr_graph_create(many, N, links, N * N_PORT, &diag);
    assert_non_null(graph);
    assert_int_equal(graph->n_edge, N * N_PORT);
    assert_int_equal(wr_graph_group(graph, NULL, 0, 0, &diag), WRSIM_OK);
    assert_int_equal(graph->n_subsystem, N);
    assert_between((double)(clock() - start) / CLOCKS_PER_SEC, 0.0, 4.0);
    assert_sound(graph);
    free(names);
    free(from);
    free(to);
}

/* Each component that the program adds (is_made) has its own subsystem, which comes after all other subsystems. The config's list of a
 * subsystem cannot name such a component. */
TEST(grouping_of_made_components)
{
    static const char *const all[] = {"*"};
    static const wr_graph_subsystem one = {.name = "all", .n_component = 1, .component = all};
    static const wr_graph_node made[] = {
        {.name = "a"}, {.name = "apart", .is_made = 1}, {.name = "b"}};
    static const int expected[3][3] = {{0, 2, 1}, {0, 1, 0}, {0, 1, 0}};
    for (int i = 0; i < 3; i++) {
        wr_diag diag = {0};
        AUTO(wr_graph_destroy) wr_graph *graph = wr_graph_create(made, 3, NULL, 0, &diag);
        assert_non_null(graph);
        assert_int_equal(wr_graph_group(graph, &one, i == 2, i == 1, &diag), WRSIM_OK);
        for (int k = 0; k < 3; k++)
            assert_int_equal(graph->node[k].i_subsystem, expected[i][k]);
        assert_int_equal(graph->n_subsystem, i == 0 ? 3 : 2);
        assert_sound(graph);
    }
    static const char *const apart[] = {"apart"};
    static const wr_graph_subsystem listed = {.name = "x", .n_component = 1, .component = apart};
    AUTO(wr_diag_done) wr_diag diag = {0};
    AUTO(wr_graph_destroy) wr_graph *graph = wr_graph_create(made, 3, NULL, 0, &diag);
    assert_int_equal(wr_graph_group(graph, &listed, 1, 0, &diag), WRSIM_E_GRAPH);
    assert_int_equal(diag.n_items, 1);
}

/* Adds a component between an output and an input. The component also drives an open input. */
TEST(edges_are_changed)
{
    wr_diag diag = {0};
    AUTO(wr_graph_destroy) wr_graph *graph = base_graph(&diag);
    assert_int_equal(wr_graph_group(graph, NULL, 0, 0, &diag), WRSIM_OK);
    static const wr_graph_port u = {"u", "", 0, NULL}, y = {"y", "", 0, NULL};
    const wr_graph_node node = {.name = "between",
                                .n_input = 1,
                                .n_output = 1,
                                .input = &u,
                                .output = &y,
                                .is_made = 1,
                                .i_subsystem = graph->node[CYL1].i_subsystem};
    const int i_new = wr_graph_add_node(graph, &node);
    assert_int_equal(i_new, N_NODE);
    wr_graph_edge in = *wr_graph_driver(graph, CYL1, 2), out = in, open = in;
    in.to = out.from = open.from = i_new;
    in.i_input = out.i_output = open.i_output = 0;
    open.i_input = 1;
    assert_int_equal(wr_graph_drive(graph, &in), 0);
    assert_int_equal(wr_graph_drive(graph, &out), 0);
    assert_int_equal(wr_graph_drive(graph, &open), 0);
    assert_int_equal(graph->n_edge, N_BASE + 2);
    assert_int_equal(wr_graph_driver(graph, i_new, 0)->from, CRANK);
    assert_int_equal(wr_graph_driver(graph, CYL1, 2)->from, i_new);
    assert_int_equal(wr_graph_driver(graph, CYL1, 1)->from, i_new);
    assert_sound(graph);
}
