/* Estimates of the change that a pattern makes in the spectrum of the step, beside the exact change.
 *
 * M is the difference of the two steps (step_pencil.h), F the unsparsed step, X its eigenvectors. SB is Schiela and
 * Bornemann (2003), SQ the sum-of-squares paper (docs/METHODS.md, Estimates of sparsing).
 *
 *     dS   |tr((L - tau Df)^-1 tau dJ (I - (L - tau Df)^-1 L))|, first order           (SB, Theorem 4)
 *     dS, published: twice dS, as dJ has the other sign and the second factor is -2 tau (L - tau Df)^-1 Df  (SQ, eq. 2)
 *     d1   |tr(M)|, which is |sum (lambda' - lambda)| exactly                          (SQ, Theorem 4.1)
 *     d2   sqrt(tr(M^2)), published as sqrt(sum |lambda' - lambda|^2). That holds only if M is nearly diagonal in F's
 *          eigenvectors; tr(M^2) may be negative                                       (SQ, Theorem 4.2)
 *     d2k  sqrt(sum_k |tr((Y_k^H M X_k)^2)|) over the clusters k of F (cluster.h), Y_k^H X_k = I: d2 without products between
 *          clusters (SQ, section 3); needs no eigenvectors within a cluster
 *     dE   sqrt(sum |(X^-1 M X)_ii|^2), first order for each eigenvalue: d2 as corrected
 *     d_r  sqrt(sum |lambda' - lambda|^2), and sum |lambda' - lambda|, for the pairing with the least sum of squares
 *
 * SQ accepts a pattern if |sum| <= C1 = min r_i and the sum of squares <= C2 = min r_i^2, with r_i the distance of
 * eigenvalue i to the unit circle (eqs. 12-15). Slow modes, which an explicit step would follow too, may be left out
 * (section 4).
 *
 * Thread: any, on different data. Real-time: no.
 */
#ifndef WR_ESTIMATES_H
#define WR_ESTIMATES_H

#include "analysis/sparsing/samples.h"

typedef struct wr_estimates {
    double dS_published, dS, d1;
    double trace_square; /* tr(M^2) */
    double d2;           /* NaN where that is negative */
    double d2k;          /* NaN where clusters cannot be told apart */
    double dE;           /* NaN where there are no eigenvectors: F is defective */
    double dr2, dr1;     /* of squares; of magnitudes */
    double radius_before, radius_after;
    double c1, c2;           /* bounds of all modes */
    double c1_fast, c2_fast; /* slow ones set aside; infinite where all are */
    int n_slow;
} wr_estimates;

typedef struct wr_estimates_rule {
    double
        slow; /* modes with |1 / lambda - 1|, which is tau |mu| for a mode mu of the model, below it are slow */
    double gap; /* of clusters, for samples without a resolution */
} wr_estimates_rule;

/* Writes all. Returns
 * WRSIM_OK; WRSIM_E_SOLVER: L - tau J is singular; WRSIM_E_MEMORY. ret_after (may be NULL): eigenvalues of the sparsed step,
 * [n], each in the place of the one in sample->value with which it is paired. */
wrsim_status wr_estimates_make(const wr_sample *sample, const unsigned char *keep,
                               const wr_estimates_rule *rule, wr_estimates *ret_estimates,
                               double complex *ret_after);

/* Is a mode slow in that sense? */
int wr_estimates_is_slow(double complex value, double slow);

#endif
