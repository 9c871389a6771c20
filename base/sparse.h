/* Sparsity patterns in compressed column form, row indices ascending within a column.
 *
 * Thread: any for reading. Real-time: reading.
 */
#ifndef WR_SPARSE_H
#define WR_SPARSE_H

#include "base/arena.h"
#include "base/check.h"

typedef struct wr_sparsity {
    int n_row, n_column;
    int n_nonzero;
    int *column_start; /* [n_column + 1] */
    int *row;          /* [n_nonzero] */
} wr_sparsity;

/* Builds a pattern from a dense flag matrix is_set[column * n_row + row]. NULL when out of memory.
 * Everything is placed in arena. */
wr_sparsity *wr_sparsity_place(wr_arena *arena, int n_row, int n_column,
                               const unsigned char *is_set);

/* Colours the columns greedily (Curtis, Powell and Reid 1974): columns of one colour share no row,
 * so that one extra evaluation differences them all. Writes colour[n_column], returns the number of
 * colours, or -1 when out of memory. */
int wr_sparsity_colour(const wr_sparsity *pattern, int *ret_colour);

#endif
