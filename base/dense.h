/* LU factorisation of small dense matrices in the caller's memory.
 *
 * The method is right-looking elimination with partial pivoting (Golub and Van Loan, "Matrix Computations", 4th ed., algorithm 3.4.1).
 * Matrices are column-major: a[column * n + row]. The code is not blocked, because the matrices are small.
 *
 * Thread: any, on different data. Real-time: yes.
 */
#ifndef WR_DENSE_H
#define WR_DENSE_H

/* Overwrites a[n * n] by its factors and writes the row swaps to ret_pivot[n]. Returns 0, or 1 if a pivot is zero or not finite; then `a`
 * has no valid factors. */
int wr_dense_factor(int n, double *a, int *ret_pivot);

/* Returns the approximate number of floating-point operations of a factorisation. */
double wr_dense_flop(int n);

/* Returns the sign of det A, 1 or -1, from the factors. */
int wr_dense_sign(int n, const double *lu, const int *pivot);

/* Replaces b[n] by the solution x of A x = b, with the factors of A. */
void wr_dense_solve(int n, const double *lu, const int *pivot, double *b);

#endif
