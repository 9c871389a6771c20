/* Dense LU. See dense.h. Thread: any. Real-time: yes. */
#include "base/dense.h"

#include <math.h>
#include <stddef.h>

static void swap(double *a, double *b)
{
    const double t = *a;
    *a = *b;
    *b = t;
}

int wr_dense_factor(int n, double *a, int *ret_pivot)
{
    for (int k = 0; k < n; k++) {
        double *const pivot_column = a + (size_t)k * (size_t)n;
        int i_pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(pivot_column[i]) > fabs(pivot_column[i_pivot]))
                i_pivot = i;
        const double pivot = pivot_column[i_pivot];
        if (!isfinite(pivot) || fpclassify(pivot) == FP_ZERO)
            return 1;
        ret_pivot[k] = i_pivot;
        swap(&pivot_column[k], &pivot_column[i_pivot]);
        for (int i = k + 1; i < n; i++)
            pivot_column[i] /= pivot;
        for (int j = k + 1; j < n; j++) {
            double *const column = a + (size_t)j * (size_t)n;
            swap(&column[k], &column[i_pivot]);
            const double top = column[k];
            for (int i = k + 1; i < n; i++)
                column[i] -= pivot_column[i] * top;
        }
    }
    return 0;
}

int wr_dense_sign(int n, const double *lu, const int *pivot)
{
    int is_negative = 0;
    for (int k = 0; k < n; k++)
        is_negative ^= (pivot[k] != k) ^ (lu[(size_t)k * (size_t)n + (size_t)k] < 0.0);
    return is_negative ? -1 : 1;
}

double wr_dense_flop(int n) { return 2.0 / 3.0 * n * n * n; }

void wr_dense_solve(int n, const double *lu, const int *pivot, double *b)
{
    /* The factorisation swaps rows only from the pivot's column on, so swaps and elimination of b alternate. */
    for (int k = 0; k < n; k++) {
        swap(&b[k], &b[pivot[k]]);
        const double *const column = lu + (size_t)k * (size_t)n;
        for (int i = k + 1; i < n; i++)
            b[i] -= column[i] * b[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        const double *const column = lu + (size_t)k * (size_t)n;
        b[k] /= column[k];
        for (int i = 0; i < k; i++)
            b[i] -= column[i] * b[k];
    }
}
