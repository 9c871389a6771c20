/* Matrix Market files: written matrices read back, the reader accepts the published forms, and errors name their line. */
#include "wr_test.h"

#include "base/matrix_market.h"

static const char path[] = "written";

static wr_matrix *read_text(const char *text, wrsim_error *err)
{
    wr_test_write(path, text);
    *err = (wrsim_error){0};
    return wr_matrix_market_read(path, NULL, NULL, err);
}

static void assert_reads(const char *text, int n_row, int n_column, const double *expected)
{
    wrsim_error err;
    AUTO(wr_matrix_destroy) wr_matrix *m = read_text(text, &err);
    if (!m)
        print_error("%d: %s\n", err.line, err.text);
    assert_non_null(m);
    assert_int_equal(m->n_row, n_row);
    assert_int_equal(m->n_column, n_column);
    for (int i = 0; i < n_row; i++)
        for (int j = 0; j < n_column; j++)
            assert_close(wr_matrix_at(m, i, j), expected[i * n_column + j], 0.0, 0.0);
}

#define BANNER "%%MatrixMarket matrix "

TEST(the_published_forms_are_read)
{
    assert_reads(BANNER "coordinate real general\n% a comment\n\n2 3 2\n1 3 -1.5e0\n 2\t1 4 \n", 2,
                 3, (const double[]){0, 0, -1.5, 4, 0, 0});
    assert_reads("%%matrixmarket MATRIX Coordinate Pattern Symmetric\r\n2 2 2\r\n1 1\r\n2 1\r\n", 2,
                 2, (const double[]){1, 1, 1, 0});
    assert_reads(BANNER "coordinate integer skew-symmetric\n2 2 1\n2 1 3\n", 2, 2,
                 (const double[]){0, -3, 3, 0});
    assert_reads(BANNER "array real general\n2 2\n1\n2\n3\n4\n", 2, 2,
                 (const double[]){1, 3, 2, 4});
    assert_reads(BANNER "array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", 3, 3,
                 (const double[]){1, 2, 3, 2, 4, 5, 3, 5, 6});
    assert_reads(BANNER "array integer skew-symmetric\n3 3\n1\n2\n3\n", 3, 3,
                 (const double[]){0, -1, -2, 1, 0, -3, 2, 3, 0});
    assert_reads(BANNER "coordinate real general\n1 1 0\n", 1, 1, (const double[]){0});
}

TEST(errors_name_their_line)
{
    static const struct {
        const char *text;
        int line;
        const char *said;
    } wrong[] = {
        {"", 0, "first line"},
        {"1 2 3\n", 1, "first line"},
        {BANNER "coordinate\n", 1, "four words"},
        {BANNER "sparse real general\n", 1, "choose coordinate or array"},
        {BANNER "coordinate complex general\n", 1, "complex"},
        {BANNER "coordinate real hermitian\n", 1, "hermitian"},
        {BANNER "array pattern general\n", 1, "coordinate"},
        {BANNER "coordinate real general\n% only\n", 2, "sizes"},
        {BANNER "coordinate real general\n", 1, "ends before the line of sizes"},
        {BANNER "coordinate real general\ntwo 2 1\n", 2, "rows 'two' is not a whole number"},
        {BANNER "coordinate real general\n2147483647 2 1\n", 2, "not within 1 to 100000000"},
        {BANNER "coordinate real general\n2 2\n", 2, "rows, columns and entries"},
        {BANNER "coordinate real general\n0 2 0\n", 2, "number of rows"},
        {BANNER "coordinate real general\n2 2 5\n", 2, "number of entries"},
        {BANNER "coordinate real symmetric\n2 3 1\n1 1 1\n", 2, "not square"},
        {BANNER "coordinate real general\n2 2 2\n1 1 1\n", 3, "1 of 2"},
        {BANNER "coordinate real general\n2 2 1\n1 1 1\n2 2 1\n", 4, "more than"},
        {BANNER "coordinate real general\n2 2 1\n1 3 1\n", 3, "column"},
        {BANNER "coordinate real general\n2 2 1\n0 1 1\n", 3, "row"},
        {BANNER "coordinate real general\n2 2 1\n1.5 1 1\n", 3, "whole number"},
        {BANNER "coordinate real general\n2 2 1\n1 1 x\n", 3, "not a number"},
        {BANNER "coordinate real general\n2 2 1\n1 1 -1.0d0\n", 3, "'-1.0d0' is not a number"},
        {BANNER "coordinate real general\n2 2 1\n1 1 nan\n", 3, "finite"},
        {BANNER "coordinate real general\n2 2 1\n1 1\n", 3, "a value"},
        {BANNER "coordinate pattern general\n2 2 1\n1 1 1\n", 3, "a row and a column"},
        {BANNER "coordinate real general\n2 2 2\n1 1 1\n1 1 2\n", 4, "is also in line 3"},
        {BANNER "coordinate real symmetric\n2 2 1\n1 2 1\n", 3, "below the diagonal"},
        {BANNER "coordinate real skew-symmetric\n2 2 1\n1 1 1\n", 3, "below the diagonal"},
        {BANNER "array real general\n2 1\n1 2\n", 3, "one value"},
        {BANNER "array real general\n2 2\n1\n2\n3\n", 5, "ends after 3 of 4 entries"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        wrsim_error err;
        assert_null(read_text(wrong[i].text, &err));
        if (err.line != wrong[i].line || !strstr(err.text, wrong[i].said))
            print_error("case %zu: line %d: %s\n", i, err.line, err.text);
        assert_int_equal(err.status, WRSIM_E_IO);
        assert_int_equal(err.line, wrong[i].line);
        assert_non_null(strstr(err.text, wrong[i].said));
        assert_string_equal(err.file, path);
    }
    wrsim_error err;
    assert_null(wr_matrix_market_read("there_is_no_such_file", NULL, NULL, &err));
    assert_int_equal(err.status, WRSIM_E_IO);
}

typedef struct heard {
    int n, line[4];
    char text[4][32];
} heard;

static void hear(void *user, int line, const char *text)
{
    heard *const h = user;
    h->line[h->n] = line;
    snprintf(h->text[h->n++], sizeof h->text[0], "%s", text);
}

TEST(written_matrices_read_back)
{
    wr_entries entries = {0};
    wr_entries_add(&entries, 2, 0, 0.1, 0);
    wr_entries_add(&entries, 0, 1, -1e-300, 0);
    wr_entries_add(&entries, 1, 1, 0.0, 0);
    for (int has_values = 0; has_values < 2; has_values++) {
        wrsim_error err;
        heard h = {0};
        AUTO(wr_matrix_destroy) wr_matrix *m = wr_matrix_from_entries(3, 2, &entries, has_values);
        assert_int_equal(wr_matrix_market_write(path, m, "wrsim pattern 1\nsecond", &err),
                         WRSIM_OK);
        AUTO(wr_matrix_destroy) wr_matrix *back = wr_matrix_market_read(path, hear, &h, &err);
        assert_non_null(back);
        assert_true(wr_matrix_is_equal(m, back));
        assert_int_equal(h.n, 2);
        assert_int_equal(h.line[1], 3);
        assert_string_equal(h.text[0], "wrsim pattern 1");
        assert_string_equal(h.text[1], "second");
    }
    wr_entries_done(&entries);
    wrsim_error err;
    AUTO(wr_matrix_destroy) wr_matrix *m = wr_matrix_from_dense(1, 1, (const double[]){1.0});
    assert_int_equal(wr_matrix_market_write("no/such/folder/m.mtx", m, NULL, &err), WRSIM_E_IO);
}

TEST_FOLDER
