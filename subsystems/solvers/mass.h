/* The constant mass matrix L of L x' = f(t, x).
 *
 * If L is singular, the system is a DAE. N and Q are bases of the null spaces, N^T L = 0 and L Q = 0. N^T f = 0 are the algebraic
 * equations, and the columns of Q span the algebraic variables. The index is 1 if N^T f_x Q is regular (Hairer and Wanner,
 * "Solving ODEs II", VI.1). If L is a diagonal of ones and zeros, the system has the usual form x' = f, 0 = g.
 *
 * Thread: any. Real-time: multiplication.
 */
#ifndef WR_MASS_H
#define WR_MASS_H

#include "base/sparse.h"

/* A sparse matrix by rows. */
typedef struct wr_row_matrix {
    int n_row;
    const int *start; /* [n_row + 1] */
    const int *column;
    const double *value;
} wr_row_matrix;

typedef struct wr_mass {
    int n_x;
    const wr_matrix *pattern; /* pattern of L, by columns */
    const double *value;      /* [n_nonzero] */
    int n_algebraic;          /* n_x - rank(L) */
    wr_row_matrix left;       /* [n_algebraic] rows of N^T */
    wr_row_matrix right;      /* [n_x] rows of Q, n_algebraic columns */
    wr_row_matrix solve;      /* [n_x] S with L S b = b for every b with N^T b = 0 */
} wr_mass;

/* A diagonal block of L, for one component with a mass matrix. Diagonal entries of L outside of all blocks are 1. */
typedef struct wr_mass_block {
    int first, n;  /* first state and number of states */
    double *entry; /* [n * n] row by row; owned by the caller */
} wr_mass_block;

/* Places L and its null spaces in arena. Returns NULL when out of memory. Setup only. */
const wr_mass *wr_mass_place(wr_arena *arena, int n_x, const wr_mass_block *blocks, int n_blocks);

/* Writes M x, ret_y[n_row]. */
void wr_row_matrix_multiply(const wr_row_matrix *m, const double *x, double *ret_y);

#endif
