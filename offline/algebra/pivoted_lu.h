/* LU factorisation of sparse matrices, real or complex, with pivoting, by KLU, for tools that must solve with any
 * regular matrix. Integrators use base/sparse_lu.h.
 *
 * (Davis and Palamadai Natarajan, "Algorithm 907: KLU", ACM TOMS 37, 2010.) A pattern has one ordering. Each factorisation chooses pivots.
 * KLU scales the rows, and this file scales each column by its largest entry. So the units of equations and unknowns have no influence on
 * the test for singularity.
 *
 * Thread: one at a time. Real-time: no. */
#ifndef WR_PIVOTED_LU_H
#define WR_PIVOTED_LU_H

#include <complex.h>

#include "base/matrix.h"
#include "wrsim/status.h"

typedef struct wr_pivoted_lu wr_pivoted_lu;

/* Prepares the factorisation of matrices with the pattern of a square matrix, which must outlive the result. Returns
 * WRSIM_OK or WRSIM_E_MEMORY. */
wrsim_status wr_pivoted_lu_create(const wr_matrix *pattern, wr_pivoted_lu **ret_lu);
/* Destroys the object and sets the pointer to NULL. Accepts NULL. */
void wr_pivoted_lu_destroy(wr_pivoted_lu **lu);

/* Factorises the matrix with the given values, [n_nonzero] in the order of the pattern. Returns WRSIM_OK, WRSIM_E_NAN if a value is not
 * finite, WRSIM_E_SOLVER if the matrix is singular to rounding errors, or WRSIM_E_MEMORY. */
wrsim_status wr_pivoted_lu_factor(wr_pivoted_lu *lu, const double *value);
wrsim_status wr_pivoted_lu_factor_complex(wr_pivoted_lu *lu, const double complex *value);

/* Solve A x = b with the last factors. wr_pivoted_lu_solve() needs real factors, the second function complex factors. The n_b columns of
 * b[n * n_b] become x. */
void wr_pivoted_lu_solve(wr_pivoted_lu *lu, int n_b, double *b);
void wr_pivoted_lu_solve_complex(wr_pivoted_lu *lu, int n_b, double complex *b);

#endif
