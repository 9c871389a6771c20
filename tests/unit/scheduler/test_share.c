/* Shares of a batch: from both ends, until nothing is left. */
#include <limits.h>

#include "wr_test.h"

#include "scheduler/share.h"

static void test_both_ends(void **state)
{
    (void)state;
    wr_share share;
    wr_share_set(&share, 10, 15);
    assert_int_equal(wr_share_left(&share), 5);
    assert_int_equal(wr_share_peek(&share, WR_SHARE_FIRST), 10);
    assert_int_equal(wr_share_peek(&share, WR_SHARE_LAST), 14);
    static const struct {
        wr_share_side side;
        int position;
    } takes[] = {{WR_SHARE_FIRST, 10}, {WR_SHARE_LAST, 14}, {WR_SHARE_LAST, 13},
                 {WR_SHARE_FIRST, 11}, {WR_SHARE_LAST, 12}, {WR_SHARE_FIRST, -1},
                 {WR_SHARE_LAST, -1}};
    for (size_t i = 0; i < WR_COUNT_OF(takes); i++) {
        assert_int_equal(wr_share_peek(&share, takes[i].side), takes[i].position);
        assert_int_equal(wr_share_take(&share, takes[i].side), takes[i].position);
    }
    assert_int_equal(wr_share_left(&share), 0);
}

static void test_limits(void **state)
{
    (void)state;
    wr_share share;
    wr_share_set(&share, 7, 7);
    assert_int_equal(wr_share_left(&share), 0);
    assert_int_equal(wr_share_peek(&share, WR_SHARE_FIRST), -1);
    assert_int_equal(wr_share_take(&share, WR_SHARE_LAST), -1);
    wr_share_set(&share, INT_MAX - 2, INT_MAX);
    assert_int_equal(wr_share_take(&share, WR_SHARE_LAST), INT_MAX - 1);
    assert_int_equal(wr_share_take(&share, WR_SHARE_FIRST), INT_MAX - 2);
    assert_int_equal(wr_share_take(&share, WR_SHARE_FIRST), -1);
    assert_true((uintptr_t)&share % WR_CACHE_LINE == 0 && sizeof share == WR_CACHE_LINE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ends),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
