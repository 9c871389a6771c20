/* Matrices whose entries are of any size, and how wrong a solution of one is. For tests of sparse factorisations. */
#ifndef BACKWARD_ERROR_H
#define BACKWARD_ERROR_H

#include <math.h>
#include <stdint.h>

#include "base/sparse.h"

/* Evenly in 0 .. 1. */
static inline double draw_part(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* Of either sign, sizes of 10^-decades to 1. */
static inline void fill_widely(uint64_t *seed, double decades, int n, double *ret_value)
{
    for (int i = 0; i < n; i++) {
        const double sign = draw_part(seed) < 0.5 ? -1.0 : 1.0;
        ret_value[i] = sign * pow(10.0, decades * (draw_part(seed) - 1.0));
    }
}

/* |b - A x| / (|A| |x| + |b|) in the largest norms: by how much A, in parts of its norm, would have to be another one. */
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
