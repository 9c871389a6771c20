/* Cost of LU factors. See fill.h.
 *
 * Thread: any, on different data. Real-time: no. */
#include "offline/sparsing/fill.h"

#include <string.h>

#include "base/lu_plan.h"

int wr_fill_count(int n, const unsigned char *is_set, wr_fill *ret_fill)
{
    wr_arena *arena = wr_arena_create((size_t)-1);
    const wr_matrix *const pattern = arena ? wr_sparsity_place(arena, n, n, is_set) : NULL;
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

int wr_fill_colours(int n, const unsigned char *full, const unsigned char *keep)
{
    const size_t count = (size_t)n * (size_t)n;
    wr_arena *arena = wr_arena_create((size_t)-1);
    int *const colour = arena ? WR_NEW_ARRAY(arena, int, n) : NULL;
    const wr_matrix *const all = colour ? wr_sparsity_place(arena, n, n, full) : NULL;
    const wr_matrix *const kept = all ? wr_sparsity_place(arena, n, n, keep) : NULL;
    int n_colour = -1;
    if (kept)
        n_colour = memcmp(full, keep, count) == 0 ? wr_sparsity_colour(all, colour)
                                                  : wr_sparsity_colour_partial(all, kept, colour);
    wr_arena_destroy(&arena);
    return n_colour;
}
