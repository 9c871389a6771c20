/* Runs Zoltan's hypergraph partitioner PHG in a separate process.
 *
 * Zoltan needs MPI, which starts threads and opens sockets when it is initialised; wrsim must do neither, nor be
 * linked with MPI. Therefore a small program, wrsim-phg (phg/phg_main.c), calls Zoltan in a single process without
 * mpirun. It reads the hypergraph as hMETIS text from standard input and prints the parts. Starting it takes about
 * 0.25 s.
 *
 * Thread: one at a time. Real-time: no. */
#ifndef WR_PHG_PROCESS_H
#define WR_PHG_PROCESS_H

#include "offline/blocks/block_form.h"

/* Partitions the columns of nets n_try times; ret_part[n_try * n_column] receives the part of each column in each
 * try. The tries differ in the order of the columns and in the permitted imbalance. Returns WRSIM_OK, WRSIM_E_PLUGIN
 * if the program is not installed or fails, WRSIM_E_MEMORY, or WRSIM_E_IO. */
wrsim_status wr_phg_partition(const wr_matrix *nets, const wr_block_request *request, int n_try,
                              int *ret_part, wrsim_error *err);

#endif
