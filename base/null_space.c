/* Rank and null spaces. See null_space.h. Thread: any. Real-time: no. */
#include "base/null_space.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* largest scaled entry that counts as zero (assumed; reason: null_space.h) */
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

/* Returns the largest magnitude in rows and columns without pivots, or 0, and the place of the entry. Of equal entries the first counts. */
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

/* Returns the power of two that scales `size` to 0.5 .. 1, or 1 for zero. */
static double scale_of(double size)
{
    int exponent = 0;
    (void)frexp(size, &exponent);
    return size > 0.0 ? ldexp(1.0, -exponent) : 1.0;
}

/* Scales rows, then columns, so that their largest entries are in 0.5 .. 1. The diagonal of ret_e gets the scales of rows, and ret_scale[n]
 * the scales of columns. */
static void equilibrate(int n, double *a, double *ret_e, double *ret_scale)
{
    for (int i = 0; i < n; i++) {
        double most = 0.0;
        for (int j = 0; j < n; j++)
            most = fmax(most, fabs(a[(size_t)i * (size_t)n + (size_t)j]));
        ret_e[(size_t)i * (size_t)n + (size_t)i] = scale_of(most);
        scale_row(n, a, i, scale_of(most));
    }
    for (int j = 0; j < n; j++) {
        double most = 0.0;
        for (int i = 0; i < n; i++)
            most = fmax(most, fabs(a[(size_t)i * (size_t)n + (size_t)j]));
        ret_scale[j] = scale_of(most);
        for (int i = 0; i < n; i++)
            a[(size_t)i * (size_t)n + (size_t)j] *= ret_scale[j];
    }
}

/* Performs Gauss-Jordan elimination on the scaled matrix. Returns the rank. */
static int eliminate(int n, double *a, double *e, int *row_of, int *column_of)
{
    for (int rank = 0;; rank++) {
        int row = 0, column = 0;
        const double pivot = largest(n, a, row_of, column_of, &row, &column);
        if (!(pivot > zero_part))
            return rank;
        row_of[column] = row;
        column_of[row] = column;
        const double factor = 1.0 / a[(size_t)row * (size_t)n + (size_t)column];
        scale_row(n, a, row, factor);
        scale_row(n, e, row, factor);
        for (int i = 0; i < n; i++) {
            const double entry = a[(size_t)i * (size_t)n + (size_t)column];
            if (i == row || fpclassify(entry) == FP_ZERO)
                continue;
            add_row(n, a, i, row, -entry);
            add_row(n, e, i, row, -entry);
            a[(size_t)i * (size_t)n + (size_t)column] = 0.0;
        }
    }
}

int wr_null_space(int n, double *a, double *ret_e, int *ret_row_of, int *ret_column_of,
                  double *scale)
{
    memset(ret_e, 0, (size_t)n * (size_t)n * sizeof *ret_e);
    for (int i = 0; i < n; i++)
        ret_row_of[i] = ret_column_of[i] = -1;
    equilibrate(n, a, ret_e, scale);
    const int rank = eliminate(n, a, ret_e, ret_row_of, ret_column_of);
    /* The loop removes the scales from the columns of R, and scales rows of R and E to pivots of one. A row i without a pivot gets
     * e_ii = 1, because elimination keeps the scale e_ii of such a row. */
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[(size_t)i * (size_t)n + (size_t)j] /= scale[j];
        const double own = ret_e[(size_t)i * (size_t)n + (size_t)i];
        const double factor = ret_column_of[i] >= 0 ? scale[ret_column_of[i]] : 1.0 / own;
        scale_row(n, a, i, factor);
        scale_row(n, ret_e, i, factor);
    }
    return rank;
}
