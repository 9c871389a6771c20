#include <limits.h>

#include "wr_test.h"

#include "base/ahead.h"

enum { LINES = 7 };
static char memory[2][LINES * WR_CACHE_LINE];

/* How many lines are still to be asked for. */
static int n_left(const wr_ahead *ahead)
{
    int n = -ahead->i_line;
    for (int i = 0; i < ahead->n_span; i++)
        n += ahead->span[i].n_line;
    return n;
}

static void test_every_line_is_asked_for_once_in_parts(void **state)
{
    (void)state;
    const wr_span span[] = {{memory[0], 3}, {NULL, 0}, {memory[1], LINES}, {NULL, 0}};
    for (int n_each = 1; n_each <= 12; n_each++) {
        wr_ahead ahead = {.span = span, .n_span = 4, .n_each = n_each};
        for (int left = 3 + LINES; left > 0;) {
            assert_int_equal(n_left(&ahead), left);
            wr_ahead_fetch(&ahead, ahead.n_each);
            left = left > n_each ? left - n_each : 0;
        }
        assert_int_equal(n_left(&ahead), 0);
        wr_ahead_fetch(&ahead, INT_MAX);
        assert_int_equal(ahead.n_span, 0);
    }
}

static void test_nothing_wanted_asks_for_nothing(void **state)
{
    (void)state;
    wr_ahead ahead = {.n_span = 0, .n_each = 5};
    wr_ahead_fetch(&ahead, ahead.n_each);
    assert_int_equal(ahead.i_line, 0);
    const wr_span none = {NULL, 0};
    ahead = (wr_ahead){.span = &none, .n_span = 1, .n_each = 5};
    wr_ahead_fetch(&ahead, 0);
    assert_int_equal(ahead.n_span, 1);
    wr_ahead_fetch(&ahead, INT_MAX);
    assert_int_equal(ahead.n_span, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_line_is_asked_for_once_in_parts),
        cmocka_unit_test(test_nothing_wanted_asks_for_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
