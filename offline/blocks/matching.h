/* Maximum matchings between the rows and columns in each block of a matrix.
 *
 * The method is augmenting paths, starting from the matching on the diagonal (Duff, "On algorithms for obtaining a
 * maximum transversal", ACM TOMS 7, 1981). Rows and columns are visited in their order, so the result is always the
 * same.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_MATCHING_H
#define WR_MATCHING_H

#include "base/matrix.h"

/* Matches rows and columns along entries whose row and column are in the same block; block n_block, the border, is
 * left out. Writes the matched column of each row to ret_row_mate[n_row] and the matched row of each column to
 * ret_column_mate[n_column]; -1 means "not matched". Returns 0, or -1 when out of memory. */
int wr_matching_within(const wr_matrix *matrix, int n_block, const int *row_block,
                       const int *column_block, int *ret_row_mate, int *ret_column_mate);

#endif
