/* Assignment of least cost. See assignment.h.
 *
 * Thread: any, on different data. Real-time: no. */
#include "offline/sparsing/assignment.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"

/* Working data of the algorithm: prices, and a tree of shortest paths. Rows and columns are numbered from 1; number
 * 0 means "none", as usual in this algorithm. */
typedef struct auction {
    int n;
    const double *cost;
    double *of_column;         /* [n + 1] prices of columns */
    double *of_row;            /* [n + 1] prices of rows */
    double *least;             /* [n + 1] shortest known distance of each row from the tree */
    int *column_of_row;        /* [n + 1] column that is assigned to each row; 0: none */
    int *before;               /* [n + 1] row that precedes each row on its path */
    unsigned char *is_in_tree; /* [n + 1] 1: the row is in the tree */
} auction;

/* Adds the row that is nearest to the tree after the row `last`. Returns the new row. */
static int grow(auction *a, int last)
{
    const int column = a->column_of_row[last];
    int nearest = 0;
    double delta = HUGE_VAL;
    a->is_in_tree[last] = 1;
    for (int row = 1; row <= a->n; row++) {
        if (a->is_in_tree[row])
            continue;
        const double way = a->cost[(size_t)(column - 1) * (size_t)a->n + (size_t)(row - 1)] -
                           a->of_column[column] - a->of_row[row];
        if (way < a->least[row]) {
            a->least[row] = way;
            a->before[row] = last;
        }
        if (a->least[row] < delta) {
            delta = a->least[row];
            nearest = row;
        }
    }
    for (int row = 0; row <= a->n; row++)
        if (a->is_in_tree[row]) {
            a->of_column[a->column_of_row[row]] += delta;
            a->of_row[row] -= delta;
        } else {
            a->least[row] -= delta;
        }
    return nearest;
}

int wr_assignment(int n, const double *cost, int *ret_row)
{
    const size_t size = (size_t)n + 1;
    WR_AUTO_FREE double *const numbers = calloc(3 * size, sizeof *numbers);
    WR_AUTO_FREE int *const places = calloc(2 * size, sizeof *places);
    WR_AUTO_FREE unsigned char *const is_in_tree = calloc(size, 1);
    if (!numbers || !places || !is_in_tree)
        return -1;
    auction a = {.n = n,
                 .cost = cost,
                 .of_column = numbers,
                 .of_row = numbers + size,
                 .least = numbers + 2 * size,
                 .column_of_row = places,
                 .before = places + size,
                 .is_in_tree = is_in_tree};
    for (int column = 1; column <= n; column++) {
        int row = 0;
        a.column_of_row[0] = column;
        for (int i = 0; i <= a.n; i++) {
            a.least[i] = HUGE_VAL;
            a.is_in_tree[i] = 0;
        }
        do
            row = grow(&a, row);
        while (a.column_of_row[row] != 0);
        while (row != 0) {
            a.column_of_row[row] = a.column_of_row[a.before[row]];
            row = a.before[row];
        }
    }
    for (int row = 1; row <= n; row++)
        ret_row[a.column_of_row[row] - 1] = row - 1;
    return 0;
}
