/* Matrices with entries of very different sizes, and the backward error of a solution. For tests of sparse factorisations. */
#ifndef BACKWARD_ERROR_H
#define BACKWARD_ERROR_H

#include <math.h>
#include <stdint.h>

#include "base/sparse.h"

/* Fills ret_value with n numbers of random sign and of size 10^-decades to 1. */
static inline void fill_widely(uint64_t *seed, double decades, int n, double *ret_value)
{
    for (int i = 0; i < n; i++) {
        const double sign = wr_random_share(seed) < 0.5 ? -1.0 : 1.0;
        ret_value[i] = sign * pow(10.0, decades * (wr_random_share(seed) - 1.0));
    }
}

/* Returns |b - A x| / (|A| |x| + |b|) in the maximum norm: the least relative change of A and b that makes x exact. */
static inline double backward_error(const wr_matrix *pattern, const double *value, const double *x,
                                    const double *b)
{
    double rest = 0.0, norm = 0.0, most_x = 0.0, most_b = 0.0;
    for (int i = 0; i < pattern->n_row; i++) {
        double sum = b[i], size = 0.0;
        for (int j = 0; j < pattern->n_column; j++) {
            const int k = wr_matrix_find(pattern, i, j);
            sum -= k >= 0 ? value[k] * x[j] : 0.0;
            size += k >= 0 ? fabs(value[k]) : 0.0;
        }
        rest = fmax(rest, fabs(sum));
        norm = fmax(norm, size);
        most_x = fmax(most_x, fabs(x[i]));
        most_b = fmax(most_b, fabs(b[i]));
    }
    return rest / (norm * most_x + most_b);
}

#endif
