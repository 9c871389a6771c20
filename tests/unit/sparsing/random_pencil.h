/* Random linearisations for tests of sparsing: stable models of several time scales, with or without a singular L.
 */
#ifndef WR_RANDOM_PENCIL_H
#define WR_RANDOM_PENCIL_H

#include <complex.h>

#include "wr_test.h"

enum { RANDOM_MOST = 24 };

typedef struct random_model {
    int n;
    double l[RANDOM_MOST * RANDOM_MOST], df[RANDOM_MOST * RANDOM_MOST];
} random_model;

static uint64_t random_state = 1;
static inline double random_unit(void) { return wr_random_unit(&random_state); }

/* Makes n states, the last n_algebraic of them algebraic. The rows of algebraic states in L are zero, and their block of Df is
 * diagonally dominant, so the index is 1. Other rates are about 1 to 1000 /s with weak coupling. The other block of L is regular, but
 * no identity. */
static inline void random_model_make(random_model *m, int n, int n_algebraic)
{
    m->n = n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const double rate = i < n - n_algebraic ? pow(10.0, 3.0 * i / n) : 10.0;
            m->df[j * n + i] = i == j ? -rate * (1.5 + 0.4 * random_unit())
                                      : rate * 0.6 * random_unit() / sqrt((double)n);
            m->l[j * n + i] = i >= n - n_algebraic || j >= n - n_algebraic ? 0.0
                              : i == j ? 1.0 + 0.2 * random_unit()
                                       : 0.05 * random_unit();
        }
    for (int i = 1; i + 1 < n - n_algebraic; i += 4) { /* some states oscillate */
        const double turn = 1.5 * m->df[i * n + i];
        m->df[(i + 1) * n + i] += turn;
        m->df[i * n + i + 1] -= turn;
    }
}

#endif
