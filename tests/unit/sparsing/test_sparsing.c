/* The search for a pattern. Accepted patterns are stable by an independent computation. The tests also cover a cancelling case, a DAE
 * of index 1, files of patterns, and bad input. */
#include "offline/algebra/lapack.h"
#include "offline/sparsing/sparsing.h"
#include "offline/sparsing/sparsing_files.h"
#include "random_pencil.h"

#include <unistd.h>

static const char *const names[RANDOM_MOST] = {
    "c.a", "c.b", "c.c", "c.d", "c.e", "c.f", "c.g", "c.h", "c.i", "c.j", "c.k", "c.l",
    "c.m", "c.n", "c.o", "c.p", "c.q", "c.r", "c.s", "c.t", "c.u", "c.v", "c.w", "c.x"};

static wr_sparsing begin(int n, const double *df, double tau_s)
{
    wr_sparsing s = {.options = WR_SPARSING_DEFAULTS};
    unsigned char full[RANDOM_MOST * RANDOM_MOST];
    wrsim_error err;
    s.options.tau_s = tau_s;
    for (int e = 0; e < n * n; e++)
        full[e] = fabs(df[e]) > 0.0;
    if (wr_sparsing_begin(&s, "part", n, names, NULL, full, &err) != WRSIM_OK)
        fail_msg("%s", err.text);
    return s;
}

static void add(wr_sparsing *s, double t_s, const double *l, const double *df)
{
    wrsim_error err;
    const wr_linearisation at = {.t_s = t_s, .l = l, .df = df};
    if (wr_samples_add(&s->samples, &at, &err) != WRSIM_OK)
        fail_msg("%s", err.text);
}

static void search(wr_sparsing *s)
{
    wrsim_error err;
    if (wr_sparsing_search(s, s->options.error, &err) != WRSIM_OK ||
        wr_sparsing_judge(s, &err) != WRSIM_OK)
        fail_msg("%s", err.text);
    assert_true(s->sparsed.is_accepted && s->mixed.is_accepted);
}

/* Steps the linear model with the sparsed Jacobian from a random start and returns the size of the largest state at the end. A large
 * state means instability, independent of computed eigenvalues. */
static double growth(int n, const double *l, const double *df, const unsigned char *keep,
                     double tau)
{
    double x[RANDOM_MOST], f[RANDOM_MOST], left[RANDOM_MOST * RANDOM_MOST], rcond, size = 0.0;
    for (int i = 0; i < n; i++)
        x[i] = random_unit();
    for (int step = 0; step < 3000; step++) {
        for (int i = 0; i < n; i++) {
            f[i] = 0.0;
            for (int j = 0; j < n; j++) {
                f[i] += tau * df[j * n + i] * x[j];
                left[j * n + i] =
                    (l ? l[j * n + i] : i == j) - tau * keep[j * n + i] * df[j * n + i];
            }
        }
        assert_int_equal(wr_lapack_solve(n, 1, left, f, &rcond), WRSIM_OK);
        size = 0.0;
        for (int i = 0; i < n; i++) {
            x[i] += f[i];
            size = fmax(size, fabs(x[i]));
        }
    }
    return size;
}

TEST(patterns_are_stable)
{
    int n_dropped = 0, n_entry = 0;
    for (int trial = 0; trial < 25; trial++) {
        const int n = 8 + trial % 9, n_algebraic = trial % 3;
        const double tau = trial % 2 ? 1e-2 : 1e-1;
        random_model m[3];
        random_model_make(&m[0], n, n_algebraic);
        for (int k = 1; k < 3; k++) { /* the same model at other points */
            m[k] = m[0];
            for (int e = 0; e < n * n; e++)
                m[k].df[e] *= 1.0 + 0.3 * random_unit();
        }
        const double *const l = n_algebraic || trial % 5 == 0 ? m[0].l : NULL;
        AUTO(wr_sparsing_done) wr_sparsing s = begin(n, m[0].df, tau);
        for (int k = 0; k < 3; k++)
            add(&s, k, l, m[k].df);
        search(&s);
        for (int k = 0; k < 3; k++) {
            assert_true(s.estimates[k].radius_after < 1.0);
            assert_true(growth(n, l, m[k].df, s.sparsed.keep, tau) < 1e-3);
            assert_true(growth(n, l, m[k].df, s.mixed.keep, tau) < 1e-3);
        }
        for (int e = 0; e < n * n; e++)
            assert_true(s.full.keep[e] || !s.sparsed.keep[e]);
        n_dropped += s.full.n_kept - s.sparsed.n_kept;
        n_entry += s.full.n_kept;
    }
    assert_true(n_dropped > n_entry / 3);
}

/* Each eigenvalue of the unsparsed step has an eigenvalue of the sparsed step within the limit. */
TEST(limits_hold)
{
    for (int trial = 0; trial < 15; trial++) {
        random_model m;
        random_model_make(&m, 10, 0);
        AUTO(wr_sparsing_done) wr_sparsing s = begin(10, m.df, 1e-2);
        add(&s, 0.0, NULL, m.df);
        search(&s);
        for (int i = 0; i < 10; i++) {
            double nearest = HUGE_VAL;
            for (int j = 0; j < 10; j++)
                nearest = fmin(nearest, cabs(s.after[j] - s.samples.sample[0].value[i]));
            assert_true(nearest <=
                        wr_verdict_limit(&s.options.shares, s.samples.sample[0].value[i]) + 1e-9);
        }
    }
}

