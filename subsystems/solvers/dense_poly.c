/* Fits and evaluates the polynomials of a step. See dense_poly.h. Thread: one at a time. Real-time: yes. */
#include "subsystems/solvers/dense_poly.h"

#include <string.h>

#include "base/check.h"

void wr_dense_poly_point(wr_dense_poly *poly, double t_s, const double *x, const double *dx)
{
    const size_t n = (size_t)poly->n_x, bytes = n * sizeof *x;
    memcpy(poly->c, x, bytes);
    if (dx)
        memcpy(poly->c + n, dx, bytes);
    else
        memset(poly->c + n, 0, bytes);
    poly->t0_s = poly->t1_s = t_s;
}

static void fit_line(int n, const double *restrict x0, const double *restrict x1,
                     double *restrict c)
{
    for (int i = 0; i < n; i++) {
        c[i] = x0[i];
        c[n + i] = x1[i] - x0[i];
    }
}

static void fit_cubic(int n, double h_s, const double *restrict x0, const double *restrict f0,
                      const double *restrict x1, const double *restrict f1, double *restrict c)
{
    for (int i = 0; i < n; i++) {
        const double rise = x1[i] - x0[i];
        const double bend = h_s * f0[i] - rise;
        c[i] = x0[i];
        c[n + i] = rise;
        c[2 * n + i] = bend;
        c[3 * n + i] = rise - h_s * f1[i] - bend;
    }
}

void wr_dense_poly_hermite(wr_dense_poly *poly, double t0_s, const double *x0, const double *f0,
                           double t1_s, const double *x1, const double *f1)
{
    const int n = poly->n_x;
    poly->t0_s = t0_s;
    poly->t1_s = t1_s;
    if (poly->n_term < WR_DENSE_POLY_CUBIC)
        fit_line(n, x0, x1, poly->c);
    else
        fit_cubic(n, t1_s - t0_s, x0, f0, x1, f1, poly->c);
    if (poly->n_term > WR_DENSE_POLY_CUBIC)
        memset(poly->c + 4 * (size_t)n, 0, (size_t)n * sizeof *poly->c);
}

/* Evaluates the polynomial at s. A loop for each number of terms has no branches, so the compiler handles several states at once. */
static void eval_state(const wr_dense_poly *poly, double s, double *restrict ret_x)
{
    const int n = poly->n_x;
    const double r = 1.0 - s;
    const double *const c0 = poly->c, *const c1 = c0 + n;
    if (poly->n_term == WR_DENSE_POLY_LINE) {
        for (int i = 0; i < n; i++)
            ret_x[i] = c0[i] + s * c1[i];
        return;
    }
    const double *const c2 = c1 + n, *const c3 = c2 + n;
    if (poly->n_term == WR_DENSE_POLY_CUBIC) {
        for (int i = 0; i < n; i++)
            ret_x[i] = c0[i] + s * (c1[i] + r * (c2[i] + s * c3[i]));
        return;
    }
    const double *const c4 = c3 + n;
    for (int i = 0; i < n; i++)
        ret_x[i] = c0[i] + s * (c1[i] + r * (c2[i] + s * (c3[i] + r * c4[i])));
}

static void eval_slope(const wr_dense_poly *poly, double s, double h_s, double *restrict ret_dx)
{
    const int n = poly->n_x;
    const double k2 = 1.0 - 2.0 * s;
    const double k3 = s * (2.0 - 3.0 * s);
    const double k4 = 2.0 * s * (1.0 - s) * k2;
    const double *const c1 = poly->c + n;
    if (poly->n_term == WR_DENSE_POLY_LINE) {
        for (int i = 0; i < n; i++)
            ret_dx[i] = c1[i] / h_s;
        return;
    }
    const double *const c2 = c1 + n, *const c3 = c2 + n;
    if (poly->n_term == WR_DENSE_POLY_CUBIC) {
        for (int i = 0; i < n; i++)
            ret_dx[i] = (c1[i] + k2 * c2[i] + k3 * c3[i]) / h_s;
        return;
    }
    const double *const c4 = c3 + n;
    for (int i = 0; i < n; i++)
        ret_dx[i] = (c1[i] + k2 * c2[i] + k3 * c3[i] + k4 * c4[i]) / h_s;
}

void wr_dense_poly_eval(const wr_dense_poly *poly, double t_s, double *ret_x, double *ret_dx)
{
    const size_t bytes = (size_t)poly->n_x * sizeof *poly->c;
    const double h_s = poly->t1_s - poly->t0_s;
    if (!(h_s > 0.0)) {
        if (ret_x)
            memcpy(ret_x, poly->c, bytes);
        if (ret_dx)
            memcpy(ret_dx, poly->c + poly->n_x, bytes);
        return;
    }
    const int is_end = t_s >= poly->t1_s;
    const double s = is_end ? 1.0 : wr_max((t_s - poly->t0_s) / h_s, 0.0);
    if (ret_x && is_end)
        memcpy(ret_x, poly->x1, bytes);
    else if (ret_x)
        eval_state(poly, s, ret_x);
    if (ret_dx && is_end && poly->f1)
        memcpy(ret_dx, poly->f1, bytes);
    else if (ret_dx)
        eval_slope(poly, s, h_s, ret_dx);
}
