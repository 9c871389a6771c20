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

#endif
