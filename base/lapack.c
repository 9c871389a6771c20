/* LAPACK behind plain C. See lapack.h.
 *
 * Thread: any, on different data. Real-time: no.
 */
#include "base/lapack.h"

#include <math.h>
#include <stdlib.h>

#include <lapacke.h>

static int is_finite(size_t n, const double *a)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(a[i]))
            return 0;
    return 1;
}

/* info > 0: so many eigenvalues have not converged; < 0: memory, for arguments are right and finite. */
static wrsim_status status_of(lapack_int info)
{
    if (info == 0)
        return WRSIM_OK;
    return info > 0 ? WRSIM_E_SOLVER : WRSIM_E_MEMORY;
}

/* LAPACK packs a conjugate pair of vectors into two real columns: real part, imaginary part. */
static void unpack(int n, const double *im, const double *packed, double complex *ret_vector)
{
    const size_t size = (size_t)n;
    for (size_t j = 0; j < size; j++) {
        const double *const re = packed + j * size;
        const int is_pair = im[j] > 0.0 && j + 1 < size;
        for (size_t i = 0; i < size; i++) {
            ret_vector[j * size + i] = is_pair ? CMPLX(re[i], re[size + i]) : re[i];
            if (is_pair)
                ret_vector[(j + 1) * size + i] = CMPLX(re[i], -re[size + i]);
        }
        j += is_pair;
    }
}

wrsim_status wr_lapack_eigen(int n, double *a, double complex *ret_value, double complex *ret_left,
                             double complex *ret_right)
{
    const size_t size = (size_t)n;
    if (n == 0)
        return WRSIM_OK;
    if (!is_finite(size * size, a))
        return WRSIM_E_NAN;
    double *const work =
        malloc((2 + (ret_left ? size : 0) + (ret_right ? size : 0)) * size * sizeof *work);
    if (!work)
        return WRSIM_E_MEMORY;
    double *const re = work, *const im = re + size, *const left = im + size;
    double *const right = left + (ret_left ? size * size : 0);
    const wrsim_status status =
        status_of(LAPACKE_dgeev(LAPACK_COL_MAJOR, ret_left ? 'V' : 'N', ret_right ? 'V' : 'N', n, a,
                                n, re, im, left, n, right, n));
    for (size_t i = 0; i < size && status == WRSIM_OK; i++)
        ret_value[i] = CMPLX(re[i], im[i]);
    if (status == WRSIM_OK && ret_left)
        unpack(n, im, left, ret_left);
    if (status == WRSIM_OK && ret_right)
        unpack(n, im, right, ret_right);
    free(work);
    return status;
}

wrsim_status wr_lapack_eigen_complex(int n, double complex *a, double complex *ret_value)
{
    if (n == 0)
        return WRSIM_OK;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        if (!isfinite(creal(a[i])) || !isfinite(cimag(a[i])))
            return WRSIM_E_NAN;
    return status_of(
        LAPACKE_zgeev(LAPACK_COL_MAJOR, 'N', 'N', n, a, n, ret_value, NULL, n, NULL, n));
}

wrsim_status wr_lapack_eigen_symmetric(int n, double *a, double *ret_value)
{
    if (n == 0)
        return WRSIM_OK;
    if (!is_finite((size_t)n * (size_t)n, a))
        return WRSIM_E_NAN;
    return status_of(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', n, a, n, ret_value));
}

wrsim_status wr_lapack_singular(int n_row, int n_column, double *a, double *ret_value,
                                double *ret_left, double *ret_right_t)
{
    if (n_row == 0 || n_column == 0)
        return WRSIM_OK;
    if (!is_finite((size_t)n_row * (size_t)n_column, a))
        return WRSIM_E_NAN;
    return status_of(LAPACKE_dgesdd(LAPACK_COL_MAJOR, ret_left ? 'A' : 'N', n_row, n_column, a,
                                    n_row, ret_value, ret_left, n_row, ret_right_t, n_column));
}

wrsim_status wr_lapack_solve_complex(int n, double complex *a, int n_b, double complex *b)
{
    if (n == 0 || n_b == 0)
        return WRSIM_OK;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        if (!isfinite(creal(a[i])) || !isfinite(cimag(a[i])))
            return WRSIM_E_NAN;
    lapack_int *const pivot = malloc((size_t)n * sizeof *pivot);
    if (!pivot)
        return WRSIM_E_MEMORY;
    const wrsim_status status =
        status_of(LAPACKE_zgesv(LAPACK_COL_MAJOR, n, n_b, a, n, pivot, b, n));
    free(pivot);
    return status;
}
