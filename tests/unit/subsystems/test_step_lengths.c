/* The histogram has a bin for each power of two of the step length, and a row for each cause that ends a step. */
#include "wr_test.h"

#include "subsystems/step_lengths.h"

TEST(bins_are_powers_of_two)
{
    const struct {
        double length_s;
        int bin;
    } cases[] = {
        {0.5, -1 - WR_STEP_FIRST_POWER},
        {0.999, -1 - WR_STEP_FIRST_POWER},
        {1.0, -WR_STEP_FIRST_POWER},
        {500e-6, -11 - WR_STEP_FIRST_POWER},
        {1e-30, 0},
        {ldexp(1, WR_STEP_FIRST_POWER), 0},
        {ldexp(1, WR_STEP_FIRST_POWER + 1), 1},
        {1e30, WR_STEP_BINS - 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wr_step_lengths lengths = {0};
        wr_step_lengths_add(&lengths, WR_STEP_KNOWN, cases[i].length_s);
        assert_int_equal(lengths.n[WR_STEP_KNOWN][cases[i].bin], 1);
        assert_int_equal(wr_step_lengths_sum(&lengths, WR_STEP_KNOWN), 1);
        assert_int_equal(wr_step_lengths_sum(&lengths, WR_STEP_EVENT), 0);
    }
}

TEST(names)
{
    assert_string_equal(wr_step_end_name(WR_STEP_EVENT), "event");
    assert_string_equal(wr_step_end_name(WR_STEP_CHOSEN), "chosen");
}
