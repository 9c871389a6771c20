/* LAPACK behind plain C: dense matrices of doubles, column-major (a[column * n + row]).
 *
 * (Anderson et al., "LAPACK Users' Guide", 3rd ed., 1999.) The only place that includes lapacke.h. Work memory is taken from
 * the heap and freed again; nothing is kept between calls.
 *
 * Thread: any, on different data. Real-time: no.
 */
#ifndef WR_LAPACK_H
#define WR_LAPACK_H

#include "base/complex_values.h"
#include "wrsim/status.h"

/* Eigenvalues of a general real a[n * n], which is overwritten (dgeev: balanced, QR algorithm). Conjugate pairs stand side
 * by side, the positive imaginary part first. ret_left, ret_right: [n * n] eigenvectors in columns, of Euclidean length
 * 1, with left^H a = value left^H; NULL: not wanted. Returns WRSIM_OK, WRSIM_E_NAN when a is not finite,
 * WRSIM_E_SOLVER when the algorithm does not converge, WRSIM_E_MEMORY. */
wrsim_status wr_lapack_eigen(int n, double *a, double complex *ret_value, double complex *ret_left,
                             double complex *ret_right);

/* Eigenvalues of a general complex a[n * n], which is overwritten (zgeev). Returns as above. */
wrsim_status wr_lapack_eigen_complex(int n, double complex *a, double complex *ret_value);

/* Eigenvalues of a symmetric a[n * n], ascending; its upper triangle is read, and it is overwritten (dsyev). Returns as
 * above. */
wrsim_status wr_lapack_eigen_symmetric(int n, double *a, double *ret_value);

/* Singular values of a[n_row * n_column], descending, min(n_row, n_column) of them; a is overwritten (dgesdd). ret_left
 * [n_row * n_row], ret_right_t [n_column * n_column]: the vectors, a = left diag(value) right_t; both NULL: not wanted.
 * Returns as above. */
wrsim_status wr_lapack_singular(int n_row, int n_column, double *a, double *ret_value,
                                double *ret_left, double *ret_right_t);

/* Solves a x = b for n_rhs columns of b[n_rhs * n], which become x; a[n * n] becomes its LU factors. Writes an estimate of a's
 * reciprocal condition in the 1-norm, which is 0 where a is singular; WRSIM_E_SOLVER then, and b is of no use. */
wrsim_status wr_lapack_solve(int n, int n_rhs, double *a, double *b, double *ret_rcond);
wrsim_status wr_lapack_solve_complex(int n, int n_rhs, double complex *a, double complex *b,
                                     double *ret_rcond);

/* Eigenvalues alpha / beta of the real pencil (a, b), both overwritten (dggev: QZ algorithm). alpha and beta may both be
 * about 0: then the pencil is singular. Returns as wr_lapack_eigen(). */
wrsim_status wr_lapack_pencil_eigen(int n, double *a, double *b, double complex *ret_alpha,
                                    double *ret_beta);

/* Generalised Schur form of a pencil (A, B): A = Q S Z^H, B = Q T Z^H with S, T upper triangular. All [n * n], the caller's. */
typedef struct wr_schur {
    int n;
    double complex *s, *t, *q, *z;
    double complex *alpha, *beta; /* [n] eigenvalues alpha / beta in the order of the diagonals */
} wr_schur;

/* From the real A in a and B in b, which are not changed (zgges: QZ algorithm). Returns as wr_lapack_eigen(). */
wrsim_status wr_lapack_schur(const double *a, const double *b, wr_schur *ret_schur);
/* Moves the marked eigenvalues to the top, in their order (ztgsen: Givens rotations). WRSIM_E_SOLVER where that cannot be done
 * accurately: some are too close to others. */
wrsim_status wr_lapack_schur_reorder(const int *is_marked, wr_schur *schur);

#endif
