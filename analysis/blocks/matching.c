/* Maximum matchings. See matching.h.
 *
 * Thread: any. Real-time: no.
 */
#include "analysis/blocks/matching.h"

#include <stdlib.h>

typedef struct matcher {
    const wr_matrix *m;
    int n_block;
    const int *row_block, *column_block;
    int *row_mate, *column_mate;
    int *stamp;         /* [n_row] the last search that has seen it */
    int *stack, *place; /* the path: columns, and which of their entries is being tried */
} matcher;

static int may_match(const matcher *w, int row, int column)
{
    return w->row_block[row] == w->column_block[column] && w->row_block[row] < w->n_block;
}

/* A path from a free column over matched ones to a free row; then everybody on it takes the next. A stack of our own: paths
 * are as long as the matrix is large. */
static void augment(matcher *w, int column, int search)
{
    int depth = 0;
    w->stack[0] = column;
    w->place[0] = w->m->start[column];
    while (depth >= 0) {
        const int j = w->stack[depth];
        if (w->place[depth] == w->m->start[j + 1]) {
            depth--;
            continue;
        }
        const int row = w->m->row[w->place[depth]++];
        if (w->stamp[row] == search || !may_match(w, row, j))
            continue;
        w->stamp[row] = search;
        if (w->row_mate[row] >= 0) {
            w->stack[++depth] = w->row_mate[row];
            w->place[depth] = w->m->start[w->row_mate[row]];
            continue;
        }
        for (; depth >= 0; depth--) {
            const int at = w->stack[depth], to = w->m->row[w->place[depth] - 1];
            w->row_mate[to] = at;
            w->column_mate[at] = to;
        }
    }
}

int wr_matching_within(const wr_matrix *m, int n_block, const int *row_block,
                       const int *column_block, int *ret_row_mate, int *ret_column_mate)
{
    matcher w = {.m = m,
                 .n_block = n_block,
                 .row_block = row_block,
                 .column_block = column_block,
                 .row_mate = ret_row_mate,
                 .column_mate = ret_column_mate,
                 .stamp = calloc((size_t)m->n_row + 1, sizeof *w.stamp),
                 .stack = calloc((size_t)m->n_column + 1, sizeof *w.stack),
                 .place = calloc((size_t)m->n_column + 1, sizeof *w.place)};
    const int is_made = w.stamp && w.stack && w.place;
    for (int i = 0; i < m->n_row; i++)
        ret_row_mate[i] = -1;
    for (int j = 0; j < m->n_column; j++)
        ret_column_mate[j] = -1;
    for (int j = 0; is_made && j < m->n_column && j < m->n_row; j++)
        if (wr_matrix_find(m, j, j) >= 0 && may_match(&w, j, j))
            ret_row_mate[j] = ret_column_mate[j] = j;
    for (int j = 0; is_made && j < m->n_column; j++)
        if (ret_column_mate[j] < 0)
            augment(&w, j, j + 1);
    free(w.stamp);
    free(w.stack);
    free(w.place);
    return is_made ? 0 : -1;
}
