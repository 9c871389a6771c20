/* The module 'klu': factorises matrices with KLU. See sparse_lu.h for the contracts.
 *
 * Thread: one at a time. Real-time: factor and solve.
 */
#include <math.h>
#include <stdlib.h>
#include <suitesparse/klu.h>

#include "base/sparse_lu.h"

typedef struct klu_lu {
    wr_sparse_lu lu; /* first member, as sparse_lu.h requires */
    const wr_matrix *pattern;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    int is_odd; /* 1: the fixed permutation of rows and columns is odd */
    /* Factors by columns, in pivot order. The arrays of double are in one block, which begins at l; the arrays of int begin at l_start. */
    double *l, *u;
    int *l_start, *l_row, *u_start, *u_row;
    double *weight, *row, *sum, *product; /* [n] workspace of are_pivots_good() */
} klu_lu;

static klu_lu *klu_of(wr_sparse_lu *lu) { return (klu_lu *)(void *)lu; }

/* Allocates memory for the factors. Returns 0, or -1 when memory is exhausted. */
static int place_factors(klu_lu *lu)
{
    const size_t n = (size_t)lu->pattern->n_column;
    const size_t n_l = (size_t)lu->numeric->lnz, n_u = (size_t)lu->numeric->unz;
    lu->l = calloc(n_l + n_u + 4 * n + 1, sizeof *lu->l);
    lu->l_start = calloc(2 * (n + 1) + n_l + n_u, sizeof *lu->l_start);
    if (!lu->l || !lu->l_start)
        return -1;
    lu->u = lu->l + n_l;
    lu->weight = lu->u + n_u;
    lu->row = lu->weight + n;
    lu->sum = lu->row + n;
    lu->product = lu->sum + n;
    lu->u_start = lu->l_start + n + 1;
    lu->l_row = lu->u_start + n + 1;
    lu->u_row = lu->l_row + n_l;
    return 0;
}

/* Returns 1 for an odd permutation, which has an odd number of cycles of even length. The function marks entries by ~, and removes the
 * marks. */
static int is_odd(int *permutation, int n)
{
    int odd = 0;
    for (int i = 0; i < n; i++)
        for (int k = i, is_first = 1; permutation[k] >= 0; is_first = 0) {
            const int next = permutation[k];
            permutation[k] = ~next;
            odd ^= !is_first;
            k = next;
        }
    for (int i = 0; i < n; i++)
        permutation[i] = ~permutation[i];
    return odd;
}

static const wr_sparse_lu_ops ops;

static void destroy(wr_sparse_lu *sparse)
{
    klu_lu *const lu = klu_of(sparse);
    if (!lu)
        return;
    klu_free_numeric(&lu->numeric, &lu->common);
    klu_free_symbolic(&lu->symbolic, &lu->common);
    free(lu->l);
    free(lu->l_start);
    free(lu);
}

static wrsim_status create(const wr_matrix *pattern, wr_sparse_lu **ret_lu)
{
    wrsim_status status = WRSIM_E_MEMORY;
    const int n = pattern->n_column;
    int *const row_of_column = calloc((size_t)n + 1, sizeof *row_of_column);
    double *const values = calloc((size_t)pattern->n_nonzero + 1, sizeof *values);
    klu_lu *lu = calloc(1, sizeof *lu);
    const int n_matched = row_of_column ? wr_sparsity_match(pattern, row_of_column) : -1;
    if (!lu || !values || n_matched < 0)
        goto fail;
    if (pattern->n_row != n || n_matched != n) {
        status = WRSIM_E_ARG;
        goto fail;
    }
    /* klu_factor() chooses the pivots of the matching, because these values dominate all other values. */
    for (int j = 0; j < n; j++)
        for (int i = pattern->start[j]; i < pattern->start[j + 1]; i++)
            values[i] = pattern->row[i] == row_of_column[j] ? 1.0 : 1e-6;
    lu->pattern = pattern;
    klu_defaults(&lu->common);
    lu->symbolic = klu_analyze(n, pattern->start, pattern->row, &lu->common);
    if (!lu->symbolic)
        goto fail;
    lu->numeric = klu_factor(pattern->start, pattern->row, values, lu->symbolic, &lu->common);
    if (!lu->numeric || !klu_flops(lu->symbolic, lu->numeric, &lu->common) || place_factors(lu) < 0)
        goto fail;
    lu->lu = (wr_sparse_lu){.ops = &ops, .flop = lu->common.flops};
    lu->is_odd = is_odd(lu->numeric->Pnum, n) ^ is_odd(lu->symbolic->Q, n);
    free(values);
    free(row_of_column);
    *ret_lu = &lu->lu;
    return WRSIM_OK;
fail:
    free(values);
    free(row_of_column);
    destroy(lu ? &lu->lu : NULL);
    return status;
}

