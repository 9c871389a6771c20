/* LU factorisation of sparse matrices of one pattern, by KLU, which the module 'klu' links.
 *
 * (T. Davis and E. Palamadai Natarajan, "Algorithm 907: KLU", ACM TOMS 37, 2010.) wr_sparse_lu_create() fixes ordering and memory.
 * Pivots are on the diagonal, which suits matrices c I - J with c > 0. If the pattern lacks a diagonal entry, a largest matching
 * (sparse.h) gives the pivots. So a factorisation allocates nothing and has constant cost. The bits of the factors depend on the values
 * alone, not on earlier factorisations. If the pivots are too small, the factorisation fails, and the caller uses a smaller step or a
 * dense solver.
 *
 * Test of the pivots: a solve is exact for a matrix that differs from A by at most about n DBL_EPSILON |L| |U| (N. Higham, "Accuracy and
 * Stability of Numerical Algorithms", chapter on LU without pivoting). Therefore |L| |U| must be at most WR_LU_MOST_GROWTH (assumed)
 * times |A| in every row, with each column divided by the sum of its magnitudes. So the relative error of A is at most about n times
 * 2e-10. The growth of U alone is no measure, because entries of L are not bounded and their contributions may cancel.
 *
 * Thread: one at a time. Real-time: wr_sparse_lu_factor() and wr_sparse_lu_solve(). */
#ifndef WR_SPARSE_LU_H
#define WR_SPARSE_LU_H

#include "base/module.h"
#include "base/sparse.h"

#define WR_LU_MOST_GROWTH 1e6

typedef struct wr_sparse_lu wr_sparse_lu;

/* Operations of the module, with the contracts of the functions below. The argument of destroy() may be NULL. */
typedef struct wr_sparse_lu_ops {
    wrsim_status (*create)(const wr_matrix *pattern, wr_sparse_lu **ret_lu);
    void (*destroy)(wr_sparse_lu *lu);
    int (*factor)(wr_sparse_lu *lu, double *values);
    int (*sign)(const wr_sparse_lu *lu);
    void (*solve)(wr_sparse_lu *lu, double *b);
} wr_sparse_lu_ops;

/* First member of the structure that create() returns. */
struct wr_sparse_lu {
    const wr_sparse_lu_ops *ops;
    double
        flop; /* floating-point operations of a factorisation, which depend on the pattern only */
};

/* Analyses a square pattern, which must outlive the result. The result is in heap memory; the caller frees the result with
 * wr_sparse_lu_destroy(). Returns WRSIM_E_ARG if the pattern is structurally singular, WRSIM_E_MEMORY, or WRSIM_E_CONFIG if the module
 * cannot be loaded (wr_module_load() gives the reason). */
static inline wrsim_status wr_sparse_lu_create(const wr_matrix *pattern, wr_sparse_lu **ret_lu)
{
    const wr_sparse_lu_ops *const ops = wr_module_load(WR_MODULE_KLU, NULL);
    return ops ? ops->create(pattern, ret_lu) : WRSIM_E_CONFIG;
}

static inline void wr_sparse_lu_destroy(wr_sparse_lu **lu)
{
    if (lu && *lu)
        (*lu)->ops->destroy(*lu);
    if (lu)
        *lu = NULL;
}

/* Factorises values[n_nonzero], in the order of pattern->row. Returns 0, or 1 if the matrix is singular, not finite,
 * or needs other pivots. */
static inline int wr_sparse_lu_factor(wr_sparse_lu *lu, double *values)
{
    return lu->ops->factor(lu, values);
}

/* Returns the sign of det A from the last factors: 1 or -1. */
static inline int wr_sparse_lu_sign(const wr_sparse_lu *lu) { return lu->ops->sign(lu); }

/* Replaces b by the solution x of A x = b, with the last factors. */
static inline void wr_sparse_lu_solve(wr_sparse_lu *lu, double *b) { lu->ops->solve(lu, b); }

static inline double wr_sparse_lu_flop(const wr_sparse_lu *lu) { return lu->flop; }

#endif
