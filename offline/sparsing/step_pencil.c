/* The pencil of a step. See step_pencil.h. Thread: any, on different data. Real-time: no. */
#include "offline/sparsing/step_pencil.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto_free.h"
#include "offline/algebra/lapack.h"

static size_t count_of(const wr_step_pencil *pencil)
{
    return (size_t)pencil->n * (size_t)pencil->n;
}

wrsim_status wr_step_pencil_refuse(const wr_step_pencil *at, wrsim_status status, wrsim_error *err,
                                   const char *format, ...)
{
    va_list arguments;
    *err = (wrsim_error){.status = status, .time_s = at->t_s};
    va_start(arguments, format);
    vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    return status;
}

/* Returns the divisor of the equation in a row. */
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

/* Computes L - tau J and L + tau dJ. Either result may be NULL. */
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
            return wr_step_pencil_refuse(
                from, WRSIM_E_NAN, err,
                "the linearisation has an entry that is not finite; check the model at this time");
    wr_step_pencil *const p = WR_NEW(arena, wr_step_pencil);
    double *const l = WR_NEW_ARRAY(arena, double, n *n);
    double *const df = WR_NEW_ARRAY(arena, double, n *n);
    double *const scales = WR_NEW_ARRAY(arena, double, n);
    if (!p || !l || !df || !scales)
        return wr_step_pencil_refuse(from, WRSIM_E_MEMORY, err, "out of memory");
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
    double rcond;
    WR_AUTO_FREE double *const left = malloc((count_of(p) + 1) * sizeof *left);
    if (!left)
        return wr_step_pencil_refuse(p, WRSIM_E_MEMORY, err, "out of memory");
    fill(p, NULL, left, NULL);
    const wrsim_status status = wr_lapack_solve(p->n, 0, left, NULL, &rcond);
    if (rcond > 4.0 * DBL_EPSILON)
        return status;
    return wr_step_pencil_refuse(
        p, WRSIM_E_SOLVER, err,
        "L - tau Df is singular: the pencil is singular, the index is above 1, or 1 / tau is an "
        "eigenvalue. Check the model or the matrices, or choose another step");
}

wrsim_status wr_step_pencil_eigen(const wr_step_pencil *pencil, const unsigned char *keep,
                                  double complex *ret_value)
{
    const size_t n2 = count_of(pencil);
    WR_AUTO_FREE double *const left = malloc((2 * n2 + 1) * sizeof *left);
    double *const right = left + n2;
    double rcond;
    if (!left)
        return WRSIM_E_MEMORY;
    fill(pencil, keep, left, right);
    WR_TRY(wr_lapack_solve(pencil->n, pencil->n, left, right, &rcond));
    return rcond > 4.0 * DBL_EPSILON ? wr_lapack_eigen(pencil->n, right, ret_value, NULL, NULL)
                                     : WRSIM_E_SOLVER;
}

wrsim_status wr_step_pencil_eigen_qz(const wr_step_pencil *pencil, const unsigned char *keep,
                                     double complex *ret_value)
{
    const size_t n = (size_t)pencil->n, n2 = count_of(pencil);
    WR_AUTO_FREE double *const left = malloc((2 * n2 + n + 1) * sizeof *left);
    double *const right = left + n2, *const beta = right + n2;
    if (!left)
        return WRSIM_E_MEMORY;
    fill(pencil, keep, left, right);
    WR_TRY(wr_lapack_pencil_eigen(pencil->n, right, left, ret_value, beta));
    for (size_t i = 0; i < n; i++) {
        if (!(beta[i] > DBL_EPSILON * cabs(ret_value[i]) && beta[i] > DBL_MIN))
            return WRSIM_E_SOLVER;
        ret_value[i] /= beta[i];
    }
    return WRSIM_OK;
}

wrsim_status wr_step_pencil_difference(const wr_step_pencil *pencil, const unsigned char *keep,
                                       double *ret, double *ret_rest)
{
    const size_t n = (size_t)pencil->n, n2 = count_of(pencil);
    WR_AUTO_FREE double *const left = malloc((2 * n2 + n + 1) * sizeof *left);
    double *const rest = left + n2, *const row = rest + n2;
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
    for (size_t i = 0; i < n; i++) {
        memset(row, 0, n * sizeof *row);
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < n; k++)
                row[j] += ret[k * n + i] * rest[j * n + k];
        for (size_t j = 0; j < n; j++)
            ret[j * n + i] = row[j];
    }
    if (ret_rest)
        memcpy(ret_rest, rest, n2 * sizeof *rest);
    return status;
}