/* Returns 1 if |L| |U| is at most WR_LU_MOST_GROWTH times |A| in every row, with weighted columns; see sparse_lu.h. NaN gives 0. */
static int are_pivots_good(klu_lu *lu, const double *values)
{
    const int n = lu->pattern->n_column;
    const double *const scale = lu->numeric->Rs;
    if (!klu_extract(lu->numeric, lu->symbolic, lu->l_start, lu->l_row, lu->l, lu->u_start,
                     lu->u_row, lu->u, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &lu->common))
        return 0;
    for (int i = 0; i < n; i++)
        lu->row[i] = lu->sum[i] = lu->product[i] = 0.0;
    /* row[i] = sum over j of |a_ij| weight[j], where 1 / weight[j] = sum over i of |a_ij| */
    for (int j = 0; j < n; j++) {
        const int *const start = &lu->pattern->start[j];
        double sum = 0.0;
        for (int k = start[0]; k < start[1]; k++)
            sum += fabs(values[k]);
        lu->weight[j] = 1.0 / sum;
        for (int k = start[0]; k < start[1]; k++)
            lu->row[lu->pattern->row[k]] += lu->weight[j] * fabs(values[k]);
    }
    for (int j = 0; j < n; j++)
        for (int k = lu->u_start[j]; k < lu->u_start[j + 1]; k++)
            lu->sum[lu->u_row[k]] += lu->weight[lu->symbolic->Q[j]] * fabs(lu->u[k]);
    for (int j = 0; j < n; j++)
        for (int k = lu->l_start[j]; k < lu->l_start[j + 1]; k++)
            lu->product[lu->l_row[k]] += lu->sum[j] * fabs(lu->l[k]);
    int is_good = 1;
    for (int i = 0; i < n; i++)
        is_good &= lu->product[i] * (scale ? scale[i] : 1.0) <=
                   WR_LU_MOST_GROWTH * lu->row[lu->numeric->Pnum[i]];
    return is_good;
}

static int factor(wr_sparse_lu *sparse, double *values)
{
    klu_lu *const lu = klu_of(sparse);
    const wr_matrix *const pattern = lu->pattern;
    if (!klu_refactor(pattern->start, pattern->row, values, lu->symbolic, lu->numeric,
                      &lu->common) ||
        lu->common.status != KLU_OK)
        return 1;
    return !are_pivots_good(lu, values) || !klu_rcond(lu->symbolic, lu->numeric, &lu->common) ||
           !(lu->common.rcond > 0.0);
}

/* Returns the sign of the determinant, from the diagonal of U and the permutation. Row scales are positive, and blocks off the diagonal
 * have no influence. */
static int sign(const wr_sparse_lu *sparse)
{
    const klu_lu *const lu = (const klu_lu *)(const void *)sparse;
    const double *const u = lu->numeric->Udiag;
    int is_negative = lu->is_odd;
    for (int k = 0; k < lu->pattern->n_column; k++)
        is_negative ^= u[k] < 0.0;
    return is_negative ? -1 : 1;
}

static void solve(wr_sparse_lu *sparse, double *b)
{
    klu_lu *const lu = klu_of(sparse);
    const int n = lu->pattern->n_column;
    /* klu_solve() cannot fail, because no pointer is NULL and the sizes are valid */
    (void)klu_solve(lu->symbolic, lu->numeric, n, 1, b, &lu->common);
}

static const wr_sparse_lu_ops ops = {
    .create = create,
    .destroy = destroy,
    .factor = factor,
    .sign = sign,
    .solve = solve,
};

const wr_module wrsim_module = {WRSIM_VERSION_STRING, &ops};
