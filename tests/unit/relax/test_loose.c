/* Subsystems that have to integrate windows again, and such that have not. */
#include "wr_test.h"

#include "runtime/relax/loose.h"

/* A window as the engine goes through it: it takes n_tight integrations where the first one is tight, and two
 * at least where it is not. Returns the first one's factor. */
static double pass_window(wr_loose *loose, int n_tight, double change, int is_missed)
{
    loose->factor = wr_loose_first(loose);
    loose->change = change;
    const int n_least = loose->factor > 1.0 ? 2 : 1;
    wr_loose_accepted(loose, n_tight > n_least ? n_tight : n_least, is_missed);
    return loose->factor;
}

/* Sixteen windows in a row have to say so, and what each of them missed says by how much. */
static void test_repeated(void **state)
{
    (void)state;
    wr_loose loose = {.factor = 1.0};
    for (int i = 0; i < 16; i++)
        assert_close(pass_window(&loose, 2, 300.0, 1), 1.0, 0.0, 0.0);
    assert_close(pass_window(&loose, 2, 50.0, 1), 30.0, 1e-12, 0.0);
    assert_close(pass_window(&loose, 2, 1e9, 1), 5.0, 1e-12, 0.0);
    assert_close(pass_window(&loose, 2, 0.1, 1), 100.0, 1e-12, 0.0);
    assert_close(pass_window(&loose, 2, 0.1, 1), 1.0, 0.0, 0.0);
}

/* One window in eight is tight, for ever. */
static void test_probes(void **state)
{
    (void)state;
    wr_loose loose = {.factor = 1.0};
    for (int i = 0; i < 16; i++)
        pass_window(&loose, 3, 1e3, 1);
    for (int i = 0; i < 800; i++)
        assert_true((pass_window(&loose, 3, 1e3, 1) > 1.0) == (i % 8 != 7));
}

/* That a loosened one was repeated says nothing: it had to be. */
static void test_loosened_ones_prove_nothing(void **state)
{
    (void)state;
    wr_loose loose = {.factor = 1.0};
    for (int i = 0; i < 16; i++)
        pass_window(&loose, 2, 1e3, 1);
    assert_true(pass_window(&loose, 1, 1e3, 0) > 1.0);
    for (int i = 0; i < 100; i++)
        assert_close(pass_window(&loose, 1, 1e3, 0), 1.0, 0.0, 0.0);
}

/* One window that one integration was enough for, and it begins anew. */
static void test_one_was_enough(void **state)
{
    (void)state;
    wr_loose loose = {.factor = 1.0};
    for (int i = 0; i < 1000; i++)
        assert_close(pass_window(&loose, i % 16 == 15 ? 1 : 4, 1e3, i % 16 != 15), 1.0, 0.0, 0.0);
}

/* A third integration of a loosened window shows that the second was needed, though nobody weighs misses there
 * (acceleration). */
static void test_third_integration(void **state)
{
    (void)state;
    wr_loose loose = {.factor = 1.0};
    for (int i = 0; i < 16; i++)
        pass_window(&loose, 2, 1e3, 0);
    assert_true(pass_window(&loose, 3, 1e3, 0) > 1.0);
    assert_true(pass_window(&loose, 3, 1e3, 0) > 1.0);
    assert_true(pass_window(&loose, 2, 1e3, 0) > 1.0);
    assert_close(pass_window(&loose, 2, 1e3, 0), 1.0, 0.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_loosened_ones_prove_nothing),
        cmocka_unit_test(test_one_was_enough),
        cmocka_unit_test(test_third_integration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
