/* Block-diagonal forms of a matrix: its rows and columns in an order in which entries stand in diagonal blocks and in a border.
 *
 *     singly bordered: border rows only       doubly bordered: border rows and border columns
 *
 *         | B1     |                              | B1      C1 |
 *         |    B2  |                              |    B2   C2 |
 *         | R1  R2 |                              | R1  R2  Cb |
 *
 * (Ben Khaled et al. (2013), section 5.3; docs/METHODS.md, Incidence and block forms.) Blocks are numbered by their first column
 * and rows and columns ascend within a block, so that one partition has one form. Rows and columns without any entry need
 * no block: those that are given none come last.
 *
 * Thread: any for reading. Real-time: no.
 */
#ifndef WR_BLOCK_FORM_H
#define WR_BLOCK_FORM_H

#include "base/matrix.h"
#include "wrsim/status.h"

/* What is asked for. */
typedef struct wr_block_request {
    int n_block;      /* >= 2 */
    double imbalance; /* >= 0: how much larger than the mean of the blocks the largest may be */
    int is_paired;    /* row i and column i stay together; of a square matrix */
    int counts_rows;  /* a block is as large as it has rows and columns; else as it has columns */
    unsigned seed;    /* of the partitioners; the same one gives the same form */
} wr_block_request;

typedef struct wr_block_form {
    int n_block;
    int *row_order, *column_order; /* [n_row], [n_column] which row and column stands there */
    int *row_start,
        *column_start; /* [n_block + 3] blocks, the border, what has no entries, the end */
    int n_border_row, n_border_column;
    int n_unused_row, n_unused_column;
    int n_block_entry; /* entries in diagonal blocks; the others are in the border */
    double imbalance;  /* of the largest block, above the mean */
    int n_empty;       /* blocks with nothing in them */
} wr_block_form;

/* Makes the form of an assignment: the block of each row and column, n_block for the border, n_block + 1 for what has no entries
 * and belongs nowhere. Then permutes the matrix, looks whether all entries are where they may be, and permutes it back: WRSIM_E_INTERNAL
 * where that fails, which is a mistake of whoever made the assignment. The form is the caller's. */
wrsim_status wr_block_form_create(const wr_matrix *matrix, int n_block, const int *row_block,
                                  const int *column_block, int counts_rows,
                                  wr_block_form **ret_form, wrsim_error *err);
/* Accepts NULL and nulls the pointer. */
void wr_block_form_destroy(wr_block_form **form);

/* Is a better than b: without empty blocks and balanced (within limit), then with the smaller border, then the better balanced? b NULL: yes. */
int wr_block_form_is_better(const wr_block_form *a, const wr_block_form *b, double limit);

/* Which rows and columns have entries, ret_row[n_row], ret_column[n_column]. */
void wr_block_form_used(const wr_matrix *matrix, unsigned char *ret_row, unsigned char *ret_column);

/* Checks what is asked of a matrix: enough rows and columns with entries, square where pairs are to stay together. */
wrsim_status wr_block_request_check(const wr_matrix *matrix, const wr_block_request *request,
                                    wrsim_error *err);

#endif
