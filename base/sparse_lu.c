/* KLU behind our own interface; the only file that includes klu.h. See sparse_lu.h.
 *
 * Thread: one at a time. Real-time: factor and solve.
 */
#include "base/sparse_lu.h"

#include <math.h>
#include <stdlib.h>
#include <suitesparse/klu.h>

/* Smallest reciprocal pivot growth taken. The backward error of a solve is about DBL_EPSILON
 * divided by it (Higham, "Accuracy and Stability", theorem 9.5), here 2e-10: far below the error of
 * a differenced Jacobian. */
static const double MIN_RECIPROCAL_GROWTH = 1e-6;

struct wr_sparse_lu {
    const wr_sparsity *pattern;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double flop;
};

/* Writes 1 where pivots may be and something small elsewhere, so that the first factorisation puts them there. */
static void fill_dominant(const wr_sparsity *pattern, const int *row_of_column, double *ret_values)
{
    const double small = 1e-6;
    for (int column = 0; column < pattern->n_column; column++)
        for (int i = pattern->column_start[column]; i < pattern->column_start[column + 1]; i++)
            ret_values[i] = pattern->row[i] == row_of_column[column] ? 1.0 : small;
}

wrsim_status wr_sparse_lu_create(const wr_sparsity *pattern, wr_sparse_lu **ret_lu)
{
    wrsim_status status = WRSIM_E_MEMORY;
    const int n = pattern->n_column;
    int *const row_of_column = calloc((size_t)n + 1, sizeof *row_of_column);
    double *const values = calloc((size_t)pattern->n_nonzero + 1, sizeof *values);
    wr_sparse_lu *lu = calloc(1, sizeof *lu);
    const int n_matched = row_of_column ? wr_sparsity_match(pattern, row_of_column) : -1;
    if (!lu || !values || n_matched < 0)
        goto fail;
    if (pattern->n_row != n || n_matched != n) {
        status = WRSIM_E_ARG;
        goto fail;
    }
    fill_dominant(pattern, row_of_column, values);
    lu->pattern = pattern;
    klu_defaults(&lu->common);
    lu->symbolic = klu_analyze(n, pattern->column_start, pattern->row, &lu->common);
    if (!lu->symbolic)
        goto fail;
    lu->numeric =
        klu_factor(pattern->column_start, pattern->row, values, lu->symbolic, &lu->common);
    if (!lu->numeric || !klu_flops(lu->symbolic, lu->numeric, &lu->common))
        goto fail;
    lu->flop = lu->common.flops;
    free(values);
    free(row_of_column);
    *ret_lu = lu;
    return WRSIM_OK;
fail:
    free(values);
    free(row_of_column);
    wr_sparse_lu_destroy(&lu);
    return status;
}

void wr_sparse_lu_destroy(wr_sparse_lu **lu)
{
    if (!lu || !*lu)
        return;
    klu_free_numeric(&(*lu)->numeric, &(*lu)->common);
    klu_free_symbolic(&(*lu)->symbolic, &(*lu)->common);
    free(*lu);
    *lu = NULL;
}

int wr_sparse_lu_factor(wr_sparse_lu *lu, double *values)
{
    const wr_sparsity *const pattern = lu->pattern;
    if (!klu_refactor(pattern->column_start, pattern->row, values, lu->symbolic, lu->numeric,
                      &lu->common) ||
        lu->common.status != KLU_OK)
        return 1;
    if (!klu_rgrowth(pattern->column_start, pattern->row, values, lu->symbolic, lu->numeric,
                     &lu->common) ||
        !klu_rcond(lu->symbolic, lu->numeric, &lu->common))
        return 1;
    /* klu_rgrowth() passes over NaN, for which klu_rcond() gives 0. */
    return !(lu->common.rgrowth >= MIN_RECIPROCAL_GROWTH && lu->common.rcond > 0.0);
}

double wr_sparse_lu_flop(const wr_sparse_lu *lu) { return lu->flop; }

void wr_sparse_lu_solve(wr_sparse_lu *lu, double *b)
{
    const int n = lu->pattern->n_column;
    (void)klu_solve(lu->symbolic, lu->numeric, n, 1, b, &lu->common); /* fails on NULL only */
}
