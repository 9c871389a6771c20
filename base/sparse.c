/* Sparsity patterns and column colouring. See sparse.h.
 *
 * Thread: any. Real-time: no (setup only).
 */
#include "base/sparse.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

wr_sparsity *wr_sparsity_place(wr_arena *arena, int n_row, int n_column,
                               const unsigned char *is_set)
{
    wr_sparsity *const pattern = WR_NEW(arena, wr_sparsity);
    if (!pattern)
        return NULL;
    int n_nonzero = 0;
    for (size_t i = 0; i < (size_t)n_row * (size_t)n_column; i++)
        n_nonzero += is_set[i] != 0;
    *pattern = (wr_sparsity){.n_row = n_row, .n_column = n_column, .n_nonzero = n_nonzero};
    pattern->column_start = WR_NEW_ARRAY(arena, int, n_column + 1);
    pattern->row = WR_NEW_ARRAY(arena, int, n_nonzero);
    if (!pattern->column_start || !pattern->row)
        return NULL;
    int i_nonzero = 0;
    for (int column = 0; column < n_column; column++) {
        pattern->column_start[column] = i_nonzero;
        for (int row = 0; row < n_row; row++)
            if (is_set[(size_t)column * (size_t)n_row + (size_t)row])
                pattern->row[i_nonzero++] = row;
    }
    pattern->column_start[n_column] = i_nonzero;
    return pattern;
}

int wr_sparsity_colour(const wr_sparsity *pattern, int *ret_colour)
{
    /* Marks the rows that the columns of each colour occupy: n_row bytes for each colour. */
    const size_t n_row = (size_t)pattern->n_row;
    unsigned char *taken = NULL;
    int n_colour = 0;
    for (int column = 0; column < pattern->n_column; column++) {
        int colour = 0;
        for (; colour < n_colour; colour++) {
            int is_free = 1;
            for (int i = pattern->column_start[column]; i < pattern->column_start[column + 1]; i++)
                if (taken[(size_t)colour * n_row + (size_t)pattern->row[i]]) {
                    is_free = 0;
                    break;
                }
            if (is_free)
                break;
        }
        if (colour == n_colour) {
            unsigned char *const grown = realloc(taken, (size_t)(n_colour + 1) * (n_row + 1));
            if (!grown) {
                free(taken);
                return -1;
            }
            taken = grown;
            memset(taken + (size_t)n_colour * n_row, 0, n_row);
            n_colour++;
        }
        for (int i = pattern->column_start[column]; i < pattern->column_start[column + 1]; i++)
            taken[(size_t)colour * n_row + (size_t)pattern->row[i]] = 1;
        ret_colour[column] = colour;
    }
    free(taken);
    return n_colour;
}

/* Rows of the columns of each colour, a row of flags per colour: IN_KEPT, IN_FULL. */
typedef struct partial_colours {
    const wr_sparsity *full, *kept;
    unsigned char *taken;
    int n, cap;
} partial_colours;

enum { IN_KEPT = 1, IN_FULL = 2 };

static int is_any(const wr_sparsity *pattern, int column, const unsigned char *taken, int flag)
{
    for (int i = pattern->column_start[column]; i < pattern->column_start[column + 1]; i++)
        if (taken[pattern->row[i]] & flag)
            return 1;
    return 0;
}

static void take_rows(const wr_sparsity *pattern, int column, unsigned char *taken, int flag)
{
    for (int i = pattern->column_start[column]; i < pattern->column_start[column + 1]; i++)
        taken[pattern->row[i]] |= (unsigned char)flag;
}

/* Returns the first colour that the column may have; -1 when out of memory. */
static int first_colour(partial_colours *colours, int column)
{
    const size_t n_row = (size_t)colours->full->n_row;
    int colour = 0;
    for (; colour < colours->n; colour++) {
        const unsigned char *const taken = colours->taken + (size_t)colour * n_row;
        if (!is_any(colours->kept, column, taken, IN_FULL) &&
            !is_any(colours->full, column, taken, IN_KEPT))
            break;
    }
    if (colour == colours->cap) {
        const int cap = 2 * colours->cap + 8;
        unsigned char *const grown = realloc(colours->taken, (size_t)cap * (n_row + 1));
        if (!grown)
            return -1;
        colours->taken = grown;
        colours->cap = cap;
    }
    unsigned char *const taken = colours->taken + (size_t)colour * n_row;
    if (colour == colours->n) {
        memset(taken, 0, n_row);
        colours->n++;
    }
    take_rows(colours->kept, column, taken, IN_KEPT);
    take_rows(colours->full, column, taken, IN_FULL);
    return colour;
}

