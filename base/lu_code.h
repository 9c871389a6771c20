/* A factorisation with fixed pivots as C without branches and loops: what a plan (lu_plan.h) does, written out. Compiled to
 * a shared object it is found by one symbol, and describes itself by the structure below.
 *
 * Doolittle's form (Golub and Van Loan, "Matrix Computations", 4th ed., 3.2): of row i first l_ik = (a_ik - sum l_im u_mk) / u_kk,
 * m < k, then u_ij = a_ij - sum l_im u_mj, m < i, so that every entry is written once. The reciprocals of u_kk are kept in
 * their places.
 *
 * Pivots are not searched, so whether they were good enough is found out as in sparse_lu.h, row by row by |L| |U| against |A|, but
 * for the weights of columns: sizes of unknowns that are known when the code is written. These operations are not
 * among those counted.
 *
 * Thread: any. Real-time: what is generated.
 */
#ifndef WR_LU_CODE_H
#define WR_LU_CODE_H

#include <stdio.h>

#include "base/lu_plan.h"

enum { WR_LU_CODE_VERSION = 2 };
#define WR_LU_CODE_SYMBOL "wrsim_lu_code"
/* Stands in the first comment of what is generated. */
#define WR_LU_CODE_MARK "Written by wrsim codegen"

/* As the generated file has it, word for word. */
typedef struct wr_lu_code {
    unsigned version, bytes;   /* WR_LU_CODE_VERSION, sizeof of this */
    int n, n_nonzero, n_value; /* rows; entries of A; doubles that factor() fills */
    const int *column_start;   /* [n + 1] A's pattern by columns, rows growing */
    const int *row;            /* [n_nonzero] */
    double factor_flop, solve_flop;
    int (*factor)(const double *a,
                  double *v); /* a[n_nonzero]; 0, or 1: its pivots are not good enough */
    void (*solve)(const double *v, double *b); /* A b = b */
} wr_lu_code;

/* Writes the file. weight: [n] how large unknowns are, > 0, finite; NULL: all alike. what: one line for people on what the matrix
 * is, without what would end a comment. 0, or -1 when writing fails. */
int wr_lu_code_write(FILE *file, const wr_sparsity *pattern, const wr_lu_plan *plan,
                     const double *weight, const char *what);

#endif
