/* LU factors of sparse matrices with pivoting, real or complex, by KLU: for tools, where any regular matrix must do.
 *
 * (Davis and Palamadai Natarajan, "Algorithm 907: KLU", ACM TOMS 37, 2010.) The ordering is found once for a pattern; pivots
 * are chosen anew at each factorisation. Columns are scaled by their largest entry, rows by KLU, so that units do not
 * decide what counts as singular. What integrators use is sparse_lu.h.
 *
 * Thread: one at a time. Real-time: no.
 */
#ifndef WR_PIVOTED_LU_H
#define WR_PIVOTED_LU_H

#include <complex.h>

#include "base/matrix.h"
#include "wrsim/status.h"

typedef struct wr_pivoted_lu wr_pivoted_lu;

/* For matrices with the pattern of a square matrix, whose values are not read and which outlives the result. WRSIM_OK or
 * WRSIM_E_MEMORY. */
wrsim_status wr_pivoted_lu_create(const wr_matrix *pattern, wr_pivoted_lu **ret_lu);
/* Accepts NULL and nulls the pointer. */
void wr_pivoted_lu_destroy(wr_pivoted_lu **lu);

/* Factorises the matrix of those values, [n_nonzero] in the pattern's order. WRSIM_OK, WRSIM_E_NAN when one is not finite,
 * WRSIM_E_SOLVER when the matrix is singular to rounding, WRSIM_E_MEMORY. */
wrsim_status wr_pivoted_lu_factor(wr_pivoted_lu *lu, const double *value);
wrsim_status wr_pivoted_lu_factor_complex(wr_pivoted_lu *lu, const double complex *value);

/* Solve A x = b with the last factors, of the same kind; b[n * n_b] in columns becomes x. */
void wr_pivoted_lu_solve(wr_pivoted_lu *lu, int n_b, double *b);
void wr_pivoted_lu_solve_complex(wr_pivoted_lu *lu, int n_b, double complex *b);

#endif
