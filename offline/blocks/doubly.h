/* The doubly bordered block-diagonal form, made from vertex separators of the bipartite graph of rows and columns.
 *
 * Every entry of the matrix is an edge between its row and its column. METIS (Karypis and Kumar, 1998) finds a set of
 * vertices, the separator, without which the graph has two parts with no edge between the parts. METIS divides the
 * largest part again until the number of parts suffices. The rows and columns of the separators are the border. If
 * the request keeps pairs together, row i and column i are one vertex.
 *
 * The blocks of a square matrix become square, as in Ben Khaled et al. (2013), Fig. 6. A block with more rows than
 * columns gives rows without a match in its maximum matching to the border. A block with more columns gives columns.
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
