/* CSV: written cells read back, and the reader accepts files of spreadsheets. */

#include "offline/runs/csv_cells.h"
#include "wr_test.h"

static void assert_cell(const wr_csv *csv, int i, int j, const char *expected)
{
    assert_true(i < csv->n_row && j < csv->row[i].n_cell);
    assert_string_equal(csv->row[i].cell[j], expected);
}

TEST(reading)
{
    wrsim_error err;
    wr_csv *csv = wr_csv_parse("\xef\xbb\xbf"
                               "a,b\r\n\r\n1,\"x,\"\"y\"\"\nz\"\n,\n\"\",q\"r",
                               &err);
    assert_non_null(csv);
    assert_int_equal(csv->n_row, 4);
    assert_cell(csv, 0, 0, "a");
    assert_cell(csv, 0, 1, "b");
    assert_cell(csv, 1, 1, "x,\"y\"\nz");
    assert_int_equal(csv->row[1].line, 3);
    assert_int_equal(csv->row[2].line, 5); /* follows a cell of two lines */
    assert_cell(csv, 2, 0, "");
    assert_cell(csv, 2, 1, "");
    assert_cell(csv, 3, 0, "");
    assert_cell(csv, 3, 1, "q\"r");
    wr_csv_destroy(&csv);
    csv = wr_csv_parse("a\n\"b\nc", &err);
    assert_null(csv);
    assert_int_equal(err.line, 2);
}

/* Random cells of special characters read back. */
TEST(round_trip)
{
    enum { ROWS = 400, CELLS = 5, MOST = 6 };
    static const char letters[] = "a,\"; 1";
    static char cell[ROWS][CELLS][MOST + 1];
    AUTO(wr_text_buffer_done) wr_text_buffer text = {0};
    unsigned seed = 19;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j <= i % CELLS; j++) {
            const int n = rand_r(&seed) % (MOST + 1);
            for (int k = 0; k < n; k++)
                cell[i][j][k] = letters[(size_t)rand_r(&seed) % (sizeof letters - 1)];
            wr_text_buffer_cell(&text, j == 0, cell[i][j]);
        }
        wr_text_buffer_add(&text, "\n");
    }
    wrsim_error err;
    AUTO(wr_csv_destroy) wr_csv *csv = wr_csv_parse(wr_text_buffer_get(&text), &err);
    assert_non_null(csv);
    assert_int_equal(csv->n_row, ROWS);
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(csv->row[i].n_cell, i % CELLS + 1);
        for (int j = 0; j <= i % CELLS; j++)
            assert_cell(csv, i, j, cell[i][j]);
    }
}

TEST(control_characters)
{
    AUTO(wr_text_buffer_done) wr_text_buffer text = {0};
    wr_text_buffer_cell(&text, 1, "a\nb\x1b[2J\x7f");
    wr_text_buffer_cell(&text, 0, " c");
    assert_string_equal(wr_text_buffer_get(&text), "a?b?[2J?,\" c\"");
}
