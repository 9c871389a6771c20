/* Hands sparse systems to the module 'klu'. See sparse_lu.h.
 *
 * Thread: one at a time. Real-time: factor and solve.
 */
#include "base/sparse_lu.h"

#include "base/module.h"

wrsim_status wr_sparse_lu_create(const wr_matrix *pattern, wr_sparse_lu **ret_lu)
{
    const wr_sparse_lu_ops *const ops = wr_module_load(WR_MODULE_KLU, NULL);
    return ops ? ops->create(pattern, ret_lu) : WRSIM_E_CONFIG;
}

void wr_sparse_lu_destroy(wr_sparse_lu **lu)
{
    if (!lu || !*lu)
        return;
    (*lu)->ops->destroy(*lu);
    *lu = NULL;
}

int wr_sparse_lu_factor(wr_sparse_lu *lu, double *values) { return lu->ops->factor(lu, values); }

double wr_sparse_lu_flop(const wr_sparse_lu *lu) { return lu->flop; }

int wr_sparse_lu_sign(const wr_sparse_lu *lu) { return lu->ops->sign(lu); }

void wr_sparse_lu_solve(wr_sparse_lu *lu, double *b) { lu->ops->solve(lu, b); }
