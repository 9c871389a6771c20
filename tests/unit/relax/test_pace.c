/* Machines on which all workers together are faster or slower than one. */
#include "wr_test.h"

#include "runtime/relax/pace.h"

/* Share of n stretches run by one worker, where all together take all_s and one alone 1 s. */
static double share_alone(wr_pace *pace, int n, double all_s)
{
    int n_alone = 0;
    for (int i = 0; i < n; i++) {
        const int is_alone = pace->is_alone;
        n_alone += is_alone;
        wr_pace_review(pace, is_alone ? 1.0 : all_s, 1.0);
    }
    return (double)n_alone / n;
}

static void test_idle_machine(void **state)
{
    (void)state;
    wr_pace pace = {.wait = 0};
    assert_true(share_alone(&pace, 1000, 0.55) < 0.02);
}

static void test_busy_machine(void **state)
{
    (void)state;
    wr_pace pace = {.wait = 0};
    assert_true(share_alone(&pace, 1000, 1.8) > 0.97);
    assert_true(share_alone(&pace, 2000, 0.55) < 0.25); /* it becomes idle again */
    assert_true(share_alone(&pace, 2000, 1.8) > 0.6);   /* and busy */
}

static void test_nothing_is_learned_from_nothing(void **state)
{
    (void)state;
    wr_pace pace = {.wait = 0};
    for (int i = 0; i < 100; i++)
        assert_int_equal(wr_pace_review(&pace, 1.0, 0.0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idle_machine),
        cmocka_unit_test(test_busy_machine),
        cmocka_unit_test(test_nothing_is_learned_from_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
