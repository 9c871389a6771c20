/* Ranges of a batch: claims from the two ends until the range is empty. */
#include <limits.h>

#include "wr_test.h"

#include "scheduler/task_range.h"

TEST(both_ends)
{
    wr_task_range range;
    wr_task_range_set(&range, 10, 15);
    assert_int_equal(wr_task_range_left(&range), 5);
    assert_int_equal(wr_task_range_peek(&range, WR_TASK_RANGE_FIRST), 10);
    assert_int_equal(wr_task_range_peek(&range, WR_TASK_RANGE_LAST), 14);
    static const struct {
        wr_task_range_side side;
        int position;
    } takes[] = {{WR_TASK_RANGE_FIRST, 10}, {WR_TASK_RANGE_LAST, 14}, {WR_TASK_RANGE_LAST, 13},
                 {WR_TASK_RANGE_FIRST, 11}, {WR_TASK_RANGE_LAST, 12}, {WR_TASK_RANGE_FIRST, -1},
                 {WR_TASK_RANGE_LAST, -1}};
    for (size_t i = 0; i < WR_COUNT_OF(takes); i++) {
        assert_int_equal(wr_task_range_peek(&range, takes[i].side), takes[i].position);
        assert_int_equal(wr_task_range_take(&range, takes[i].side), takes[i].position);
    }
    assert_int_equal(wr_task_range_left(&range), 0);
}

TEST(limits)
{
    wr_task_range range;
    wr_task_range_set(&range, 7, 7);
    assert_int_equal(wr_task_range_left(&range), 0);
    assert_int_equal(wr_task_range_peek(&range, WR_TASK_RANGE_FIRST), -1);
    assert_int_equal(wr_task_range_take(&range, WR_TASK_RANGE_LAST), -1);
    wr_task_range_set(&range, INT_MAX - 2, INT_MAX);
    assert_int_equal(wr_task_range_take(&range, WR_TASK_RANGE_LAST), INT_MAX - 1);
    assert_int_equal(wr_task_range_take(&range, WR_TASK_RANGE_FIRST), INT_MAX - 2);
    assert_int_equal(wr_task_range_take(&range, WR_TASK_RANGE_FIRST), -1);
    assert_true((uintptr_t)&range % WR_CACHE_LINE == 0 && sizeof range == WR_CACHE_LINE);
}
