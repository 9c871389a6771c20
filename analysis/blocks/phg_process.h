/* Zoltan's partitioner of hypergraphs, in a process of its own.
 *
 * Zoltan wants MPI, and MPI wants to be initialised, starts threads and opens sockets: nothing that wrsim should do, or even be linked
 * with. So a small program, wrsim-phg (phg/phg_main.c), does it, as a single process without mpirun; a hypergraph goes there as hMETIS
 * text on standard input, and parts come back. Starting it costs about a quarter of a second.
 *
 * Thread: one at a time. Real-time: no.
 */
#ifndef WR_PHG_PROCESS_H
#define WR_PHG_PROCESS_H

#include "analysis/blocks/block_form.h"

/* Parts of the columns, ret_part[n_try * n_column], n_try times: tries differ by the order in which the columns are given, and
 * by how strictly the balance is kept. WRSIM_OK, WRSIM_E_PLUGIN where the program is not there or fails, WRSIM_E_MEMORY,
 * WRSIM_E_IO. */
wrsim_status wr_phg_partition(const wr_matrix *nets, const wr_block_request *request, int n_try,
                              int *ret_part, wrsim_error *err);

#endif
