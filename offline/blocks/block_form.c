/* Block-diagonal forms. See block_form.h. Thread: one owner. Real-time: no. */
#include "offline/blocks/block_form.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"

/* Indices into row_start and column_start, less n_block: BORDER is the end of the border, UNUSED the end of the unused rows or columns.
 * N_SECTION_MORE is the length of these arrays, less n_block. */
enum { BORDER = 1, UNUSED = 2, N_SECTION_MORE = 3 };

void wr_block_form_destroy(wr_block_form **form)
{
    if (!form || !*form)
        return;
    free((*form)->row_order);
    free((*form)->column_order);
    free((*form)->row_start);
    free((*form)->column_start);
    free(*form);
    *form = NULL;
}

/* ---- orders ---- */

void wr_block_form_used(const wr_matrix *m, unsigned char *row, unsigned char *column)
{
    memset(row, 0, (size_t)m->n_row);
    memset(column, 0, (size_t)m->n_column);
    for (int j = 0; j < m->n_column; j++)
        for (int i = m->start[j]; i < m->start[j + 1]; i++)
            row[m->row[i]] = column[j] = 1;
}

/* Numbers the blocks in the order of their first rows or columns among n rows or columns. Blocks without a row or column stay at -1. Blocks
 * that have a number keep the number. */
static void number_blocks(int n_block, const int *block, int n, int *number, int *n_numbered)
{
    for (int i = 0; i < n; i++)
        if (block[i] < n_block && number[block[i]] < 0)
            number[block[i]] = (*n_numbered)++;
}

/* Sorts the n rows or columns by section (counting sort) and writes the first position of each section. number[] maps blocks, the border
 * and "no block" to sections. */
static void sort_sections(int n_section, const int *number, const int *block, int n, int *order,
                          int *start)
{
    for (int i = 0; i < n; i++)
        start[number[block[i]] + 1]++;
    for (int s = 0; s < n_section; s++)
        start[s + 1] += start[s];
    for (int i = 0; i < n; i++)
        order[start[number[block[i]]]++] = i;
    for (int s = n_section; s > 0; s--) /* each start is now the end of its section */
        start[s] = start[s - 1];
    start[0] = 0;
}

/* ---- checking ---- */

static int section_at(const int *start, int n_section, int position)
{
    int s = 0;
    while (s + 1 < n_section && position >= start[s + 1])
        s++;
    return s;
}

/* Returns the number of entries in diagonal blocks, or -1 if an entry is outside of the blocks and the border. */
static int count_inside(const wr_matrix *permuted, const wr_block_form *f)
{
    const int n_section = f->n_block + UNUSED;
    int n = 0;
    for (int j = 0; j < permuted->n_column; j++) {
        const int column = section_at(f->column_start, n_section, j);
        for (int i = permuted->start[j]; i < permuted->start[j + 1]; i++) {
            const int row = section_at(f->row_start, n_section, permuted->row[i]);
            if (row > f->n_block || column > f->n_block)
                return -1;
            if (row != column && row != f->n_block && column != f->n_block)
                return -1;
            n += row == column && row < f->n_block;
        }
    }
    return n;
}

/* Returns the inverse permutation, or NULL when out of memory. The caller frees the result. */
static int *inverse_of(const int *order, int n)
{
    int *const inverse = calloc((size_t)n + 1, sizeof *inverse);
    for (int i = 0; inverse && i < n; i++)
        inverse[order[i]] = i;
    return inverse;
}

static wrsim_status verify(const wr_matrix *m, wr_block_form *f, wrsim_error *err)
{
    WR_AUTO(wr_matrix_destroy)
    wr_matrix *permuted = wr_matrix_permute(m, f->row_order, f->column_order);
    WR_AUTO_FREE int *const row_back = inverse_of(f->row_order, m->n_row);
    WR_AUTO_FREE int *const column_back = inverse_of(f->column_order, m->n_column);
    WR_AUTO(wr_matrix_destroy)
    wr_matrix *back = permuted && row_back && column_back
                          ? wr_matrix_permute(permuted, row_back, column_back)
                          : NULL;
    if (!back)
        return wr_error_memory(err);
    f->n_block_entry = count_inside(permuted, f);
    return f->n_block_entry >= 0 && wr_matrix_is_equal(back, m)
               ? WRSIM_OK
               : wr_error_set(
                     err, WRSIM_E_INTERNAL,
                     "the block form has an entry between two blocks; report this error of wrsim");
}

