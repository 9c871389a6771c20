/* Krylov bases, moments, projections and the choice of an order, against exact values: the RC ladder with integer moments, random systems
 * against dense sums, passive circuits, singular and algebraic systems. */
#include "wr_test.h"

#include "base/complex_values.h"
#include "offline/reduction/moments.h"
#include "offline/reduction/reduction.h"

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

/* Computes the moments without LU: G^{-1} has the entries min(i, j). Two sums give (G^{-1} m)_i = sum_j min(i, j) m_j: the current through
 * section i is the sum of the currents beyond. All terms have one sign, so the error of each sum is at most n roundings of long double,
 * 1e-16. */
static void exact_moments(int n, int n_moment, double *ret)
{
    long double *const m = malloc((size_t)n * sizeof *m), *const next =
                                                              malloc((size_t)n * sizeof *m);
    assert_true(m && next);
    for (int i = 0; i < n; i++)
        m[i] = 1.0L; /* the first moment: all nodes equal the source */
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

/* The moments of the RC ladder with 20 nodes (docs/METHODS.md, Reduction). */
TEST(published_moments)
{
    static const double published[] = {1, -210, 36785, -6289647, 1072206994, -182716856180};
    double exact[6], computed[6];
    AUTO(wr_linear_system_destroy) wr_linear_system *s = ladder(20);
    exact_moments(20, 6, exact);
    assert_int_equal(wr_moments_of_system(s, 0.0, 6, computed), WRSIM_OK);
    for (int k = 0; k < 6; k++) {
        assert_close(exact[k], published[k], 0.0, 0.0);
        assert_close(computed[k], published[k], 1e-14, 0.0);
    }
}

enum { N_LADDER = 1000, N_MOMENT = 20 };

/* Returns the largest relative error of the first q moments of a projection onto q vectors; infinite if its moments cannot be computed. */
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

TEST(arnoldi_keeps_the_moments_of_a_ladder)
{
    double exact[N_MOMENT];
    const double s0 = 0.0;
    int i_point = 0;
    AUTO(wr_linear_system_destroy) wr_linear_system *s = ladder(N_LADDER);
    AUTO(wr_basis_destroy) wr_basis *basis = NULL;
    exact_moments(N_LADDER, N_MOMENT, exact);
    assert_int_equal(wr_basis_create(s, &s0, 1, N_MOMENT, &basis, &i_point), WRSIM_OK);
    assert_int_equal(basis->n_vector, N_MOMENT);
    assert_int_equal(basis->n_block, N_MOMENT);
    for (int q = 1; q <= N_MOMENT; q++)
        assert_between(worst_moment(s, basis->v, q, exact), 0.0, 1e-8);
}

/* The moment vectors span the same space, but a basis of about ten of these vectors is numerically singular and loses the moments. */
TEST(explicit_matching_loses_them)
{
    double exact[N_MOMENT], condition = 0.0;
    AUTO(wr_linear_system_destroy) wr_linear_system *s = ladder(N_LADDER);
    AUTO(wr_test_free) double *v = malloc((size_t)N_MOMENT * N_LADDER * sizeof *v);
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
}

/* ---- Random systems ---- */

static uint64_t random_state;
static double random_unit(void) { return wr_random_unit(&random_state); }

static int random_count(int low, int high)
{
    return low + (int)floor((0.5 + 0.5 * random_unit()) * (high - low + 1) * 0.999999);
}

/* Returns a sparse matrix with about per_row random entries per row, plus shift times the unit matrix. */
static wr_matrix *random_matrix(int n, int per_row, double shift)
{
    double *const dense = calloc((size_t)n * (size_t)n, sizeof *dense);
    assert_non_null(dense);
    for (int i = 0; i < n * per_row; i++)
        dense[random_count(0, n * n - 1)] = random_unit();
    for (int i = 0; i < n; i++)
        dense[i * n + i] += shift;
    wr_matrix *const matrix = wr_matrix_from_dense(n, n, dense);
    free(dense);
    assert_non_null(matrix);
    return matrix;
}

/* Returns a random system: G is 3 times the unit matrix plus random entries, C is 2 times the unit matrix plus random entries. With
 * is_algebraic the rows and columns of the second half of C are zero. */
static wr_linear_system *random_system(int n, int n_input, int n_output, int is_algebraic)
{
    wr_linear_system *const s = wr_linear_system_create(n, n_input, n_output, 0);
    assert_non_null(s);
    s->G = random_matrix(n, 3, 3.0);
    s->C = random_matrix(n, 1, 2.0);
    for (int j = 0; j < n && is_algebraic; j++)
        for (int k = s->C->start[j]; k < s->C->start[j + 1]; k++)
            if (j >= n / 2 || s->C->row[k] >= n / 2)
                s->C->value[k] = 0.0;
    for (int i = 0; i < n * n_input; i++)
        s->B[i] = random_unit();
    for (int i = 0; i < n * n_output; i++)
        s->L[i] = random_unit();
    for (int i = 0; i < n_input * n_output; i++)
        s->D[i] = random_unit();
    return s;
}

/* Computes L^T (G + s C)^{-1} B + D by elimination with dense rows, without code of the reduction. */
static void dense_transfer(const wr_linear_system *s, double complex at, double complex *ret)
{
    const int n = s->n, n_input = s->n_input, width = n + n_input;
    double complex *const a = calloc((size_t)n * (size_t)width, sizeof *a); /* by rows */
    assert_non_null(a);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i * width + j] = wr_matrix_at(s->G, i, j) + at * wr_matrix_at(s->C, i, j);
        for (int j = 0; j < n_input; j++)
            a[i * width + n + j] = s->B[j * n + i];
    }
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++)
            if (cabs(a[i * width + k]) > cabs(a[best * width + k]))
                best = i;
        for (int j = 0; j < width; j++) {
            const double complex kept = a[k * width + j];
            a[k * width + j] = a[best * width + j];
            a[best * width + j] = kept;
        }
        for (int i = 0; i < n; i++) {
            const double complex factor = i == k ? 0.0 : a[i * width + k] / a[k * width + k];
            for (int j = k; j < width && i != k; j++)
                a[i * width + j] -= factor * a[k * width + j];
        }
    }
    for (int j = 0; j < n_input; j++)
        for (int o = 0; o < s->n_output; o++) {
            double complex sum = s->D[j * s->n_output + o];
            for (int i = 0; i < n; i++)
                sum += s->L[o * n + i] * a[i * width + n + j] / a[i * width + i];
            ret[j * s->n_output + o] = sum;
        }
    free(a);
}

