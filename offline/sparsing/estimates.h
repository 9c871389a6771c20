/* Estimates of how much a pattern changes the spectrum of the step, and the exact change for comparison.
 *
 * F is the matrix of the full step, M the difference between the sparsed step and F (step_pencil.h), and X contains the eigenvectors of F.
 * SB is Schiela and Bornemann (2003), SQ is the sum-of-squares paper (docs/METHODS.md, Estimates of sparsing). lambda and lambda' are
 * paired eigenvalues of the full and the sparsed step.
 *
 *     dS   |tr((L - tau Df)^-1 tau dJ (I - (L - tau Df)^-1 L))|, first order           (SB, Theorem 4)
 *     dS, published: twice dS, as dJ has the other sign and the second factor is -2 tau (L - tau Df)^-1 Df  (SQ, eq. 2)
 *     d1   |tr(M)|, which is |sum (lambda' - lambda)| exactly                          (SQ, Theorem 4.1)
 *     d2   sqrt(tr(M^2)), published as sqrt(sum |lambda' - lambda|^2). The published form is right only if M is nearly
 *          diagonal in F's eigenvectors; tr(M^2) may be negative                       (SQ, Theorem 4.2)
 *     d2k  sqrt(sum_k |tr((Y_k^H M X_k)^2)|) over the clusters k of F (resolution.h), Y_k^H X_k = I: d2 without products between
 *          clusters (SQ, section 3); needs no eigenvectors within a cluster
 *     dE   sqrt(sum |(X^-1 M X)_ii|^2), first order for each eigenvalue: the corrected form of d2
 *     d_r  sqrt(sum |lambda' - lambda|^2), and sum |lambda' - lambda|, for the pairing with the least sum of squares
 *
 * SQ accepts a pattern if the sum of the changes is at most C1 = min r_i. Also the sum of the squares of the changes must be at most C2 =
 * min r_i^2. r_i is the distance of eigenvalue i from the unit circle (eqs. 12-15). The minima may omit slow modes, which an explicit step
 * would also reproduce (section 4).
 *
 * Thread: any, on different data. Real-time: no. */
#ifndef WR_ESTIMATES_H
#define WR_ESTIMATES_H

#include "offline/sparsing/samples.h"

/* Finds the bijective assignment of n rows to n columns with the least sum of cost[column * n + row]. Writes the row of each column to
 * ret_row[n]. All costs must be finite. Returns 0, or -1 when out of memory. The method finds shortest augmenting paths (H. W. Kuhn, "The
 * Hungarian method for the assignment problem", 1955; R. Jonker and A. Volgenant, "A shortest augmenting path algorithm for dense and
 * sparse linear assignment problems", 1987). */
int wr_least_assignment(int n, const double *cost, int *ret_row);

typedef struct wr_estimates {
    double dS_published;  /* dS as published in SQ */
    double dS;            /* dS as in SB */
    double d1;            /* |tr(M)| */
    double trace_square;  /* tr(M^2), which can be negative */
    double d2;            /* sqrt(tr(M^2)); NaN where tr(M^2) is negative */
    double d2k;           /* d2 by clusters; NaN where the clusters are not separable */
    double dE;            /* d2 by eigenvalues; NaN if F lacks a complete set of eigenvectors */
    double dr2;           /* d_r: root of the sum of squared distances */
    double dr1;           /* d_r: sum of distances */
    double radius_before; /* spectral radius of the full step */
    double radius_after;  /* spectral radius of the sparsed step */
    double c1;            /* bound C1 over all modes */
    double c2;            /* bound C2 over all modes */
    double c1_fast;       /* bound C1 without the slow modes; infinite when all modes are slow */
    double c2_fast;       /* bound C2 without the slow modes; infinite when all modes are slow */
    int n_slow;           /* number of slow modes */
} wr_estimates;

typedef struct wr_estimates_rule {
    /* largest |1 / lambda - 1| of a slow mode; |1 / lambda - 1| is tau |mu| for a mode mu of the model, 1/s */
    double slow;
    /* gap of clusters (resolution.h), for samples that have no spectral resolution yet */
    double gap;
} wr_estimates_rule;

/* Computes all estimates for the pattern keep[n * n] at one sample. ret_after (may be NULL) receives the n eigenvalues of the sparsed step,
 * each at the index of its paired eigenvalue in sample->value. Returns WRSIM_OK, WRSIM_E_SOLVER if L - tau J is singular, or
 * WRSIM_E_MEMORY. */
wrsim_status wr_estimates_make(const wr_sample *sample, const unsigned char *keep,
                               const wr_estimates_rule *rule, wr_estimates *ret_estimates,
                               double complex *ret_after);

/* Returns 1 if the eigenvalue belongs to a slow mode (see wr_estimates_rule.slow). */
int wr_estimates_is_slow(double complex value, double slow);

#endif
