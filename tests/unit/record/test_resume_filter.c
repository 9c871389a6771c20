/* A file without repeated rows: after any rollbacks of a simulation, the file has each row once, in order. */
#include "wr_test.h"

#include "runtime/record/resume_filter.h"

enum { ROWS = 400, WAYS = 500 };

static uint32_t draw(uint32_t *seed) { return *seed = *seed * 1664525u + 1013904223u; }

/* Compares the filter with a list of rows, some with equal times, and with the number of rows written. */
TEST(random_ways)
{
    for (uint32_t way = 0; way < WAYS; way++) {
        uint32_t seed = way + 1;
        double t_s[ROWS];
        wr_resume_filter gate = {.is_behind = 0}, kept[8];
        int i_kept[8] = {0}, i = 0, n_written = 0;
        for (int k = 0; k < ROWS; k++)
            t_s[k] = k == 0 ? -1.0 : t_s[k - 1] + (draw(&seed) >> 30 > 1 ? 0.0 : 0.25);
        for (int k = 0; k < 8; k++)
            kept[k] = gate; /* before the first row */
        while (i < ROWS) {
            const uint32_t what = draw(&seed) >> 28;
            const int slot = (int)(draw(&seed) >> 29);
            if (what == 0) {
                kept[slot] = gate;
                i_kept[slot] = i;
            } else if (what == 1 && draw(&seed) >> 30 == 0) { /* back or forward to a mark */
                gate.at = kept[slot].at;
                i = i_kept[slot];
                wr_resume_filter_move(&gate);
            } else {
                assert_int_equal(wr_resume_filter_pass(&gate, t_s[i]), i == n_written);
                n_written += i == n_written;
                i++;
            }
        }
        assert_int_equal(n_written, ROWS);
    }
}

/* A new file has no earlier rows, for any start time. */
TEST(new_file)
{
    wr_resume_filter gate = {.at = {.t_s = 5.0, .n_there = 2}};
    wr_resume_filter_move(&gate);
    assert_true(wr_resume_filter_pass(&gate, 5.0));
    assert_true(wr_resume_filter_pass(&gate, 6.0));
    gate.at = (wr_row_place){.t_s = 5.0, .n_there = 2};
    wr_resume_filter_move(&gate);
    assert_false(wr_resume_filter_pass(&gate, 5.0));
    assert_false(
        wr_resume_filter_pass(&gate, 5.5)); /* the filter inserts no new rows between old rows */
    assert_false(wr_resume_filter_pass(&gate, 6.0));
    assert_true(wr_resume_filter_pass(&gate, 6.0));
}