static int arrange(wr_block_form *f, const wr_matrix *m, const int *row_block,
                   const int *column_block)
{
    const int n = f->n_block, n_section = n + UNUSED;
    int n_numbered = 0;
    WR_AUTO_FREE int *const number = calloc((size_t)n_section + 1, sizeof *number);
    f->row_order = calloc((size_t)m->n_row + 1, sizeof *f->row_order);
    f->column_order = calloc((size_t)m->n_column + 1, sizeof *f->column_order);
    f->row_start = calloc((size_t)n + N_SECTION_MORE, sizeof *f->row_start);
    f->column_start = calloc((size_t)n + N_SECTION_MORE, sizeof *f->column_start);
    if (!number || !f->row_order || !f->column_order || !f->row_start || !f->column_start)
        return -1;
    for (int b = 0; b < n_section; b++)
        number[b] = b < n ? -1 : b;
    number_blocks(n, column_block, m->n_column, number, &n_numbered);
    number_blocks(n, row_block, m->n_row, number, &n_numbered);
    for (int b = 0; b < n; b++) /* blocks without rows and columns get the last numbers */
        number[b] = number[b] < 0 ? n_numbered++ : number[b];
    sort_sections(n_section, number, row_block, m->n_row, f->row_order, f->row_start);
    sort_sections(n_section, number, column_block, m->n_column, f->column_order, f->column_start);
    return 0;
}

wrsim_status wr_block_form_create(const wr_matrix *matrix, int n_block, const int *row_block,
                                  const int *column_block, int counts_rows,
                                  wr_block_form **ret_form, wrsim_error *err)
{
    wr_block_form *form = calloc(1, sizeof *form);
    if (!form)
        return wr_error_memory(err);
    form->n_block = n_block;
    wrsim_status status =
        arrange(form, matrix, row_block, column_block) == 0 ? WRSIM_OK : wr_error_memory(err);
    WR_THEN(status, verify(matrix, form, err));
    if (status < 0) {
        wr_block_form_destroy(&form);
        return status;
    }
    const int n = form->n_block;
    int most = 0, all = 0;
    for (int b = 0; b < n; b++) {
        const int size = form->column_start[b + 1] - form->column_start[b] +
                         (counts_rows ? form->row_start[b + 1] - form->row_start[b] : 0);
        most = size > most ? size : most;
        form->n_empty += size == 0;
        all += size;
    }
    form->imbalance = all > 0 ? (double)most * n / all - 1.0 : 0.0;
    form->n_border_row = form->row_start[n + BORDER] - form->row_start[n];
    form->n_border_column = form->column_start[n + BORDER] - form->column_start[n];
    form->n_unused_row = form->row_start[n + UNUSED] - form->row_start[n + BORDER];
    form->n_unused_column = form->column_start[n + UNUSED] - form->column_start[n + BORDER];
    *ret_form = form;
    return WRSIM_OK;
}

static int is_better(const wr_block_form *a, const wr_block_form *b, double limit)
{
    if (!b)
        return 1;
    const double rounding = 1e-9; /* rounding error of an imbalance (assumed) */
    if (a->n_empty != b->n_empty)
        return a->n_empty < b->n_empty;
    const int a_holds = a->imbalance <= limit + rounding,
              b_holds = b->imbalance <= limit + rounding;
    if (a_holds != b_holds)
        return a_holds;
    const int a_border = a->n_border_row + a->n_border_column,
              b_border = b->n_border_row + b->n_border_column;
    if (a_holds && a_border != b_border)
        return a_border < b_border;
    if (fabs(a->imbalance - b->imbalance) > rounding)
        return a->imbalance < b->imbalance;
    return a_border < b_border;
}

void wr_block_form_take(wr_block_form **best, wr_block_form *form, double limit)
{
    wr_block_form *other = form;
    if (is_better(form, *best, limit)) {
        other = *best;
        *best = form;
    }
    wr_block_form_destroy(&other);
}

wrsim_status wr_block_request_check(const wr_matrix *m, const wr_block_request *request,
                                    wrsim_error *err)
{
    WR_AUTO_FREE unsigned char *const row = calloc((size_t)m->n_row + 1, 1),
                                      *const column = calloc((size_t)m->n_column + 1, 1);
    int n_row = 0, n_column = 0;
    if (!row || !column)
        return wr_error_memory(err);
    wr_block_form_used(m, row, column);
    for (int i = 0; i < m->n_row; i++)
        n_row += row[i];
    for (int j = 0; j < m->n_column; j++)
        n_column += column[j];
    if (m->n_nonzero == 0)
        return wr_error_set(err, WRSIM_E_ARG,
                            "the matrix has no entries, so no block form is possible; choose "
                            "another matrix or relation");
    if (request->is_paired && m->n_row != m->n_column)
        return wr_error_set(err, WRSIM_E_ARG,
                            "pairs of rows and columns need a square matrix, but the matrix is %d "
                            "x %d; remove --pairs",
                            m->n_row, m->n_column);
    const int n_most = n_row < n_column ? n_row : n_column;
    if (n_most < 2 && request->n_block > n_most)
        return wr_error_set(
            err, WRSIM_E_ARG,
            "too few rows or columns of the matrix have entries (%d and %d) for two "
            "blocks; choose another matrix or relation",
            n_row, n_column);
    if (request->n_block > n_most)
        return wr_error_set(
            err, WRSIM_E_ARG,
            "%d blocks are too many, because %d rows and %d columns of the matrix have entries; "
            "request at most %d",
            request->n_block, n_row, n_column, n_most);
    return WRSIM_OK;
}

