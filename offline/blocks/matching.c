/* Maximum matchings. See matching.h.
 *
 * Thread: any. Real-time: no.
 */
#include "offline/blocks/matching.h"

#include <stdlib.h>

typedef struct matcher {
    const wr_matrix *m;
    int n_block;
    const int *row_block;    /* [n_row] block of each row */
    const int *column_block; /* [n_column] block of each column */
    int *row_mate;           /* [n_row] matched column of each row; -1: none */
    int *column_mate;        /* [n_column] matched row of each column; -1: none */
    int *stamp;              /* [n_row] number of the last search that visited the row */
    int *stack;              /* columns on the present path */
    int *place;              /* entry of each column on the path that is being tried */
} matcher;

static int may_match(const matcher *w, int row, int column)
{
    return w->row_block[row] == w->column_block[column] && w->row_block[row] < w->n_block;
}

/* Searches an augmenting path from a free column to a free row. If there is one, each column on it is matched with
 * the next row of the path. The search has an explicit stack instead of recursion, because a path can be as long as
 * the matrix. */
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
