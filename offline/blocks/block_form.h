/* Block-diagonal forms of a matrix: an order of its rows and columns in which all entries are in diagonal blocks or in a border.
 *
 *     singly bordered: border rows only       doubly bordered: border rows and border columns
 *
 *         | B1     |                              | B1      C1 |
 *         |    B2  |                              |    B2   C2 |
 *         | R1  R2 |                              | R1  R2  Cb |
 *
 * (Ben Khaled et al. (2013), section 5.3; docs/METHODS.md, Incidence and block forms.) The blocks are in the order of their first columns,
 * then blocks without columns in the order of their first rows. Within a block, rows and columns keep their order. So each partition has
 * exactly one form. Rows and columns that belong to no block, because they have no entries, are the last.
 *
 * Thread: any for reading. Real-time: no. */
#ifndef WR_BLOCK_FORM_H
#define WR_BLOCK_FORM_H

#include "base/matrix.h"
#include "wrsim/status.h"

/* The requested form. */
typedef struct wr_block_request {
    int n_block; /* number of blocks, at least 2 */
    /* permitted relative excess of the largest block over the mean of the blocks; at least 0 */
    double imbalance;
    int is_paired; /* 1: row i and column i stay in one block; the matrix must be square */
    /* 1: the size of a block is its number of rows and columns; 0: its number of columns */
    int counts_rows;
    unsigned seed; /* seed of the partitioners; equal seeds give equal forms */
} wr_block_request;

typedef struct wr_block_form {
    int n_block;       /* number of blocks */
    int *row_order;    /* [n_row] the row at each position */
    int *column_order; /* [n_column] the column at each position */
    /* [n_block + 3] first position of the rows of each block, of the border, and of the unused rows; then n_row */
    int *row_start;
    /* [n_block + 3] first position of the columns of each block, of the border, and of the unused columns; then n_column */
    int *column_start;
    int n_border_row;    /* number of rows of the border */
    int n_border_column; /* number of columns of the border */
    int n_unused_row;    /* number of rows that belong to no block, because they have no entries */
    int n_unused_column; /* number of columns that belong to no block, because they have no entries */
    int n_block_entry; /* number of entries in diagonal blocks; all other entries are in the border */
    double imbalance; /* relative excess of the largest block over the mean of the blocks */
    int n_empty;      /* number of blocks of size 0, as counts_rows defines the size */
} wr_block_form;

/* Makes a form from the block of each row and column. Block n_block is the border, n_block + 1 means no block. Tests the form by
 * permuting the matrix and permuting the result back. Returns WRSIM_OK, WRSIM_E_MEMORY, or WRSIM_E_INTERNAL if an entry is outside of
 * the blocks and the border, a bug of the caller's assignment. The caller destroys the form. */
wrsim_status wr_block_form_create(const wr_matrix *matrix, int n_block, const int *row_block,
                                  const int *column_block, int counts_rows,
                                  wr_block_form **ret_form, wrsim_error *err);
/* Destroys the object and sets the pointer to NULL. Accepts NULL. */
void wr_block_form_destroy(wr_block_form **form);

/* Replaces *best, which may be NULL, by form if form is better, and destroys the other form. Fewer empty blocks are better, then an
 * imbalance within the limit. Within the limit a smaller border is better, then a smaller imbalance. Beyond the limit the imbalance comes
 * first. */
void wr_block_form_take(wr_block_form **best, wr_block_form *form, double limit);

/* Sets ret_row[n_row] and ret_column[n_column] to 1 where the row or column has entries, else to 0. */
void wr_block_form_used(const wr_matrix *matrix, unsigned char *ret_row, unsigned char *ret_column);

/* Returns WRSIM_OK if the matrix has enough rows and columns with entries for the request, and is square for pairs, else WRSIM_E_ARG with
 * err. Returns WRSIM_E_MEMORY when out of memory. */
wrsim_status wr_block_request_check(const wr_matrix *matrix, const wr_block_request *request,
                                    wrsim_error *err);

/* Numbers the connected parts in the order of their first columns. A connected part is a smallest set of rows and columns without an entry
 * in common with the other rows and columns. Writes the part of each row to ret_row[n_row] and of each column to ret_column[n_column], or 0
 * without entries. If is_paired is 1, row i and column i are in one part, if either has entries. Returns the number of parts, or -1 when
 * out of memory. */
int wr_connected_parts(const wr_matrix *matrix, int is_paired, int *ret_row, int *ret_column);

/* Makes a form without a border, whose blocks are unions of connected parts. Adds the parts, in the order of decreasing size, to the block
 * that is then smallest. *ret_form is NULL if the parts are fewer than the blocks, or if the imbalance exceeds the requested limit. */
wrsim_status wr_connected_make(const wr_matrix *matrix, const wr_block_request *request,
                               wr_block_form **ret_form, wrsim_error *err);

#endif
