#include <float.h>

#include "record_test.h"

/* Returns results that borrow all arrays from the caller. */
static wr_results results_of(int n_signal, char **names, int n_row, double *time_s, double *value)
{
    return (wr_results){.n_signal = n_signal,
                        .n_row = n_row,
                        .name = names,
                        .unit = names,
                        .time_s = time_s,
                        .value = value};
}

TEST(by_hand)
{
    char *names_a[] = {"x", "only_a", "y"}, *names_b[] = {"only_b", "y", "x", "too"};
    double time_a[] = {0.0, 0.1, 0.2, 0.35, 0.4}, time_b[] = {0.1, 0.2 + 1e-12, 0.3, 0.4};
    double value_a[] = {9, 1, 2, 7, 6, /* */ 0, 0, 0, 0, 0, /* */ 5, 5, 5, 5, 5.5};
    double value_b[] = {0, 0, 0, 0, /* */ 5, 5, 5, 5, /* */ 1, 5, -3, 2, /* */ 0, 0, 0, 0};
    const wr_results a = results_of(3, names_a, 5, time_a, value_a);
    const wr_results b = results_of(4, names_b, 4, time_b, value_b);
    AUTO(wr_test_free) wr_difference *difference = NULL;
    wr_overlap overlap;
    wrsim_error err;
    assert_int_equal(wr_results_compare(&a, &b, &difference, &overlap, &err), 2);
    assert_int_equal(overlap.n_only_a, 1);
    assert_int_equal(overlap.n_only_b, 2);
    assert_string_equal(overlap.only_a, "only_a");
    assert_string_equal(overlap.only_b, "only_b");
    assert_true(wr_results_lack(&overlap));
    assert_close(overlap.end_a_s, overlap.end_b_s, 0.0, 0.0);
    assert_int_equal(overlap.n_row, 3);
    assert_close(overlap.first_s, 0.1, 0.0, 0.0);
    assert_close(overlap.last_s, 0.4, 0.0, 0.0);
    /* Common times 0.1, 0.2, 0.4: differences 0, 3, 4; b ranges from -3 to 5. */
    assert_string_equal(difference[0].name, "x");
    assert_close(difference[0].range, 8.0, 0.0, 0.0);
    assert_close(difference[0].max_abs, 4.0, 0.0, 0.0);
    assert_close(difference[0].rms, sqrt(25.0 / 3.0), 1e-15, 0.0);
    assert_close(difference[0].max_rel, 0.5, 0.0, 0.0);
    assert_close(difference[0].rms_rel, sqrt(25.0 / 3.0) / 8.0, 1e-15, 0.0);
    assert_close(difference[0].t_max_s, 0.4, 0.0, 0.0);
    /* The error of a constant signal is relative to its size. */
    assert_string_equal(difference[1].name, "y");
    assert_close(difference[1].range, 5.0, 0.0, 0.0);
    assert_close(difference[1].max_rel, 0.1, 0.0, 0.0);
}

TEST(zero_and_rounding_and_nan)
{
    char *names[] = {"zero", "nearly", "nan", "infinite", "huge"};
    double time[] = {0.0, 1.0};
    double value_a[] = {
        0,           1e-9,  /* */ 1, 1 + 2e-16, /* */ (double)NAN, 1, /* */ (double)INFINITY, 1,
        /* */ 1e200, -1e200};
    double value_b[] = {
        0, 0, /* */ 1, 1 + 1e-15, /* */ (double)NAN, 1, /* */ (double)INFINITY, 1, /* */ 0, 0};
    const wr_results a = results_of(5, names, 2, time, value_a);
    const wr_results b = results_of(5, names, 2, time, value_b);
    AUTO(wr_test_free) wr_difference *difference = NULL;
    wr_overlap overlap;
    wrsim_error err;
    assert_int_equal(wr_results_compare(&a, &b, &difference, &overlap, &err), 5);
    assert_close(difference[0].range, 0.0, 0.0, 0.0);
    assert_close(difference[0].max_rel, 1e-9, 0.0, 0.0);
    assert_close(difference[1].range, 1.0, 1e-14, 0.0);
    assert_true(difference[1].max_rel < 1e-14);
    assert_true(isinf(difference[2].max_abs) && isinf(difference[2].rms_rel));
    assert_true(difference[2].t_max_s == 0.0);
    assert_true(isinf(difference[3].max_rel));
    assert_close(difference[4].rms, 1e200, 1e-15, 0.0); /* squares would overflow */
}

