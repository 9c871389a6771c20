/* Rank of a small dense square matrix A, what it does not reach, and how to undo it where it can be undone.
 *
 * Gauss-Jordan elimination with complete pivoting (Golub and Van Loan, "Matrix Computations", 4th ed., 3.4.8): E A = R, where R
 * has a unit column for each pivot and no more in rows without one. Then rows of E without a pivot are the left null space,
 * columns of R without one give the right one, and rows of E with one a solution of A x = b for every b that has one.
 * Rows and columns may have any units: they are scaled to one size before, by powers of two, and the scales are taken back; what
 * is below 1e-12 then counts as zero, being what rounding leaves of rows that cancel.
 *
 * Thread: any. Real-time: no (setup).
 */
#ifndef WR_NULL_SPACE_H
#define WR_NULL_SPACE_H

/* Overwrites a[n * n] (row by row: a[i * n + j]) by R and fills e[n * n] by E; row_of[n] is the row of a column's pivot, or -1;
 * column_of[n] the column of a row's, or -1. scale[n] is room. Returns the rank. */
int wr_null_space(int n, double *a, double *ret_e, int *ret_row_of, int *ret_column_of,
                  double *scale);

#endif
