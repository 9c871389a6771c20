/* The exact check of a pattern: compares all eigenvalues of the sparsed step with the eigenvalues of the full step.
 *
 * Each eigenvalue may move by a share of its distance from the unit circle, r_i = | 1 - |lambda_i| |. The share is
 * larger for stiff eigenvalues, which only must remain stable, than for eigenvalues that the solution follows
 * (Schiela and Bornemann, section 3.5: a threshold for each cluster). A share below 1 keeps an eigenvalue inside the
 * unit circle. A pattern is accepted if there is any pairing of the sparsed with the full eigenvalues in which no
 * pair is farther apart than permitted.
 *
 * Thread: any, on different data. Real-time: no. */
#ifndef WR_VERDICT_H
#define WR_VERDICT_H

#include <complex.h>

typedef struct wr_shares {
    double stiff_radius; /* an eigenvalue is stiff if its magnitude is at most this */
    double stiff;        /* share of r_i by which a stiff eigenvalue may move */
    double other;        /* share of r_i by which any other eigenvalue may move */
} wr_shares;

/* Returns how far an eigenvalue may move. On the unit circle, where r_i is 0, it is the size of rounding errors. */
double wr_verdict_limit(const wr_shares *shares, double complex value);

/* Compares the n eigenvalues of the full step and of the sparsed step. Returns 1: accepted, 0: refused, -1:
 * out of memory. */
int wr_verdict(int n, const wr_shares *shares, const double complex *before,
               const double complex *after);

/* Returns the largest magnitude of n eigenvalues. */
double wr_verdict_radius(int n, const double complex *value);

#endif
