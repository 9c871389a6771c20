/* Rank, null spaces and a generalised inverse of a small dense square matrix A.
 *
 * Gauss-Jordan elimination with complete pivoting (Golub and Van Loan, "Matrix Computations", 4th ed., 3.4.8): E A = R. R has a unit
 * column for each pivot. A row without a pivot is zero up to rounding. The rows of E without a pivot span the left null space. The
 * columns of R without a pivot give the right null space. The rows of E with a pivot give a solution of A x = b if a solution exists.
 * Rows and columns may have different units: powers of two scale rows and columns before the elimination, and wr_null_space() removes
 * the scales afterwards. Scaled entries up to 1e-12 count as zero, because rounding leaves such entries where rows cancel.
 *
 * Thread: any. Real-time: no (setup).
 */
#ifndef WR_NULL_SPACE_H
#define WR_NULL_SPACE_H

/* Overwrites a[n * n] (by rows: a[i * n + j]) by R and writes E to ret_e[n * n]. ret_row_of[n] is the pivot row of each column, or -1;
 * ret_column_of[n] is the pivot column of each row, or -1. scale[n] is workspace. Returns the rank. */
int wr_null_space(int n, double *a, double *ret_e, int *ret_row_of, int *ret_column_of,
                  double *scale);

#endif