static void expect_same(const double complex *actual, const double complex *expected, int n,
                        double limit)
{
    for (int i = 0; i < n; i++)
        if (!(cabs(actual[i] - expected[i]) <= limit * (1.0 + cabs(expected[i]))))
            fail_msg("entry %d is %g%+gi, not %g%+gi", i, creal(actual[i]), cimag(actual[i]),
                     creal(expected[i]), cimag(expected[i]));
}

enum { MOST_CHANNELS = 9 };

TEST(transfer_functions)
{
    random_state = 11;
    for (int round = 0; round < 60; round++) {
        AUTO(wr_linear_system_destroy)
        wr_linear_system *s =
            random_system(random_count(2, 30), random_count(1, 3), random_count(1, 3), round % 2);
        const int size = s->n_input * s->n_output;
        const double complex at = CMPLX(random_unit() + 1.0, 5.0 * random_unit());
        double complex expected[MOST_CHANNELS], full[MOST_CHANNELS], reduced[MOST_CHANNELS];
        AUTO(wr_pencil_destroy) wr_pencil *pencil = NULL;
        assert_int_equal(wr_pencil_create(s, &pencil), WRSIM_OK);
        assert_int_equal(wr_pencil_transfer(pencil, at, full), WRSIM_OK);
        dense_transfer(s, at, expected);
        expect_same(full, expected, size, 1e-10);
        /* A projection onto unit vectors reproduces the system. */
        AUTO(wr_test_free) double *unit = calloc((size_t)s->n * (size_t)s->n, sizeof *unit);
        assert_non_null(unit);
        for (int i = 0; i < s->n; i++)
            unit[i * s->n + i] = 1.0;
        AUTO(wr_reduced_destroy) wr_reduced *whole = wr_reduced_project(s, unit, s->n);
        assert_non_null(whole);
        assert_int_equal(wr_reduced_transfer(whole, at, reduced), WRSIM_OK);
        expect_same(reduced, expected, size, 1e-10);
    }
}

