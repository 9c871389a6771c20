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
    int *column_start; /* [n_column + 1] index of the first entry of each column in row */
    int *row;          /* [n_nonzero] row of each entry, from 0 */
} wr_sparsity;

/* Builds a pattern from a dense matrix of flags, is_set[column * n_row + row], in the arena. NULL when out of
 * memory. */
wr_sparsity *wr_sparsity_place(wr_arena *arena, int n_row, int n_column,
                               const unsigned char *is_set);

/* Colours the columns greedily (Curtis, Powell and Reid, "On the estimation of sparse Jacobian matrices", 1974):
 * columns of one colour share no row, so one finite difference gives them all. Writes colour[n_column]. Returns the
 * number of colours, or -1 when out of memory. */
int wr_sparsity_colour(const wr_sparsity *pattern, int *ret_colour);

/* Colours columns if only the entries of `kept`, a part of `full`, are wanted. Every kept entry (i, j) must be the
 * only entry of `full` in row i among the columns of its colour; else the difference would include other entries.
 * Columns without kept entries get colour -1. Tries three orders of the columns and takes the fewest colours.
 * Returns their number, or -1 when out of memory. */
int wr_sparsity_colour_partial(const wr_sparsity *full, const wr_sparsity *kept, int *ret_colour);

/* Returns the index of (row, column) in pattern->row; -1 if absent. */
int wr_sparsity_find(const wr_sparsity *pattern, int row, int column);

/* Builds the union of two patterns of equal size in the arena, and the index in it of each entry of a and b. NULL
 * when out of memory. */
const wr_sparsity *wr_sparsity_join_place(wr_arena *arena, const wr_sparsity *a,
                                          const wr_sparsity *b, const int **ret_place_of_a,
                                          const int **ret_place_of_b);

/* Finds a largest matching of rows and columns that share an entry, diagonal first: possible pivots. Writes
 * row_of_column[n_column], -1 for unmatched columns. Returns the number of matches, or -1 when out of memory. If a
 * square pattern has fewer than n_column matches, every matrix with this pattern is singular. */
int wr_sparsity_match(const wr_sparsity *pattern, int *ret_row_of_column);

#endif
