/* Is a symmetric sparse matrix positive semidefinite? By Cholesky factorisation (CHOLMOD).
 *
 * (Chen, Davis, Hager and Rajamanickam, "Algorithm 887: CHOLMOD", ACM TOMS 35, 2008.)
 *
 * Thread: any, on different data. Real-time: no.
 */
#ifndef WR_SEMIDEFINITE_H
#define WR_SEMIDEFINITE_H

#include "base/matrix.h"

/* Of (a + a^T) / 2: 1 when it has no eigenvalue below -tolerance times its largest diagonal entry (to rounding, so
 * tolerance > n DBL_EPSILON), 0 when it has, -1 when out of memory. a is square. */
int wr_is_semidefinite(const wr_matrix *a, double tolerance);

#endif
