/* Connected parts of a matrix: sets of rows and columns with no entry between two different sets.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_CONNECTED_H
#define WR_CONNECTED_H

#include "offline/blocks/block_form.h"

/* Numbers the connected parts that have entries, in the order of their first column. Writes the number of each row
 * to ret_row[n_row] and of each column to ret_column[n_column]; rows and columns without entries get 0. is_paired:
 * row i and column i are in the same part. Returns the number of parts, or -1 when out of memory. */
int wr_connected_parts(const wr_matrix *matrix, int is_paired, int *ret_row, int *ret_column);

/* Makes a form without a border, whose blocks are unions of connected parts. Each part, in the order of decreasing size,
 * goes to the block that is then smallest. *ret_form is NULL if the parts are fewer than the blocks, or if the imbalance
 * exceeds the requested limit. */
wrsim_status wr_connected_make(const wr_matrix *matrix, const wr_block_request *request,
                               wr_block_form **ret_form, wrsim_error *err);

#endif
