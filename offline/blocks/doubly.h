/* The doubly bordered block-diagonal form, made from vertex separators of the bipartite graph of rows and columns.
 *
 * Every entry of the matrix is an edge between its row and its column. METIS (Karypis and Kumar, 1998) finds a set
 * of vertices, the separator, without which the graph has two parts with no edge between them. The largest part is
 * divided again until there are enough parts. The rows and columns of the separators are the border. If the matrix
 * is square, the blocks are made square, as in Ben Khaled et al. (2013), Fig. 6: a block with more rows than columns
 * gives the rows that no maximum matching of the block needs to the border; the same is done for columns. If pairs
 * are to stay together, row i and column i are one vertex.
 *
 * The search tries several seeds and imbalances, and returns the best form.
 *
 * Thread: one at a time (METIS). Real-time: no. */
#ifndef WR_DOUBLY_H
#define WR_DOUBLY_H

#include "offline/blocks/block_form.h"

/* Makes the form, which the caller destroys. Returns WRSIM_OK, WRSIM_E_ARG if the request is not possible, or
 * WRSIM_E_MEMORY. */
wrsim_status wr_doubly_make(const wr_matrix *matrix, const wr_block_request *request,
                            wr_block_form **ret_form, wrsim_error *err);

#endif
