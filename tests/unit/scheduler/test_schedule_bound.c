/* Makespans by hand. */
#include "wr_test.h"

#include "scheduler/schedule_bound.h"

TEST(by_hand)
{
    double wall_s[WR_SCHEDULE_BOUND_CASES] = {1.0, 1.0, 1.0, 1.0};
    enum { S = 1000000000 }; /* ns */
    static const double task_ns[] = {3.0 * S, 4.0 * S, 3.0 * S, 3.0 * S, 5.0 * S};
    int order[5];
    wr_schedule_bound_add(wall_s, 5, task_ns, 1, order);
    assert_close(wall_s[0], 19.0, 1e-15, 0.0);
    assert_close(wall_s[1], 11.0, 1e-15, 0.0); /* 5 + 3, 4 + 3 + 3 */
    assert_close(wall_s[2], 6.0, 1e-15, 0.0);
    assert_close(wall_s[3], 6.0, 1e-15, 0.0);
    wr_schedule_bound_add(wall_s, 5, task_ns, 3, order); /* counts for three */
    assert_close(wall_s[0], 19.0 + 3.0 * 18.0, 1e-15, 0.0);
    assert_close(wall_s[1], 11.0 + 3.0 * 10.0, 1e-15, 0.0);
    assert_close(wall_s[3], 6.0 + 3.0 * 5.0, 1e-15, 0.0);
}

TEST(many)
{
    double task_ns[1000];
    int order[1000];
    double wall_s[WR_SCHEDULE_BOUND_CASES] = {0.0};
    for (int i = 0; i < 1000; i++)
        task_ns[i] = 1000.0;
    wr_schedule_bound_add(wall_s, 1000, task_ns, 1, order);
    for (int k = 0; k < WR_SCHEDULE_BOUND_CASES; k++)
        assert_close(wall_s[k], 1e-3 / wr_schedule_bound_cores[k], 1e-12, 0.0);
    task_ns[7] = 900000.0;
    wr_schedule_bound_add(wall_s, 1000, task_ns, 1, order);
    assert_close(wall_s[3], 1e-3 / 16.0 + 900e-6, 1e-12, 0.0);
}
