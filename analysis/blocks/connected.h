/* What hangs together in a matrix: parts of rows and columns with no entry between two of them.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_CONNECTED_H
#define WR_CONNECTED_H

#include "analysis/blocks/block_form.h"

/* Numbers the parts that have entries, by their first column: ret_row[n_row], ret_column[n_column]; 0 for what has no
 * entries. is_paired: row i and column i are in one part. Returns how many parts, -1: out of memory. */
int wr_connected_parts(const wr_matrix *matrix, int is_paired, int *ret_row, int *ret_column);

/* The form whose blocks are whole parts, largest first into the smallest block: it has no border. *ret_form stays NULL where
 * there are fewer parts than blocks, or they do not fit within the imbalance asked for. */
wrsim_status wr_connected_make(const wr_matrix *matrix, const wr_block_request *request,
                               wr_block_form **ret_form, wrsim_error *err);

#endif
