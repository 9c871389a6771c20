/* The singly bordered block-diagonal form, made from a partition of the row-net hypergraph.
 *
 * The partitioner, PHG of Zoltan (Devine et al., "Parallel hypergraph partitioning for scientific computing", 2006), divides the columns
 * into parts so that few rows have entries in several parts. These rows are the border. If the request keeps pairs together, the net of row
 * i contains column i. Then row i is in the block of column i or in the border.
 *
 * If unions of connected parts meet the request, these unions are the blocks. Otherwise the search tries several orders of the columns and
 * limits of the imbalance, and returns the best form.
 *
 * Thread: one at a time. Real-time: no. */
#ifndef WR_SINGLY_H
#define WR_SINGLY_H

#include "offline/blocks/block_form.h"

/* Makes the form, which the caller destroys. Returns WRSIM_OK, WRSIM_E_ARG if the request is not possible,
 * WRSIM_E_PLUGIN if the partitioner is not installed or fails, WRSIM_E_IO, or WRSIM_E_MEMORY. */
wrsim_status wr_singly_make(const wr_matrix *matrix, const wr_block_request *request,
                            wr_block_form **ret_form, wrsim_error *err);

/* Makes the form, which the caller destroys, from a given partition. column_part[n_column] is the part of each column, 0 to n_part - 1. If
 * is_paired is 1, the matrix must be square. Returns WRSIM_OK, WRSIM_E_ARG or WRSIM_E_MEMORY. */
wrsim_status wr_singly_from_parts(const wr_matrix *matrix, const int *column_part, int n_part,
                                  int is_paired, wr_block_form **ret_form, wrsim_error *err);

#endif