/* Expects one moment per block at each point, for any number of inputs and points, and an orthonormal basis. */
static void check_basis(const wr_linear_system *s, const double *s0, int n_point, int max_vector)
{
    int i_point = 0;
    AUTO(wr_basis_destroy) wr_basis *basis = NULL;
    assert_int_equal(wr_basis_create(s, s0, n_point, max_vector, &basis, &i_point), WRSIM_OK);
    for (int a = 0; a < basis->n_vector; a++)
        for (int b = 0; b <= a; b++) {
            double sum = 0.0;
            for (int i = 0; i < s->n; i++)
                sum += basis->v[a * s->n + i] * basis->v[b * s->n + i];
            assert_close(sum, a == b ? 1.0 : 0.0, 0.0, 1e-12);
        }
    const int n_moment = basis->n_block, size = wr_linear_columns(s) * s->n_output;
    AUTO(wr_reduced_destroy) wr_reduced *reduced = wr_reduced_project(s, basis->v, basis->n_vector);
    AUTO(wr_test_free) double *full = calloc(2 * (size_t)(n_moment * size) + 1, sizeof *full);
    assert_true(reduced && full);
    for (int k = 0; k < n_point && n_moment > 0; k++) {
        assert_int_equal(wr_moments_of_system(s, s0[k], n_moment, full), WRSIM_OK);
        double *const small = full + n_moment * size;
        assert_int_equal(wr_moments_of_reduced(reduced, s0[k], n_moment, small), WRSIM_OK);
        for (int j = 0; j < n_moment * size; j++)
            assert_close(small[j], full[j], 1e-7, 1e-9);
    }
}

TEST(moments_of_random_systems)
{
    random_state = 12;
    for (int round = 0; round < 200; round++) {
        AUTO(wr_linear_system_destroy)
        wr_linear_system *s = random_system(random_count(1, 40), random_count(1, 3),
                                            random_count(1, 3), round % 3 == 0);
        const double s0[3] = {round % 2 ? 0.0 : 1.0, 0.5, 4.0};
        check_basis(s, s0, random_count(1, 3), random_count(1, 18));
    }
}

/* A repeated input gives one sequence; a reduction of full order reproduces its system. */
TEST(deflation)
{
    random_state = 13;
    AUTO(wr_linear_system_destroy) wr_linear_system *s = random_system(12, 2, 1, 0);
    const double s0 = 0.0;
    memcpy(s->B + s->n, s->B, (size_t)s->n * sizeof *s->B);
    AUTO(wr_basis_destroy) wr_basis *basis = NULL;
    int i_point = 0;
    assert_int_equal(wr_basis_create(s, &s0, 1, 8, &basis, &i_point), WRSIM_OK);
    assert_int_equal(basis->n_vector, 8);
    assert_int_equal(basis->n_block, 8);
    assert_int_equal(basis->n_deflated, 1);
    wr_basis_destroy(&basis);
    assert_int_equal(wr_basis_create(s, &s0, 1, 50, &basis, &i_point), WRSIM_OK);
    assert_int_equal(basis->n_vector, 12);
    assert_true(basis->is_complete);
    AUTO(wr_reduced_destroy) wr_reduced *reduced = wr_reduced_project(s, basis->v, 12);
    double complex expected[2], actual[2];
    dense_transfer(s, CMPLX(0.3, 2.0), expected);
    assert_int_equal(wr_reduced_transfer(reduced, CMPLX(0.3, 2.0), actual), WRSIM_OK);
    expect_same(actual, expected, 2, 1e-10);
}

/* The input excites two of six decoupled states, so the reduction finds an invariant space of two vectors. */
TEST(invariant_space)
{
    AUTO(wr_linear_system_destroy) wr_linear_system *s = ladder(6);
    wr_entries G = {0};
    for (int i = 0; i < 6; i++)
        wr_entries_add(&G, i, i, i < 2 ? 1.0 + i : 1.0, 0);
    wr_matrix_destroy(&s->G);
    s->G = wr_matrix_from_entries(6, 6, &G, 1);
    wr_entries_done(&G);
    s->B[1] = 1.0; /* the input excites two poles */
    const double s0 = 0.0;
    AUTO(wr_basis_destroy) wr_basis *basis = NULL;
    int i_point = 0;
    assert_int_equal(wr_basis_create(s, &s0, 1, 6, &basis, &i_point), WRSIM_OK);
    assert_int_equal(basis->n_vector, 2);
    assert_true(basis->is_complete);
}

/* ---- State space: A, B, C, D ---- */

