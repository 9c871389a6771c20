/* Curves of result files: choice of signals, jumps at events, the twin, and files without curves. */
#include "wr_test.h"

#include <math.h>

#include "offline/report/curves.h"

static const char path[] = "test_curves.csv", twin_path[] = "test_curves_twin.csv";

static void put(const char *file, const char *text)
{
    FILE *const out = fopen(file, "wb");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static wr_curves load(const char *const *pattern, int n, const char *twin)
{
    wr_curves curves;
    wrsim_error err = {0};
    const wr_curves_choice choice = {.n_pattern = n, .pattern = pattern, .twin = twin};
    assert_int_equal(wr_curves_load(path, &choice, &curves, &err), WRSIM_OK);
    return curves;
}

static const char results[] = "time [s],kind,a.x [bar],a.y,b.z\n"
                              "0,c,1,2,3\n"
                              "0.5,l,1.25,2,\n"
                              "0.5,r,1.25,7,\n"
                              "1,c,1.5,7,4\n"
                              "1,l,1.5,7,\n"
                              "1,r,1.5,8,\n"
                              "2,c,2,8,5\n";

TEST(jumps)
{
    put(path, results);
    wr_curves c = load(NULL, 0, NULL);
    assert_int_equal(c.n, 3);
    assert_int_equal(c.curve[0].n, 3); /* a.x is continuous at the events */
    const wr_curve *const y = &c.curve[1];
    static const double t_s[] = {0, 0.5, 0.5, 1, 1, 1, 2}, value[] = {2, 2, 7, 7, 7, 8, 8};
    assert_int_equal(y->n, 7);
    for (size_t i = 0; i < y->n; i++) {
        assert_close(y->t_s[i], t_s[i], 0.0, 0.0);
        assert_close(y->value[i], value[i], 0.0, 0.0);
    }
    assert_int_equal(c.curve[2].n, 3);
    wr_curves_done(&c);
}

TEST(choice_of_signals)
{
    put(path, results);
    static const char *const patterns[] = {"b.z", "a.*", "*.z"};
    wr_curves c = load(patterns, 3, NULL);
    assert_int_equal(c.n, 3);
    assert_string_equal(c.curve[0].name, "b.z");
    assert_string_equal(c.curve[1].name, "a.x");
    wr_curves_done(&c);
    static const char *const unknown = "a.yy";
    wrsim_error err = {0};
    assert_true(wr_curves_load(path, &(wr_curves_choice){.n_pattern = 1, .pattern = &unknown}, &c,
                               &err) < 0);
    assert_non_null(strstr(err.text, "did you mean 'a.y'"));
    assert_null(c.results);
}

/* The twin has another unit, another order, and no point at 1 s. */
TEST(twin)
{
    put(path, results);
    put(twin_path, "time [s],b.z,a.x [Pa],c.w\n0,3,1e5,1\n1.5,9,9e5,1\n2,6,3e5,1\n");
    wr_curves c = load(NULL, 0, twin_path);
    assert_int_equal(c.n, 3);
    assert_string_equal(c.curve[0].name, "b.z"); /* 1/6 of the range, a.x 1/8 */
    assert_string_equal(c.curve[1].name, "a.x");
    assert_close(c.curve[1].twin[0], 1.0, 1e-14, 0.0);
    assert_true(isnan(c.curve[1].twin[1]));
    assert_close(c.curve[1].twin[2], 3.0, 1e-14, 0.0);
    assert_string_equal(c.curve[2].name, "a.y");
    assert_null(c.curve[2].twin);
    wr_curves_done(&c);
}

TEST(limits)
{
    put(path, results);
    wr_curves c;
    wrsim_error err = {0};
    assert_int_equal(wr_curves_load(path, &(wr_curves_choice){.cap_curve = 2}, &c, &err), WRSIM_OK);
    assert_int_equal(c.n, 2);
    assert_int_equal(c.n_signal, 3);
    wr_curves_done(&c);
    assert_int_equal(wr_curves_load(path, &(wr_curves_choice){.cap_point = 3}, &c, &err), WRSIM_OK);
    assert_int_equal(c.n, 1);
    wr_curves_done(&c);
}

TEST(files_without_curves)
{
    put(path, "time [s],a.x\n");
    wr_curves c = load(NULL, 0, NULL);
    assert_int_equal(c.curve[0].n, 0);
    wr_curves_done(&c);
    put(path, "time [s]\n0\n1\n");
    c = load(NULL, 0, NULL);
    assert_int_equal(c.n, 0);
    wr_curves_done(&c);
    static const char *const wrong[] = {"time [s],a\n1,1\n0,1\n", "time [s],a\nnan,1\n", "no\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        wrsim_error err = {0};
        put(path, wrong[i]);
        assert_true(wr_curves_load(path, &(wr_curves_choice){.n_pattern = 0}, &c, &err) < 0);
        assert_true(err.text[0]);
    }
}
