/* Sparse matrices and patterns. See matrix.h. Thread: one owner. Real-time: no. */
#include "base/matrix.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists of entries ---- */

void wr_entries_add(wr_entries *entries, int row, int column, double value, int tag)
{
    if (entries->n == entries->cap) {
        const size_t cap = entries->cap ? 2 * entries->cap : 64;
        wr_entry *const grown = realloc(entries->item, cap * sizeof *grown);
        if (!grown) {
            entries->is_failed = 1;
            return;
        }
        entries->item = grown;
        entries->cap = cap;
    }
    entries->item[entries->n++] =
        (wr_entry){.row = row, .column = column, .tag = tag, .value = value};
}

static int compare_entries(const void *a, const void *b)
{
    const wr_entry *const p = a, *const q = b;
    const int of_p[] = {p->column, p->row, p->tag}, of_q[] = {q->column, q->row, q->tag};
    int i = 0;
    while (i < 2 && of_p[i] == of_q[i])
        i++;
    return (of_p[i] > of_q[i]) - (of_p[i] < of_q[i]);
}

void wr_entries_sort(wr_entries *entries)
{
    if (entries->n > 1)
        qsort(entries->item, entries->n, sizeof *entries->item, compare_entries);
}

void wr_entries_done(wr_entries *entries)
{
    free(entries->item);
    *entries = (wr_entries){0};
}

/* ---- matrices ---- */

void wr_matrix_destroy(wr_matrix **matrix)
{
    if (!matrix || !*matrix)
        return;
    free((*matrix)->start);
    free((*matrix)->row);
    free((*matrix)->value);
    free(*matrix);
    *matrix = NULL;
}

static int is_same_place(const wr_entry *a, const wr_entry *b)
{
    return a->row == b->row && a->column == b->column;
}

wr_matrix *wr_matrix_from_entries(int n_row, int n_column, wr_entries *entries, int has_values)
{
    if (entries->is_failed)
        return NULL;
    wr_entries_sort(entries);
    wr_entry *const item = entries->item;
    size_t n = 0;
    for (size_t i = 0; i < entries->n; i++)
        n += i == 0 || !is_same_place(&item[i], &item[i - 1]);
    wr_matrix *matrix = n < INT_MAX ? calloc(1, sizeof *matrix) : NULL;
    if (!matrix)
        return NULL;
    *matrix = (wr_matrix){.n_row = n_row,
                          .n_column = n_column,
                          .n_nonzero = (int)n,
                          .start = calloc((size_t)n_column + 1, sizeof *matrix->start),
                          .row = calloc(n + 1, sizeof *matrix->row),
                          .value = has_values ? calloc(n + 1, sizeof *matrix->value) : NULL};
    if (!matrix->start || !matrix->row || (has_values && !matrix->value)) {
        wr_matrix_destroy(&matrix);
        return NULL;
    }
    int k = -1;
    for (size_t i = 0; i < entries->n; i++) {
        if (i == 0 || !is_same_place(&item[i], &item[i - 1])) {
            matrix->row[++k] = item[i].row;
            matrix->start[item[i].column + 1] = k + 1;
            if (has_values)
                matrix->value[k] = item[i].value;
        } else if (has_values && fabs(item[i].value) > fabs(matrix->value[k])) {
            matrix->value[k] = item[i].value;
        }
    }
    for (int j = 0; j < n_column; j++)
        if (matrix->start[j + 1] < matrix->start[j])
            matrix->start[j + 1] = matrix->start[j];
    return matrix;
}

