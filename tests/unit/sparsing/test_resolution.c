/* Spectral resolution and the criterion against exact eigenvalues of perturbed pencils: the sum of a cluster's eigenvalues after a small
 * change of one Jacobian entry. A transposed index, a wrong sign or a singular basis fails in every trial. */
#include "offline/algebra/lapack.h"
#include "offline/sparsing/resolution.h"
#include "random_pencil.h"

enum { N = 9 };

static const wr_step_pencil *place(wr_arena *arena, const random_model *m, double tau_s)
{
    const wr_step_pencil from = {.n = m->n, .tau_s = tau_s, .l = m->l, .df = m->df};
    const wr_step_pencil *pencil = NULL;
    wrsim_error err;
    if (wr_step_pencil_place(arena, &from, NULL, &pencil, &err) != WRSIM_OK)
        fail_msg("%s", err.text);
    return pencil;
}

/* Computes the step's eigenvalues with J_ij smaller by `by`: (L + tau dJ, L - tau Df + tau dJ) with dJ_ij = by. */
static void eigen_with(const wr_step_pencil *p, int i, int j, double by, double complex *ret)
{
    double l[N * N], df[N * N];
    memcpy(l, p->l, sizeof l);
    memcpy(df, p->df, sizeof df);
    /* Replacing L by L + tau dJ changes both matrices of the pencil, L and L - tau Df, by tau dJ. */
    l[j * N + i] += p->tau_s * by;
    const wr_step_pencil changed = {.n = N, .tau_s = p->tau_s, .l = l, .df = df};
    assert_int_equal(wr_step_pencil_eigen_qz(&changed, NULL, ret), WRSIM_OK);
}

/* Returns the sum of the values nearest to a cluster's values. */
static double complex sum_near(const wr_spectral_cluster *k, const double complex *value)
{
    double complex sum = 0.0;
    int is_taken[N] = {0};
    for (int c = 0; c < k->n; c++) {
        int best = -1;
        for (int i = 0; i < N; i++)
            if (!is_taken[i] &&
                (best < 0 || cabs(value[i] - k->value[c]) < cabs(value[best] - k->value[c])))
                best = i;
        is_taken[best] = 1;
        sum += value[best];
    }
    return sum;
}

static int compare_all(const wr_step_pencil *p, const wr_resolution *r)
{
    int n_compared = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            /* Central differences: errors of the second order cancel. */
            const double by = 1e-4 * fabs(p->df[j * N + i]);
            double complex low[N], high[N];
            eigen_with(p, i, j, -by, low);
            eigen_with(p, i, j, by, high);
            for (int c = 0; c < r->n_cluster; c++) {
                const wr_spectral_cluster *const k = &r->cluster[c];
                const double complex moved = 0.5 * (sum_near(k, high) - sum_near(k, low));
                const double complex said = wr_resolution_shift(r, c, i, j, by);
                assert_close(cabs(said - moved), 0.0, 0.0, 1e-6 * cabs(moved) + 1e-12);
                n_compared += cabs(moved) > 1e-9;
            }
        }
    return n_compared;
}

TEST(shift_is_that_of_exact_eigenvalues)
{
    int n_compared = 0, n_several = 0, n_conjugate = 0;
    for (int trial = 0; trial < 40; trial++) {
        random_model m;
        AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)-1);
        const wr_resolution *r;
        wrsim_error err;
        random_model_make(&m, N, trial % 3);
        const wr_step_pencil *const p = place(arena, &m, trial % 2 ? 1e-3 : 1e-1);
        if (wr_resolution_place(arena, p, 0.1, &r, &err) != WRSIM_OK)
            fail_msg("%s", err.text);
        int n = 0;
        for (int c = 0; c < r->n_cluster; c++) {
            n += r->cluster[c].n * (1 + r->cluster[c].has_conjugate);
            n_several += r->cluster[c].n > 1;
            n_conjugate += r->cluster[c].has_conjugate;
        }
        assert_int_equal(n, N);
        n_compared += compare_all(p, r);
    }
    assert_true(n_compared > 6000 && n_several > 20 && n_conjugate > 20);
}

