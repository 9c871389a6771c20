/* The singly bordered block-diagonal form, by partitioning the row-net hypergraph.
 *
 * Columns are parted so that few rows have entries in several parts; those are the border. PHG of Zoltan does it (Devine et al.,
 * 2006), in a process of its own (phg_process.h). Where pairs are to stay together each row's net has its own column, too,
 * so that a row stands in the block of its column or in the border.
 *
 * Several seeds and balances are tried, and the best form is taken.
 *
 * Thread: one at a time. Real-time: no.
 */
#ifndef WR_SINGLY_H
#define WR_SINGLY_H

#include "analysis/blocks/block_form.h"

/* The form is the caller's. WRSIM_OK, WRSIM_E_ARG (what cannot be asked), WRSIM_E_PLUGIN (the partitioner is not there, or
 * has failed), WRSIM_E_MEMORY. */
wrsim_status wr_singly_make(const wr_matrix *matrix, const wr_block_request *request,
                            wr_block_form **ret_form, wrsim_error *err);

/* The same with the part of each column from elsewhere, column_part[n_column] from 0 to n_part - 1. */
wrsim_status wr_singly_from_parts(const wr_matrix *matrix, const int *column_part, int n_part,
                                  int is_paired, wr_block_form **ret_form, wrsim_error *err);

#endif
