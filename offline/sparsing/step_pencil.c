/* The pencil of a step. See step_pencil.h.
 *
 * Thread: any, on different data. Real-time: no. */
#include "offline/sparsing/step_pencil.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "offline/algebra/lapack.h"

static size_t count_of(const wr_step_pencil *pencil)
{
    return (size_t)pencil->n * (size_t)pencil->n;
}

static wrsim_status refuse(const wr_step_pencil *at, wrsim_status status, const char *text,
                           wrsim_error *err)
{
    *err = (wrsim_error){.status = status, .time_s = at->t_s};
    snprintf(err->text, sizeof err->text, "%s", text);
    return status;
}

/* Returns the divisor of a row's equation. */
static double row_scale(const wr_step_pencil *at, const double *nominal, int row)
{
    const size_t n = (size_t)at->n;
    double largest = 0.0;
    if (!at->l)
        return nominal ? nominal[row] : 1.0;
    for (size_t j = 0; j < n; j++) {
        const size_t k = j * n + (size_t)row;
        largest =
            wr_max(largest, fabs(at->l[k] - at->tau_s * at->df[k]) * (nominal ? nominal[j] : 1.0));
    }
    return largest > 0.0 ? largest : 1.0;
}

/* Computes L - tau J and L + tau dJ; either result may be NULL. */
static void fill(const wr_step_pencil *p, const unsigned char *keep, double *ret_left,
                 double *ret_right)
{
    for (size_t k = 0; k < count_of(p); k++) {
        const double j = !keep || keep[k] ? p->df[k] : 0.0;
        if (ret_left)
            ret_left[k] = p->l[k] - p->tau_s * j;
        if (ret_right)
            ret_right[k] = p->l[k] + p->tau_s * (p->df[k] - j);
    }
}

wrsim_status wr_step_pencil_place(wr_arena *arena, const wr_step_pencil *from,
                                  const double *nominal, const wr_step_pencil **ret_pencil,
                                  wrsim_error *err)
{
    const size_t n = (size_t)from->n;
    for (size_t k = 0; k < count_of(from); k++)
        if (!isfinite(from->df[k]) || (from->l && !isfinite(from->l[k])))
            return refuse(from, WRSIM_E_NAN, "an entry of the linearisation is not finite", err);
    wr_step_pencil *const p = WR_NEW(arena, wr_step_pencil);
    double *const l = WR_NEW_ARRAY(arena, double, n *n);
    double *const df = WR_NEW_ARRAY(arena, double, n *n);
    double *const scales = WR_NEW_ARRAY(arena, double, n);
    if (!p || !l || !df || !scales)
        return refuse(from, WRSIM_E_MEMORY, "out of memory", err);
    for (size_t i = 0; i < n; i++) {
        const double scale = scales[i] = row_scale(from, nominal, (int)i);
        for (size_t j = 0; j < n; j++) {
            const double factor = (nominal ? nominal[j] : 1.0) / scale;
            l[j * n + i] = from->l ? from->l[j * n + i] * factor : i == j;
            df[j * n + i] = from->df[j * n + i] * factor;
        }
    }
    *p = (wr_step_pencil){.n = from->n,
                          .tau_s = from->tau_s,
                          .t_s = from->t_s,
                          .l = l,
                          .df = df,
                          .row_scale = scales};
    *ret_pencil = p;
    double rcond, *const left = malloc((count_of(p) + 1) * sizeof *left);
    if (!left)
        return refuse(p, WRSIM_E_MEMORY, "out of memory", err);
    fill(p, NULL, left, NULL);
    const wrsim_status status = wr_lapack_solve(p->n, 0, left, NULL, &rcond);
    free(left);
    if (rcond > 4.0 * DBL_EPSILON)
        return status;
    return refuse(p, WRSIM_E_SOLVER,
                  "L - tau Df is singular, because the pencil (L, Df) is singular, the index of "
                  "the DAE is above 1, or 1 / tau is an eigenvalue; check the equations of the "
                  "model, or choose another step",
                  err);
}

wrsim_status wr_step_pencil_eigen(const wr_step_pencil *pencil, const unsigned char *keep,
                                  double complex *ret_value)
{
    const size_t n2 = count_of(pencil);
    double *const left = malloc((2 * n2 + 1) * sizeof *left), *const right = left + n2;
    double rcond;
    if (!left)
        return WRSIM_E_MEMORY;
    fill(pencil, keep, left, right);
    wrsim_status status = wr_lapack_solve(pencil->n, pencil->n, left, right, &rcond);
    if (status == WRSIM_OK)
        status = rcond > 4.0 * DBL_EPSILON
                     ? wr_lapack_eigen(pencil->n, right, ret_value, NULL, NULL)
                     : WRSIM_E_SOLVER;
    free(left);
    return status;
}

wrsim_status wr_step_pencil_eigen_qz(const wr_step_pencil *pencil, const unsigned char *keep,
                                     double complex *ret_value)
{
    const size_t n = (size_t)pencil->n, n2 = count_of(pencil);
    double *const left = malloc((2 * n2 + n + 1) * sizeof *left), *const right = left + n2;
    double *const beta = right + n2;
    if (!left)
        return WRSIM_E_MEMORY;
    fill(pencil, keep, left, right);
    wrsim_status status = wr_lapack_pencil_eigen(pencil->n, right, left, ret_value, beta);
    for (size_t i = 0; i < n && status == WRSIM_OK; i++)
        if (beta[i] > DBL_EPSILON * cabs(ret_value[i]) && beta[i] > DBL_MIN)
            ret_value[i] /= beta[i];
        else
            status = WRSIM_E_SOLVER;
    free(left);
    return status;
}

wrsim_status wr_step_pencil_difference(const wr_step_pencil *pencil, const unsigned char *keep,
                                       double *ret, double *ret_rest)
{
    const size_t n = (size_t)pencil->n, n2 = count_of(pencil);
    double *const left = malloc((2 * n2 + n + 1) * sizeof *left), *const rest = left + n2;
    double rcond;
    if (!left)
        return WRSIM_E_MEMORY;
    /* I - (L - tau Df)^-1 L = -(L - tau Df)^-1 tau Df */
    fill(pencil, NULL, left, NULL);
    for (size_t k = 0; k < n2; k++)
        rest[k] = -pencil->tau_s * pencil->df[k];
    wrsim_status status = wr_lapack_solve(pencil->n, pencil->n, left, rest, &rcond);
    fill(pencil, keep, left, NULL);
    for (size_t k = 0; k < n2; k++)
        ret[k] = keep && !keep[k] ? pencil->tau_s * pencil->df[k] : 0.0;
    WR_THEN(status, wr_lapack_solve(pencil->n, pencil->n, left, ret, &rcond));
    double *const row = rest + n2;
    const size_t size = (size_t)pencil->n;
    for (size_t i = 0; i < size; i++) {
        memset(row, 0, size * sizeof *row);
        for (size_t j = 0; j < size; j++)
            for (size_t k = 0; k < size; k++)
                row[j] += ret[k * size + i] * rest[j * size + k];
        for (size_t j = 0; j < size; j++)
            ret[j * size + i] = row[j];
    }
    if (ret_rest)
        memcpy(ret_rest, rest, n2 * sizeof *rest);
    free(left);
    return status;
}