int wr_matrix_find(const wr_matrix *matrix, int row, int column)
{
    int low = matrix->start[column], high = matrix->start[column + 1];
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (matrix->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < matrix->start[column + 1] && matrix->row[low] == row ? low : -1;
}

static double value_of(const wr_matrix *matrix, int i)
{
    return matrix->value ? matrix->value[i] : 1.0;
}

double wr_matrix_at(const wr_matrix *matrix, int row, int column)
{
    const int i = wr_matrix_find(matrix, row, column);
    return i < 0 ? 0.0 : value_of(matrix, i);
}

void wr_matrix_to_dense(const wr_matrix *matrix, double *ret)
{
    const size_t n_row = (size_t)matrix->n_row;
    memset(ret, 0, n_row * (size_t)matrix->n_column * sizeof *ret);
    for (int j = 0; j < matrix->n_column; j++)
        for (int i = matrix->start[j]; i < matrix->start[j + 1]; i++)
            ret[(size_t)j * n_row + (size_t)matrix->row[i]] = value_of(matrix, i);
}

static wr_matrix *take(int n_row, int n_column, wr_entries *entries, int has_values)
{
    wr_matrix *const matrix = wr_matrix_from_entries(n_row, n_column, entries, has_values);
    wr_entries_done(entries);
    return matrix;
}

wr_matrix *wr_matrix_from_dense(int n_row, int n_column, const double *dense)
{
    wr_entries entries = {0};
    for (int j = 0; j < n_column; j++)
        for (int i = 0; i < n_row; i++) {
            const double value = dense[(size_t)j * (size_t)n_row + (size_t)i];
            if (value != 0.0)
                wr_entries_add(&entries, i, j, value, 0);
        }
    return take(n_row, n_column, &entries, 1);
}

/* ---- matrices from other matrices ---- */

/* Adds all entries of a matrix, or of the transpose if is_transposed is 1. */
static void add_all(wr_entries *entries, const wr_matrix *matrix, int is_transposed, int tag)
{
    for (int j = 0; j < matrix->n_column; j++)
        for (int i = matrix->start[j]; i < matrix->start[j + 1]; i++)
            wr_entries_add(entries, is_transposed ? j : matrix->row[i],
                           is_transposed ? matrix->row[i] : j, value_of(matrix, i), tag);
}

wr_matrix *wr_matrix_transpose(const wr_matrix *matrix)
{
    wr_entries entries = {0};
    add_all(&entries, matrix, 1, 0);
    return take(matrix->n_column, matrix->n_row, &entries, matrix->value != NULL);
}

/* Returns the inverse of an order: the new place of each index. order NULL: the identity. Returns NULL when memory is exhausted. */
static int *places(const int *order, int n)
{
    int *const place = calloc((size_t)n + 1, sizeof *place);
    for (int i = 0; place && i < n; i++)
        place[order ? order[i] : i] = i;
    return place;
}

wr_matrix *wr_matrix_permute(const wr_matrix *matrix, const int *row_order, const int *column_order)
{
    int *const row = places(row_order, matrix->n_row);
    int *const column = places(column_order, matrix->n_column);
    wr_entries entries = {.is_failed = !row || !column};
    for (int j = 0; !entries.is_failed && j < matrix->n_column; j++)
        for (int i = matrix->start[j]; i < matrix->start[j + 1]; i++)
            wr_entries_add(&entries, row[matrix->row[i]], column[j], value_of(matrix, i), 0);
    free(row);
    free(column);
    return take(matrix->n_row, matrix->n_column, &entries, matrix->value != NULL);
}

wr_matrix *wr_matrix_join(const wr_matrix *a, const wr_matrix *b)
{
    wr_entries entries = {0};
    add_all(&entries, a, 0, 0);
    add_all(&entries, b, 0, 1);
    return take(a->n_row, a->n_column, &entries, a->value && b->value);
}

/* Computes a column of wr_matrix_chain: best[] gets the largest product for each row. Returns the number of rows in reached[]. */
static int chain_column(const wr_matrix *a, const wr_matrix *b, int column, double *best,
                        unsigned char *is_reached, int *reached)
{
    int n = 0;
    for (int k = b->start[column]; k < b->start[column + 1]; k++) {
        const int middle = b->row[k];
        for (int i = a->start[middle]; i < a->start[middle + 1]; i++) {
            const int row = a->row[i];
            const double product = fabs(value_of(b, k)) * fabs(value_of(a, i));
            if (!is_reached[row])
                reached[n++] = row;
            if (!is_reached[row] || product > best[row])
                best[row] = product;
            is_reached[row] = 1;
        }
    }
    return n;
}

wr_matrix *wr_matrix_chain(const wr_matrix *a, const wr_matrix *b)
{
    const size_t n_row = (size_t)a->n_row + 1;
    double *const best = calloc(n_row, sizeof *best);
    unsigned char *const is_reached = calloc(n_row, 1);
    int *const reached = calloc(n_row, sizeof *reached);
    wr_entries entries = {.is_failed = !best || !is_reached || !reached};
    for (int j = 0; !entries.is_failed && j < b->n_column; j++) {
        const int n = chain_column(a, b, j, best, is_reached, reached);
        for (int i = 0; i < n; i++) {
            wr_entries_add(&entries, reached[i], j, best[reached[i]], 0);
            is_reached[reached[i]] = 0;
        }
    }
    free(best);
    free(is_reached);
    free(reached);
    return take(a->n_row, b->n_column, &entries, a->value || b->value);
}

wr_matrix *wr_matrix_without(const wr_matrix *a, const wr_matrix *b)
{
    wr_entries entries = {0};
    for (int j = 0; j < a->n_column; j++)
        for (int i = a->start[j]; i < a->start[j + 1]; i++)
            if (wr_matrix_find(b, a->row[i], j) < 0)
                wr_entries_add(&entries, a->row[i], j, value_of(a, i), 0);
    return take(a->n_row, a->n_column, &entries, a->value != NULL);
}

int wr_matrix_is_equal(const wr_matrix *a, const wr_matrix *b)
{
    if (a->n_row != b->n_row || a->n_column != b->n_column || a->n_nonzero != b->n_nonzero ||
        !a->value != !b->value)
        return 0;
    const size_t n = (size_t)a->n_nonzero;
    return memcmp(a->start, b->start, ((size_t)a->n_column + 1) * sizeof *a->start) == 0 &&
           memcmp(a->row, b->row, n * sizeof *a->row) == 0 &&
           (!a->value || memcmp(a->value, b->value, n * sizeof *a->value) == 0);
}
