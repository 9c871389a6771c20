/* Rank and null spaces. See null_space.h.
 *
 * Thread: any. Real-time: no.
 */
#include "base/null_space.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double zero_part = 1e-12;

static void add_row(int n, double *m, int to, int from, double factor)
{
    double *const a = m + (size_t)to * (size_t)n;
    const double *const b = m + (size_t)from * (size_t)n;
    for (int j = 0; j < n; j++)
        a[j] += factor * b[j];
}

static void scale_row(int n, double *m, int row, double factor)
{
    for (int j = 0; j < n; j++)
        m[(size_t)row * (size_t)n + (size_t)j] *= factor;
}

/* The largest entry in rows and columns without pivots; of equal ones the first. */
static double largest(int n, const double *a, const int *row_of, const int *column_of, int *ret_row,
                      int *ret_column)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n && column_of[i] < 0; j++) {
            const double size = fabs(a[(size_t)i * (size_t)n + (size_t)j]);
            if (row_of[j] >= 0 || !(size > most))
                continue;
            most = size;
            *ret_row = i;
            *ret_column = j;
        }
    return most;
}

int wr_null_space(int n, double *a, double *ret_e, int *ret_row_of, int *ret_column_of)
{
    memset(ret_e, 0, (size_t)n * (size_t)n * sizeof *ret_e);
    for (int i = 0; i < n; i++) {
        ret_e[(size_t)i * (size_t)n + (size_t)i] = 1.0;
        ret_row_of[i] = ret_column_of[i] = -1;
    }
    double first = 0.0;
    for (int rank = 0;; rank++) {
        int row = 0, column = 0;
        const double pivot = largest(n, a, ret_row_of, ret_column_of, &row, &column);
        first = rank == 0 ? pivot : first;
        if (!(pivot > zero_part * first))
            return rank;
        ret_row_of[column] = row;
        ret_column_of[row] = column;
        const double factor = 1.0 / a[(size_t)row * (size_t)n + (size_t)column];
        scale_row(n, a, row, factor);
        scale_row(n, ret_e, row, factor);
        for (int i = 0; i < n; i++) {
            const double entry = a[(size_t)i * (size_t)n + (size_t)column];
            if (i == row || fpclassify(entry) == FP_ZERO)
                continue;
            add_row(n, a, i, row, -entry);
            add_row(n, ret_e, i, row, -entry);
            a[(size_t)i * (size_t)n + (size_t)column] = 0.0;
        }
    }
}
