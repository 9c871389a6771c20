/* Polynomials of a step. See dense_poly.h.
 *
 * Thread: one at a time. Real-time: yes.
 */
#include "subsystems/integrators/dense_poly.h"

#include <string.h>

#include "runtime/base/check.h"

void wr_dense_poly_point(wr_dense_poly *poly, double t_s, const double *x, const double *dx)
{
    const int n = poly->n_x;
    memset(poly->c, 0, (size_t)poly->n_term * (size_t)n * sizeof *poly->c);
    for (int i = 0; i < n; i++) {
        poly->c[i] = x[i];
        poly->c[n + i] = dx ? dx[i] : 0.0;
    }
    poly->t0_s = poly->t1_s = t_s;
}

void wr_dense_poly_hermite(wr_dense_poly *poly, double t0_s, const double *x0, const double *f0,
                           double t1_s, const double *x1, const double *f1)
{
    const int n = poly->n_x;
    const double h_s = t1_s - t0_s;
    double *const c = poly->c;
    for (int i = 0; i < n; i++) {
        c[i] = x0[i];
        c[n + i] = x1[i] - x0[i];
    }
    poly->t0_s = t0_s;
    poly->t1_s = t1_s;
    if (poly->n_term < WR_DENSE_POLY_CUBIC)
        return;
    for (int i = 0; i < n; i++) {
        c[2 * n + i] = h_s * f0[i] - c[n + i];
        c[3 * n + i] = c[n + i] - h_s * f1[i] - c[2 * n + i];
    }
    if (poly->n_term > WR_DENSE_POLY_CUBIC)
        memset(c + 4 * (size_t)n, 0, (size_t)n * sizeof *c);
}

/* One component's coefficients, the absent ones zero. */
static void gather(const wr_dense_poly *poly, int i, double ret_c[WR_DENSE_POLY_QUARTIC])
{
    for (int k = 0; k < WR_DENSE_POLY_QUARTIC; k++)
        ret_c[k] = k < poly->n_term ? poly->c[k * poly->n_x + i] : 0.0;
}

static void eval_slope(const wr_dense_poly *poly, double s, double h_s, double *ret_dx)
{
    const double k2 = 1.0 - 2.0 * s;
    const double k3 = s * (2.0 - 3.0 * s);
    const double k4 = 2.0 * s * (1.0 - s) * k2;
    for (int i = 0; i < poly->n_x; i++) {
        double c[WR_DENSE_POLY_QUARTIC];
        gather(poly, i, c);
        ret_dx[i] = (c[1] + k2 * c[2] + k3 * c[3] + k4 * c[4]) / h_s;
    }
}

void wr_dense_poly_eval(const wr_dense_poly *poly, double t_s, double *ret_x, double *ret_dx)
{
    const size_t bytes = (size_t)poly->n_x * sizeof *ret_x;
    const double h_s = poly->t1_s - poly->t0_s;
    if (!(h_s > 0.0)) {
        memcpy(ret_x, poly->c, bytes);
        if (ret_dx)
            memcpy(ret_dx, poly->c + poly->n_x, bytes);
        return;
    }
    const double s = wr_clamp((t_s - poly->t0_s) / h_s, 0.0, 1.0);
    if (ret_dx)
        eval_slope(poly, s, h_s, ret_dx);
    if (t_s >= poly->t1_s) {
        memcpy(ret_x, poly->x1, bytes);
        return;
    }
    for (int i = 0; i < poly->n_x; i++) {
        double c[WR_DENSE_POLY_QUARTIC];
        gather(poly, i, c);
        ret_x[i] = c[0] + s * (c[1] + (1.0 - s) * (c[2] + s * (c[3] + (1.0 - s) * c[4])));
    }
}
