/* May a pattern be used? The exact a-posteriori check: all eigenvalues of the sparsed step against those of the unsparsed one.
 *
 * Every eigenvalue may move by a share of its distance to the unit circle, r_i = | 1 - |lambda_i| |: a larger one for stiff
 * eigenvalues, which only have to stay stable, than for those that the solution follows (Schiela and Bornemann,
 * section 3.5: a threshold for each cluster). Shares below 1 keep inside the disc what is inside. A pattern is accepted
 * where sparsed and unsparsed eigenvalues can be paired with no pair farther apart than that; pairs are not guessed, any
 * pairing counts.
 *
 * Thread: any, on different data. Real-time: no.
 */
#ifndef WR_VERDICT_H
#define WR_VERDICT_H

#include <complex.h>

typedef struct wr_shares {
    double stiff_radius; /* eigenvalues up to this magnitude are stiff */
    double stiff, other; /* parts of r_i */
} wr_shares;

/* How far an eigenvalue may move. On the circle, where r_i is 0: by rounding. */
double wr_verdict_limit(const wr_shares *shares, double complex value);

/* 1: accepted, 0: not, -1: out of memory. */
int wr_verdict(int n, const wr_shares *shares, const double complex *before,
               const double complex *after);

/* The largest magnitude. */
double wr_verdict_radius(int n, const double complex *value);

#endif
