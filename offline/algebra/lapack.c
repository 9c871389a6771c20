/* C interface to LAPACK. See lapack.h. Thread: any, on different data. Real-time: no. */
#include "offline/algebra/lapack.h"

#include <math.h>
#include <stdlib.h>

#include <lapacke.h>

#include "base/auto_free.h"

static int is_finite(size_t n, const double *a)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(a[i]))
            return 0;
    return 1;
}

/* Converts LAPACK's info to a status. A positive info means no convergence or a singular matrix. A negative info means that memory is
 * exhausted, because callers pass valid and finite arguments. */
static wrsim_status status_of(lapack_int info)
{
    if (info == 0)
        return WRSIM_OK;
    return info > 0 ? WRSIM_E_SOLVER : WRSIM_E_MEMORY;
}

/* Unpacks eigenvectors. LAPACK stores the eigenvectors of a conjugate pair as two real columns: the real part, then the imaginary part. */
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
    WR_AUTO_FREE double *const work =
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
    return status;
}

wrsim_status wr_lapack_eigen_complex(int n, double complex *a, double complex *ret_value)
{
    if (n == 0)
        return WRSIM_OK;
    if (!is_finite(2 * (size_t)n * (size_t)n, (const double *)a))
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

wrsim_status wr_lapack_solve(int n, int n_rhs, double *a, double *b, double *ret_rcond)
{
    const size_t size = (size_t)n;
    *ret_rcond = 1.0;
    if (n == 0)
        return WRSIM_OK;
    if (!is_finite(size * size, a) || !is_finite(size * (size_t)n_rhs, b))
        return WRSIM_E_NAN;
    WR_AUTO_FREE lapack_int *const pivot = malloc(size * sizeof *pivot);
    if (!pivot)
        return WRSIM_E_MEMORY;
    const double norm = LAPACKE_dlange(LAPACK_COL_MAJOR, '1', n, n, a, n);
    lapack_int info = LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, a, n, pivot);
    if (info > 0)
        *ret_rcond = 0.0;
    if (info == 0)
        info = LAPACKE_dgecon(LAPACK_COL_MAJOR, '1', n, a, n, norm, ret_rcond);
    if (info == 0)
        info = LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', n, n_rhs, a, n, pivot, b, n);
    return status_of(info);
}

wrsim_status wr_lapack_solve_complex(int n, int n_rhs, double complex *a, double complex *b,
                                     double *ret_rcond)
{
    const size_t size = (size_t)n;
    *ret_rcond = 1.0;
    if (n == 0)
        return WRSIM_OK;
    if (!is_finite(2 * size * size, (const double *)a) ||
        !is_finite(2 * size * (size_t)n_rhs, (const double *)b))
        return WRSIM_E_NAN;
    WR_AUTO_FREE lapack_int *const pivot = malloc(size * sizeof *pivot);
    if (!pivot)
        return WRSIM_E_MEMORY;
    const double norm = LAPACKE_zlange(LAPACK_COL_MAJOR, '1', n, n, a, n);
    lapack_int info = LAPACKE_zgetrf(LAPACK_COL_MAJOR, n, n, a, n, pivot);
    if (info > 0)
        *ret_rcond = 0.0;
    if (info == 0)
        info = LAPACKE_zgecon(LAPACK_COL_MAJOR, '1', n, a, n, norm, ret_rcond);
    if (info == 0)
        info = LAPACKE_zgetrs(LAPACK_COL_MAJOR, 'N', n, n_rhs, a, n, pivot, b, n);
    return status_of(info);
}

wrsim_status wr_lapack_pencil_eigen(int n, double *a, double *b, double complex *ret_alpha,
                                    double *ret_beta)
{
    const size_t size = (size_t)n;
    if (n == 0)
        return WRSIM_OK;
    if (!is_finite(size * size, a) || !is_finite(size * size, b))
        return WRSIM_E_NAN;
    WR_AUTO_FREE double *const re = malloc(2 * size * sizeof *re);
    if (!re)
        return WRSIM_E_MEMORY;
    double *const im = re + size;
    const wrsim_status status = status_of(LAPACKE_dggev(LAPACK_COL_MAJOR, 'N', 'N', n, a, n, b, n,
                                                        re, im, ret_beta, NULL, n, NULL, n));
    for (size_t i = 0; i < size && status == WRSIM_OK; i++)
        ret_alpha[i] = CMPLX(re[i], im[i]);
    return status;
}

wrsim_status wr_lapack_schur(const double *a, const double *b, wr_schur *ret_schur)
{
    const int n = ret_schur->n;
    const size_t count = (size_t)n * (size_t)n;
    lapack_int n_selected;
    if (n == 0)
        return WRSIM_OK;
    if (!is_finite(count, a) || !is_finite(count, b))
        return WRSIM_E_NAN;
    for (size_t i = 0; i < count; i++) {
        ret_schur->s[i] = a[i];
        ret_schur->t[i] = b[i];
    }
    return status_of(LAPACKE_zgges(LAPACK_COL_MAJOR, 'V', 'V', 'N', NULL, n, ret_schur->s, n,
                                   ret_schur->t, n, &n_selected, ret_schur->alpha, ret_schur->beta,
                                   ret_schur->q, n, ret_schur->z, n));
}

wrsim_status wr_lapack_schur_reorder(const int *is_marked, wr_schur *schur)
{
    const int n = schur->n;
    double pl, pr, dif[2];
    lapack_int n_selected, whole_work[1];
    double complex work[1];
    if (n == 0)
        return WRSIM_OK;
    /* ijob 0 only reorders the factors, with one element of working memory. LAPACKE_ztgsen() would pass no memory, but ztgsen writes to its
     * working memory. */
    return status_of(LAPACKE_ztgsen_work(
        LAPACK_COL_MAJOR, 0, 1, 1, is_marked, n, schur->s, n, schur->t, n, schur->alpha,
        schur->beta, schur->q, n, schur->z, n, &n_selected, &pl, &pr, dif, work, 1, whole_work, 1));
}
