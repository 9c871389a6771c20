/* Polynomials of low degree with complex coefficients: c[0] + c[1] z + ... + c[n] z^n.
 *
 * Roots are the eigenvalues of the companion matrix (Edelman, Murakami, "Polynomial roots from companion matrix
 * eigenvalues", Math. Comp. 64, 1995): those of a polynomial whose coefficients differ by rounding. A root of
 * multiplicity m is off by about the m-th root of that.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_POLYNOMIAL_H
#define WR_POLYNOMIAL_H

#include "base/complex_values.h"
#include "wrsim/status.h"

enum { WR_POLYNOMIAL_DEGREE = 16 }; /* largest */

/* The roots of c[degree + 1], finite ones only: leading coefficients that are zero lower the degree. Roots at zero are exact.
 * Writes *ret_n <= degree of them. Returns WRSIM_OK, WRSIM_E_ARG for a degree out of range or all coefficients zero,
 * WRSIM_E_NAN when a ratio
 * of coefficients is not finite, WRSIM_E_SOLVER when the iteration does not converge. */
wrsim_status wr_polynomial_roots(int degree, const double complex *c, double complex *ret_root,
                                 int *ret_n);

double complex wr_polynomial_eval(int degree, const double complex *c, double complex z);

/* c[degree + 1] becomes its derivative c[degree]. */
void wr_polynomial_differentiate(int degree, const double complex *c, double complex *ret_c);

#endif
