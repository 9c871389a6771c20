/* Row-net hypergraphs of matrices as text, and partitions of them, as hMETIS and PaToH read and write them.
 *
 * The columns of a matrix are the vertices (cells), its rows the nets: net i joins the columns that have an entry in row i.
 *
 *     hMETIS (Karypis and Kumar, hMETIS 1.5 manual, section 6.1): "nets vertices [format]", then a line for each net, vertices
 *     from 1; format 1: nets begin with a weight, 10: weights of vertices follow, 11: both. '%' begins a comment.
 *     PaToH (Catalyurek and Aykanat, PaToH manual, section 6.1): "base cells nets pins [weights [constraints]]", then a line for
 *     each net, cells from base (0 or 1); weights 1: weights of cells follow, 2: nets begin with a cost, 3: both. '%' begins
 *     a comment.
 *
 * Partitions of both are the number of each vertex's part, from 0, separated by white space.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_HYPERGRAPH_H
#define WR_HYPERGRAPH_H

#include "base/matrix.h"
#include "wrsim/status.h"

typedef enum wr_hypergraph_format { WR_HMETIS, WR_PATOH, WR_N_HYPERGRAPH } wr_hypergraph_format;

/* The format that a file's name says: .hgr and .hmetis, .patoh and .u; WR_N_HYPERGRAPH: none. */
wr_hypergraph_format wr_hypergraph_format_of(const char *path);

/* Writes a matrix's hypergraph; the whole file or none. WRSIM_OK, WRSIM_E_IO, WRSIM_E_MEMORY. */
wrsim_status wr_hypergraph_write(const char *path, const wr_matrix *matrix,
                                 wr_hypergraph_format format, wrsim_error *err);
/* The same as text, the caller's; NULL when out of memory. */
char *wr_hypergraph_text(const wr_matrix *matrix, wr_hypergraph_format format);

/* Reads one: a pattern with a row for each net. Weights are read and left: all count alike. NULL with err filled, file and line
 * in it. */
wr_matrix *wr_hypergraph_read(const char *path, wr_hypergraph_format format, wrsim_error *err);

/* Reads the parts of n vertices, ret_part[n], each from 0; *ret_n_part: one more than the largest. 0, or a negative status with
 * err filled. */
wrsim_status wr_hypergraph_read_parts(const char *path, int n, int *ret_part, int *ret_n_part,
                                      wrsim_error *err);

#endif
