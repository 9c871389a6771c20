/* Drawings: well-formed, with each requested element in its place. */
#include "wr_test.h"

#include "base/svg_spy.h"

static const char path[] = "written";

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
        n++;
    return n;
}

static void assert_balanced(const char *text)
{
    assert_int_equal(strncmp(text, "<svg ", 5), 0);
    assert_int_equal(count(text, "<svg "), count(text, "</svg>"));
    assert_int_equal(count(text, "<text "), count(text, "</text>"));
    assert_int_equal(count(text, "<title>"), count(text, "</title>"));
    assert_int_equal(count(text, "nan"), 0);
    assert_int_equal(count(text, "inf"), 0);
    assert_non_null(strstr(text, WR_SVG_MARK));
}

TEST(a_spy_plot_has_a_cell_for_every_entry)
{
    wrsim_error err;
    const double dense[] = {100.0, 0.0, 1.0, -1e-9, 0.0, 0.0};
    AUTO(wr_matrix_destroy) wr_matrix *m = wr_matrix_from_dense(2, 3, dense);
    const char *const rows[] = {"a<b", "c"}, *const columns[] = {"x", "y", "z"};
    const int row_block[] = {0, 1, 2}, column_block[] = {0, 2, 3};
    const wr_svg_spy spy = {.matrix = m,
                            .title = "A & B",
                            .row_name = rows,
                            .column_name = columns,
                            .row_block = row_block,
                            .n_row_block = 2,
                            .column_block = column_block,
                            .n_column_block = 2};
    assert_int_equal(wr_svg_spy_write(&spy, path, &err), WRSIM_OK);
    const char *const text = wr_test_read(path);
    assert_balanced(text);
    assert_int_equal(count(text, "<title>"), 3);
    assert_non_null(strstr(text, "A &#38; B"));
    assert_non_null(strstr(text, "a&#60;b"));
    assert_non_null(strstr(text, "fill=\"#000000\""));
    assert_null(strstr(
        text, "fill=\"#444444\"")); /* eleven decades in five colours: 1 is as black as 100 */
    assert_non_null(strstr(text, "fill=\"#bdbdbd\"")); /* the entry -1e-9 */
    wr_matrix_destroy(&m);
    assert_int_equal(
        wr_svg_spy_write(&(wr_svg_spy){.matrix = m = wr_matrix_from_dense(1, 1, dense)},
                         "no/such/folder", &err),
        WRSIM_E_IO);
}

/* Cells that are too small for names have the names of their components, at least 11 pixels apart, and lines between the components. */
TEST(a_spy_plot_names_components)
{
    enum { N = 80, N_SMALL = 9 };
    wrsim_error err;
    static double dense[N * N];
    static char names[N][32];
    const char *name[N];
    for (int i = 0; i < N; i++) {
        dense[i * N + i] = 1.0;
        if (i < N_SMALL)
            snprintf(names[i], sizeof names[i], "small%d.a.b[1]", i);
        else
            snprintf(names[i], sizeof names[i], "large%s.x%d", i < 50 ? "" : "r", i);
        name[i] = names[i];
    }
    AUTO(wr_matrix_destroy) wr_matrix *m = wr_matrix_from_dense(N, N, dense);
    const wr_svg_spy spy = {.matrix = m, .row_name = name, .column_name = name};
    assert_int_equal(wr_svg_spy_write(&spy, path, &err), WRSIM_OK);
    const char *const text = wr_test_read(path);
    assert_balanced(text);
    assert_int_equal(count(text, ">small0</text>"), 2);
    assert_int_equal(count(text, ">small8</text>"), 2);
    assert_int_equal(count(text, ">large</text>"), 2);
    assert_int_equal(count(text, ">larger</text>"), 2);
    /* a line before each of the ten components behind the first, and one to each of the eleven names */
    assert_int_equal(count(text, "stroke=\"#bbb\""), 2 * (N_SMALL + 1) + 2 * (N_SMALL + 2));
    const char *const one = strstr(text, ">small1</text>"), *const two =
                                                                strstr(text, ">small2</text>");
    double y[2];
    for (int i = 0; i < 2; i++) {
        const char *at = i == 0 ? one : two;
        while (strncmp(at, "<text ", 6) != 0)
            at--;
        y[i] = atof(strstr(at, " y=\"") + 4);
    }
    assert_true(y[1] - y[0] >= 10.99);
    wr_matrix_destroy(&m);
    m = wr_matrix_from_dense(4, 4, dense);
    assert_int_equal(
        wr_svg_spy_write(&(wr_svg_spy){.matrix = m, .row_name = name, .column_name = name}, path,
                         &err),
        WRSIM_OK);
    assert_int_equal(count(wr_test_read(path), "stroke=\"#bbb\""),
                     6); /* lines between four components */
}

