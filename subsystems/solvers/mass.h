/* The constant matrix L of L x' = f(t, x), where some component has one; an ODE has none (L = I).
 *
 * L may be singular: then there is a DAE. With N^T L = 0 and L Q = 0, bases of its null spaces, N^T f = 0 are its algebraic equations,
 * and what Q adds to x are its algebraic variables: they are of index 1 where N^T f_x Q can be inverted (Hairer and Wanner,
 * "Solving ODEs II", VI.1). Where L is a diagonal of ones and zeros that is the usual x' = f, 0 = g.
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
    const wr_sparsity *pattern; /* of L, by columns */
    const double *value;        /* [n_nonzero] */
    int n_algebraic;            /* n_x less its rank */
    wr_row_matrix left;         /* [n_algebraic] rows of N^T */
    wr_row_matrix right;        /* [n_x] rows of Q, n_algebraic columns */
    wr_row_matrix solve;        /* [n_x] S with L S b = b for every b with N^T b = 0 */
} wr_mass;

/* The blocks of L along its diagonal, one for each component that has a matrix; elsewhere L = I. */
typedef struct wr_mass_block {
    int first, n;  /* states */
    double *entry; /* [n * n] row by row; the caller's */
} wr_mass_block;

/* Everything is placed in arena. NULL when out of memory. Setup only. */
const wr_mass *wr_mass_place(wr_arena *arena, int n_x, const wr_mass_block *blocks, int n_blocks);

/* Writes M x, ret_y[n_row]. */
void wr_row_matrix_multiply(const wr_row_matrix *m, const double *x, double *ret_y);

#endif
