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

/* Solves a x = b for n_b columns b[n * n_b], which become x; a[n * n] is overwritten (zgesv). WRSIM_E_SOLVER when a is
 * singular, otherwise as above. */
wrsim_status wr_lapack_solve_complex(int n, double complex *a, int n_b, double complex *b);

#endif
