/* Plan of a factorisation with fixed pivots for one pattern: the pivots, their order, and the pattern of L and U. The plan has the
 * number of operations, which does not depend on the values of a matrix. If the pattern contains all diagonal entries, the pivots are on
 * the diagonal. Otherwise a largest matching of rows and columns gives the pivots. The order of the pivots follows H. M. Markowitz, "The
 * elimination form of the inverse and its application to linear programming" (1957): the next pivot has the least bound on its fill.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_LU_PLAN_H
#define WR_LU_PLAN_H

#include <stdint.h>

#include "base/sparse.h"
#include "wrsim/status.h"

/* largest number of rows (assumed); limits the n * n bytes that the creation of a plan takes to 16 MB */
enum { WR_LU_PLAN_MOST = 4000 };

typedef struct wr_lu_plan {
    int n;             /* number of rows */
    int n_entry;       /* entries of L and U together, the diagonal once */
    int *row, *column; /* [n] entry (row[k], column[k]) of A is the k-th pivot */
    int *start;        /* [n + 1] beginning of each row of L and U in entry[] */
    int *entry;        /* [n_entry] columns of L and U in pivot order, ascending in each row */
    int *diagonal;     /* [n] index in entry[] of each row's diagonal */
    /* operations of a factorisation: multiplications, divisions and subtractions */
    int64_t factor_flop;
    int64_t solve_flop; /* operations of a solve */
} wr_lu_plan;

/* Creates a plan in heap memory. Returns WRSIM_E_ARG if the pattern is empty, not square, too large, or structurally singular
 * (*ret_column: a column without a pivot, else -1), or WRSIM_E_MEMORY. */
wrsim_status wr_lu_plan_create(const wr_matrix *pattern, wr_lu_plan **ret_plan, int *ret_column);
void wr_lu_plan_destroy(wr_lu_plan **plan);

#endif
