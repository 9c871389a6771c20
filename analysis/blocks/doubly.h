/* The doubly bordered block-diagonal form, by vertex separators of the bipartite graph of rows and columns.
 *
 * Every entry is an edge between a row and a column; METIS (Karypis and Kumar, 1998) finds a separator that leaves two parts
 * between which there is no edge; the larger part is cut again until there are enough. Rows and columns of separators are the
 * border. Of a square matrix the blocks are made square, as in Ben Khaled et al. (2013), Fig. 6: a block with more rows than
 * columns gives rows that no maximum matching of the block needs to the border, and likewise columns. Where pairs are to stay
 * together the graph has a vertex for each pair.
 *
 * Several seeds and balances are tried, and the best form is taken.
 *
 * Thread: one at a time (METIS). Real-time: no.
 */
#ifndef WR_DOUBLY_H
#define WR_DOUBLY_H

#include "analysis/blocks/block_form.h"

/* The form is the caller's. WRSIM_OK, WRSIM_E_ARG (what cannot be asked), WRSIM_E_MEMORY. */
wrsim_status wr_doubly_make(const wr_matrix *matrix, const wr_block_request *request,
                            wr_block_form **ret_form, wrsim_error *err);

#endif
