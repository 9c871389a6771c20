#include "wr_test.h"

#include "scheduler/core_choice.h"

enum { MAX_WORKER = 64 };

/* Picks cores on a synthetic machine and returns their number; the caller owns the topology. */
static int pick(const wr_topology *topology, int n_worker, int use_smt, int *ret_pu)
{
    wr_diag diag = {0};
    const int n =
        wr_core_choice_units(topology, n_worker, 0, NULL, 0, use_smt, ret_pu, MAX_WORKER, &diag);
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
TEST(physical_cores_first)
{
    AUTO(wr_topology_destroy) wr_topology *topology = machine("pack:2 numa:1 l3:1 core:4 pu:2");
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
}

/* Two NUMA nodes with two L3 caches each, and three cores per cache: a team uses as few NUMA nodes and caches as possible. */
TEST(teams_share_caches)
{
    AUTO(wr_topology_destroy) wr_topology *topology = machine("pack:1 numa:2 l3:2 core:3 pu:1");
    assert_int_equal(topology->n_l3, 4);
    for (int n = 1; n <= 12; n++) {
        int pu[MAX_WORKER];
        assert_int_equal(pick(topology, n, 0, pu), n);
        assert_int_equal(count_different(topology, pu, n, 0), (n + 5) / 6);
        assert_int_equal(count_different(topology, pu, n, 1), (n + 2) / 3);
    }
}

/* With some cores removed, the choice is the smallest sufficient domain, not the first. */
TEST(smallest_fitting_domain)
{
    AUTO(wr_topology_destroy) wr_topology *topology = machine("pack:2 numa:1 l3:1 core:4 pu:1");
    static const int cores[] = {0, 1, 2, 3, 4, 5};
    wr_diag diag = {0};
    int pu[MAX_WORKER];
    assert_int_equal(wr_core_choice_units(topology, 2, 0, cores, 6, 0, pu, MAX_WORKER, &diag), 2);
    assert_int_equal(topology->pu[pu[0]].core, 4);
    assert_int_equal(topology->pu[pu[1]].core, 5);
    assert_int_equal(wr_core_choice_units(topology, 3, 0, cores, 6, 0, pu, MAX_WORKER, &diag), 3);
    assert_int_equal(topology->pu[pu[0]].core, 0);
    assert_int_equal(topology->pu[pu[2]].core, 2);
}

TEST(restricted_cores_and_auto)
{
    AUTO(wr_topology_destroy) wr_topology *topology = machine("pack:2 numa:1 l3:1 core:4 pu:2");
    static const int cores[] = {6, 1, 6};
    AUTO(wr_diag_done) wr_diag diag = {0};
    int pu[MAX_WORKER];
    assert_int_equal(wr_core_choice_units(topology, 0, 0, cores, 3, 0, pu, MAX_WORKER, &diag), 2);
    assert_int_equal(topology->pu[pu[0]].core, 1);
    assert_int_equal(topology->pu[pu[1]].core, 6);
    assert_int_equal(wr_core_choice_units(topology, 0, 0, cores, 3, 1, pu, MAX_WORKER, &diag), 4);
    assert_int_equal(wr_core_choice_units(topology, 5, 0, cores, 3, 0, pu, MAX_WORKER, &diag), 5);
    for (int i = 2; i < 5; i++)
        assert_int_equal(pu[i], -1);
    assert_int_equal(wr_core_choice_units(topology, 0, 0, NULL, 0, 0, pu, MAX_WORKER, &diag), 8);
    assert_int_equal(wr_core_choice_units(topology, 0, 5, NULL, 0, 0, pu, MAX_WORKER, &diag), 5);
    assert_int_equal(wr_core_choice_units(topology, 0, 50, NULL, 0, 1, pu, MAX_WORKER, &diag), 16);
    assert_int_equal(wr_core_choice_units(topology, 9, 0, NULL, 0, 0, pu, 3, &diag), 3);
    assert_int_equal(diag.n_items, 0);
    static const int wrong[] = {0, 8, -2};
    assert_int_equal(wr_core_choice_units(topology, 1, 0, wrong, 3, 0, pu, MAX_WORKER, &diag), -1);
    assert_int_equal(diag.n_items, 2);
    assert_int_equal(diag.items[0].status, WRSIM_E_CONFIG);
    assert_non_null(strstr(diag.items[0].text, "core 8 cannot be used"));
    assert_non_null(strstr(diag.items[0].text, "within 0 to 7"));
}