/* Orders columns by descending number of entries; columns of equal size keep their order. */
static void order_by_size(const wr_sparsity *pattern, int *ret_order)
{
    const int n = pattern->n_column;
    int n_done = 0;
    for (int size = pattern->n_row; size >= 0; size--)
        for (int j = 0; j < n; j++)
            if (pattern->column_start[j + 1] - pattern->column_start[j] == size)
                ret_order[n_done++] = j;
}

int wr_sparsity_colour_partial(const wr_sparsity *full, const wr_sparsity *kept, int *ret_colour)
{
    const int n = full->n_column;
    const size_t n_int = (size_t)n + 1;
    int *const order = malloc(2 * n_int * sizeof *order);
    if (!order)
        return -1;
    int *const colour = order + n_int;
    partial_colours colours = {.full = full, .kept = kept};
    int fewest = n + 1, is_full = 0;
    for (int attempt = 0; attempt < 3 && !is_full; attempt++) {
        colours.n = 0;
        for (int j = 0; j < n; j++)
            order[j] = j;
        if (attempt > 0)
            order_by_size(attempt == 1 ? full : kept, order);
        for (int k = 0; k < n && !is_full; k++) {
            const int j = order[k];
            const int is_wanted = kept->column_start[j + 1] > kept->column_start[j];
            colour[j] = is_wanted ? first_colour(&colours, j) : -1;
            is_full = is_wanted && colour[j] < 0;
        }
        if (colours.n >= fewest || is_full)
            continue;
        fewest = colours.n;
        memcpy(ret_colour, colour, (size_t)n * sizeof *colour);
    }
    free(colours.taken);
    free(order);
    return is_full ? -1 : fewest;
}

int wr_sparsity_find(const wr_sparsity *pattern, int row, int column)
{
    int low = pattern->column_start[column], high = pattern->column_start[column + 1];
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (pattern->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < pattern->column_start[column + 1] && pattern->row[low] == row ? low : -1;
}

const wr_sparsity *wr_sparsity_join_place(wr_arena *arena, const wr_sparsity *a,
                                          const wr_sparsity *b, const int **ret_place_of_a,
                                          const int **ret_place_of_b)
{
    const int n = a->n_column;
    wr_sparsity *const pattern = WR_NEW(arena, wr_sparsity);
    int *const start = WR_NEW_ARRAY(arena, int, n + 1);
    int *const row = WR_NEW_ARRAY(arena, int, a->n_nonzero + b->n_nonzero);
    int *const of_a = WR_NEW_ARRAY(arena, int, a->n_nonzero);
    int *const of_b = WR_NEW_ARRAY(arena, int, b->n_nonzero);
    if (!pattern || !start || !row || !of_a || !of_b)
        return NULL;
    int n_nonzero = 0;
    for (int column = 0; column < n; column++) {
        int i = a->column_start[column], k = b->column_start[column];
        start[column] = n_nonzero;
        while (i < a->column_start[column + 1] || k < b->column_start[column + 1]) {
            const int row_i = i < a->column_start[column + 1] ? a->row[i] : INT_MAX;
            const int row_k = k < b->column_start[column + 1] ? b->row[k] : INT_MAX;
            if (row_i <= row_k)
                of_a[i++] = n_nonzero;
            if (row_k <= row_i)
                of_b[k++] = n_nonzero;
            row[n_nonzero++] = row_i < row_k ? row_i : row_k;
        }
    }
    start[n] = n_nonzero;
    *pattern = (wr_sparsity){a->n_row, n, n_nonzero, start, row};
    *ret_place_of_a = of_a;
    *ret_place_of_b = of_b;
    return pattern;
}

/* Search for an alternating path from a column to a free row (I. Duff, "On algorithms for obtaining a maximum
 * transversal", 1981). Each column of the path then takes the row of the next one. */
typedef struct match_search {
    const wr_sparsity *pattern;
    int *row_of, *column_of; /* [n_column] matched row; [n_row] matched column; -1: none */
    int *seen;               /* [n_row] number of the last search that visited the row */
    int *path, *at;          /* columns of the path, and the next entry to try in each */
} match_search;

static int find_path(match_search *m, int from)
{
    const wr_sparsity *const pattern = m->pattern;
    int depth = 0;
    m->path[0] = from;
    m->at[0] = pattern->column_start[from];
    while (depth >= 0) {
        const int j = m->path[depth];
        if (m->at[depth] == pattern->column_start[j + 1]) {
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
            m->at[depth] = pattern->column_start[m->path[depth]];
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

int wr_sparsity_match(const wr_sparsity *pattern, int *ret_row_of_column)
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
        const int is_own = j < n_row && wr_sparsity_find(pattern, j, j) >= 0;
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
