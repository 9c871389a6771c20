/* Nominal values of signals. Models of this file have one input u and one output y; their nominals are parameters (0 = not declared). */
#include "wr_test.h"

#include "runtime/graph/nominals.h"

enum { NOMINAL_U, NOMINAL_Y, N_PARAM };
enum { MOST = 8 };

static const wrsim_variable params[N_PARAM] = {{.name = "u"}, {.name = "y"}};

static int add_ports(wrsim_instance *self, wrsim_description *to, unsigned flags)
{
    const wrsim_variable u = {.name = "u", .nominal = self->param[NOMINAL_U]};
    const wrsim_variable y = {.name = "y", .nominal = self->param[NOMINAL_Y], .flags = flags};
    return to->add(to, WRSIM_INPUT, &u) || to->add(to, WRSIM_OUTPUT, &y) ? -1 : 0;
}

static int passing_describe(wrsim_instance *self, wrsim_description *to)
{
    return add_ports(self, to, 0);
}

static int held_describe(wrsim_instance *self, wrsim_description *to)
{
    return add_ports(self, to, 0) || to->depends(to, WRSIM_U_Y, -1, -1) ? -1 : 0;
}

/* The state's nominal is 40, and the output is the state. */
static int state_describe(wrsim_instance *self, wrsim_description *to)
{
    const wrsim_variable x = {.name = "x", .nominal = 40.0};
    return to->add(to, WRSIM_STATE, &x) || add_ports(self, to, WRSIM_IS_STATE) ? -1 : 0;
}

static int zero(wrsim_instance *self, const wrsim_point *at, double *ret)
{
    ret[0] = 0.0;
    return 0;
}

#define MODEL(model_name, describe_it, rhs_it)                                                     \
    {                                                                                              \
        .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model), .name = (model_name),          \
        .n_param = N_PARAM, .params = params, .describe = (describe_it), .output = zero,           \
        .rhs = (rhs_it)                                                                            \
    }
static const wrsim_model passing = MODEL("passing", passing_describe, NULL);
static const wrsim_model held = MODEL("held", held_describe, NULL);
static const wrsim_model with_state = MODEL("with_state", state_describe, zero);

typedef struct net {
    wr_component *component[MOST];
    wr_graph_node node[MOST];
    wr_graph_edge edge[MOST];
    wr_graph graph;
    wr_diag warnings;
} net;

/* Adds components "a", "b", ..., each in a subsystem of its own. */
static void add(net *n, const wrsim_model *model, double nominal_u, double nominal_y)
{
    const int c = n->graph.n_node++;
    const char name[] = {(char)('a' + c), '\0'};
    const wr_assignment values[] = {{.name = "u", .value = nominal_u},
                                    {.name = "y", .value = nominal_y}};
    wr_diag diag = {0};
    n->component[c] =
        wr_component_create(name, model, NULL, values, (int)WR_COUNT_OF(values), NULL, 0, &diag);
    assert_non_null(n->component[c]);
    n->node[c] = (wr_graph_node){.i_subsystem = c};
    n->graph.node = n->node;
    n->graph.edge = n->edge;
}

static void join(net *n, int from, int to)
{
    n->edge[n->graph.n_edge++] = (wr_graph_edge){.from = from, .to = to, .where = {"a.toml", 7, 1}};
}

static double nominal(const net *n, int c, wrsim_kind kind)
{
    return n->component[c]->variable[kind][0].nominal;
}

/* Computes the nominals and expects one nominal at the two ends of every connection. */
static void settle(net *n)
{
    assert_int_equal(wr_nominals_settle(n->component, &n->graph, &n->warnings), WRSIM_OK);
    assert_int_equal(wr_diag_status(&n->warnings), WRSIM_OK);
    for (int i = 0; i < n->graph.n_edge; i++)
        assert_true(nominal(n, n->edge[i].from, WRSIM_OUTPUT) ==
                    nominal(n, n->edge[i].to, WRSIM_INPUT));
}

static wrsim_error the_warning(const net *n)
{
    assert_int_equal(n->warnings.n_items, 1);
    return n->warnings.items ? n->warnings.items[0] : (wrsim_error){0};
}

static void done(net *n)
{
    for (int c = 0; c < n->graph.n_node; c++)
        wr_component_destroy(&n->component[c]);
    wr_diag_done(&n->warnings);
}