TEST(a_chart_has_round_numbers_and_gaps)
{
    wrsim_error err;
    wr_svg svg;
    const double x[] = {0.0, 1.0, 2.0, 3.0, 4.0}, y[] = {1.0, 10.0, (double)NAN, 1e300, -1.0};
    const int n[] = {3, 2};
    wr_svg_chart chart = {.left = 50,
                          .top = 20,
                          .width = 100,
                          .height = 100,
                          .x_low = 0.0,
                          .x_high = 5.0,
                          .y_low = 1.0,
                          .y_high = 100.0,
                          .is_log_y = 1,
                          .title = "t"};
    assert_close(wr_svg_chart_x(&chart, 2.5), 100.0, 1e-12, 0.0);
    assert_close(wr_svg_chart_y(&chart, 10.0), 70.0, 1e-12, 0.0);
    wr_svg_begin(&svg, 200, 200);
    wr_svg_axes(&svg, &chart);
    wr_svg_curve(&svg, &chart, x, y, 5, wr_svg_colour(0), "curve");
    wr_svg_points(&svg, &chart, x, y, 5, 2.0, wr_svg_colour(1), NULL);
    wr_svg_region(&svg, &chart, x, y, n, 2, wr_svg_colour(9), "region");
    assert_int_equal(wr_svg_write(&svg, path, &err), WRSIM_OK);
    const char *const text = wr_test_read(path);
    assert_balanced(text);
    assert_int_equal(count(text, "<circle "), 3);
    assert_int_equal(chart.n_key, 2);
    static const char *const numbers[] = {">0<", ">1<", ">5<", ">10<", ">100<"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_non_null(strstr(text, numbers[i]));
    assert_non_null(strstr(text, "M50.00 120.00L70.00 70.00M")); /* a gap at a missing value */
}

/* The text beside an axis does not overlap its numbers: "0.0001" takes 39 units of width and a distance of 5 to the frame. */
TEST(text_beside_numbers)
{
    wrsim_error err;
    wr_svg svg;
    const double widest = 44.0, descent = 3.0;
    const wr_svg_chart chart = {.left = 80,
                                .top = 10,
                                .width = 200,
                                .height = 200,
                                .x_high = 1.0,
                                .y_low = 1e-6,
                                .y_high = 1.0,
                                .is_log_y = 1,
                                .y_text = "magnitude"};
    wr_svg_begin(&svg, 400, 300);
    wr_svg_axes(&svg, &chart);
    assert_int_equal(wr_svg_write(&svg, path, &err), WRSIM_OK);
    const char *const text = wr_test_read(path);
    const char *const turned = strstr(text, "rotate(-90 ");
    assert_non_null(strstr(text, ">0.0001<"));
    assert_non_null(turned);
    assert_true(chart.left - atof(turned + strlen("rotate(-90 ")) >= widest + descent);
}

/* An axis may fall. Curves with a repeated colour are dashed. */
TEST(a_falling_axis_and_many_curves)
{
    wrsim_error err;
    wr_svg svg;
    const double x[] = {1e-3, 1e-5}, y[] = {1.0, 100.0};
    wr_svg_begin(&svg, 400, 300);
    wr_svg_chart chart = {.left = 50,
                          .top = 10,
                          .width = 200,
                          .height = 200,
                          .x_low = 1e-2,
                          .x_high = 1e-6,
                          .y_low = 1.0,
                          .y_high = 1000.0,
                          .is_log_x = 1,
                          .is_log_y = 1};
    assert_close(wr_svg_chart_x(&chart, 1e-2), 50.0, 0.0, 1e-9);
    assert_close(wr_svg_chart_x(&chart, 1e-5), 200.0, 0.0, 1e-9);
    wr_svg_axes(&svg, &chart);
    for (int i = 0; i < 9; i++)
        wr_svg_curve(&svg, &chart, x, y, 2, wr_svg_colour(i), "curve");
    wr_svg_point(&svg, &chart, x[0], y[0], 2.0, wr_svg_colour(0), "a < b");
    assert_int_equal(wr_svg_write(&svg, path, &err), WRSIM_OK);
    const char *const text = wr_test_read(path);
    assert_balanced(text);
    for (int decade = 2; decade <= 6; decade++) {
        char label[32];
        snprintf(label, sizeof label, ">%g</text>", pow(10.0, -decade));
        assert_int_equal(count(text, label), 1);
    }
    assert_int_equal(count(text, "dasharray"), 2); /* the ninth curve and its key */
    assert_int_equal(count(text, "<title>a &#60; b</title>"), 1);
}

TEST_FOLDER