static void space_transfer(const wr_state_space *s, double complex at, double complex *ret)
{
    wr_linear_system *const as_system = wr_linear_system_create(s->n, s->n_input, s->n_output, 0);
    double *const unit = calloc((size_t)s->n * (size_t)s->n + 1, sizeof *unit);
    double *const A = calloc((size_t)s->n * (size_t)s->n + 1, sizeof *A);
    assert_true(as_system && unit && A);
    for (int i = 0; i < s->n; i++)
        unit[i * s->n + i] = 1.0;
    for (int i = 0; i < s->n * s->n; i++)
        A[i] = -s->A[i];
    as_system->G = wr_matrix_from_dense(s->n, s->n, A);
    as_system->C = wr_matrix_from_dense(s->n, s->n, unit);
    memcpy(as_system->B, s->B, (size_t)(s->n * s->n_input) * sizeof *s->B);
    for (int i = 0; i < s->n; i++)
        for (int o = 0; o < s->n_output; o++)
            as_system->L[o * s->n + i] = s->C[i * s->n_output + o];
    memcpy(as_system->D, s->D, (size_t)(s->n_input * s->n_output) * sizeof *s->D);
    dense_transfer(as_system, at, ret);
    free(unit);
    free(A);
    wr_linear_system *gone = as_system;
    wr_linear_system_destroy(&gone);
}

/* A system solved for its derivatives has the transfer function of the original, with and without algebraic equations. */
TEST(state_space_of_random_systems)
{
    random_state = 14;
    for (int round = 0; round < 100; round++) {
        const int is_algebraic = round % 2;
        AUTO(wr_linear_system_destroy)
        wr_linear_system *s = random_system(random_count(2, 25), random_count(1, 3),
                                            random_count(1, 3), is_algebraic);
        const double s0 = 0.0;
        double complex expected[MOST_CHANNELS], actual[MOST_CHANNELS];
        AUTO(wr_basis_destroy) wr_basis *basis = NULL;
        AUTO(wr_state_space_destroy) wr_state_space *space = NULL;
        int i_point = 0;
        assert_int_equal(wr_basis_create(s, &s0, 1, s->n, &basis, &i_point), WRSIM_OK);
        AUTO(wr_reduced_destroy)
        wr_reduced *reduced = wr_reduced_project(s, basis->v, basis->n_vector);
        assert_int_equal(wr_state_space_create(reduced, basis->v, s->n, &space), WRSIM_OK);
        if (is_algebraic)
            assert_true(space->n <= s->n / 2);
        for (int k = 0; k < 5; k++) {
            const double complex at = CMPLX(random_unit() + 1.0, 5.0 * random_unit());
            assert_int_equal(wr_reduced_transfer(reduced, at, expected), WRSIM_OK);
            space_transfer(space, at, actual);
            expect_same(actual, expected, s->n_input * s->n_output, 1e-8);
        }
    }
}

/* ---- Passive circuits ---- */

/* Returns a random RLC circuit by modified nodal analysis: conductances to ground and between nodes, capacitors, coils. The input is a
 * current into a node, the output the voltage of that node (B = L). */
static wr_linear_system *circuit(int n_node, int n_coil)
{
    const int n = n_node + n_coil;
    wr_linear_system *const s = wr_linear_system_create(n, 1, 1, 0);
    double *const G = calloc((size_t)n * (size_t)n, sizeof *G);
    double *const C = calloc((size_t)n * (size_t)n, sizeof *C);
    assert_true(s && G && C);
    for (int k = 0; k < 2 * n_node; k++) {
        const int a = random_count(0, n_node - 1), b = random_count(0, n_node - 1);
        double *const to = k % 2 ? C : G;
        const double value = pow(10.0, random_unit());
        to[a * n + a] += value;
        if (a != b) {
            to[b * n + b] += value;
            to[a * n + b] -= value;
            to[b * n + a] -= value;
        }
    }
    for (int a = 0; a < n_node; a++)
        G[a * n + a] += 0.1;
    for (int k = n_node; k < n; k++) {
        const int a = random_count(0, n_node - 1);
        G[a * n + k] += 1.0; /* row k, column a: skew */
        G[k * n + a] -= 1.0;
        C[k * n + k] = pow(10.0, random_unit());
    }
    s->G = wr_matrix_from_dense(n, n, G);
    s->C = wr_matrix_from_dense(n, n, C);
    s->B[0] = s->L[0] = 1.0;
    free(G);
    free(C);
    return s;
}

