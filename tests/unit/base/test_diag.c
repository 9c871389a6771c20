#include "wr_test.h"

#include "base/diag.h"

TEST(collects_with_place)
{
    wr_diag diag = {0};
    assert_int_equal(wr_diag_status(&diag), WRSIM_OK);
    const wr_where where = {"a.toml", 3, 7};
    assert_int_equal(wr_diag_add(&diag, WRSIM_E_CONFIG, &where, "key '%s'", "x"), WRSIM_E_CONFIG);
    wr_diag_add(&diag, WRSIM_E_GRAPH, NULL, "second");
    assert_int_equal(diag.n_items, 2);
    assert_int_equal(wr_diag_status(&diag), WRSIM_E_CONFIG);
    assert_string_equal(diag.items[0].file, "a.toml");
    assert_int_equal(diag.items[0].line, 3);
    assert_string_equal(diag.items[0].text, "key 'x'");
    assert_true(isnan(diag.items[1].time_s));
    wr_diag_add(&diag, WRSIM_E_CONFIG, &where, "key '%s'", "x");
    wr_diag_add(&diag, WRSIM_E_GRAPH, NULL, "second");
    assert_int_equal(diag.n_items, 2); /* repeated errors add no item */
    for (int i = 0; i < 1000; i++)
        wr_diag_add(&diag, WRSIM_E_GRAPH, NULL, "more %d", i);
    assert_int_equal(diag.n_items, WR_DIAG_MAX);
    assert_int_equal(diag.n_items + diag.n_dropped, 1002);
    wr_diag_done(&diag);
    assert_int_equal(diag.n_items, 0);
}

static void keep_last(void *user, const wrsim_error *error) { *(wrsim_error *)user = *error; }

TEST(counts_further_errors)
{
    AUTO(wr_diag_done) wr_diag diag = {0};
    wrsim_error last = {0};
    for (int i = 0; i < WR_DIAG_MAX; i++)
        wr_diag_add(&diag, WRSIM_E_GRAPH, NULL, "more %d", i);
    wr_diag_add(&diag, WRSIM_E_GRAPH, NULL, "more %d", 3); /* a repeated error adds no item */
    assert_int_equal(wr_diag_report(&diag, keep_last, &last, NULL), WRSIM_E_GRAPH);
    assert_string_equal(last.text, "more 199");
    for (int i = 0; i < 7; i++)
        wr_diag_add(&diag, WRSIM_E_GRAPH, NULL, "further %d", i);
    assert_int_equal(wr_diag_report(&diag, keep_last, &last, NULL), WRSIM_E_GRAPH);
    assert_string_equal(last.text, "7 more errors are not shown; correct the errors above first");
}

/* Adds an error whose text is its expected index. */
static void add_at(wr_diag *diag, const char *file, int line, int column, int expected)
{
    const wr_where where = {file, line, column};
    wr_diag_add(diag, WRSIM_E_CONFIG, &where, "%d", expected);
}

TEST(sorts_by_place)
{
    AUTO(wr_diag_done) wr_diag diag = {0};
    add_at(&diag, "b.toml", 9, 1, 4);
    add_at(&diag, "a.toml", 2, 1, 6);
    add_at(&diag, "b.toml", 0, 0, 5);
    add_at(&diag, "b.toml", 3, 8, 1);
    add_at(&diag, "b.toml", 3, 2, 0);
    add_at(&diag, "b.toml", 3, 8, 2);
    add_at(&diag, "a.toml", 7, 1, 7);
    add_at(&diag, "b.toml", 4, 1, 3);
    wr_diag_sort(&diag);
    for (int i = 0; i < diag.n_items; i++) {
        char expected[16];
        snprintf(expected, sizeof expected, "%d", i);
        assert_string_equal(diag.items[i].text, expected);
    }
}

/* Names and exit codes of statuses, and the name of an unknown status. */
TEST(status_list)
{
    assert_string_equal(wrsim_status_name(WRSIM_E_NAN), "WRSIM_E_NAN");
    assert_string_equal(wrsim_status_name((wrsim_status)12345), "?");
    assert_int_equal(wrsim_status_exit_code(WRSIM_OK), 0);
    assert_int_equal(wrsim_status_exit_code(WRSIM_STOPPED), 130);
    assert_int_equal(wrsim_status_exit_code(WRSIM_E_DISK), 6);
}