TEST(two_ends)
{
    static const struct {
        double y, u, expected;
        int n_warning;
    } cases[] = {{0, 0, 1, 0},     {5, 0, 5, 0},       {0, 1e-9, 1e-9, 0},
                 {1e5, 0, 1e5, 0}, {1e-9, 1, 1e-9, 1}, {1, 1e-9, 1e-9, 1},
                 {1, 1e3, 1, 0},   {1, 1.001e3, 1, 1}, {1e-200, 1e200, 1e-200, 1}};
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++) {
        AUTO(done) net n = {0};
        add(&n, &held, 0, cases[i].y);
        add(&n, &held, cases[i].u, 0);
        join(&n, 0, 1);
        settle(&n);
        assert_close(nominal(&n, 0, WRSIM_OUTPUT), cases[i].expected, 0, 0);
        assert_int_equal(n.warnings.n_items, cases[i].n_warning);
    }
}

TEST(warning)
{
    AUTO(done) net n = {0};
    add(&n, &held, 0, 2e-9);
    add(&n, &held, 3, 0);
    join(&n, 0, 1);
    settle(&n);
    const wrsim_error item = the_warning(&n);
    assert_string_equal(item.file, "a.toml");
    assert_int_equal(item.line, 7);
    static const char *const parts[] = {"'a.y' -> 'b.u'", "2e-09 of 'a.y'", "3 of 'b.u'"};
    for (size_t i = 0; i < WR_COUNT_OF(parts); i++)
        assert_non_null(strstr(item.text, parts[i]));
    wr_diag_done(&n.warnings);
    n.node[1].i_subsystem =
        n.node[0].i_subsystem; /* connections within a subsystem are not checked */
    settle(&n);
    assert_int_equal(n.warnings.n_items, 0);
}

/* All ends of a signal have one nominal value, whichever end declares it. */
TEST(many_readers)
{
    AUTO(done) net n = {0};
    add(&n, &held, 0, 0);
    add(&n, &held, 10, 0);
    add(&n, &held, 1e-3, 0);
    add(&n, &held, 0, 0);
    for (int to = 1; to < 4; to++)
        join(&n, 0, to);
    settle(&n);
    assert_close(nominal(&n, 3, WRSIM_INPUT), 1e-3, 0, 0);
    const wrsim_error item = the_warning(&n);
    assert_non_null(strstr(item.text, "'a.y' -> 'b.u'"));
    assert_non_null(strstr(item.text, "0.001 of 'c.u' and 10 of 'b.u'"));
}

/* An output that is a state and declares no nominal has the state's nominal. */
TEST(state)
{
    AUTO(done) net n = {0};
    add(&n, &with_state, 0, 0);
    add(&n, &with_state, 0, 7);
    add(&n, &held, 0, 0);
    add(&n, &held, 0, 0);
    join(&n, 0, 2);
    join(&n, 1, 3);
    settle(&n);
    assert_close(nominal(&n, 2, WRSIM_INPUT), 40, 0, 0);
    assert_close(nominal(&n, 3, WRSIM_INPUT), 7, 0, 0);
    assert_close(nominal(&n, 0, WRSIM_STATE), 40, 0, 0);
}

/* Stateless components propagate nominals in the two directions over several hops, but none above 1. Components that hold or integrate
 * propagate none. Cycles without a declaration have the nominal 1. */
TEST(hops)
{
    static const struct {
        const wrsim_model *model;
        double first, last, expected;
    } cases[] = {{&passing, 1e-9, 0, 1e-9}, {&passing, 0, 1e-6, 1e-6}, {&passing, 1e-9, 1e-6, 1e-9},
                 {&passing, 1e5, 0, 1},     {&passing, 0, 0, 1},       {&held, 1e-9, 0, 1}};
    for (size_t i = 0; i < WR_COUNT_OF(cases); i++)
        for (int is_backwards = 0; is_backwards < 2; is_backwards++) {
            AUTO(done) net n = {0};
            add(&n, &held, 0, cases[i].first); /* a -> b -> c -> d -> e */
            for (int k = 0; k < 3; k++)
                add(&n, cases[i].model, 0, 0);
            add(&n, &held, cases[i].last, 0);
            for (int k = 0; k < 4; k++) /* the order has no effect */
                join(&n, is_backwards ? 3 - k : k, is_backwards ? 4 - k : k + 1);
            settle(&n);
            assert_close(nominal(&n, 1, WRSIM_OUTPUT), cases[i].expected, 0, 0);
            assert_close(nominal(&n, 2, WRSIM_OUTPUT), cases[i].expected, 0, 0);
            assert_int_equal(n.warnings.n_items, 0);
        }
    AUTO(done) net n = {0};
    add(&n, &passing, 0, 0);
    add(&n, &passing, 0, 0);
    join(&n, 0, 1);
    join(&n, 1, 0);
    settle(&n);
    assert_close(nominal(&n, 0, WRSIM_OUTPUT), 1, 0, 0);
}
