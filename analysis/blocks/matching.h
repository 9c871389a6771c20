/* Maximum matchings of rows and columns within the blocks of a matrix.
 *
 * Augmenting paths, from the diagonal on (Hopcroft and Karp's predecessor, as in Duff, "On algorithms for obtaining a maximum
 * transversal", ACM TOMS 7, 1981). Rows and columns in order, so that the result is one.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_MATCHING_H
#define WR_MATCHING_H

#include "base/matrix.h"

/* Matches along entries whose row and column are in the same block (those of n_block, the border, are not matched). Writes
 * ret_row_mate[n_row], the column or -1, and ret_column_mate[n_column]. 0, or -1 when out of memory. */
int wr_matching_within(const wr_matrix *matrix, int n_block, const int *row_block,
                       const int *column_block, int *ret_row_mate, int *ret_column_mate);

#endif
