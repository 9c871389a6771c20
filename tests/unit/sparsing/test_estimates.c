/* Estimates of spectral changes: formulas of the sum-of-squares paper (docs/METHODS.md, Sources) in a second implementation, exact
 * identities, a counterexample to Lemma 3 of the paper, and pairings against all permutations. */
#include "offline/algebra/lapack.h"
#include "offline/sparsing/estimates.h"
#include "random_pencil.h"

enum { N = 12 };
static const wr_estimates_rule rule = {.slow = 0.1, .gap = 0.1};

static double best_sum;
static void try_all(int n, const double *cost, int column, unsigned used, double sum)
{
    if (column == n && sum < best_sum)
        best_sum = sum;
    for (int row = 0; row < n && column < n; row++)
        if (!(used & (1u << row)))
            try_all(n, cost, column + 1, used | (1u << row), sum + cost[column * n + row]);
}

TEST(assignment_is_the_cheapest)
{
    for (int trial = 0; trial < 300; trial++) {
        const int n = 1 + trial % 7;
        double cost[49], sum = 0.0;
        int row[7], seen = 0;
        for (int e = 0; e < n * n; e++)
            cost[e] = trial % 3 ? random_unit()
                                : floor(4.0 * random_unit()); /* in some trials many equal values */
        assert_int_equal(wr_least_assignment(n, cost, row), 0);
        for (int column = 0; column < n; column++) {
            sum += cost[column * n + row[column]];
            seen |= 1 << row[column];
        }
        assert_int_equal(seen, (1 << n) - 1);
        best_sum = HUGE_VAL;
        try_all(n, cost, 0, 0, 0.0);
        assert_close(sum, best_sum, 0.0, 1e-12);
    }
}

static wr_sample sample_of(wr_arena *arena, const random_model *m, const double *l, double tau_s)
{
    const wr_step_pencil from = {.n = m->n, .tau_s = tau_s, .l = l, .df = m->df};
    wr_sample sample = {.pencil = NULL};
    wrsim_error err;
    double complex *const value = WR_NEW_ARRAY(arena, double complex, m->n);
    assert_int_equal(wr_step_pencil_place(arena, &from, NULL, &sample.pencil, &err), WRSIM_OK);
    assert_int_equal(wr_step_pencil_eigen(sample.pencil, NULL, value), WRSIM_OK);
    sample.value = value;
    return sample;
}

static double trace(const double *a)
{
    double sum = 0.0;
    for (int i = 0; i < N; i++)
        sum += a[i * N + i];
    return sum;
}

static void multiply(const double *a, const double *b, double *ret)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            ret[j * N + i] = 0.0;
            for (int k = 0; k < N; k++)
                ret[j * N + i] += a[k * N + i] * b[j * N + k];
        }
}

/* Computes (I - dt K)^-1 R. */
static void solve(const double *k, double dt, const double *r, double *ret)
{
    double left[N * N], rcond;
    for (int e = 0; e < N * N; e++)
        left[e] = (e % (N + 1) == 0) - dt * k[e];
    memcpy(ret, r, N * N * sizeof *ret);
    assert_int_equal(wr_lapack_solve(N, N, left, ret, &rcond), WRSIM_OK);
}

/* dS by eq. 2 of the sum-of-squares paper as printed, d1 and M by Theorem 4 of the paper (docs/METHODS.md, Estimates of sparsing). */
TEST(published_formulas)
{
    for (int trial = 0; trial < 20; trial++) {
        random_model m;
        unsigned char keep[N * N];
        AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)-1);
        wr_estimates e;
        double a[N * N], change[N * N], plus[N * N], one[N * N], two[N * N], product[N * N],
            m_here[N * N];
        const double dt = trial % 2 ? 1e-3 : 1e-2;
        random_model_make(&m, N, 0);
        for (int k = 0; k < N * N; k++) {
            keep[k] = k % (N + 1) == 0 || random_unit() > 0.0;
            a[k] = keep[k] ? m.df[k] : 0.0;
            change[k] = dt * (a[k] - m.df[k]);
            plus[k] = (k % (N + 1) == 0) + dt * m.df[k];
        }
        solve(m.df, dt, change, one);
        solve(m.df, dt, plus, two);
        for (int k = 0; k < N * N; k++)
            two[k] = (k % (N + 1) == 0) - two[k];
        multiply(one, two, product);
        const wr_sample sample = sample_of(arena, &m, NULL, dt);
        assert_int_equal(wr_estimates_make(&sample, keep, &rule, &e, NULL), WRSIM_OK);
        assert_close(e.dS_published, fabs(trace(product)), 1e-9, 1e-13);
        assert_close(e.dS_published, 2.0 * e.dS, 1e-14, 0.0);
        /* M = dt ((I - dt A)^-1 - (I - dt Jf)^-1) Jf */
        solve(a, dt, m.df, one);
        solve(m.df, dt, m.df, two);
        for (int k = 0; k < N * N; k++)
            m_here[k] = dt * (one[k] - two[k]);
        multiply(m_here, m_here, product);
        assert_close(e.d1, fabs(trace(m_here)), 1e-9, 1e-12);
        assert_close(e.trace_square, trace(product), 1e-8, 1e-12);
    }
}

