/* Generates C code, without branches and loops, for a factorisation with fixed pivots (lu_plan.h). The compiled shared object
 * exports one symbol, a wr_lu_code.
 *
 * Doolittle's form (Golub and Van Loan, "Matrix Computations", 4th ed., 3.2): for row i first l_ik = (a_ik - sum l_im u_mk) / u_kk, m < k,
 * then u_ij = a_ij - sum l_im u_mj, m < i. So the code computes every entry once. The code stores the reciprocals of u_kk on the diagonal.
 *
 * The code checks the fixed pivots as sparse_lu.h does: the check compares |L| |U| with |A| row by row. The caller passes weights of the
 * columns, the magnitudes of the unknowns. factor_flop does not count this check.
 *
 * Thread: any. Real-time: only the generated code.
 */
#ifndef WR_LU_CODE_H
#define WR_LU_CODE_H

#include <stdio.h>

#include "base/lu_plan.h"

enum { WR_LU_CODE_VERSION = 2 };
#define WR_LU_CODE_SYMBOL "wrsim_lu_code"
/* Text in the first comment of generated files. */
#define WR_LU_CODE_MARK "Written by wrsim codegen"

/* A factorisation. The generated file declares a structure with the same members. */
typedef struct wr_lu_code {
    unsigned version, bytes; /* WR_LU_CODE_VERSION, and sizeof(wr_lu_code) */
    int n;                   /* number of rows */
    int n_nonzero;           /* number of entries of A */
    int n_value;             /* number of doubles that factor() writes */
    const int *column_start; /* [n + 1] pattern of A by columns, rows ascending */
    const int *row;          /* [n_nonzero] row of each entry of A, from 0 */
    double factor_flop, solve_flop;
    /* factorises a[n_nonzero]; returns 0, or 1 if the check of the pivots fails */
    int (*factor)(const double *a, double *v);
    void (*solve)(const double *v, double *b); /* replaces b by the solution x of A x = b */
} wr_lu_code;

/* Writes the C file. weight: [n] magnitudes of the unknowns, > 0, finite; NULL: all equal. what: a line that describes the matrix, without
 * an end of comment. Returns 0, or -1 if writing fails. */
int wr_lu_code_write(FILE *file, const wr_matrix *pattern, const wr_lu_plan *plan,
                     const double *weight, const char *what);

#endif
