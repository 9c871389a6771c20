/* Sparse matrices and patterns in compressed columns, built from lists of entries.
 *
 * Rows are numbered from 0 and ascend within a column. A pattern is a matrix without values. The value of an entry
 * may be 0. sparse.h has colours and matchings of patterns.
 *
 * Thread: any for reading. Real-time: reading. */
#ifndef WR_MATRIX_H
#define WR_MATRIX_H

#include <stddef.h>

/* largest number of rows or columns that a file may declare (assumed); limits the memory that a small file can request */
enum { WR_MATRIX_MOST = 100000000 };

typedef struct wr_matrix {
    int n_row, n_column, n_nonzero;
    int *start;    /* [n_column + 1] index of the first entry of each column */
    int *row;      /* [n_nonzero] row of each entry, from 0 */
    double *value; /* [n_nonzero] value of each entry; NULL: a pattern */
} wr_matrix;

typedef struct wr_entry {
    int row, column;
    int tag; /* number that the caller sets, such as a line of a file */
    double value;
} wr_entry;

/* A growing list of entries. If memory is exhausted, is_failed is 1 and entries are missing. */
typedef struct wr_entries {
    wr_entry *item;
    size_t n, cap;
    int is_failed;
} wr_entries;

void wr_entries_add(wr_entries *entries, int row, int column, double value, int tag);
/* Sorts by column, then row, then tag. */
void wr_entries_sort(wr_entries *entries);
void wr_entries_done(wr_entries *entries);

/* Builds a matrix from entries inside its bounds, and sorts the list. Of several entries at one place, the first entry of the largest
 * magnitude counts. If has_values is 0, the result is a pattern. The caller frees the result with wr_matrix_destroy(). Returns NULL if
 * memory is exhausted, if entries are missing, or if the matrix is too large. */
wr_matrix *wr_matrix_from_entries(int n_row, int n_column, wr_entries *entries, int has_values);

/* Frees a matrix and sets *matrix to NULL. matrix and *matrix may be NULL. */
void wr_matrix_destroy(wr_matrix **matrix);

/* Returns the index of an entry in row[] and value[], or -1 if the entry is absent. */
int wr_matrix_find(const wr_matrix *matrix, int row, int column);

/* Returns the value of an entry, 1 for an entry of a pattern, or 0 if the entry is absent. */
double wr_matrix_at(const wr_matrix *matrix, int row, int column);

/* Writes a dense matrix, column by column, to ret[n_row * n_column]. Entries of a pattern are 1. */
void wr_matrix_to_dense(const wr_matrix *matrix, double *ret);
/* Builds a matrix from the non-zeros of a dense matrix. Returns NULL when memory is exhausted. */
wr_matrix *wr_matrix_from_dense(int n_row, int n_column, const double *dense);

/* Returns the transpose. The functions wr_matrix_transpose() to wr_matrix_without() return new matrices, which the caller owns, or NULL
 * when memory is exhausted. */
wr_matrix *wr_matrix_transpose(const wr_matrix *matrix);
/* Returns a permuted matrix: row i of the result is row row_order[i], column j is column column_order[j]. An order of NULL keeps the
 * order. */
wr_matrix *wr_matrix_permute(const wr_matrix *matrix, const int *row_order,
                             const int *column_order);
/* Returns a matrix with the entries that a or b has. Each value is the value of the larger magnitude. If a or b is a pattern, the result is
 * a pattern. Sizes must agree. */
wr_matrix *wr_matrix_join(const wr_matrix *a, const wr_matrix *b);
/* Returns a matrix with the pattern of the product a b. Each value is the largest |a_ik| |b_kj| over k, where entries of a pattern count as
 * 1. If a and b are patterns, the result is a pattern. */
wr_matrix *wr_matrix_chain(const wr_matrix *a, const wr_matrix *b);
/* Returns a matrix with the entries of a that b does not have, with the values of a. Sizes must agree. */
wr_matrix *wr_matrix_without(const wr_matrix *a, const wr_matrix *b);

/* Returns 1 if sizes, entries and bits of the values are equal. */
int wr_matrix_is_equal(const wr_matrix *a, const wr_matrix *b);

#endif
