#include "wr_test.h"

#include "scheduler/topology.h"

enum { MAX_WORKER = 64 };

/* Picks on a synthetic machine and returns how many; the topology is the caller's. */
static int pick(const wr_topology *topology, int n_worker, int use_smt, int *ret_pu)
{
    wr_diag diag = {0};
    const int n =
        wr_topology_pick(topology, n_worker, 0, NULL, 0, use_smt, ret_pu, MAX_WORKER, &diag);
    assert_int_equal(diag.n_items, 0);
    return n;
}

static wr_topology *machine(const char *description)
{
    wr_diag diag = {0};
    wr_topology *const topology = wr_topology_create(description, &diag);
    assert_non_null(topology);
    return topology;
}

static int count_different(const wr_topology *topology, const int *pu, int n, int is_l3)
{
    int n_different = 0;
    for (int i = 0; i < n; i++) {
        int is_new = 1;
        for (int j = 0; j < i; j++)
            is_new = is_new && (is_l3 ? topology->pu[pu[i]].l3 != topology->pu[pu[j]].l3
                                      : topology->pu[pu[i]].numa != topology->pu[pu[j]].numa);
        n_different += is_new;
    }
    return n_different;
}

/* 8 cores with 2 hardware threads each in two packages. */
static void test_physical_cores_first(void **state)
{
    (void)state;
    wr_topology *topology = machine("pack:2 numa:1 l3:1 core:4 pu:2");
    for (int use_smt = 0; use_smt < 2; use_smt++)
        for (int n = 1; n <= 20; n++) {
            int pu[MAX_WORKER];
            assert_int_equal(pick(topology, n, use_smt, pu), n);
            const int n_pinned = use_smt ? (n < 16 ? n : 16) : (n < 8 ? n : 8);
            unsigned char is_used[16] = {0};
            for (int i = 0; i < n; i++) {
                if (i >= n_pinned) {
                    assert_int_equal(pu[i], -1);
                    continue;
                }
                assert_in_range(pu[i], 0, 15);
                assert_false(is_used[pu[i]]);
                is_used[pu[i]] = 1;
                assert_int_equal(topology->pu[pu[i]].sibling, i < 8 ? 0 : 1);
            }
            if (n <= 4)
                assert_int_equal(count_different(topology, pu, n, 0), 1);
        }
    int pu[MAX_WORKER];
    pick(topology, 4, 0, pu);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pu[i], 2 * i); /* first threads of cores 0 to 3 */
    wr_topology_destroy(&topology);
}

/* Two NUMA nodes of two L3 of three cores: a team stays in as few of both as it can. */
static void test_teams_share_caches(void **state)
{
    (void)state;
    wr_topology *topology = machine("pack:1 numa:2 l3:2 core:3 pu:1");
    assert_int_equal(topology->n_l3, 4);
    for (int n = 1; n <= 12; n++) {
        int pu[MAX_WORKER];
        assert_int_equal(pick(topology, n, 0, pu), n);
        assert_int_equal(count_different(topology, pu, n, 0), (n + 5) / 6);
        assert_int_equal(count_different(topology, pu, n, 1), (n + 2) / 3);
    }
    wr_topology_destroy(&topology);
}

/* With some cores taken away, the domain that just fits is used, not the one that comes first. */
static void test_smallest_fitting_domain(void **state)
{
    (void)state;
    wr_topology *topology = machine("pack:2 numa:1 l3:1 core:4 pu:1");
    static const int cores[] = {0, 1, 2, 3, 4, 5};
    wr_diag diag = {0};
    int pu[MAX_WORKER];
    assert_int_equal(wr_topology_pick(topology, 2, 0, cores, 6, 0, pu, MAX_WORKER, &diag), 2);
    assert_int_equal(topology->pu[pu[0]].core, 4);
    assert_int_equal(topology->pu[pu[1]].core, 5);
    assert_int_equal(wr_topology_pick(topology, 3, 0, cores, 6, 0, pu, MAX_WORKER, &diag), 3);
    assert_int_equal(topology->pu[pu[0]].core, 0);
    assert_int_equal(topology->pu[pu[2]].core, 2);
    wr_topology_destroy(&topology);
}

