/* The doubly bordered block-diagonal form, made from vertex separators of the bipartite graph of rows and columns.
 *
 * Every entry of the matrix is an edge between its row and its column. METIS (Karypis and Kumar, "A fast and high quality multilevel scheme
 * for partitioning irregular graphs", 1998) finds a separator: a set of vertices whose removal divides the graph into two unconnected
 * parts. The search divides the largest part again until the number of parts suffices. The rows and columns of the separators are the
 * border. If the request keeps pairs together, row i and column i are one vertex.
 *
 * If the matrix is square, the search makes these blocks square, as in Ben Khaled et al. (2013), Fig. 6. In a block with more rows than
 * columns, the excess moves to the border: rows without a match in the block's maximum matching. In a block with more columns, columns
 * move.
 *
 * If unions of connected parts meet the request, these unions are the blocks, square or not. Otherwise the search tries several seeds and
 * imbalances, and returns the best form.
 *
 * Thread: one at a time (METIS). Real-time: no. */
#ifndef WR_DOUBLY_H
#define WR_DOUBLY_H

#include "offline/blocks/block_form.h"

/* Makes the form, which the caller destroys. Returns WRSIM_OK, WRSIM_E_ARG if the request is not possible, or WRSIM_E_MEMORY. */
wrsim_status wr_doubly_make(const wr_matrix *matrix, const wr_block_request *request,
                            wr_block_form **ret_form, wrsim_error *err);

#endif
