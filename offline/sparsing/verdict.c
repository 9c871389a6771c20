/* The exact check of a pattern. See verdict.h.
 *
 * Thread: any, on different data. Real-time: no.
 */
#include "offline/sparsing/verdict.h"

#include <math.h>

#include "base/check.h"
#include "base/sparse.h"

/* Size of rounding errors of a multiple eigenvalue. */
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
    wr_arena *arena = wr_arena_create((size_t)-1);
    unsigned char *const allowed = arena ? WR_NEW_ARRAY(arena, unsigned char, size *size) : NULL;
    int *const partner = allowed ? WR_NEW_ARRAY(arena, int, size) : NULL;
    int n_pair = -1;
    if (partner) {
        for (size_t i = 0; i < size; i++) {
            const double limit = wr_verdict_limit(shares, before[i]);
            for (size_t j = 0; j < size; j++)
                allowed[i * size + j] = cabs(after[j] - before[i]) <= limit;
        }
        const wr_matrix *const pairs = wr_sparsity_place(arena, n, n, allowed);
        n_pair = pairs ? wr_sparsity_match(pairs, partner) : -1;
    }
    wr_arena_destroy(&arena);
    return n_pair < 0 ? -1 : n_pair == n;
}

double wr_verdict_radius(int n, const double complex *value)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = wr_max(largest, cabs(value[i]));
    return largest;
}
