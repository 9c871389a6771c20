/* Reads and writes row-net hypergraphs of matrices, and reads their partitions, in the text formats of hMETIS and PaToH.
 *
 * The columns of a matrix are the vertices (in PaToH: cells) and its rows are the nets. Net i connects the columns
 * that have an entry in row i. A pin is one vertex of a net.
 *
 *     hMETIS (Karypis and Kumar, hMETIS 1.5 manual, section 6.1): "nets vertices [format]", then a line for each net, vertices
 *     from 1; format 1: nets begin with a weight, 10: weights of vertices follow, 11: both. A line with '%' first is a comment.
 *     PaToH (Catalyurek and Aykanat, PaToH manual, section 6.1): "base cells nets pins [weights [constraints]]", then a line for
 *     each net, cells from base (0 or 1); weights 1: weights of cells follow, 2: nets begin with a cost, 3: both. A line with
 *     '%' first is a comment.
 *
 * In both formats a partition is a list of numbers, separated by white space: the part of each vertex, from 0.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_HYPERGRAPH_H
#define WR_HYPERGRAPH_H

#include "base/matrix.h"
#include "wrsim/status.h"

typedef enum wr_hypergraph_format { WR_HMETIS, WR_PATOH, WR_N_HYPERGRAPH } wr_hypergraph_format;

/* Returns the format that belongs to the ending of a file name (.hgr, .hmetis: hMETIS; .patoh, .u: PaToH), or
 * WR_N_HYPERGRAPH for any other ending. */
wr_hypergraph_format wr_hypergraph_format_of(const char *path);

/* Returns the hypergraph of a matrix as text, which the caller frees; NULL when out of memory. */
char *wr_hypergraph_text(const wr_matrix *matrix, wr_hypergraph_format format);

/* Reads a hypergraph as a matrix pattern with one row for each net, which the caller destroys. Checks weights, but ignores them. Returns
 * NULL on failure, with the file, and the line if known, in err. */
wr_matrix *wr_hypergraph_read(const char *path, wr_hypergraph_format format, wrsim_error *err);

/* Reads the part of each of n vertices into ret_part[n]. *ret_n_part becomes the largest part plus one. Returns 0, or a negative status
 * with a message in err. */
wrsim_status wr_hypergraph_read_parts(const char *path, int n, int *ret_part, int *ret_n_part,
                                      wrsim_error *err);

#endif
