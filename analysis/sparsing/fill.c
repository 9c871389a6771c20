/* Fill of LU factors. See fill.h.
 *
 * Thread: any, on different data. Real-time: no.
 */
#include "analysis/sparsing/fill.h"

#include <stdint.h>
#include <stdlib.h>

#include "analysis/sparsing/bipartite.h"

/* The part not yet eliminated, as sets of bits, rows and columns; pivot i is (i, i) once rows are matched. */
typedef struct remainder {
    int n, n_word;
    uint64_t *row, *column; /* [n * n_word] */
    unsigned char *is_done; /* [n] */
} remainder;

static int has(const uint64_t *set, int i) { return (int)(set[i / 64] >> (i % 64) & 1u); }
static void put(uint64_t *set, int i) { set[i / 64] |= UINT64_C(1) << (i % 64); }
static void drop(uint64_t *set, int i) { set[i / 64] &= ~(UINT64_C(1) << (i % 64)); }

static int size_of(const remainder *r, const uint64_t *set)
{
    int size = 0;
    for (int k = 0; k < r->n_word; k++)
        for (uint64_t left = set[k]; left; left &= left - 1)
            size++;
    return size;
}

static uint64_t *row_of(const remainder *r, int i)
{
    return r->row + (size_t)i * (size_t)r->n_word;
}
static uint64_t *column_of(const remainder *r, int i)
{
    return r->column + (size_t)i * (size_t)r->n_word;
}

static int best_pivot(const remainder *r)
{
    int best = -1;
    long least = 0;
    for (int i = 0; i < r->n; i++) {
        if (r->is_done[i])
            continue;
        const long cost =
            (long)(size_of(r, row_of(r, i)) - 1) * (long)(size_of(r, column_of(r, i)) - 1);
        if (best < 0 || cost < least) {
            best = i;
            least = cost;
        }
    }
    return best;
}

static void eliminate(remainder *r, int pivot, wr_fill *fill)
{
    const int right = size_of(r, row_of(r, pivot)) - 1, below = size_of(r, column_of(r, pivot)) - 1;
    fill->nnz_lu += 1 + right + below;
    fill->n_flop += below + 2.0 * right * below;
    r->is_done[pivot] = 1;
    for (int i = 0; i < r->n; i++) {
        drop(row_of(r, i), pivot);
        if (i == pivot || !has(column_of(r, pivot), i))
            continue;
        for (int j = 0; j < r->n; j++)
            if (j != pivot && has(row_of(r, pivot), j)) {
                put(row_of(r, i), j);
                put(column_of(r, j), i);
            }
    }
    for (int j = 0; j < r->n; j++)
        drop(column_of(r, j), pivot);
}

static void eliminate_all(remainder *r, const unsigned char *is_set, const int *row_of_column,
                          wr_fill *fill)
{
    for (int j = 0; j < r->n; j++)
        for (int k = 0; k < r->n; k++)
            if (is_set[(size_t)j * (size_t)r->n + (size_t)row_of_column[k]]) {
                put(row_of(r, k), j);
                put(column_of(r, j), k);
                fill->nnz++;
            }
    for (int step = 0; step < r->n; step++)
        eliminate(r, best_pivot(r), fill);
}

int wr_fill_count(int n, const unsigned char *is_set, wr_fill *ret_fill)
{
    const int n_word = n / 64 + 1;
    const size_t words = (size_t)n * (size_t)n_word;
    uint64_t *const sets = calloc(2 * words + 1, sizeof *sets);
    unsigned char *const is_done = calloc((size_t)n + 1, 1);
    int *const row_of_column = malloc(((size_t)n + 1) * sizeof *row_of_column);
    int n_matched = -1;
    if (sets && is_done && row_of_column)
        n_matched = wr_bipartite_match(n, is_set, row_of_column);
    if (n_matched >= 0) {
        *ret_fill = (wr_fill){.is_regular = n_matched == n};
        remainder r = {
            .n = n, .n_word = n_word, .row = sets, .column = sets + words, .is_done = is_done};
        if (ret_fill->is_regular)
            eliminate_all(&r, is_set, row_of_column, ret_fill);
    }
    free(sets);
    free(is_done);
    free(row_of_column);
    return n_matched < 0 ? -1 : 0;
}
