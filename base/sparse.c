/* Sparsity patterns, with unions, colours and matchings. See sparse.h. Thread: any. Real-time: no (setup only). */
#include "base/sparse.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

wr_matrix *wr_sparsity_place(wr_arena *arena, int n_row, int n_column, const unsigned char *is_set)
{
    wr_matrix *const pattern = WR_NEW(arena, wr_matrix);
    if (!pattern)
        return NULL;
    int n_nonzero = 0;
    for (size_t i = 0; i < (size_t)n_row * (size_t)n_column; i++)
        n_nonzero += is_set[i] != 0;
    *pattern = (wr_matrix){.n_row = n_row, .n_column = n_column, .n_nonzero = n_nonzero};
    pattern->start = WR_NEW_ARRAY(arena, int, n_column + 1);
    pattern->row = WR_NEW_ARRAY(arena, int, n_nonzero);
    if (!pattern->start || !pattern->row)
        return NULL;
    int i_nonzero = 0;
    for (int column = 0; column < n_column; column++) {
        pattern->start[column] = i_nonzero;
        for (int row = 0; row < n_row; row++)
            if (is_set[(size_t)column * (size_t)n_row + (size_t)row])
                pattern->row[i_nonzero++] = row;
    }
    pattern->start[n_column] = i_nonzero;
    return pattern;
}

/* Rows that each colour has taken: for each colour and row the flags IN_KEPT and IN_FULL. A flag means that a column of the colour has an
 * entry of `kept` or `full` in the row. */
typedef struct colours {
    const wr_matrix *full, *kept;
    unsigned char *taken; /* [cap * n_row] flags by colour */
    int n, cap;
} colours;

enum { IN_KEPT = 1, IN_FULL = 2 };

static int is_any(const wr_matrix *pattern, int column, const unsigned char *taken, int flag)
{
    for (int i = pattern->start[column]; i < pattern->start[column + 1]; i++)
        if (taken[pattern->row[i]] & flag)
            return 1;
    return 0;
}

static void take_rows(const wr_matrix *pattern, int column, unsigned char *taken, int flag)
{
    for (int i = pattern->start[column]; i < pattern->start[column + 1]; i++)
        taken[pattern->row[i]] |= (unsigned char)flag;
}

/* Gives a column the first possible colour and marks its rows. Returns the colour, or -1 when memory is exhausted. */
static int first_colour(colours *c, int column)
{
    const size_t n_row = (size_t)c->full->n_row;
    int colour = 0;
    for (; colour < c->n; colour++) {
        const unsigned char *const taken = c->taken + (size_t)colour * n_row;
        if (!is_any(c->kept, column, taken, IN_FULL) && !is_any(c->full, column, taken, IN_KEPT))
            break;
    }
    if (colour == c->cap) {
        const int cap = 2 * c->cap + 8;
        unsigned char *const grown = realloc(c->taken, (size_t)cap * (n_row + 1));
        if (!grown)
            return -1;
        c->taken = grown;
        c->cap = cap;
    }
    unsigned char *const taken = c->taken + (size_t)colour * n_row;
    if (colour == c->n) {
        memset(taken, 0, n_row);
        c->n++;
    }
    take_rows(c->kept, column, taken, IN_KEPT);
    take_rows(c->full, column, taken, IN_FULL);
    return colour;
}

int wr_sparsity_colour(const wr_matrix *pattern, int *ret_colour)
{
    colours c = {.full = pattern, .kept = pattern};
    int is_full = 0;
    for (int j = 0; j < pattern->n_column && !is_full; j++)
        is_full = (ret_colour[j] = first_colour(&c, j)) < 0;
    free(c.taken);
    return is_full ? -1 : c.n;
}

/* Orders columns by descending number of entries; columns of equal size keep their order. */
static void order_by_size(const wr_matrix *pattern, int *ret_order)
{
    int n_done = 0;
    for (int size = pattern->n_row; size >= 0; size--)
        for (int j = 0; j < pattern->n_column; j++)
            if (pattern->start[j + 1] - pattern->start[j] == size)
                ret_order[n_done++] = j;
}

int wr_sparsity_colour_partial(const wr_matrix *full, const wr_matrix *kept, int *ret_colour)
{
    const int n = full->n_column;
    const size_t n_int = (size_t)n + 1;
    int *const order = malloc(2 * n_int * sizeof *order);
    if (!order)
        return -1;
    int *const colour = order + n_int;
    colours c = {.full = full, .kept = kept};
    int fewest = n + 1, is_full = 0;
    for (int attempt = 0; attempt < 3 && !is_full; attempt++) {
        c.n = 0;
        for (int j = 0; j < n; j++)
            order[j] = j;
        if (attempt > 0)
            order_by_size(attempt == 1 ? full : kept, order);
        for (int k = 0; k < n && !is_full; k++) {
            const int j = order[k];
            const int is_wanted = kept->start[j + 1] > kept->start[j];
            colour[j] = is_wanted ? first_colour(&c, j) : -1;
            is_full = is_wanted && colour[j] < 0;
        }
        if (c.n >= fewest || is_full)
            continue;
        fewest = c.n;
        memcpy(ret_colour, colour, (size_t)n * sizeof *colour);
    }
    free(c.taken);
    free(order);
    return is_full ? -1 : fewest;
}

