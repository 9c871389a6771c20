/* What a method makes of x' = lambda x in steps of h: a polynomial P(z, q) whose roots z, for q = h lambda, are the factors by
 * which the parts of its solution grow in a step.
 *
 *     multistep:  P = sum_j (alpha_j - q beta_j) z^{k-j}     (Triverio (2014), lecture 16; Hairer, Wanner, "Solving ODEs II", V.1)
 *     one step:   P = D(q) z - N(q), with the stability function R = N / D   (there IV.2, IV.3)
 *
 * The method is absolutely stable at q if no root lies outside of the unit circle. Its region's boundary lies on the curve of
 * those q that have a root on the circle: for z = e^{i phi} they are the roots of P(z, .).
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_AMPLIFICATION_H
#define WR_AMPLIFICATION_H

#include "base/polynomial.h"
#include "subsystems/solvers/lms.h"

enum { WR_AMPLIFICATION_Q = 4 }; /* highest power of q */

typedef struct wr_amplification {
    int degree_z, degree_q;
    double c[WR_LMS_STEPS + 1][WR_AMPLIFICATION_Q + 1]; /* of z^i q^j */
} wr_amplification;

wr_amplification wr_amplification_of_formula(const wr_lms *formula);
/* R = N / D, coefficients by powers of q. */
wr_amplification wr_amplification_of_ratio(const double numerator[WR_AMPLIFICATION_Q + 1],
                                           const double denominator[WR_AMPLIFICATION_Q + 1]);

/* The largest root z at q; infinite at a pole, NaN where q is not finite. */
double complex wr_amplification_largest(const wr_amplification *a, double complex q);
/* Its size: the largest |z| at q; infinite at a pole, NaN where q is not finite. */
double wr_amplification_radius(const wr_amplification *a, double complex q);
/* Does nothing grow at q, but for rounding? */
int wr_amplification_is_stable(const wr_amplification *a, double complex q);

/* How far the region reaches from 0 along e^{i angle}: the first r beyond which it is unstable there; 0: none, INFINITY: it is
 * stable as far as most, or a million. */
double wr_amplification_reach(const wr_amplification *a, double angle, double most);

/* The points of the boundary's curve for z = e^{i phi}: writes ret_q[WR_AMPLIFICATION_Q] and returns how many. */
int wr_amplification_locus(const wr_amplification *a, double phi, double complex *ret_q);

/* The angle of A(alpha)-stability in degrees, from 0 to 90: largest alpha such that all q != 0 with |arg(-q)| < alpha are stable;
 * 0 where none is, as for explicit methods. (Widlund 1967; Hairer, Wanner, V.2.) */
double wr_amplification_angle(const wr_amplification *a);

/* Are all q with Re q < 0 stable? */
static inline int wr_amplification_is_a_stable(double angle) { return angle > 90.0 - 1e-3; }

#endif
