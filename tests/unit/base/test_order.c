#include "wr_test.h"

#include "base/check.h"
#include "base/order.h"

enum { MAX_N = 64, MAX_ARC = 1024 };

/* A graph made from a list of pairs. */
typedef struct arc_list {
    int n, n_arc;
    int start[MAX_N + 1], arc[MAX_ARC];
} arc_list;

static arc_list make(int n, const int (*pairs)[2], int n_pairs)
{
    arc_list graph = {.n = n};
    for (int v = 0; v < n; v++) {
        for (int i = 0; i < n_pairs; i++)
            if (pairs[i][0] == v)
                graph.arc[graph.n_arc++] = pairs[i][1];
        graph.start[v + 1] = graph.n_arc;
    }
    return graph;
}

/* Sets reach[a][b] if a path leads from a to b; Warshall's closure, an independent reference. */
static void close_paths(const arc_list *graph, unsigned char reach[MAX_N][MAX_N])
{
    memset(reach, 0, MAX_N * MAX_N);
    for (int v = 0; v < graph->n; v++) {
        reach[v][v] = 1;
        for (int i = graph->start[v]; i < graph->start[v + 1]; i++)
            reach[v][graph->arc[i]] = 1;
    }
    for (int k = 0; k < graph->n; k++)
        for (int i = 0; i < graph->n; i++)
            for (int j = 0; j < graph->n; j++)
                if (reach[i][k] && reach[k][j])
                    reach[i][j] = 1;
}

static void assert_scc_is_right(const arc_list *graph)
{
    static unsigned char reach[MAX_N][MAX_N];
    close_paths(graph, reach);
    int scc[MAX_N];
    const int n_scc = wr_order_scc(graph->n, graph->start, graph->arc, scc);
    unsigned char is_used[MAX_N] = {0};
    for (int a = 0; a < graph->n; a++) {
        assert_in_range(scc[a], 0, n_scc - 1);
        is_used[scc[a]] = 1;
        for (int b = 0; b < graph->n; b++) {
            assert_int_equal(scc[a] == scc[b], reach[a][b] && reach[b][a]);
            if (reach[a][b])
                assert_true(scc[a] <= scc[b]);
        }
    }
    for (int i = 0; i < n_scc; i++)
        assert_true(is_used[i]);
}

static void assert_levels_are_right(const arc_list *graph)
{
    int scc[MAX_N], level[MAX_N];
    wr_order_scc(graph->n, graph->start, graph->arc, scc);
    const int n_level = wr_order_levels(graph->n, graph->start, graph->arc, level);
    unsigned char is_used[MAX_N] = {0};
    for (int v = 0; v < graph->n; v++) {
        assert_in_range(level[v], 0, n_level - 1);
        is_used[level[v]] = 1;
        for (int i = graph->start[v]; i < graph->start[v + 1]; i++) {
            const int to = graph->arc[i];
            if (to != v)
                assert_int_not_equal(level[v], level[to]);
            if (scc[v] != scc[to])
                assert_true(level[v] < level[to]); /* the order ignores only arcs of cycles */
        }
    }
    for (int i = 0; i < n_level; i++)
        assert_true(is_used[i]);
}

TEST(scc_of_hand_made_graph)
{
    /* 0 <-> 1 -> 2 -> 3 -> 4 -> 2, 5 -> 6, 7 -> 7 */
    static const int pairs[][2] = {{0, 1}, {1, 0}, {1, 2}, {2, 3}, {3, 4}, {4, 2}, {5, 6}, {7, 7}};
    const arc_list graph = make(8, pairs, (int)WR_COUNT_OF(pairs));
    int scc[8];
    assert_int_equal(wr_order_scc(8, graph.start, graph.arc, scc), 5);
    static const int expected[8] = {0, 0, 1, 1, 1, 2, 3, 4};
    for (int v = 0; v < 8; v++)
        assert_int_equal(scc[v], expected[v]);
    assert_scc_is_right(&graph);
}

