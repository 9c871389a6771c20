/* The solution inside one step as a polynomial, shared by our own one-step methods.
 *
 *     x(t0 + s h) = c0 + s (c1 + (1 - s) (c2 + s (c3 + (1 - s) c4))),   0 <= s <= 1
 *
 * (Hairer, Norsett, Wanner, "Solving ODEs I", 2nd ed., II.6, the form used there for
 * Dormand-Prince; with c4 = 0 also that of RODAS in volume II, IV.10.) Two terms are a straight
 * line, four a cubic, five a quartic.
 *
 * Thread: one at a time. Real-time: yes.
 */
#ifndef WR_DENSE_POLY_H
#define WR_DENSE_POLY_H

enum { WR_DENSE_POLY_LINE = 2, WR_DENSE_POLY_CUBIC = 4, WR_DENSE_POLY_QUARTIC = 5 };

typedef struct wr_dense_poly {
    int n_x, n_term;
    double t0_s, t1_s; /* the step; equal: no step yet, and c1 is the slope */
    double *c;         /* [n_term * n_x], owner's memory; c0 first */
    const double *x1;  /* [n_x] the state at t1_s, returned exactly */
    const double *f1;  /* [n_x] the slope at t1_s, returned exactly; NULL: from the polynomial */
} wr_dense_poly;

/* No step yet: x at t, and its slope if known (else NULL, taken as zero). */
void wr_dense_poly_point(wr_dense_poly *poly, double t_s, const double *x, const double *dx);

/* Fills c0, c1 and, if the polynomial has them, c2 and c3 by cubic Hermite interpolation of the two
 * ends (c4 = 0). For a line the slopes are not read and may be NULL. */
void wr_dense_poly_hermite(wr_dense_poly *poly, double t0_s, const double *x0, const double *f0,
                           double t1_s, const double *x1, const double *f1);

/* State and slope (either may be NULL) at t in [t0, t1]; exact at both ends. */
void wr_dense_poly_eval(const wr_dense_poly *poly, double t_s, double *ret_x, double *ret_dx);

#endif
