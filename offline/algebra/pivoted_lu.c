/* KLU with pivoting. See pivoted_lu.h. Thread: one at a time. Real-time: no. */
#include "offline/algebra/pivoted_lu.h"

#include <math.h>
#include <stdlib.h>
#include <suitesparse/klu.h>

#include "base/check.h"

/* Smallest ratio of pivots, after scaling, of a regular matrix (assumed). In a singular matrix rounding leaves a last pivot of about n
 * DBL_EPSILON. */
static const double MIN_PIVOT_RATIO = 1e-14;

struct wr_pivoted_lu {
    const wr_matrix *pattern; /* the caller's matrix; the factorisation uses only its pattern */
    klu_common common;        /* settings and results of KLU */
    klu_symbolic *symbolic;   /* ordering for the pattern */
    klu_numeric *numeric;     /* the last factors; NULL: none */
    int is_complex;           /* 1: the last factors are complex */
    double *scale;            /* [n] factors of the columns */
    double complex *work;     /* [n_nonzero] the scaled values */
};

static void free_numeric(wr_pivoted_lu *lu)
{
    if (lu->numeric && lu->is_complex)
        klu_z_free_numeric(&lu->numeric, &lu->common);
    else if (lu->numeric)
        klu_free_numeric(&lu->numeric, &lu->common);
}

wrsim_status wr_pivoted_lu_create(const wr_matrix *pattern, wr_pivoted_lu **ret_lu)
{
    wr_pivoted_lu *lu = calloc(1, sizeof *lu);
    if (!lu)
        return WRSIM_E_MEMORY;
    lu->pattern = pattern;
    klu_defaults(&lu->common);
    lu->scale = calloc((size_t)pattern->n_column + 1, sizeof *lu->scale);
    lu->work = calloc((size_t)pattern->n_nonzero + 1, sizeof *lu->work);
    lu->symbolic = klu_analyze(pattern->n_column, pattern->start, pattern->row, &lu->common);
    if (!lu->symbolic || !lu->scale || !lu->work)
        wr_pivoted_lu_destroy(&lu);
    *ret_lu = lu;
    return lu ? WRSIM_OK : WRSIM_E_MEMORY;
}

void wr_pivoted_lu_destroy(wr_pivoted_lu **lu)
{
    if (!lu || !*lu)
        return;
    free_numeric(*lu);
    klu_free_symbolic(&(*lu)->symbolic, &(*lu)->common);
    free((*lu)->scale);
    free((*lu)->work);
    free(*lu);
    *lu = NULL;
}

/* Computes the scales of the columns from the magnitudes in work. Returns WRSIM_OK, or a negative status if a column is zero or not
 * finite. */
static wrsim_status find_scales(wr_pivoted_lu *lu)
{
    const wr_matrix *const p = lu->pattern;
    for (int j = 0; j < p->n_column; j++) {
        double most = 0.0;
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            const double size = cabs(lu->work[k]);
            if (!isfinite(size))
                return WRSIM_E_NAN;
            most = fmax(most, size);
        }
        if (!(most > 0.0))
            return WRSIM_E_SOLVER;
        lu->scale[j] = 1.0 / most;
    }
    return WRSIM_OK;
}

/* Converts KLU's result to a status. Factors whose pivots have a ratio below MIN_PIVOT_RATIO count as singular. */
static wrsim_status judge(wr_pivoted_lu *lu)
{
    if (lu->common.status == KLU_SINGULAR)
        return WRSIM_E_SOLVER;
    if (!lu->numeric)
        return WRSIM_E_MEMORY;
    const int is_had = lu->is_complex ? klu_z_rcond(lu->symbolic, lu->numeric, &lu->common)
                                      : klu_rcond(lu->symbolic, lu->numeric, &lu->common);
    return is_had && lu->common.rcond >= MIN_PIVOT_RATIO ? WRSIM_OK : WRSIM_E_SOLVER;
}

wrsim_status wr_pivoted_lu_factor(wr_pivoted_lu *lu, const double *value)
{
    const wr_matrix *const p = lu->pattern;
    for (int k = 0; k < p->n_nonzero; k++)
        lu->work[k] = value[k];
    WR_TRY(find_scales(lu));
    double *const scaled = (double *)lu->work; /* real values use half of work */
    for (int j = 0; j < p->n_column; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            scaled[k] = lu->scale[j] * value[k];
    free_numeric(lu);
    lu->is_complex = 0;
    lu->numeric = klu_factor(p->start, p->row, scaled, lu->symbolic, &lu->common);
    return judge(lu);
}

wrsim_status wr_pivoted_lu_factor_complex(wr_pivoted_lu *lu, const double complex *value)
{
    const wr_matrix *const p = lu->pattern;
    for (int k = 0; k < p->n_nonzero; k++)
        lu->work[k] = value[k];
    WR_TRY(find_scales(lu));
    for (int j = 0; j < p->n_column; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            lu->work[k] *= lu->scale[j];
    free_numeric(lu);
    lu->is_complex = 1;
    lu->numeric = klu_z_factor(p->start, p->row, (double *)lu->work, lu->symbolic, &lu->common);
    return judge(lu);
}

/* Solves (A S) y = b, then x = S y, where S contains the scales of the columns. */
void wr_pivoted_lu_solve(wr_pivoted_lu *lu, int n_b, double *b)
{
    const int n = lu->pattern->n_column;
    /* klu_solve() fails only for a NULL argument */
    (void)klu_solve(lu->symbolic, lu->numeric, n, n_b, b, &lu->common);
    for (int j = 0; j < n_b; j++)
        for (int i = 0; i < n; i++)
            b[(size_t)j * (size_t)n + (size_t)i] *= lu->scale[i];
}

void wr_pivoted_lu_solve_complex(wr_pivoted_lu *lu, int n_b, double complex *b)
{
    const int n = lu->pattern->n_column;
    (void)klu_z_solve(lu->symbolic, lu->numeric, n, n_b, (double *)b, &lu->common);
    for (int j = 0; j < n_b; j++)
        for (int i = 0; i < n; i++)
            b[(size_t)j * (size_t)n + (size_t)i] *= lu->scale[i];
}