/* At all orders a passive system stays passive and stable; the test samples Re H >= 0 on the imaginary axis. */
TEST(passive_circuits_stay_passive)
{
    random_state = 15;
    for (int round = 0; round < 60; round++) {
        AUTO(wr_linear_system_destroy)
        wr_linear_system *s = circuit(random_count(2, 20), random_count(1, 10));
        const double s0 =
            round % 2 ? 0.3 : 2.0; /* s0 is not 0, because two coils at a node make G singular */
        wr_passivity full, small;
        AUTO(wr_basis_destroy) wr_basis *basis = NULL;
        int i_point = 0;
        assert_int_equal(wr_passivity_of_system(s, &full), WRSIM_OK);
        assert_true(wr_passivity_is_stable(&full) && full.has_ports);
        assert_int_equal(wr_basis_create(s, &s0, 1, s->n, &basis, &i_point), WRSIM_OK);
        for (int q = 1; q <= basis->n_vector; q++) {
            AUTO(wr_reduced_destroy) wr_reduced *reduced = wr_reduced_project(s, basis->v, q);
            AUTO(wr_state_space_destroy) wr_state_space *space = NULL;
            assert_int_equal(wr_passivity_of_reduced(reduced, &small), WRSIM_OK);
            assert_true(wr_passivity_is_stable(&small) && small.has_ports);
            assert_int_equal(wr_state_space_create(reduced, basis->v, s->n, &space), WRSIM_OK);
            double fastest = 0.0;
            for (int i = 0; i < space->n; i++)
                fastest = fmax(fastest, cabs(space->pole[i]));
            assert_true(wr_state_space_growth(space) <= 1e-9 * fastest);
            for (double w = 1e-3; w < 1e3; w *= 10.0) {
                double complex h;
                assert_int_equal(wr_reduced_transfer(reduced, CMPLX(0.0, w), &h), WRSIM_OK);
                assert_true(creal(h) >= -1e-12 * cabs(h));
            }
        }
    }
}

TEST(circuits_that_are_not_passive_are_reported)
{
    wr_passivity p;
    AUTO(wr_linear_system_destroy) wr_linear_system *s = ladder(30);
    assert_int_equal(wr_passivity_of_system(s, &p), WRSIM_OK);
    assert_true(wr_passivity_is_stable(&p));
    assert_false(
        p.has_ports); /* input and output are at opposite ends of the ladder, so they form no port */
    s->G->value[0] = -2.0;
    assert_int_equal(wr_passivity_of_system(s, &p), WRSIM_OK);
    assert_false(p.is_G_semidefinite);
    s->C->value[3] = -1e-3;
    assert_int_equal(wr_passivity_of_system(s, &p), WRSIM_OK);
    assert_false(p.is_C_semidefinite);
}

/* ---- Choosing an order ---- */

static const double zero = 0.0;
static const wr_reduction_options by_default = {
    .max_order = 60, .error = 1e-3, .s0 = &zero, .n_s0 = 1, .n_sample = 31};

TEST(order_by_response)
{
    AUTO(wr_linear_system_destroy) wr_linear_system *s = ladder(300);
    wr_reduction_options options = by_default;
    options.low_Hz = 1e-7;
    options.high_Hz = 1e-4;
    double last = (double)INFINITY;
    int last_order = 0;
    for (options.error = 1e-1; options.error > 1e-8; options.error *= 0.1) {
        wr_reduction *r = NULL;
        wrsim_error err = {0};
        assert_int_equal(wr_reduction_create(s, &options, &r, &err), WRSIM_OK);
        const wr_reduction_trial *const t = &r->trial[r->i_chosen];
        assert_true(t->error.error <= options.error && t->error.error <= last);
        assert_true(t->order >= last_order && t->order < 30);
        if (r->n_trial > 1) /* the trial before is too inaccurate */
            assert_true(r->trial[r->n_trial - 2].error.error > options.error);
        /* The reported error is the true error. */
        double complex full, small;
        dense_transfer(s, CMPLX(0.0, 6.283185307179586 * t->error.hz), &full);
        assert_int_equal(
            wr_reduced_transfer(r->reduced, CMPLX(0.0, 6.283185307179586 * t->error.hz), &small),
            WRSIM_OK);
        assert_close(cabs(full - small), t->error.error, 1e-3,
                     1e-11); /* the peak of the transfer function is 1, at 0 Hz */
        assert_true(r->between.error <= 3.0 * options.error);
        last = t->error.error;
        last_order = t->order;
        wr_reduction_destroy(&r);
        if (options.error < 1e-6) /* dense elimination of 300 rows is slow */
            break;
    }
}

