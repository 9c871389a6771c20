/* Polynomials of low degree with complex coefficients: c[0] + c[1] z + ... + c[n] z^n.
 *
 * Roots are the eigenvalues of the companion matrix (A. Edelman, H. Murakami, "Polynomial roots from companion matrix eigenvalues",
 * Math. Comp. 64, 1995). The computed roots are the exact roots for coefficients that differ from c by rounding only. A root of
 * multiplicity m has an error of about the m-th root of the rounding error.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_POLYNOMIAL_H
#define WR_POLYNOMIAL_H

#include "base/complex_values.h"
#include "wrsim/status.h"

enum { WR_POLYNOMIAL_DEGREE = 16 }; /* largest degree of a polynomial (assumed) */

/* Writes the *ret_n <= degree finite roots of c[degree + 1] to ret_root[degree]; zero leading coefficients lower the degree. Roots at zero
 * are exact. Returns WRSIM_E_ARG if the degree is out of range, or all coefficients are zero. Returns WRSIM_E_NAN if a ratio of
 * coefficients is not finite, and WRSIM_E_SOLVER if the iteration does not converge. */
wrsim_status wr_polynomial_roots(int degree, const double complex *c, double complex *ret_root,
                                 int *ret_n);

double complex wr_polynomial_eval(int degree, const double complex *c, double complex z);

/* Writes the derivative of c[degree + 1] to ret_c[degree]. */
void wr_polynomial_differentiate(int degree, const double complex *c, double complex *ret_c);

#endif