TEST(levels_of_hand_made_graphs)
{
    int level[8];
    /* An engine: 0 drives 1..4, and 1..4 drive 0. */
    static const int engine[][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 0}, {2, 0}, {3, 0}, {4, 0}};
    const arc_list a = make(5, engine, (int)WR_COUNT_OF(engine));
    assert_int_equal(wr_order_levels(5, a.start, a.arc, level), 2);
    static const int expected_engine[5] = {0, 1, 1, 1, 1};
    for (int v = 0; v < 5; v++)
        assert_int_equal(level[v], expected_engine[v]);
    /* No cycles: a diamond 3 -> {1, 2} -> 0. */
    static const int diamond[][2] = {{3, 1}, {3, 2}, {1, 0}, {2, 0}};
    const arc_list b = make(4, diamond, (int)WR_COUNT_OF(diamond));
    assert_int_equal(wr_order_levels(4, b.start, b.arc, level), 3);
    static const int expected_diamond[4] = {2, 1, 1, 0};
    for (int v = 0; v < 4; v++)
        assert_int_equal(level[v], expected_diamond[v]);
    /* A cycle with the arc 2 -> 0 doubled: vertex 2 has the greatest surplus of outgoing arcs, so vertex 2 comes first. */
    static const int ring[][2] = {{0, 1}, {1, 2}, {2, 0}, {2, 0}};
    const arc_list c = make(3, ring, (int)WR_COUNT_OF(ring));
    assert_int_equal(wr_order_levels(3, c.start, c.arc, level), 3);
    static const int expected_ring[3] = {1, 2, 0};
    for (int v = 0; v < 3; v++)
        assert_int_equal(level[v], expected_ring[v]);
    /* Without arcs there is one level. */
    static const int start[4] = {0};
    assert_int_equal(wr_order_levels(3, start, NULL, level), 1);
    assert_int_equal(wr_order_levels(0, start, NULL, level), 0);
    assert_int_equal(wr_order_scc(0, start, NULL, level), 0);
}

TEST(random_graphs)
{
    uint32_t seed = 12345;
    for (int round = 0; round < 400; round++) {
        int pairs[200][2];
        seed = seed * 1664525u + 1013904223u;
        const int n = 1 + (int)((seed >> 16) % 40);
        const int n_pairs = (int)((seed >> 8) % (unsigned)(3 * n));
        for (int i = 0; i < n_pairs; i++)
            for (int k = 0; k < 2; k++) {
                seed = seed * 1664525u + 1013904223u;
                pairs[i][k] = (int)((seed >> 16) % (unsigned)n);
            }
        const arc_list graph = make(n, (const int(*)[2])pairs, n_pairs);
        assert_scc_is_right(&graph);
        assert_levels_are_right(&graph);
    }
}

/* A chain with descending numbers, then closed to a cycle: recursion would need 100,000 frames. */
TEST(long_chain_and_ring)
{
    enum { N = 100000 };
    AUTO(wr_test_free) int *start = calloc(N + 1, sizeof *start), *arc = calloc(N, sizeof *arc);
    AUTO(wr_test_free) int *result = calloc(N, sizeof *result);
    assert_true(start && arc && result);
    for (int v = 1; v < N; v++) { /* v -> v - 1 */
        arc[v - 1] = v - 1;
        start[v + 1] = v;
    }
    assert_int_equal(wr_order_scc(N, start, arc, result), N);
    for (int v = 0; v < N; v++)
        assert_int_equal(result[v], N - 1 - v);
    assert_int_equal(wr_order_levels(N, start, arc, result), N);
    for (int v = 0; v < N; v++)
        assert_int_equal(result[v], N - 1 - v);
    for (int v = 0; v < N; v++) { /* 0 -> N - 1 closes the cycle */
        arc[v] = v > 0 ? v - 1 : N - 1;
        start[v + 1] = v + 1;
    }
    assert_int_equal(wr_order_scc(N, start, arc, result), 1);
    for (int v = 0; v < N; v++)
        assert_int_equal(result[v], 0);
    assert_int_equal(wr_order_levels(N, start, arc, result), N);
    assert_int_equal(result[0], 0);
    assert_int_equal(result[N - 1], 1);
}