/* x' = [-k, 0.9 k; 0.9 k, -k] x has the rates m = 0.1 k and 1.9 k. Without an off-diagonal entry the eigenvalues change by + and - half of
 * the entry times tau m / (1 + tau m)^2. The two factors are equal if the product of the two tau m is 1. In one cluster the sum is zero:
 * only the exact check detects the change. */
TEST(cancelling_case_is_caught)
{
    const double k = 1.0 / sqrt(1.0 - 0.9 * 0.9), df[4] = {-k, 0.9 * k, 0.9 * k, -k};
    AUTO(wr_sparsing_done) wr_sparsing s = begin(2, df, 1.0);
    s.samples.gap = 20.0; /* one cluster of all */
    add(&s, 0.0, NULL, df);
    const int entry = 2; /* row 0, column 1 */
    const double score = wr_samples_score(&s.samples, &entry, 1);
    unsigned char without[4] = {1, 1, 0, 1};
    assert_int_equal(s.samples.sample[0].resolution->n_cluster, 1);
    assert_true(score < 1e-12);
    assert_int_equal(wr_samples_accept(&s.samples, without, 0), 0);
    search(&s);
    assert_true(s.sparsed.how.n_surprise > 0 && s.sparsed.how.surprise.score < 1e-12);
    /* Separate clusters reveal the change of each eigenvalue. */
    AUTO(wr_sparsing_done) wr_sparsing apart = begin(2, df, 1.0);
    add(&apart, 0.0, NULL, df);
    assert_int_equal(apart.samples.sample[0].resolution->n_cluster, 2);
    assert_true(wr_samples_score(&apart.samples, &entry, 1) > 1.0);
}

/* The search checks also a linearisation that the criterion regards as covered, and stores the linearisation after a refusal. */
TEST(all_samples_are_checked)
{
    for (int trial = 0; trial < 10; trial++) {
        random_model m[6];
        const int n = 12;
        random_model_make(&m[0], n, 0);
        AUTO(wr_sparsing_done) wr_sparsing s = begin(n, m[0].df, 1e-2);
        for (int k = 0; k < 6; k++) {
            m[k] = m[0];
            for (int e = 0; e < n * n; e++)
                m[k].df[e] *= 1.0 + 0.02 * k * random_unit();
            add(&s, k, NULL, m[k].df);
        }
        search(&s);
        assert_true(s.n_round >= 1 && wr_samples_n_kept(&s.samples) < 6);
        for (int k = 0; k < 6; k++)
            assert_true(s.estimates[k].radius_after < 1.0);
    }
}

TEST(pattern_file)
{
    char path[] = "/tmp/wrsim_pattern_XXXXXX";
    const int handle = mkstemp(path);
    random_model m;
    wrsim_error err;
    unsigned char read[100];
    assert_true(handle >= 0);
    close(handle);
    random_model_make(&m, 10, 0);
    wr_sparsing s = begin(10, m.df, 1e-2);
    add(&s, 0.0, NULL, m.df);
    search(&s);
    assert_int_equal(wr_pattern_file_write(path, &s, s.sparsed.keep, &err), WRSIM_OK);
    assert_int_equal(wr_pattern_file_read(path, &s, read, &err), WRSIM_OK);
    assert_memory_equal(read, s.sparsed.keep, 100);
    /* Names identify the states of a model with another order of states. */
    const char *turned[10];
    for (int i = 0; i < 10; i++)
        turned[i] = names[9 - i];
    s.name = turned;
    assert_int_equal(wr_pattern_file_read(path, &s, read, &err), WRSIM_OK);
    for (int e = 0; e < 100; e++)
        assert_int_equal(read[e], s.sparsed.keep[99 - e]);
    turned[3] = "c.other";
    assert_int_equal(wr_pattern_file_read(path, &s, read, &err), WRSIM_E_IO);
    assert_non_null(strstr(err.text, "c."));
    assert_true(err.line > 1);
    wr_sparsing_done(&s);
    wr_sparsing larger = begin(2, m.df, 1e-2);
    assert_int_equal(wr_pattern_file_read(path, &larger, read, &err), WRSIM_E_IO);
    wr_sparsing_done(&larger);
    unlink(path);
}

TEST(bad_input)
{
    const double df[1] = {-1.0};
    const unsigned char full[1] = {1};
    AUTO(wr_sparsing_done) wr_sparsing s = {.options = WR_SPARSING_DEFAULTS};
    wrsim_error err;
    assert_int_equal(wr_sparsing_begin(&s, "part", 0, names, NULL, full, &err), WRSIM_E_ARG);
    assert_non_null(strstr(err.text, "without states"));
    assert_int_equal(wr_sparsing_begin(&s, "part", 1000000, names, NULL, full, &err), WRSIM_E_ARG);
    assert_int_equal(wr_sparsing_begin(&s, "part", 1, names, NULL, full, &err), WRSIM_E_ARG);
    assert_non_null(strstr(err.text, "tau"));
    s = begin(1, df, 1e-3);
    assert_int_equal(wr_sparsing_search(&s, 0.02, &err), WRSIM_E_ARG);
    wr_sparsing_done(&s);
    s = begin(1, df, 1e-3);
    const double nan[1] = {(double)NAN};
    const wr_linearisation at = {.t_s = 2.5, .df = nan};
    assert_int_equal(wr_samples_add(&s.samples, &at, &err), WRSIM_E_NAN);
    assert_close(err.time_s, 2.5, 0.0, 0.0);
}
