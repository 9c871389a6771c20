/* Tables of a result file in HDF5 format: data sets that grow together, row by row, written in whole chunks. Part of the module 'hdf5'.
 *
 * The first row of a chunk allocates the space of the chunk, so the bytes of the file do not depend on the times of flushes. Column
 * 0 has the times. The writer writes and flushes times after the other columns, so that a reader never gets a time without values.
 *
 * Thread: one at a time. Real-time: no. */
#ifndef WR_TABLE_HDF5_H
#define WR_TABLE_HDF5_H

#include <hdf5.h>
#include <stdint.h>

#include "runtime/record/disk_hdf5.h"

/* The first failure of a file. */
typedef struct wr_hdf5_fault {
    wr_disk_hdf5 disk; /* errors of system calls */
    char text[512];    /* HDF5's description of the first failure */
} wr_hdf5_fault;

/* Returns 1 if a call succeeded (HDF5: not negative) and no disk error occurred. Stores the first error at once, because the next call
 * would delete HDF5's description. */
int wr_hdf5_is_good(wr_hdf5_fault *fault, int64_t result);

typedef struct wr_hdf5_table {
    int n_column;
    hid_t *dataset; /* [n_column] the owner sets the data sets of its columns; invalid: omitted */
    int *width;     /* [n_column] values per row; 0: one value, in a data set of one dimension */
    size_t *start;  /* [n_column] place of the column in buffer */
    hsize_t n_row;  /* rows passed so far */
    hsize_t n_written; /* rows in the file */
    hsize_t chunk_row; /* rows of a chunk */
    double *buffer;    /* rows of the present chunk, column by column */
    hid_t transfer;    /* transfer properties of writes */
} wr_hdf5_table;

/* Allocates a table; width: [n_column], NULL: all 0. Returns 0 when out of memory; wr_hdf5_table_done() then frees the rest. */
int wr_hdf5_table_init(wr_hdf5_table *table, int n_column, const int *width, hsize_t chunk_row);
/* Closes the data sets and frees the memory. The numbers of rows stay. Returns 0 after a failure. Accepts a table of zeros. */
int wr_hdf5_table_done(wr_hdf5_table *table, wr_hdf5_fault *fault);

/* Begins a row: allocates the next chunk if needed. Returns 0 after a failure. */
int wr_hdf5_table_begin_row(wr_hdf5_table *table, wr_hdf5_fault *fault);
/* Returns the place of the present row's values of a column. */
static inline double *wr_hdf5_table_at(const wr_hdf5_table *table, int i_column)
{
    const size_t width = table->width[i_column] > 0 ? (size_t)table->width[i_column] : 1;
    return table->buffer + table->start[i_column] +
           (size_t)(table->n_row % table->chunk_row) * width;
}
/* Ends a row. Returns 1 if the chunk is full, so that the caller has to write the table. */
static inline int wr_hdf5_table_end_row(wr_hdf5_table *table)
{
    return ++table->n_row % table->chunk_row == 0;
}

/* Writes columns 1 and above of the unwritten rows, or with is_times column 0. Returns 0 after a failure. */
int wr_hdf5_table_write(wr_hdf5_table *table, int is_times, wr_hdf5_fault *fault);

#endif
