/* Makespans by hand. */
#include "wr_test.h"

#include "runtime/relax/bound.h"

static void test_by_hand(void **state)
{
    (void)state;
    double wall_s[WR_BOUND_CASES] = {1.0, 1.0, 1.0, 1.0};
    const double task_s[] = {5.0, 4.0, 3.0, 3.0, 3.0};
    wr_bound_add(wall_s, 5, task_s);
    assert_close(wall_s[0], 19.0, 0.0, 0.0);
    assert_close(wall_s[1], 11.0, 0.0, 0.0); /* 5 + 3, 4 + 3 + 3 */
    assert_close(wall_s[2], 6.0, 0.0, 0.0);
    assert_close(wall_s[3], 6.0, 0.0, 0.0);
}

static void test_many(void **state)
{
    (void)state;
    double task_s[1000], wall_s[WR_BOUND_CASES] = {0.0};
    for (int i = 0; i < 1000; i++)
        task_s[i] = 1.0;
    wr_bound_add(wall_s, 1000, task_s);
    for (int k = 0; k < WR_BOUND_CASES; k++)
        assert_close(wall_s[k], 1000.0 / wr_bound_cores[k], 1e-12, 0.0);
    task_s[7] = 900.0;
    wr_bound_add(wall_s, 1000, task_s);
    assert_close(wall_s[3], 1000.0 / 16.0 + 900.0, 1e-12, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
