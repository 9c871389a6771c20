/* Connected parts of a matrix. See connected.h.
 *
 * Thread: any. Real-time: no. */
#include "offline/blocks/connected.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

/* ---- union of sets, with path halving (Tarjan and van Leeuwen, 1984) ---- */

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
            if (is_paired) { /* a row or column with entries is joined with its pair */
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
    int size; /* number of columns, and rows if rows count, with entries */
    int i;    /* number of the part */
} part;

static int compare_parts(const void *a, const void *b)
{
    const part *const p = a, *const q = b;
    return p->size != q->size ? (p->size < q->size) - (p->size > q->size)
                              : (p->i > q->i) - (p->i < q->i);
}

/* Replaces the part of each row or column by its block. A row or column without entries gets `unused`, except if pairs
 * stay together and its pair has entries. */
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