static void test_restricted_cores_and_auto(void **state)
{
    (void)state;
    wr_topology *topology = machine("pack:2 numa:1 l3:1 core:4 pu:2");
    static const int cores[] = {6, 1, 6};
    wr_diag diag = {0};
    int pu[MAX_WORKER];
    assert_int_equal(wr_topology_pick(topology, 0, 0, cores, 3, 0, pu, MAX_WORKER, &diag), 2);
    assert_int_equal(topology->pu[pu[0]].core, 1);
    assert_int_equal(topology->pu[pu[1]].core, 6);
    assert_int_equal(wr_topology_pick(topology, 0, 0, cores, 3, 1, pu, MAX_WORKER, &diag), 4);
    assert_int_equal(wr_topology_pick(topology, 5, 0, cores, 3, 0, pu, MAX_WORKER, &diag), 5);
    for (int i = 2; i < 5; i++)
        assert_int_equal(pu[i], -1);
    assert_int_equal(wr_topology_pick(topology, 0, 0, NULL, 0, 0, pu, MAX_WORKER, &diag), 8);
    assert_int_equal(wr_topology_pick(topology, 0, 5, NULL, 0, 0, pu, MAX_WORKER, &diag), 5);
    assert_int_equal(wr_topology_pick(topology, 0, 50, NULL, 0, 1, pu, MAX_WORKER, &diag), 16);
    assert_int_equal(wr_topology_pick(topology, 9, 0, NULL, 0, 0, pu, 3, &diag), 3);
    assert_int_equal(diag.n_items, 0);
    static const int wrong[] = {0, 8, -2};
    assert_int_equal(wr_topology_pick(topology, 1, 0, wrong, 3, 0, pu, MAX_WORKER, &diag), -1);
    assert_int_equal(diag.n_items, 2);
    assert_int_equal(diag.items[0].status, WRSIM_E_CONFIG);
    assert_non_null(strstr(diag.items[0].text, "core 8 cannot be used"));
    assert_non_null(strstr(diag.items[0].text, "numbered 0 to 7"));
    wr_diag_done(&diag);
    wr_topology_destroy(&topology);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Least possible load of the fullest worker, by trying all placements. */
static double best_makespan(const double *cost, int n_task, int n_worker, double *load, int i_task,
                            double best)
{
    if (i_task == n_task) {
        double fullest = 0.0;
        for (int i = 0; i < n_worker; i++)
            fullest = fmax(fullest, load[i]);
        return fmin(best, fullest);
    }
    for (int i = 0; i < n_worker; i++) {
        load[i] += cost[i_task];
        best = best_makespan(cost, n_task, n_worker, load, i_task + 1, best);
        load[i] -= cost[i_task];
    }
    return best;
}

/* Graham 1969: LPT is at most 4/3 - 1/(3 m) times the best. Whole costs keep sums exact. */
static void test_lpt_is_within_grahams_bound(void **state)
{
    (void)state;
    uint32_t seed = 7;
    double worst = 0.0;
    for (int round = 0; round < 200; round++) {
        const int n_task = 1 + (int)(next_random(&seed) % 8);
        const int n_worker = 1 + (int)(next_random(&seed) % 3);
        double cost[8], load[3] = {0};
        int worker[8];
        for (int i = 0; i < n_task; i++)
            cost[i] = 1 + next_random(&seed) % 9;
        const double fullest = wr_placement_lpt(cost, n_task, n_worker, worker);
        const double best = best_makespan(cost, n_task, n_worker, load, 0, (double)INFINITY);
        const double ratio = fullest / best;
        assert_between(ratio, 1.0, 4.0 / 3.0 - 1.0 / (3.0 * n_worker) + 1e-12);
        worst = fmax(worst, ratio);
    }
    assert_true(worst > 1.0); /* the cases are hard enough to tell LPT from the best */
    /* Graham's own worst case for two workers: 3 3 2 2 2 gives 7 where 6 is possible. */
    static const double hard[] = {3, 3, 2, 2, 2};
    int worker[5];
    assert_close(wr_placement_lpt(hard, 5, 2, worker), 7.0, 0, 0);
}

static void test_lpt_returns_the_fullest_load(void **state)
{
    (void)state;
    enum { N = 500, M = 16 };
    uint32_t seed = 99;
    double cost[N], load[M] = {0}, sum = 0.0;
    int worker[N], again[N];
    for (int i = 0; i < N; i++)
        sum += cost[i] = 1 + next_random(&seed) % 1000;
    const double fullest = wr_placement_lpt(cost, N, M, worker);
    for (int i = 0; i < N; i++) {
        assert_in_range(worker[i], 0, M - 1);
        load[worker[i]] += cost[i];
    }
    double most = 0.0;
    for (int i = 0; i < M; i++)
        most = fmax(most, load[i]);
    assert_close(fullest, most, 0, 0);
    assert_between(fullest, sum / M, 4.0 / 3.0 * sum / M); /* no single task is near sum / M */
    assert_close(wr_placement_lpt(cost, N, M, again), fullest, 0, 0);
    assert_memory_equal(worker, again, sizeof worker);
}

static void test_ties_go_to_lower_numbers(void **state)
{
    (void)state;
    static const double cost[] = {1, 5, 5, 1, 5};
    int order[5], worker[5];
    wr_placement_order(cost, 5, order);
    assert_memory_equal(order, ((const int[]){1, 2, 4, 0, 3}), sizeof order);
    assert_close(wr_placement_lpt(cost, 5, 3, worker), 6.0, 0, 0);
    assert_memory_equal(worker, ((const int[]){0, 0, 1, 1, 2}), sizeof worker);
    assert_close(wr_placement_lpt(cost, 0, 3, worker), 0.0, 0, 0);
}

/* Costs that mean nothing are nothing, and come last. */
static void test_order_of_odd_costs(void **state)
{
    (void)state;
    static const double cost[] = {(double)NAN, 2.0, -3.0, (double)INFINITY, 0.0};
    int order[5];
    wr_placement_order(cost, 5, order);
    assert_memory_equal(order, ((const int[]){3, 1, 0, 2, 4}), sizeof order);
}

static void test_order_is_sorted_and_complete(void **state)
{
    (void)state;
    enum { N = 1000 };
    uint32_t seed = 3;
    double cost[N] = {0};
    int order[N];
    for (int n = 0; n <= N; n += n < 20 ? 1 : 97) {
        unsigned char is_used[N] = {0};
        for (int i = 0; i < n; i++)
            cost[i] = next_random(&seed) % 50;
        wr_placement_order(cost, n, order);
        for (int i = 0; i < n; i++) {
            assert_in_range(order[i], 0, n - 1);
            assert_false(is_used[order[i]]);
            is_used[order[i]] = 1;
            if (i > 0) {
                const double before = cost[order[i - 1]], now = cost[order[i]];
                assert_true(before > now || (before >= now && order[i - 1] < order[i]));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_physical_cores_first),
        cmocka_unit_test(test_teams_share_caches),
        cmocka_unit_test(test_smallest_fitting_domain),
        cmocka_unit_test(test_restricted_cores_and_auto),
        cmocka_unit_test(test_lpt_is_within_grahams_bound),
        cmocka_unit_test(test_lpt_returns_the_fullest_load),
        cmocka_unit_test(test_ties_go_to_lower_numbers),
        cmocka_unit_test(test_order_of_odd_costs),
        cmocka_unit_test(test_order_is_sorted_and_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