/* Returns a ladder with two open ends, so the system has no steady state and no finite response at 0 Hz. */
static wr_linear_system *floating_ladder(int n)
{
    wr_linear_system *const s = ladder(n);
    s->G->value[0] = 1.0;
    return s;
}

TEST(singular_G)
{
    AUTO(wr_linear_system_destroy) wr_linear_system *s = floating_ladder(40);
    wr_reduction_options options = by_default;
    options.low_Hz = 1e-5;
    options.high_Hz = 1e-2;
    AUTO(wr_reduction_destroy) wr_reduction *r = NULL;
    wrsim_error err = {0};
    assert_int_equal(wr_reduction_create(s, &options, &r, &err), WRSIM_E_ARG);
    assert_non_null(strstr(err.text, "G is singular"));
    const char *const proposed = strstr(err.text, "--expand ");
    assert_non_null(proposed);
    /* The proposed options work. */
    const double s0 = strtod(proposed + strlen("--expand "), NULL);
    assert_true(s0 > 0.0);
    options.s0 = &s0;
    err = (wrsim_error){0};
    if (wr_reduction_create(s, &options, &r, &err) != WRSIM_OK)
        fail_msg("%s", err.text);
    double slowest = (double)INFINITY;
    for (int i = 0; i < r->space->n; i++)
        slowest = fmin(slowest, cabs(r->space->pole[i]));
    assert_true(slowest < 1e-9); /* the integrator */
}

TEST(undetermined_equations)
{
    AUTO(wr_linear_system_destroy) wr_linear_system *s = ladder(5);
    for (int j = 0; j < 5; j++) { /* the third row is zero */
        for (int k = s->G->start[j]; k < s->G->start[j + 1]; k++)
            if (s->G->row[k] == 2)
                s->G->value[k] = 0.0;
        for (int k = s->C->start[j]; k < s->C->start[j + 1]; k++)
            if (s->C->row[k] == 2)
                s->C->value[k] = 0.0;
    }
    wr_reduction *r = NULL;
    wrsim_error err = {0};
    assert_int_equal(wr_reduction_create(s, &by_default, &r, &err), WRSIM_E_ARG);
    assert_non_null(strstr(err.text, "singular for every s"));
    assert_null(r);
}

/* A response without a value at one frequency has no finite error, also if later frequencies agree. */
TEST(a_missing_value_stays_the_error)
{
    double hz[] = {1.0, 2.0, 3.0};
    double complex full[] = {1.0, 1.0, 1.0}, other[] = {1.0, (double)NAN, 0.5};
    const double peak[] = {1.0};
    const wr_response a = {3, 1, 1, hz, full}, b = {3, 1, 1, hz, other};
    const wr_response_error found = wr_response_compare(&a, &b, peak);
    assert_true(isnan(found.error));
    assert_true(found.hz == 2.0);
}

TEST(not_near_enough)
{
    AUTO(wr_linear_system_destroy) wr_linear_system *s = ladder(300);
    wr_reduction_options options = by_default;
    options.low_Hz = 1e-6;
    options.high_Hz = 1e-1;
    options.max_order = 3;
    options.error = 1e-9;
    wr_reduction *r = NULL;
    wrsim_error err = {0};
    assert_int_equal(wr_reduction_create(s, &options, &r, &err), WRSIM_E_ARG);
    assert_non_null(strstr(err.text, "no order up to 3 is sufficient"));
}

/* A system with poles right of the imaginary axis needs the option `order`. */
TEST(growing_system)
{
    AUTO(wr_linear_system_destroy) wr_linear_system *s = ladder(4);
    for (int k = 0; k < s->G->n_nonzero; k++)
        s->G->value[k] = -s->G->value[k];
    wr_reduction_options options = by_default;
    options.low_Hz = 1e-3;
    options.high_Hz = 1.0;
    AUTO(wr_reduction_destroy) wr_reduction *r = NULL;
    wrsim_error err = {0};
    assert_int_equal(wr_reduction_create(s, &options, &r, &err), WRSIM_E_ARG);
    assert_non_null(strstr(err.text, "sufficient orders are unstable"));
    options.order = 4;
    assert_int_equal(wr_reduction_create(s, &options, &r, &err), WRSIM_OK);
    assert_true(r->trial[r->i_chosen].growth > 0.0);
}
