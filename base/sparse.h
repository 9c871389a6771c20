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

/* The same where only the entries of kept, a part of the pattern full, are wanted: no kept entry (i, j) shares its colour
 * with a column l where full has (i, l), so that a difference of one colour is that entry alone. (Colouring kept by itself
 * would add what was left out to what was kept.) Columns without kept entries get the colour -1. The fewest colours of three
 * orders of the columns. Returns the number of colours, or -1 when out of memory. */
int wr_sparsity_colour_partial(const wr_sparsity *full, const wr_sparsity *kept, int *ret_colour);

/* Where (row, column) is among pattern->row, -1 if it is not in the pattern. */
int wr_sparsity_find(const wr_sparsity *pattern, int row, int column);

/* The entries that either of two patterns of the same size has, and where a's and b's are in it. NULL when out of memory.
 * Everything is placed in arena. */
const wr_sparsity *wr_sparsity_join_place(wr_arena *arena, const wr_sparsity *a,
                                          const wr_sparsity *b, const int **ret_place_of_a,
                                          const int **ret_place_of_b);

/* Which row each column's pivot may be in: a largest matching of columns and rows that share an entry, which takes the
 * diagonal first. Writes row_of_column[n_column], -1 where there is none; returns how many there are, or -1 when out of
 * memory. Fewer than n_column of a square pattern: every matrix of that pattern is singular. */
int wr_sparsity_match(const wr_sparsity *pattern, int *ret_row_of_column);

#endif
