/* LU factorisation of sparse matrices of one pattern, by KLU, which the module 'klu' links.
 *
 * (Davis and Palamadai Natarajan, "Algorithm 907: KLU", ACM TOMS 37, 2010.) Ordering and memory are
 * fixed at creation; pivots stay on the diagonal, which suits matrices c I - J with c > 0, and where a column has none
 * there in a largest matching (sparse.h). A factorisation therefore allocates nothing, costs the same every time, and its bits depend on the
 * values alone, not on what was factorised before. Where diagonal pivots are not good enough it is
 * refused, and the caller takes a smaller step or a dense solver.
 *
 * Good enough: a solve is exact for a matrix that differs from A by no more than some n DBL_EPSILON |L| |U| (Higham, "Accuracy
 * and Stability of Numerical Algorithms", on LU without pivoting), so that in every row, columns weighed by the sums of their sizes,
 * |L| |U| must stay below WR_LU_MOST_GROWTH times |A|: an error of 1e-10 then, far below that of a differenced Jacobian. How
 * much U has grown is not enough to know: entries of L are not bounded here, and what they add up to may cancel.
 *
 * Thread: one at a time. Real-time: factor and solve.
 */
#ifndef WR_SPARSE_LU_H
#define WR_SPARSE_LU_H

#include "base/sparse.h"

#define WR_LU_MOST_GROWTH 1e6

typedef struct wr_sparse_lu wr_sparse_lu;

/* Analyses a square pattern; the pattern must outlive the result. Heap memory, to be freed with wr_sparse_lu_destroy.
 * WRSIM_E_ARG where every matrix of it is singular, WRSIM_E_MEMORY, WRSIM_E_CONFIG: the module cannot
 * be loaded (wr_module_load() says why). */
wrsim_status wr_sparse_lu_create(const wr_sparsity *pattern, wr_sparse_lu **ret_lu);
void wr_sparse_lu_destroy(wr_sparse_lu **lu);

/* Factorises; values[n_nonzero] in the order of pattern->row (not changed). Returns 0, or 1 when
 * the matrix is singular, not finite, or needs pivots off the diagonal. */
int wr_sparse_lu_factor(wr_sparse_lu *lu, double *values);

/* Floating-point operations of a factorisation, any: the pattern decides. */
double wr_sparse_lu_flop(const wr_sparse_lu *lu);

/* The sign of det A, from the last factors: 1 or -1. */
int wr_sparse_lu_sign(const wr_sparse_lu *lu);

/* Solves A b = b with the last factors. */
void wr_sparse_lu_solve(wr_sparse_lu *lu, double *b);

/* ---- what the module gives ---- */

/* As the functions above; destroy() accepts NULL. */
typedef struct wr_sparse_lu_ops {
    wrsim_status (*create)(const wr_sparsity *pattern, wr_sparse_lu **ret_lu);
    void (*destroy)(wr_sparse_lu *lu);
    int (*factor)(wr_sparse_lu *lu, double *values);
    int (*sign)(const wr_sparse_lu *lu);
    void (*solve)(wr_sparse_lu *lu, double *b);
} wr_sparse_lu_ops;

/* The first member of what create() makes. */
struct wr_sparse_lu {
    const wr_sparse_lu_ops *ops;
    double flop; /* of a factorisation */
};

#endif