const wr_matrix *wr_sparsity_join_place(wr_arena *arena, const wr_matrix *a, const wr_matrix *b,
                                        const int **ret_place_of_a, const int **ret_place_of_b)
{
    const int n = a->n_column;
    wr_matrix *const pattern = WR_NEW(arena, wr_matrix);
    int *const start = WR_NEW_ARRAY(arena, int, n + 1);
    int *const row = WR_NEW_ARRAY(arena, int, a->n_nonzero + b->n_nonzero);
    int *const of_a = WR_NEW_ARRAY(arena, int, a->n_nonzero);
    int *const of_b = WR_NEW_ARRAY(arena, int, b->n_nonzero);
    if (!pattern || !start || !row || !of_a || !of_b)
        return NULL;
    int n_nonzero = 0;
    for (int column = 0; column < n; column++) {
        int i = a->start[column], k = b->start[column];
        start[column] = n_nonzero;
        while (i < a->start[column + 1] || k < b->start[column + 1]) {
            const int row_i = i < a->start[column + 1] ? a->row[i] : INT_MAX;
            const int row_k = k < b->start[column + 1] ? b->row[k] : INT_MAX;
            if (row_i <= row_k)
                of_a[i++] = n_nonzero;
            if (row_k <= row_i)
                of_b[k++] = n_nonzero;
            row[n_nonzero++] = row_i < row_k ? row_i : row_k;
        }
    }
    start[n] = n_nonzero;
    *pattern = (wr_matrix){
        .n_row = a->n_row, .n_column = n, .n_nonzero = n_nonzero, .start = start, .row = row};
    *ret_place_of_a = of_a;
    *ret_place_of_b = of_b;
    return pattern;
}

/* Search for an alternating path from a column to a free row (I. Duff, "On algorithms for obtaining a maximum transversal", 1981). Each
 * column of the path then gets the row of the next column, and the last column gets the free row. */
typedef struct match_search {
    const wr_matrix *pattern;
    int *row_of, *column_of; /* [n_column] matched row; [n_row] matched column; -1: none */
    int *seen;               /* [n_row] number of the last search that visited the row */
    int *path, *at;          /* columns of the path, and next entry to try in each column */
} match_search;

static int find_path(match_search *m, int from)
{
    const wr_matrix *const pattern = m->pattern;
    int depth = 0;
    m->path[0] = from;
    m->at[0] = pattern->start[from];
    while (depth >= 0) {
        const int j = m->path[depth];
        if (m->at[depth] == pattern->start[j + 1]) {
            depth--;
            continue;
        }
        const int row = pattern->row[m->at[depth]++];
        if (m->seen[row] == from + 1)
            continue;
        m->seen[row] = from + 1;
        if (m->column_of[row] >= 0) {
            depth++;
            m->path[depth] = m->column_of[row];
            m->at[depth] = pattern->start[m->path[depth]];
            continue;
        }
        for (int k = depth; k >= 0; k--) {
            m->row_of[m->path[k]] = pattern->row[m->at[k] - 1];
            m->column_of[m->row_of[m->path[k]]] = m->path[k];
        }
        return 1;
    }
    return 0;
}

int wr_sparsity_match(const wr_matrix *pattern, int *ret_row_of_column)
{
    const int n = pattern->n_column, n_row = pattern->n_row;
    const size_t n_int = 2 * ((size_t)n + 1) + 2 * ((size_t)n_row + 1);
    int *const work = calloc(n_int, sizeof *work);
    if (!work)
        return -1;
    match_search m = {.pattern = pattern, .row_of = ret_row_of_column, .path = work};
    m.at = m.path + n + 1;
    m.seen = m.at + n + 1;
    m.column_of = m.seen + n_row + 1;
    for (int i = 0; i < n_row; i++)
        m.column_of[i] = -1;
    int n_matched = 0;
    for (int j = 0; j < n; j++) {
        const int is_own = j < n_row && wr_matrix_find(pattern, j, j) >= 0;
        ret_row_of_column[j] = is_own ? j : -1;
        if (is_own)
            m.column_of[j] = j;
        n_matched += is_own;
    }
    for (int j = 0; j < n; j++)
        if (ret_row_of_column[j] < 0)
            n_matched += find_path(&m, j);
    free(work);
    return n_matched;
}