TEST(identical)
{
    char *names[] = {"x"};
    double time[] = {0.0, 0.1, 0.2}, value[] = {1, 2, 3};
    const wr_results a = results_of(1, names, 3, time, value);
    AUTO(wr_test_free) wr_difference *difference = NULL;
    wr_overlap overlap;
    wrsim_error err;
    assert_int_equal(wr_results_compare(&a, &a, &difference, &overlap, &err), 1);
    assert_false(wr_results_lack(&overlap));
    assert_null(overlap.only_a);
    assert_true(difference->max_abs == 0.0 && difference->rms == 0.0 && difference->max_rel == 0.0);
}

/* A range of pure noise gives no scale for errors; any other range counts, however small. */
TEST(noise)
{
    char *names[] = {"noisy", "small", "minus", "wide"};
    double time[] = {0.0, 1.0, 2.0};
    double value_a[] = {300,      300 + 3e-5, 300, /* */ 300, 300 + 3e-5, 300,
                        /* */ -5, -5.5,       -5,  /* */ 0,   0,          0};
    double value_b[] = {300,      300 + 1e-6, 300 - 1e-6, /* */ 300,      300 + 6e-5, 300,
                        /* */ -5, -5,         -5,         /* */ -DBL_MAX, 0,          DBL_MAX};
    const wr_results a = results_of(4, names, 3, time, value_a);
    const wr_results b = results_of(4, names, 3, time, value_b);
    AUTO(wr_test_free) wr_difference *difference = NULL;
    wr_overlap overlap;
    wrsim_error err;
    assert_int_equal(wr_results_compare(&a, &b, &difference, &overlap, &err), 4);
    assert_true(difference[0].is_constant);
    assert_close(difference[0].max_rel, 2.9e-5 / 300, 0.0, 1e-12);
    assert_false(difference[1].is_constant);
    assert_close(difference[1].max_rel, 0.5, 1e-6, 0.0);
    assert_true(difference[2].is_constant);
    assert_close(difference[2].max_rel, 0.1, 1e-15, 0.0);
    assert_false(difference[3].is_constant);
    assert_true(difference[3].range == DBL_MAX && difference[3].max_rel == 1.0);
}

/* Results with fewer signals or an earlier end agree with the other results in the common part, but the comparison reports the lack. */
TEST(lacking)
{
    char *names[] = {"x", "y", "z"};
    double time[] = {0.0, 1.0, 2.0, 3.0}, nearly[] = {0.0, 1.0, 2.0, 3.0 + 1e-13};
    double value[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const wr_results whole = results_of(3, names, 4, time, value);
    const wr_results one = results_of(1, names, 4, nearly, value);
    const wr_results early = results_of(1, names, 2, time, value);
    AUTO(wr_test_free) wr_difference *difference = NULL;
    wr_overlap overlap;
    wrsim_error err;
    assert_int_equal(wr_results_compare(&one, &whole, &difference, &overlap, &err), 1);
    assert_true(wr_results_lack(&overlap) && overlap.n_only_a == 0 && overlap.n_only_b == 2);
    assert_true(overlap.only_a == NULL && strcmp(overlap.only_b, "y") == 0);
    assert_true(overlap.end_a_s == overlap.end_b_s && difference->max_abs == 0.0);
    free(difference);
    assert_int_equal(wr_results_compare(&early, &one, &difference, &overlap, &err), 1);
    assert_true(wr_results_lack(&overlap) && overlap.n_row_only_b == 2);
    assert_true(overlap.end_a_s == 1.0 && overlap.end_b_s > 2.9 && difference->max_abs == 0.0);
    free(difference);
    assert_int_equal(wr_results_compare(&one, &early, &difference, &overlap, &err), 1);
    assert_true(wr_results_lack(&overlap) && overlap.n_row_only_a == 2);
}

TEST(nothing_in_common)
{
    char *names_a[] = {"x"}, *names_b[] = {"y"};
    double time_a[] = {0.0, 1.0}, time_b[] = {0.5, 1.5, 2.5}, value[] = {1, 2, 3};
    const wr_results a = results_of(1, names_a, 2, time_a, value);
    const wr_results b = results_of(1, names_b, 2, time_a, value);
    const wr_results c = results_of(1, names_a, 3, time_b, value);
    const wr_results none = results_of(1, names_a, 0, time_a, value);
    wr_difference *difference = NULL;
    wr_overlap overlap = {.n_row = -7};
    wrsim_error err = {0};
    assert_int_equal(wr_results_compare(&a, &b, &difference, &overlap, &err), WRSIM_E_ARG);
    assert_non_null(strstr(err.text, "no signal in common"));
    assert_int_equal(wr_results_compare(&a, &c, &difference, &overlap, &err), WRSIM_E_ARG);
    assert_non_null(strstr(err.text, "no communication point in common"));
    assert_int_equal(wr_results_compare(&a, &none, &difference, &overlap, &err), WRSIM_E_ARG);
    assert_null(difference);
    assert_int_equal(overlap.n_row, -7);
}
