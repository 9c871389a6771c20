/* Definiteness of the matrices G and C. See passivity.h. Thread: any. Real-time: no. */
#include "offline/reduction/passivity.h"

#include <math.h>
#include <stdlib.h>
#include <suitesparse/cholmod.h>

#include "base/auto_free.h"
#include "base/matrix.h"
#include "offline/algebra/lapack.h"

static void be_quiet(int status, const char *file, int line, const char *message)
{
    /* the return values of CHOLMOD's functions report errors */
    (void)status, (void)file, (void)line, (void)message;
}

/* Returns the upper triangle of a + a^T + shift I, or NULL when out of memory. */
static cholmod_sparse *symmetric_part(const wr_matrix *a, double shift, cholmod_common *common)
{
    const size_t n = (size_t)a->n_column;
    cholmod_triplet *t =
        cholmod_allocate_triplet(n, n, (size_t)a->n_nonzero + n, 1, CHOLMOD_REAL, common);
    if (!t)
        return NULL;
    int *const row = t->i, *const column = t->j;
    double *const value = t->x;
    for (int j = 0; j < a->n_column; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            const int i = a->row[k];
            row[t->nnz] = i < j ? i : j;
            column[t->nnz] = i < j ? j : i;
            value[t->nnz++] = i == j ? 2.0 * a->value[k] : a->value[k];
        }
    for (int j = 0; j < a->n_column; j++) {
        row[t->nnz] = column[t->nnz] = j;
        value[t->nnz++] = shift;
    }
    cholmod_sparse *const sum = cholmod_triplet_to_sparse(t, t->nnz, common);
    cholmod_free_triplet(&t, common);
    return sum;
}

/* Returns 1 if all pivots are positive. The pivot of a column is its first entry in the simplicial factor L. `minor`
 * is the first column without factors. */
static int has_positive_pivots(const cholmod_factor *factor)
{
    const int *const start = factor->p;
    const double *const value = factor->x;
    if (factor->minor < factor->n)
        return 0;
    for (size_t j = 0; j < factor->n; j++)
        if (!(value[start[j]] > 0.0))
            return 0;
    return 1;
}

/* Tests the symmetric part (a + a^T) / 2 of a square matrix by a Cholesky factorisation (Chen, Davis, Hager and
 * Rajamanickam, "Algorithm 887: CHOLMOD", ACM TOMS 35, 2008). Returns 1 if no eigenvalue is below -tolerance times
 * the largest diagonal entry, else 0; -1 when out of memory. Rounding errors require tolerance > n DBL_EPSILON. */
static int is_semidefinite(const wr_matrix *a, double tolerance)
{
    double diagonal = 0.0;
    for (int j = 0; j < a->n_column; j++)
        diagonal = fmax(diagonal, fabs(wr_matrix_at(a, j, j)));
    const double shift = 2.0 * tolerance * diagonal;
    if (!(shift > 0.0)) /* a matrix with a zero diagonal passes only if all its entries are 0 */
        for (int k = 0; k < a->n_nonzero; k++)
            if (a->value[k] > 0.0 || a->value[k] < 0.0)
                return 0;
    cholmod_common common;
    cholmod_start(&common);
    common.error_handler = be_quiet;
    common.supernodal = CHOLMOD_SIMPLICIAL; /* LDL^T, which continues after a negative pivot */
    cholmod_sparse *sum = symmetric_part(a, shift > 0.0 ? shift : 1.0, &common);
    cholmod_factor *factor = sum ? cholmod_analyze(sum, &common) : NULL;
    const int is_factored = factor && cholmod_factorize(sum, factor, &common);
    const int answer = is_factored ? has_positive_pivots(factor) : -1;
    cholmod_free_factor(&factor, &common);
    cholmod_free_sparse(&sum, &common);
    cholmod_finish(&common);
    return answer;
}

/* Tolerance of the tests (assumed). Sums of n products have rounding errors of about n DBL_EPSILON. */
static const double TOLERANCE = 1e-12;

static int is_symmetric(const wr_matrix *m)
{
    const double limit = TOLERANCE * wr_largest(m->value, (size_t)m->n_nonzero);
    for (int j = 0; j < m->n_column; j++)
        for (int k = m->start[j]; k < m->start[j + 1]; k++)
            if (fabs(m->value[k] - wr_matrix_at(m, j, m->row[k])) > limit)
                return 0;
    return 1;
}

static int is_same(const double *a, const double *b, size_t n)
{
    const double limit = TOLERANCE * wr_largest(a, n);
    for (size_t i = 0; i < n; i++)
        if (fabs(a[i] - b[i]) > limit)
            return 0;
    return 1;
}

wrsim_status wr_passivity_of_system(const wr_linear_system *s, wr_passivity *ret)
{
    const int G = is_semidefinite(s->G, TOLERANCE), C = is_semidefinite(s->C, TOLERANCE);
    if (G < 0 || C < 0)
        return WRSIM_E_MEMORY;
    *ret = (wr_passivity){
        .is_C_symmetric = is_symmetric(s->C),
        .is_C_semidefinite = C,
        .is_G_semidefinite = G,
        .has_ports = !s->has_rate && s->n_input == s->n_output &&
                     is_same(s->B, s->L, (size_t)s->n * (size_t)s->n_input),
    };
    return WRSIM_OK;
}

/* Sets *ret_is_semidefinite by comparing the smallest eigenvalue of the symmetric part with the largest magnitude of an eigenvalue. */
static wrsim_status judge(const double *a, int q, int *ret_is_semidefinite)
{
    const size_t size = (size_t)q;
    WR_AUTO_FREE double *const sum = malloc((size * size + size + 1) * sizeof *sum);
    if (!sum)
        return WRSIM_E_MEMORY;
    double *const value = sum + size * size;
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++)
            sum[j * size + i] = 0.5 * (a[j * size + i] + a[i * size + j]);
    const wrsim_status status = wr_lapack_eigen_symmetric(q, sum, value);
    if (status == WRSIM_OK)
        *ret_is_semidefinite = value[0] >= -TOLERANCE * wr_largest(value, size);
    return status;
}

wrsim_status wr_passivity_of_reduced(const wr_reduced *r, wr_passivity *ret)
{
    int is_C = 0, is_G = 0, is_symmetric_C = 1;
    wrsim_status status = judge(r->C, r->q, &is_C);
    WR_THEN(status, judge(r->G, r->q, &is_G));
    const double limit = TOLERANCE * wr_largest(r->C, (size_t)r->q * (size_t)r->q);
    for (int j = 0; j < r->q; j++)
        for (int i = 0; i < j; i++)
            is_symmetric_C &= fabs(r->C[j * r->q + i] - r->C[i * r->q + j]) <= limit;
    if (status == WRSIM_OK)
        *ret = (wr_passivity){is_symmetric_C, is_C, is_G,
                              r->n_column == r->n_output &&
                                  is_same(r->B, r->L, (size_t)r->q * (size_t)r->n_output)};
    return status;
}
