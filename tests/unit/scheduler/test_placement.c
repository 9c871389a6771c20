/* Assignment of tasks to workers: against the optimum, and against results by hand. */
#include "wr_test.h"

#include "base/check.h"
#include "scheduler/placement.h"

enum { MOST = 1000 };

/* Places all tasks, longest first, without previous workers. Returns the time at which the last worker ends. */
static double place(const double *expected, int n_task, int n_worker, int *ret_worker)
{
    static int order[MOST];
    double busy[WR_PLACEMENT_FEW];
    assert_in_range(n_task, 0, MOST);
    assert_in_range(n_worker, 1, WR_PLACEMENT_FEW);
    for (int i = 0; i < n_task; i++)
        ret_worker[i] = -1;
    assert_int_equal(wr_placement_order(expected, n_task, 0.0, order), n_task);
    return wr_placement_assign(expected, order, n_task, n_worker, ret_worker, busy);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Returns the least possible load of the fullest worker, by trying all placements. */
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

/* For m workers LPT (longest task first) is at most 4/3 - 1/(3 m) times the optimum (Graham 1969, "Bounds on multiprocessing timing
 * anomalies"). Integer costs keep sums exact. */
TEST(lpt_is_within_grahams_bound)
{
    uint32_t seed = 7;
    double worst = 0.0;
    for (int round = 0; round < 200; round++) {
        const int n_task = 1 + (int)(next_random(&seed) % 8);
        const int n_worker = 1 + (int)(next_random(&seed) % 3);
        double cost[8], load[3] = {0};
        int worker[8];
        for (int i = 0; i < n_task; i++)
            cost[i] = 1 + next_random(&seed) % 9;
        const double fullest = place(cost, n_task, n_worker, worker);
        const double best = best_makespan(cost, n_task, n_worker, load, 0, (double)INFINITY);
        const double ratio = fullest / best;
        assert_between(ratio, 1.0, 4.0 / 3.0 - 1.0 / (3.0 * n_worker) + 1e-12);
        worst = fmax(worst, ratio);
    }
    assert_true(worst > 1.0); /* in some cases LPT differs from the optimum */
    /* Graham's worst case for two workers: 3 3 2 2 2 gives 7, the optimum is 6. */
    static const double hard[] = {3, 3, 2, 2, 2};
    int worker[5];
    assert_close(place(hard, 5, 2, worker), 7.0, 0, 0);
}

TEST(lpt_returns_the_fullest_load)
{
    enum { N = 500, M = 16 };
    uint32_t seed = 99;
    double cost[N], load[M] = {0}, sum = 0.0;
    int worker[N], again[N];
    for (int i = 0; i < N; i++)
        sum += cost[i] = 1 + next_random(&seed) % 1000;
    const double fullest = place(cost, N, M, worker);
    for (int i = 0; i < N; i++) {
        assert_in_range(worker[i], 0, M - 1);
        load[worker[i]] += cost[i];
    }
    double most = 0.0;
    for (int i = 0; i < M; i++)
        most = fmax(most, load[i]);
    assert_close(fullest, most, 0, 0);
    assert_between(fullest, sum / M, 4.0 / 3.0 * sum / M); /* no single task is near sum / M */
    assert_close(place(cost, N, M, again), fullest, 0, 0);
    assert_memory_equal(worker, again, sizeof worker);
}

TEST(ties_go_to_lower_numbers)
{
    static const double cost[] = {1, 5, 5, 1, 5};
    int order[5], worker[5];
    assert_int_equal(wr_placement_order(cost, 5, 0.0, order), 5);
    assert_memory_equal(order, ((const int[]){1, 2, 4, 0, 3}), sizeof order);
    assert_close(place(cost, 5, 3, worker), 6.0, 0, 0);
    assert_memory_equal(worker, ((const int[]){0, 0, 1, 1, 2}), sizeof worker);
    assert_close(place(cost, 0, 3, worker), 0.0, 0, 0);
}

/* NaN and negative costs count as zero. */
TEST(order_of_odd_costs)
{
    static const double cost[] = {(double)NAN, 2.0, -3.0, (double)INFINITY, 0.0};
    int order[5];
    assert_int_equal(wr_placement_order(cost, 5, 0.0, order), 5);
    assert_memory_equal(order, ((const int[]){3, 1, 0, 2, 4}), sizeof order);
}

TEST(order_is_sorted_and_complete)
{
    enum { N = 1000 };
    uint32_t seed = 3;
    double cost[N] = {0};
    int order[N];
    for (int n = 0; n <= N; n += n < 20 ? 1 : 97) {
        unsigned char is_used[N] = {0};
        for (int i = 0; i < n; i++)
            cost[i] = next_random(&seed) % 50;
        wr_placement_order(cost, n, 0.0, order);
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

/* Long tasks come first, and the other tasks keep their order. */
TEST(long_ones_first)
{
    static const double expected[] = {1, 7, 2, 9, (double)NAN, 7, 0};
    int order[7];
    assert_int_equal(wr_placement_order(expected, 7, 7.0, order), 3);
    assert_memory_equal(order, ((const int[]){3, 1, 5, 0, 2, 4, 6}), sizeof order);
    assert_int_equal(wr_placement_order(expected, 7, (double)INFINITY, order), 0);
    assert_memory_equal(order, ((const int[]){0, 1, 2, 3, 4, 5, 6}), sizeof order);
}

/* A task stays on its core if staying costs no more than a move. */
TEST(tasks_stay)
{
    static const double expected[] = {10, 10, 4};
    static const int order[] = {0, 1, 2};
    double busy[2];
    int swapped[] = {1, 0, 0}, same[] = {0, 0, 0};
    assert_close(wr_placement_assign(expected, order, 3, 2, swapped, busy), 14.0, 1e-12, 0.0);
    assert_memory_equal(swapped, ((const int[]){1, 0, 0}), sizeof swapped);
    assert_close(wr_placement_assign(expected, order, 3, 2, same, busy), 14.0, 1e-12, 0.0);
    assert_memory_equal(same, ((const int[]){0, 1, 0}), sizeof same);
    assert_close(wr_placement_assign(expected, order, 3, 2, NULL, busy), 14.0, 1e-12, 0.0);
}

/* All tasks of a small batch are placed. In a large batch the long tasks are placed, and the other tasks form ranges. */
TEST(batches)
{
    enum { MANY = 100 };
    double expected[MANY], busy[2];
    int order[MANY], worker[MANY];
    wr_placement p = {
        .n_worker = 2, .expected = expected, .order = order, .worker = worker, .busy = busy};
    for (int i = 0; i < MANY; i++) {
        expected[i] = 1.0;
        worker[i] = -1;
    }
    p.n_task = 4;
    wr_placement_make(&p);
    assert_true(p.has_preferred && p.n_first == 0);
    assert_memory_equal(worker, ((const int[]){0, 1, 0, 1}), 4 * sizeof *worker);
    p.n_task = MANY;
    expected[50] = 20.0;
    wr_placement_make(&p);
    assert_false(p.has_preferred);
    assert_int_equal(p.n_first, 1);
    assert_int_equal(order[0], 50);
    for (int k = 1; k < MANY; k++) {
        assert_int_equal(order[k], k <= 50 ? k - 1 : k);
        assert_int_equal(worker[order[k]], k <= 49 ? 0 : 1);
    }
    for (int i = 0; i < MANY; i++) /* no cost is known yet */
        expected[i] = 0.0;
    wr_placement_make(&p);
    assert_int_equal(p.n_first, 0);
    p.n_task = 0;
    wr_placement_make(&p);
    assert_int_equal(p.n_first, 0);
}

TEST(bound_by_hand)
{
    double wall_s[WR_PLACEMENT_BOUNDS] = {1.0, 1.0, 1.0, 1.0};
    enum { S = 1000000000 }; /* ns */
    static const double task_ns[] = {3.0 * S, 4.0 * S, 3.0 * S, 3.0 * S, 5.0 * S};
    int order[5];
    wr_placement_add_bound(wall_s, 5, task_ns, 1, order);
    assert_close(wall_s[0], 19.0, 1e-15, 0.0);
    assert_close(wall_s[1], 11.0, 1e-15, 0.0); /* tasks on core 1: 5 + 3; on core 2: 4 + 3 + 3 */
    assert_close(wall_s[2], 6.0, 1e-15, 0.0);
    assert_close(wall_s[3], 6.0, 1e-15, 0.0);
    wr_placement_add_bound(wall_s, 5, task_ns, 3,
                           order); /* weight 3: counts as three equal batches */
    assert_close(wall_s[0], 19.0 + 3.0 * 18.0, 1e-15, 0.0);
    assert_close(wall_s[1], 11.0 + 3.0 * 10.0, 1e-15, 0.0);
    assert_close(wall_s[3], 6.0 + 3.0 * 5.0, 1e-15, 0.0);
}

TEST(bound_of_many_tasks)
{
    double task_ns[1000];
    int order[1000];
    double wall_s[WR_PLACEMENT_BOUNDS] = {0.0};
    for (int i = 0; i < 1000; i++)
        task_ns[i] = 1000.0;
    wr_placement_add_bound(wall_s, 1000, task_ns, 1, order);
    for (int k = 0; k < WR_PLACEMENT_BOUNDS; k++)
        assert_close(wall_s[k], 1e-3 / wr_placement_bound_cores[k], 1e-12, 0.0);
    task_ns[7] = 900000.0;
    wr_placement_add_bound(wall_s, 1000, task_ns, 1, order);
    assert_close(wall_s[3], 1e-3 / 16.0 + 900e-6, 1e-12, 0.0);
}
