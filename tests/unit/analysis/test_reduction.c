/* Krylov bases, moments, projections and the choice of an order, against what is known exactly: the RC ladder, whose moments
 * are integers, random systems against dense sums, passive circuits, singular and algebraic ones.
 */
#include "wr_test.h"

#include "analysis/reduction/moments.h"
#include "analysis/reduction/reduction.h"

/* ---- The RC ladder of n sections, R = C = 1, open at the end ---- */

/* G = tridiag(-1, 2, -1) with 1 at the end, C = 1, B = the first node, L = the last. */
static wr_linear_system *ladder(int n)
{
    wr_linear_system *const s = wr_linear_system_create(n, 1, 1, 0);
    assert_non_null(s);
    wr_entries G = {0}, C = {0};
    for (int i = 0; i < n; i++) {
        wr_entries_add(&G, i, i, i == n - 1 ? 1.0 : 2.0, 0);
        if (i > 0)
            wr_entries_add(&G, i, i - 1, -1.0, 0);
        if (i < n - 1)
            wr_entries_add(&G, i, i + 1, -1.0, 0);
        wr_entries_add(&C, i, i, 1.0, 0);
    }
    s->G = wr_matrix_from_entries(n, n, &G, 1);
    s->C = wr_matrix_from_entries(n, n, &C, 1);
    wr_entries_done(&G);
    wr_entries_done(&C);
    s->B[0] = 1.0;
    s->L[n - 1] = 1.0;
    return s;
}

/* Independent of any LU: G^{-1} has the entries min(i, j), and (G^{-1} m)_i = sum_j min(i, j) m_j is had by summing twice: the
 * current through section i is the sum of what is drawn beyond it. All terms have one sign, so that each sum is good
 * to n rounding errors of long double, 1e-16 here. */
static void exact_moments(int n, int n_moment, double *ret)
{
    long double *const m = malloc((size_t)n * sizeof *m), *const next =
                                                              malloc((size_t)n * sizeof *m);
    assert_true(m && next);
    for (int i = 0; i < n; i++)
        m[i] = 1.0L; /* the first moment: all nodes follow the source */
    for (int k = 0; k < n_moment; k++) {
        ret[k] = (double)(k % 2 ? -m[n - 1] : m[n - 1]);
        long double current = 0.0L, voltage = 0.0L;
        for (int i = n - 1; i >= 0; i--) {
            current += m[i];
            next[i] = current;
        }
        for (int i = 0; i < n; i++) {
            voltage += next[i];
            m[i] = voltage;
        }
    }
    free(m);
    free(next);
}

/* The integers of METHODS.md 12. */
static void test_published_moments(void **state)
{
    (void)state;
    static const double published[] = {1, -210, 36785, -6289647, 1072206994, -182716856180};
    double exact[6], computed[6];
    wr_linear_system *s = ladder(20);
    exact_moments(20, 6, exact);
    assert_int_equal(wr_moments_of_system(s, 0.0, 6, computed), WRSIM_OK);
    for (int k = 0; k < 6; k++) {
        assert_close(exact[k], published[k], 0.0, 0.0);
        assert_close(computed[k], published[k], 1e-14, 0.0);
    }
    wr_linear_system_destroy(&s);
}

enum { N_LADDER = 1000, N_MOMENT = 20 };

/* The worst of the first q moments of a projection onto q vectors; infinite where it cannot be had. */
static double worst_moment(const wr_linear_system *s, const double *v, int q, const double *exact)
{
    double moment[N_MOMENT], worst = 0.0;
    wr_reduced *reduced = wr_reduced_project(s, v, q);
    assert_non_null(reduced);
    const wrsim_status status = wr_moments_of_reduced(reduced, 0.0, q, moment);
    for (int k = 0; k < q && status == WRSIM_OK; k++) {
        const double error = fabs(moment[k] / exact[k] - 1.0);
        worst = error <= worst ? worst : error;
    }
    wr_reduced_destroy(&reduced);
    return status == WRSIM_OK ? worst : (double)INFINITY;
}

static void test_arnoldi_keeps_the_moments_of_a_ladder(void **state)
{
    (void)state;
    double exact[N_MOMENT];
    const double s0 = 0.0;
    int i_point = 0;
    wr_linear_system *s = ladder(N_LADDER);
    wr_basis *basis = NULL;
    exact_moments(N_LADDER, N_MOMENT, exact);
    assert_int_equal(wr_basis_create(s, &s0, 1, N_MOMENT, &basis, &i_point), WRSIM_OK);
    assert_int_equal(basis->n_vector, N_MOMENT);
    assert_int_equal(basis->n_block, N_MOMENT);
    for (int q = 1; q <= N_MOMENT; q++)
        assert_between(worst_moment(s, basis->v, q, exact), 0.0, 1e-8);
    wr_basis_destroy(&basis);
    wr_linear_system_destroy(&s);
}

/* The same space from the moments' own vectors: near the tenth its basis is as good as singular, and the moments go. */
static void test_explicit_matching_loses_them(void **state)
{
    (void)state;
    double exact[N_MOMENT], condition = 0.0;
    wr_linear_system *s = ladder(N_LADDER);
    double *const v = malloc((size_t)N_MOMENT * N_LADDER * sizeof *v);
    assert_non_null(v);
    exact_moments(N_LADDER, N_MOMENT, exact);
    assert_int_equal(wr_moments_vectors(s, 0.0, N_MOMENT, v, &condition), WRSIM_OK);
    assert_true(condition > 1e14);
    assert_between(worst_moment(s, v, 3, exact), 0.0, 1e-8);
    double worst = 0.0;
    for (int q = 4; q <= N_MOMENT; q++)
        worst = fmax(worst, worst_moment(s, v, q, exact));
    print_message("explicit: worst %g, condition %g\n", worst, condition);
    assert_true(worst > 1e-3);
    free(v);
    wr_linear_system_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_moments),
        cmocka_unit_test(test_arnoldi_keeps_the_moments_of_a_ladder),
        cmocka_unit_test(test_explicit_matching_loses_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
