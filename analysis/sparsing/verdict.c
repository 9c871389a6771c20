/* The exact check of a pattern. See verdict.h.
 *
 * Thread: any, on different data. Real-time: no.
 */
#include "analysis/sparsing/verdict.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/sparsing/bipartite.h"
#include "base/check.h"

/* Rounding of eigenvalues in a multiple one. */
static const double ROUNDING = 1e-9;

double wr_verdict_limit(const wr_shares *shares, double complex value)
{
    const double size = cabs(value);
    const double share = size <= shares->stiff_radius ? shares->stiff : shares->other;
    return wr_max(share * fabs(1.0 - size), ROUNDING);
}

int wr_verdict(int n, const wr_shares *shares, const double complex *before,
               const double complex *after)
{
    const size_t size = (size_t)n;
    unsigned char *const allowed = malloc(size * size + 1);
    int *const partner = malloc((size + 1) * sizeof *partner);
    int n_pair = -1;
    if (allowed && partner) {
        for (size_t i = 0; i < size; i++) {
            const double limit = wr_verdict_limit(shares, before[i]);
            for (size_t j = 0; j < size; j++)
                allowed[i * size + j] = cabs(after[j] - before[i]) <= limit;
        }
        n_pair = wr_bipartite_match(n, allowed, partner);
    }
    free(allowed);
    free(partner);
    return n_pair < 0 ? -1 : n_pair == n;
}

double wr_verdict_radius(int n, const double complex *value)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = wr_max(largest, cabs(value[i]));
    return largest;
}
