/* Sparsity patterns and column colouring. See sparse.h.
 *
 * Thread: any. Real-time: no (setup only).
 */
#include "base/sparse.h"

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
    /* Which rows a colour has taken: one row of bytes per colour. */
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
