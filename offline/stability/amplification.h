/* Growth of a method's solution of x' = lambda x in steps h. With q = h lambda, the growth factors per step are the roots z of
 * a polynomial P(z, q).
 *
 *     multistep:  P = sum_j (alpha_j - q beta_j) z^{k-j}     (Triverio (2014), lecture 16; Hairer, Wanner, "Solving ODEs II", V.1)
 *     one step:   P = D(q) z - N(q), with the stability function R = N / D   (Hairer, Wanner, IV.2, IV.3)
 *
 * The method is absolutely stable at q if no root is outside the unit circle. The boundary of the region of stability is on the curve of
 * all q with a root on the circle. The points of the curve are the roots q of P(z, q) for z = e^{i phi}.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_AMPLIFICATION_H
#define WR_AMPLIFICATION_H

#include "base/polynomial.h"
#include "subsystems/solvers/integrator.h"
#include "subsystems/solvers/lms.h"

enum { WR_AMPLIFICATION_Q = WR_INTEG_GROWTH_Q }; /* highest power of q */

typedef struct wr_amplification {
    int degree_z, degree_q;
    double c[WR_LMS_STEPS + 1][WR_AMPLIFICATION_Q + 1]; /* coefficients of z^i q^j */
} wr_amplification;

wr_amplification wr_amplification_of_formula(const wr_lms *formula);
/* Returns the growth of R = N / D, with coefficients by powers of q. */
wr_amplification wr_amplification_of_ratio(const double numerator[WR_AMPLIFICATION_Q + 1],
                                           const double denominator[WR_AMPLIFICATION_Q + 1]);

/* Returns the root z of largest magnitude at q: infinite at a pole, NaN if q is not finite or the roots cannot be computed. */
double complex wr_amplification_largest(const wr_amplification *a, double complex q);
/* Returns the magnitude of the root of largest magnitude at q. */
double wr_amplification_radius(const wr_amplification *a, double complex q);
/* Returns 1 if no root at q is outside the unit circle, up to rounding. */
int wr_amplification_is_stable(const wr_amplification *a, double complex q);

/* Returns the extent of the region from 0 along e^{i angle}: the first r beyond which the method is unstable. Returns 0 if r = 0.01 is
 * unstable, or if the growth at twice the extent is below 1e-6. Returns INFINITY if the method is stable up to the smaller of `most` and
 * 1e6. */
double wr_amplification_reach(const wr_amplification *a, double angle, double most);

/* Writes the points of the boundary curve for z = e^{i phi} to ret_q[WR_AMPLIFICATION_Q]. Returns the number of points. */
int wr_amplification_locus(const wr_amplification *a, double phi, double complex *ret_q);

/* Returns the angle of A(alpha)-stability, 0 to 90 degrees: the largest alpha such that all q != 0 with |arg(-q)| < alpha are stable (O.
 * Widlund, "A note on unconditionally stable linear multistep methods", 1967; Hairer, Wanner, V.2). The angle of explicit methods is 0. */
double wr_amplification_angle(const wr_amplification *a);

/* Returns 1 if the angle, in degrees, is 90 up to rounding, so that all q with Re q < 0 are stable. */
static inline int wr_amplification_is_a_stable(double angle) { return angle > 90.0 - 1e-3; }

/* A method of fixed step, with its growth per step of x' = lambda x. */
typedef struct wr_stepper {
    const char *name, *help;
    const wr_lms *formula; /* NULL: a one-step method that is no multistep formula */
    int order;             /* order of convergence; the coefficients give the order of a formula */
    wr_amplification amplification;
} wr_stepper;

/* Finds the method of an integrator. Returns 0 if the integrator declares neither a formula nor its growth. */
int wr_stepper_of_integrator(const wr_integrator_ops *integrator, wr_stepper *ret_stepper);
/* Finds an integrator of fixed step, or a formula of lms.h, by name. Returns 0 for an unknown name. */
int wr_stepper_find(const char *name, wr_stepper *ret_stepper);
/* Returns the method of a valid formula, which must outlive the method. */
wr_stepper wr_stepper_of_formula(const wr_lms *formula);

/* Writes up to `most` names. Returns the number of methods. */
int wr_stepper_names(const char **ret_name, int most);

#endif
