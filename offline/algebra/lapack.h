/* A C interface to LAPACK for dense matrices of doubles, column-major (a[column * n + row]) (Anderson et al., "LAPACK
 * Users' Guide", 3rd ed., 1999). Each call allocates and frees its working memory.
 *
 * Thread: any, on different data. Real-time: no. */
#ifndef WR_LAPACK_H
#define WR_LAPACK_H

#include "base/complex_values.h"
#include "wrsim/status.h"

/* Computes the eigenvalues of a general real matrix a[n * n] and overwrites a (dgeev: balancing, QR algorithm). Conjugate pairs are
 * adjacent, with the positive imaginary part first. ret_left and ret_right (may be NULL) receive [n * n] left and right eigenvectors as
 * columns of Euclidean length 1, where left^H a = value left^H. Returns WRSIM_OK, WRSIM_E_NAN if a is not finite, WRSIM_E_SOLVER if the
 * algorithm does not converge, or WRSIM_E_MEMORY. */
wrsim_status wr_lapack_eigen(int n, double *a, double complex *ret_value, double complex *ret_left,
                             double complex *ret_right);

/* Computes the eigenvalues of a general complex matrix a[n * n] and overwrites a (zgeev). Returns the statuses of wr_lapack_eigen(). */
wrsim_status wr_lapack_eigen_complex(int n, double complex *a, double complex *ret_value);

/* Computes the eigenvalues of a symmetric matrix a[n * n] in ascending order. Uses only the upper triangle of a, but all elements must be
 * finite. Overwrites a (dsyev). Returns the statuses of wr_lapack_eigen(). */
wrsim_status wr_lapack_eigen_symmetric(int n, double *a, double *ret_value);

/* Computes the min(n_row, n_column) singular values of a[n_row * n_column] in descending order and overwrites a (dgesdd). ret_left [n_row *
 * n_row] and ret_right_t [n_column * n_column] (both or none may be NULL) receive the singular vectors, a = left diag(value) right_t.
 * Returns the statuses of wr_lapack_eigen(). */
wrsim_status wr_lapack_singular(int n_row, int n_column, double *a, double *ret_value,
                                double *ret_left, double *ret_right_t);

/* Solves a x = b for n_rhs right-hand sides in the columns of b[n * n_rhs]. Overwrites b by x and a[n * n] by the LU factors of a.
 * *ret_rcond is an estimate of the reciprocal condition number of a in the 1-norm. Returns WRSIM_OK, WRSIM_E_NAN if a or b is not
 * finite, WRSIM_E_SOLVER with *ret_rcond 0 and undefined b if a is singular, or WRSIM_E_MEMORY. */
wrsim_status wr_lapack_solve(int n, int n_rhs, double *a, double *b, double *ret_rcond);
wrsim_status wr_lapack_solve_complex(int n, int n_rhs, double complex *a, double complex *b,
                                     double *ret_rcond);

/* Computes the eigenvalues alpha / beta of the real pencil (a, b) and overwrites a and b (dggev: QZ algorithm). If alpha and beta of an
 * eigenvalue are about 0, the pencil is singular. Returns the statuses of wr_lapack_eigen(). */
wrsim_status wr_lapack_pencil_eigen(int n, double *a, double *b, double complex *ret_alpha,
                                    double *ret_beta);

/* Generalised Schur form of a pencil (A, B): A = Q S Z^H, B = Q T Z^H, with upper triangular S and T. The matrices are [n * n] and
 * column-major. The caller owns all arrays. */
typedef struct wr_schur {
    int n;                 /* size of the matrices */
    double complex *s;     /* S, upper triangular */
    double complex *t;     /* T, upper triangular */
    double complex *q;     /* Q, unitary */
    double complex *z;     /* Z, unitary */
    double complex *alpha; /* [n] numerators of the eigenvalues, in the order of the diagonals */
    double complex *beta;  /* [n] denominators of the eigenvalues, in the order of the diagonals */
} wr_schur;

/* Computes the Schur form of the real pencil (a, b) without changing a and b (zgges: QZ algorithm). Returns the statuses of
 * wr_lapack_eigen(). */
wrsim_status wr_lapack_schur(const double *a, const double *b, wr_schur *ret_schur);
/* Moves the marked eigenvalues to the first positions of the diagonals, in unchanged order (ztgsen: Givens rotations). is_marked[n]: 1 for
 * an eigenvalue to move. Returns WRSIM_OK, or WRSIM_E_SOLVER if eigenvalues are too close for an accurate result. */
wrsim_status wr_lapack_schur_reorder(const int *is_marked, wr_schur *schur);

#endif
