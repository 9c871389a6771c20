/* Sparsity patterns (matrix.h): patterns and unions in an arena, colours, and matchings. Thread: any for reading. Real-time: reading. */
#ifndef WR_SPARSE_H
#define WR_SPARSE_H

#include "base/arena.h"
#include "base/check.h"
#include "base/matrix.h"

/* Builds a pattern from a dense matrix of flags, is_set[column * n_row + row]. Returns NULL when the arena is exhausted. */
wr_matrix *wr_sparsity_place(wr_arena *arena, int n_row, int n_column, const unsigned char *is_set);

/* Colours the columns greedily (Curtis, Powell and Reid, "On the estimation of sparse Jacobian matrices", 1974). Columns of one colour
 * share no row, so one finite difference gives all entries of these columns. Writes ret_colour[n_column]. Returns the number of colours, or
 * -1 when memory is exhausted. */
int wr_sparsity_colour(const wr_matrix *pattern, int *ret_colour);

/* Colours columns if the caller needs only the entries of `kept`, a subset of `full`. Among the columns of one colour, every kept entry
 * must be the only entry of `full` in its row. Otherwise the difference would include other entries. Columns without kept entries get
 * colour -1. Of three orders of the columns the call uses the order with the fewest colours. Returns the number of colours, or -1 when
 * memory is exhausted. */
int wr_sparsity_colour_partial(const wr_matrix *full, const wr_matrix *kept, int *ret_colour);

/* Builds the union of two patterns of equal size. ret_place_of_a[] and ret_place_of_b[] are the indices in the union of the entries of a
 * and b. Returns NULL when the arena is exhausted. */
const wr_matrix *wr_sparsity_join_place(wr_arena *arena, const wr_matrix *a, const wr_matrix *b,
                                        const int **ret_place_of_a, const int **ret_place_of_b);

/* Finds a largest matching of rows and columns that share an entry, diagonal first: possible pivots. Writes ret_row_of_column[n_column], -1
 * for unmatched columns. Returns the number of matches, or -1 when memory is exhausted. If a square pattern has fewer than n_column
 * matches, every matrix with this pattern is singular. */
int wr_sparsity_match(const wr_matrix *pattern, int *ret_row_of_column);

#endif
