/* What a factorisation with fixed pivots does for one pattern: which pivots, in which order, and where L and U have
 * entries. So the number of operations of a factorisation and of a solve is known before any value is.
 *
 * Pivots lie on the diagonal, or where that has none in a largest matching of rows and columns; their order is
 * Markowitz's (1957): next comes the one that could fill the fewest places.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_LU_PLAN_H
#define WR_LU_PLAN_H

#include <stdint.h>

#include "base/sparse.h"
#include "wrsim/status.h"

enum { WR_LU_PLAN_MOST = 4000 }; /* rows: n * n bytes are needed meanwhile */

typedef struct wr_lu_plan {
    int n, n_entry;      /* entries of L and U together, the diagonal once */
    int *row, *column;   /* [n] the k-th pivot stands in A at (row[k], column[k]) */
    int *start, *entry;  /* [n + 1], [n_entry] row k of L and U in pivot order: columns, growing */
    int *diagonal;       /* [n] where entry[] has the diagonal of row k */
    int64_t factor_flop; /* multiplications, divisions and subtractions of a factorisation, */
    int64_t solve_flop;  /* and of a solve */
} wr_lu_plan;

/* Heap memory. WRSIM_E_ARG: the pattern is not square, too large, or every matrix of it is singular (*ret_column: a column
 * without a pivot, else -1); WRSIM_E_MEMORY. */
wrsim_status wr_lu_plan_create(const wr_sparsity *pattern, wr_lu_plan **ret_plan, int *ret_column);
void wr_lu_plan_destroy(wr_lu_plan **plan);

#endif