/* ---- union of sets, with path halving (Tarjan and van Leeuwen, "Worst-case analysis of set union algorithms", 1984) ---- */

static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join(int *parent, int a, int b)
{
    const int i = root_of(parent, a), j = root_of(parent, b);
    parent[i > j ? i : j] = i > j ? j : i;
}

int wr_connected_parts(const wr_matrix *m, int is_paired, int *ret_row, int *ret_column)
{
    const int n = m->n_column + m->n_row;
    WR_AUTO_FREE int *const parent = malloc(((size_t)n + 1) * sizeof *parent),
                            *const number = calloc((size_t)n + 1, sizeof *number);
    WR_AUTO_FREE unsigned char *const has_entry = calloc((size_t)n + 1, 1);
    const int is_made = parent && number && has_entry;
    int n_part = 0;
    for (int i = 0; is_made && i < n; i++)
        parent[i] = i;
    for (int j = 0; is_made && j < m->n_column; j++)
        for (int k = m->start[j]; k < m->start[j + 1]; k++) {
            join(parent, j, m->n_column + m->row[k]);
            if (is_paired) { /* a row or column with entries joins its pair */
                join(parent, j, m->n_column + j);
                join(parent, m->row[k], m->n_column + m->row[k]);
            }
        }
    for (int j = 0; is_made && j < m->n_column; j++)
        if (m->start[j + 1] > m->start[j])
            has_entry[root_of(parent, j)] = 1;
    for (int i = 0; is_made && i < n; i++) { /* the root of a part is its first member */
        const int root = root_of(parent, i);
        if (root == i)
            number[i] = has_entry[i] ? n_part++ : 0;
        *(i < m->n_column ? &ret_column[i] : &ret_row[i - m->n_column]) = number[root];
    }
    return is_made ? n_part : -1;
}

/* ---- assignment of parts to blocks ---- */

typedef struct part {
    int size; /* number of columns with entries; if counts_rows, plus number of rows with entries */
    int i;    /* number of the part */
} part;

static int compare_parts(const void *a, const void *b)
{
    const part *const p = a, *const q = b;
    return p->size != q->size ? (p->size < q->size) - (p->size > q->size)
                              : (p->i > q->i) - (p->i < q->i);
}

/* Replaces the part of each row or column by the block of the part. A row or column i without entries gets `unused`, except if
 * is_pair_used[i] is 1. is_pair_used is NULL if pairs need not stay together. */
static void to_blocks(int *part_of, const unsigned char *is_used, const unsigned char *is_pair_used,
                      int n, const int *block_of, int unused)
{
    for (int i = 0; i < n; i++)
        part_of[i] =
            is_used[i] || (is_pair_used && is_pair_used[i]) ? block_of[part_of[i]] : unused;
}

wrsim_status wr_connected_make(const wr_matrix *m, const wr_block_request *request,
                               wr_block_form **ret_form, wrsim_error *err)
{
    const size_t n_all = (size_t)m->n_row + (size_t)m->n_column + 1;
    WR_AUTO_FREE int *const row = calloc(n_all, sizeof *row);
    WR_AUTO_FREE int *const block_of = calloc(n_all, sizeof *block_of);
    WR_AUTO_FREE int *const load = calloc((size_t)request->n_block + 1, sizeof *load);
    WR_AUTO_FREE part *const parts = calloc(n_all, sizeof *parts);
    WR_AUTO_FREE unsigned char *const used = calloc(n_all, 1);
    int *const column = row ? row + m->n_row : NULL, n_part = -1;
    unsigned char *const is_row = used, *const is_column = used ? used + m->n_row : NULL;
    *ret_form = NULL;
    if (row && block_of && load && parts && used)
        n_part = wr_connected_parts(m, request->is_paired, row, column);
    if (n_part < 0)
        return wr_error_memory(err);
    if (n_part < request->n_block)
        return WRSIM_OK;
    wr_block_form_used(m, is_row, is_column);
    for (int i = 0; i < n_part; i++)
        parts[i].i = i;
    for (int j = 0; j < m->n_column; j++)
        parts[column[j]].size += is_column[j];
    for (int i = 0; i < m->n_row && request->counts_rows; i++)
        parts[row[i]].size += is_row[i];
    qsort(parts, (size_t)n_part, sizeof *parts, compare_parts);
    for (int i = 0; i < n_part; i++) {
        int least = 0;
        for (int b = 1; b < request->n_block; b++)
            least = load[b] < load[least] ? b : least;
        load[least] += parts[i].size;
        block_of[parts[i].i] = least;
    }
    const int unused = request->n_block + 1;
    to_blocks(row, is_row, request->is_paired ? is_column : NULL, m->n_row, block_of, unused);
    to_blocks(column, is_column, request->is_paired ? is_row : NULL, m->n_column, block_of, unused);
    WR_TRY(wr_block_form_create(m, request->n_block, row, column, request->counts_rows, ret_form,
                                err));
    if ((*ret_form)->imbalance > request->imbalance + 1e-9)
        wr_block_form_destroy(ret_form);
    return WRSIM_OK;
}
