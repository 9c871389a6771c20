/* Cholesky factorisation of a shifted matrix by CHOLMOD. See semidefinite.h.
 *
 * Thread: any, on different data. Real-time: no. */
#include "offline/algebra/semidefinite.h"

#include <math.h>
#include <suitesparse/cholmod.h>

static void be_quiet(int status, const char *file, int line, const char *message)
{
    (void)status, (void)file, (void)line, (void)message; /* the return values report errors */
}

/* Returns the upper triangle of a + a^T + shift I, or NULL when out of memory. Every entry is added once as it is
 * and once transposed. */
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

static double largest_diagonal(const wr_matrix *a)
{
    double most = 0.0;
    for (int j = 0; j < a->n_column; j++)
        most = fmax(most, fabs(wr_matrix_at(a, j, j)));
    return most;
}

/* Returns 1 if all pivots are positive. The pivot of a column is its first entry in the simplicial factor L; minor
 * is the first column that could not be factorised. */
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

int wr_is_semidefinite(const wr_matrix *a, double tolerance)
{
    const double shift = 2.0 * tolerance * largest_diagonal(a);
    if (!(shift > 0.0)) /* with zeros on the whole diagonal, only the zero matrix is semidefinite */
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
