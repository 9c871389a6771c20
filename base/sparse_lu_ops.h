/* What the module 'klu' gives to sparse_lu.c.
 *
 * Thread: one at a time. Real-time: factor and solve.
 */
#ifndef WR_SPARSE_LU_OPS_H
#define WR_SPARSE_LU_OPS_H

#include "base/sparse_lu.h"

/* As the functions of sparse_lu.h; destroy() accepts NULL. */
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