/* The sum over all clusters changes by tr(B^-1 E (I - B^-1 A)), without bases (Schiela and Bornemann (2003), Theorem 4). */
TEST(sum_is_the_trace)
{
    unsigned char all[N * N];
    memset(all, 1, sizeof all);
    for (int trial = 0; trial < 30; trial++) {
        random_model m;
        AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)-1);
        const wr_resolution *r;
        wrsim_error err;
        double left[N * N], column[N] = {0.0}, none[N * N], rest[N * N], rcond, trace = 0.0;
        double complex shift = 0.0;
        const int i = trial % N, j = (5 * trial + 1) % N;
        random_model_make(&m, N, trial % 4);
        const wr_step_pencil *const p = place(arena, &m, 1e-2);
        assert_int_equal(wr_resolution_place(arena, p, 0.2, &r, &err), WRSIM_OK);
        for (int c = 0; c < r->n_cluster; c++) {
            const double complex part = wr_resolution_shift(r, c, i, j, 3.0);
            shift += r->cluster[c].has_conjugate ? 2.0 * creal(part) : part;
        }
        for (int e = 0; e < N * N; e++)
            left[e] = p->l[e] - p->tau_s * p->df[e];
        column[i] = p->tau_s * 3.0;
        assert_int_equal(wr_lapack_solve(N, 1, left, column, &rcond), WRSIM_OK);
        assert_int_equal(wr_step_pencil_difference(p, all, none, rest), WRSIM_OK);
        for (int k = 0; k < N; k++)
            trace += rest[k * N + j] * column[k];
        assert_close(creal(shift), trace, 1e-10, 1e-13);
        assert_close(cimag(shift), 0.0, 0.0, 1e-12);
    }
}

/* Two states in series with rates equal up to rounding: a Jordan block. One cluster is accurate; separate clusters are refused. */
TEST(defective_pencil)
{
    const double df[9] = {-10.0, 0.0, 0.0, 10.0, -10.0 - 1e-8, 0.0, 0.0, 0.0, -500.0};
    const wr_step_pencil from = {.n = 3, .tau_s = 1e-2, .t_s = 0.5, .df = df};
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)-1);
    const wr_step_pencil *p;
    const wr_resolution *r;
    wrsim_error err;
    assert_int_equal(wr_step_pencil_place(arena, &from, NULL, &p, &err), WRSIM_OK);
    assert_int_equal(wr_resolution_place(arena, p, 0.1, &r, &err), WRSIM_OK);
    assert_int_equal(r->n_cluster, 2);
    assert_int_equal(wr_resolution_place(arena, p, 0.0, &r, &err), WRSIM_E_SOLVER);
    assert_non_null(strstr(err.text, "defective"));
    assert_close(err.time_s, 0.5, 0.0, 0.0);
}

TEST(refuses_matrices_that_are_no_pencil)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create((size_t)-1);
    const wr_step_pencil *p;
    wrsim_error err;
    /* The second equation is 0 = 0: singular for every step. */
    const double l[4] = {1.0, 0.0, 0.0, 0.0}, singular[4] = {-1.0, 0.0, 1.0, 0.0};
    const wr_step_pencil no_equation = {.n = 2, .tau_s = 1e-2, .l = l, .df = singular};
    assert_int_equal(wr_step_pencil_place(arena, &no_equation, NULL, &p, &err), WRSIM_E_SOLVER);
    assert_non_null(strstr(err.text, "singular"));
    /* x' = 200 x with a step of 5 ms: 1 - tau 200 = 0. */
    const double grows[1] = {200.0};
    const wr_step_pencil resonant = {.n = 1, .tau_s = 5e-3, .df = grows};
    assert_int_equal(wr_step_pencil_place(arena, &resonant, NULL, &p, &err), WRSIM_E_SOLVER);
    const double not_finite[4] = {-1.0, 0.0, (double)NAN, -1.0};
    const wr_step_pencil nan = {.n = 2, .tau_s = 1e-2, .df = not_finite};
    assert_int_equal(wr_step_pencil_place(arena, &nan, NULL, &p, &err), WRSIM_E_NAN);
}

TEST(clusters)
{
    /* Near 1 the distance to 1 counts: the rates of 0.99 and 0.98 differ by a factor of 2; 0.30 and 0.31 are neighbours. */
    const double complex value[6] = {0.99, 0.31, 0.98, CMPLX(0.9, 0.3), CMPLX(0.9, -0.3), 0.30};
    int cluster[6];
    assert_int_equal(wr_cluster_make(6, value, 0.1, cluster), 5);
    assert_int_equal(cluster[1], cluster[5]);
    assert_true(cluster[0] != cluster[2] && cluster[3] != cluster[4]);
    /* A chain is one cluster in any order, although its ends are far apart. */
    const double complex chain[5] = {0.0, 0.24, 0.06, 0.18, 0.12};
    assert_int_equal(wr_cluster_make(5, chain, 0.1, cluster), 1);
}
