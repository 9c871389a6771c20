/* Sparse matrices and patterns, in compressed columns, made from lists of entries.
 *
 * Rows are numbered from 0 and ascend within a column. A pattern is a matrix without values: an entry is there or not.
 * Entries that are there may be 0.
 *
 * Thread: any for reading. Real-time: no (tools).
 */
#ifndef WR_MATRIX_H
#define WR_MATRIX_H

#include <stddef.h>

/* Rows, and columns, that a file may say it has: some bytes of it would else ask for gigabytes. */
enum { WR_MATRIX_MOST = 100000000 };

typedef struct wr_matrix {
    int n_row, n_column, n_nonzero;
    int *start;    /* [n_column + 1] where each column begins */
    int *row;      /* [n_nonzero] */
    double *value; /* [n_nonzero]; NULL: a pattern */
} wr_matrix;

typedef struct wr_entry {
    int row, column;
    int tag; /* the maker's own, such as the line it was read from */
    double value;
} wr_entry;

/* A growing list. Where memory is missing is_failed is set, and what is added is lost. */
typedef struct wr_entries {
    wr_entry *item;
    size_t n, cap;
    int is_failed;
} wr_entries;

void wr_entries_add(wr_entries *entries, int row, int column, double value, int tag);
/* By column, then row, then tag. */
void wr_entries_sort(wr_entries *entries);
void wr_entries_done(wr_entries *entries);

/* A matrix of those entries, sorted meanwhile; of several at one place the largest magnitude stays (of equal ones the first).
 * has_values 0: a pattern. The caller's, freed by wr_matrix_destroy(). NULL when out of memory, also before, or too
 * large. Every entry lies inside. */
wr_matrix *wr_matrix_from_entries(int n_row, int n_column, wr_entries *entries, int has_values);

/* Accepts NULL and nulls the pointer. */
void wr_matrix_destroy(wr_matrix **matrix);

/* Where the entry is in row[] and value[], -1: it is not there. */
int wr_matrix_find(const wr_matrix *matrix, int row, int column);

/* The value there; 0 where no entry is, 1 for those of a pattern. */
double wr_matrix_at(const wr_matrix *matrix, int row, int column);

/* As a dense matrix, column by column, ret[n_row * n_column]; entries of a pattern are 1. */
void wr_matrix_to_dense(const wr_matrix *matrix, double *ret);
/* The other way, without zeros. NULL when out of memory. */
wr_matrix *wr_matrix_from_dense(int n_row, int n_column, const double *dense);

/* New matrices, the caller's; NULL when out of memory. */
wr_matrix *wr_matrix_transpose(const wr_matrix *matrix);
/* Row i of the result is row row_order[i], and likewise columns; NULL: as they are. */
wr_matrix *wr_matrix_permute(const wr_matrix *matrix, const int *row_order,
                             const int *column_order);
/* Where either has an entry. Values: the larger magnitude; a pattern where one of them is. Sizes agree. */
wr_matrix *wr_matrix_join(const wr_matrix *a, const wr_matrix *b);
/* What leads from columns of b over its rows, a's columns, to rows of a: the pattern of a b, and the largest of the
 * products of magnitudes along the ways; patterns count as 1. */
wr_matrix *wr_matrix_chain(const wr_matrix *a, const wr_matrix *b);
/* Entries of a where b has none, with a's values. Sizes agree. */
wr_matrix *wr_matrix_without(const wr_matrix *a, const wr_matrix *b);

/* Same size, entries and bits of values? */
int wr_matrix_is_equal(const wr_matrix *a, const wr_matrix *b);

#endif
