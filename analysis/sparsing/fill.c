/* Fill of LU factors. See fill.h.
 *
 * Thread: any, on different data. Real-time: no.
 */
#include "analysis/sparsing/fill.h"

#include "base/lu_plan.h"

int wr_fill_count(int n, const unsigned char *is_set, wr_fill *ret_fill)
{
    wr_arena *arena = wr_arena_create((size_t)-1);
    const wr_sparsity *const pattern = arena ? wr_sparsity_place(arena, n, n, is_set) : NULL;
    wr_lu_plan *plan = NULL;
    int column = -1;
    wrsim_status status = WRSIM_E_MEMORY;
    if (pattern)
        status = wr_lu_plan_create(pattern, &plan, &column);
    if (status == WRSIM_OK)
        *ret_fill = (wr_fill){.nnz = pattern->n_nonzero,
                              .nnz_lu = plan->n_entry,
                              .n_flop = (double)(plan->factor_flop + plan->solve_flop),
                              .is_regular = 1};
    else if (status == WRSIM_E_ARG && column >= 0)
        *ret_fill = (wr_fill){.is_regular = 0};
    wr_lu_plan_destroy(&plan);
    wr_arena_destroy(&arena);
    return status == WRSIM_OK || (status == WRSIM_E_ARG && column >= 0) ? 0 : -1;
}
