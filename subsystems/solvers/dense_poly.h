/* The solution inside one step as a polynomial, for wrsim's own methods.
 *
 *     x(t0 + s h) = c0 + s (c1 + (1 - s) (c2 + s (c3 + (1 - s) c4))),   0 <= s <= 1
 *
 * (Hairer, Norsett, Wanner, "Solving ODEs I", 2nd ed., II.6, for Dormand and Prince's pair; with c4 = 0 "Solving ODEs II", IV.10,
 * for RODAS.) Two terms are a straight line, four terms a cubic, five terms a quartic.
 *
 * Thread: one at a time. Real-time: yes.
 */
#ifndef WR_DENSE_POLY_H
#define WR_DENSE_POLY_H

enum { WR_DENSE_POLY_LINE = 2, WR_DENSE_POLY_CUBIC = 4, WR_DENSE_POLY_QUARTIC = 5 };

typedef struct wr_dense_poly {
    int n_x, n_term;
    double t0_s, t1_s; /* ends of the step; equal: no step, and c1 is the slope */
    double *c;         /* [n_term * n_x] c0, c1, ...; memory of the owner */
    const double *x1;  /* [n_x] the state at t1_s, returned exactly */
    const double *f1;  /* [n_x] the slope at t1_s, returned exactly; NULL: from the polynomial */
} wr_dense_poly;

/* Begins without a step at (t, x), with slope dx; NULL: zero. */
void wr_dense_poly_point(wr_dense_poly *poly, double t_s, const double *x, const double *dx);

/* Fills the coefficients from both ends of a step: a line, or cubic Hermite interpolation (c4 = 0). For a line the slopes may be NULL. */
void wr_dense_poly_hermite(wr_dense_poly *poly, double t0_s, const double *x0, const double *f0,
                           double t1_s, const double *x1, const double *f1);

/* Evaluates state and slope (each may be NULL) at t in [t0, t1]. The state is exact at both ends. If f1 is set, the slope is exact at
 * t1. */
void wr_dense_poly_eval(const wr_dense_poly *poly, double t_s, double *ret_x, double *ret_dx);

#endif
