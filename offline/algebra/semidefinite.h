/* Tests by a Cholesky factorisation (CHOLMOD) whether a symmetric sparse matrix is positive semidefinite.
 *
 * (Chen, Davis, Hager and Rajamanickam, "Algorithm 887: CHOLMOD", ACM TOMS 35, 2008.)
 *
 * Thread: any, on different data. Real-time: no. */
#ifndef WR_SEMIDEFINITE_H
#define WR_SEMIDEFINITE_H

#include "base/matrix.h"

/* Tests the symmetric part (a + a^T) / 2 of a square matrix. Returns 1 if it has no eigenvalue below -tolerance
 * times its largest diagonal entry, 0 if it has one, -1 when out of memory. Rounding errors require tolerance > n
 * DBL_EPSILON. */
int wr_is_semidefinite(const wr_matrix *a, double tolerance);

#endif
