/* Definiteness of both matrices. See passivity.h.
 *
 * Thread: any. Real-time: no.
 */
#include "offline/reduction/passivity.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "offline/algebra/lapack.h"
#include "offline/algebra/semidefinite.h"

/* Tolerance relative to the largest entry: sums of n products have rounding errors of about n DBL_EPSILON. */
static const double TOLERANCE = 1e-12;

static double largest(const double *a, size_t n)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

static int is_symmetric(const wr_matrix *m)
{
    const double limit = TOLERANCE * largest(m->value, (size_t)m->n_nonzero);
    for (int j = 0; j < m->n_column; j++)
        for (int k = m->start[j]; k < m->start[j + 1]; k++)
            if (fabs(m->value[k] - wr_matrix_at(m, j, m->row[k])) > limit)
                return 0;
    return 1;
}

static int is_same(const double *a, const double *b, size_t n)
{
    const double limit = TOLERANCE * largest(a, n);
    for (size_t i = 0; i < n; i++)
        if (fabs(a[i] - b[i]) > limit)
            return 0;
    return 1;
}

wrsim_status wr_passivity_of_system(const wr_linear_system *s, wr_passivity *ret)
{
    const int G = wr_is_semidefinite(s->G, TOLERANCE), C = wr_is_semidefinite(s->C, TOLERANCE);
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

/* Compares the smallest eigenvalue of the symmetric part with the largest magnitude. */
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
        *ret_is_semidefinite = value[0] >= -TOLERANCE * largest(value, size);
    return status;
}

wrsim_status wr_passivity_of_reduced(const wr_reduced *r, wr_passivity *ret)
{
    int is_C = 0, is_G = 0, is_symmetric_C = 1;
    wrsim_status status = judge(r->C, r->q, &is_C);
    WR_THEN(status, judge(r->G, r->q, &is_G));
    const double limit = TOLERANCE * largest(r->C, (size_t)r->q * (size_t)r->q);
    for (int j = 0; j < r->q; j++)
        for (int i = 0; i < j; i++)
            is_symmetric_C &= fabs(r->C[j * r->q + i] - r->C[i * r->q + j]) <= limit;
    if (status == WRSIM_OK)
        *ret = (wr_passivity){is_symmetric_C, is_C, is_G,
                              r->n_column == r->n_output &&
                                  is_same(r->B, r->L, (size_t)r->q * (size_t)r->n_output)};
    return status;
}