/* sum (lambda' - lambda) = tr(M) exactly, also with singular L; d_r follows from the eigenvalues. */
TEST(exact_change)
{
    for (int trial = 0; trial < 40; trial++) {
        random_model m;
        unsigned char keep[N * N];
        AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)-1);
        double complex after[N], sum = 0.0;
        double squares = 0.0;
        wr_estimates e;
        random_model_make(&m, N, trial % 4);
        for (int k = 0; k < N * N; k++)
            keep[k] = k % (N + 1) == 0 || random_unit() > -0.5;
        const wr_sample sample = sample_of(arena, &m, m.l, 1e-3);
        assert_int_equal(wr_estimates_make(&sample, keep, &rule, &e, after), WRSIM_OK);
        for (int i = 0; i < N; i++) {
            sum += after[i] - sample.value[i];
            squares += pow(cabs(after[i] - sample.value[i]), 2.0);
        }
        assert_close(e.d1, cabs(sum), 1e-8, 1e-12);
        assert_close(e.dr2, sqrt(squares), 1e-12, 0.0);
        assert_true(e.dr1 >= e.dr2 * (1.0 - 1e-12) && e.d1 <= e.dr1 * (1.0 + 1e-6) + 1e-12);
    }
}

/* Small entries are dropped, so first order is accurate and dE equals d_r. Lemma 3 of the sum-of-squares paper claims that d2 equals d_r,
 * too. But tr(M^2) has products of off-diagonal entries, which belong to no eigenvalue and may be negative. */
TEST(square_of_m_is_no_sum_of_squares)
{
    int n_far = 0, n_negative = 0, n_trial = 200;
    for (int trial = 0; trial < n_trial; trial++) {
        random_model m;
        unsigned char keep[N * N];
        AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)-1);
        wr_estimates e;
        random_model_make(&m, N, 0);
        for (int k = 0; k < N * N; k++) {
            keep[k] = k % (N + 1) == 0 || random_unit() > 0.0;
            m.df[k] *= keep[k] ? 1.0 : 1e-5;
        }
        const wr_sample sample = sample_of(arena, &m, NULL, 1e-2);
        assert_int_equal(wr_estimates_make(&sample, keep, &rule, &e, NULL), WRSIM_OK);
        assert_close(e.dE, e.dr2, 0.05, 1e-11);
        n_negative += e.trace_square < 0.0;
        n_far += !(fabs(e.d2 - e.dr2) < 0.3 * e.dr2);
        assert_int_equal(isnan(e.d2), e.trace_square < 0.0);
    }
    assert_true(n_far > n_trial / 5 && n_negative > 0);
}

TEST(bounds)
{
    /* Rates 0.04 and 1000 /s at 10 ms: 1 / 1.0004 and 1 / 11. */
    random_model m = {.n = 2, .df = {-0.04, 0.0, 0.0, -1000.0}};
    const unsigned char keep[4] = {1, 1, 1, 1};
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)-1);
    const wr_sample sample = sample_of(arena, &m, NULL, 1e-2);
    wr_estimates e;
    assert_int_equal(wr_estimates_make(&sample, keep, &rule, &e, NULL), WRSIM_OK);
    assert_close(e.c1, 1.0 - 1.0 / 1.0004, 1e-9, 0.0);
    assert_close(e.c2, e.c1 * e.c1, 1e-12, 0.0);
    assert_close(e.c1_fast, 1.0 - 1.0 / 11.0, 1e-12, 0.0);
    assert_close(e.c2_fast, e.c1_fast * e.c1_fast, 1e-12, 0.0);
    assert_int_equal(e.n_slow, 1);
    assert_close(e.dr2, 0.0, 0.0, 1e-14);
}

/* With a cluster per eigenvalue, d2k equals dE from eigenvectors. With one cluster of all eigenvalues, d2k equals d2. */
TEST(clusters_set_apart)
{
    static const wr_estimates_rule single = {.slow = 0.1, .gap = 0.0},
                                   whole = {.slow = 0.1, .gap = 1e9};
    int n_single = 0;
    for (int trial = 0; trial < 40; trial++) {
        random_model m;
        unsigned char keep[N * N];
        AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)-1);
        wr_estimates e;
        random_model_make(&m, N, trial % 2); /* two algebraic states would share the eigenvalue 0 */
        for (int k = 0; k < N * N; k++)
            keep[k] = k % (N + 1) == 0 || random_unit() > -0.5;
        const wr_sample sample = sample_of(arena, &m, m.l, 1e-3);
        assert_int_equal(wr_estimates_make(&sample, keep, &whole, &e, NULL), WRSIM_OK);
        assert_close(e.d2k, sqrt(fabs(e.trace_square)), 1e-6, 1e-12);
        assert_int_equal(wr_estimates_make(&sample, keep, &single, &e, NULL), WRSIM_OK);
        if (!isnan(e.d2k) && !isnan(e.dE)) {
            assert_close(e.d2k, e.dE, 1e-6, 1e-12);
            n_single++;
        }
    }
    assert_true(n_single > 10);
}
