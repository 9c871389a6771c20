/* What a pattern does to the trajectory. See lag.h.
 *
 * Thread: any, on different data. Real-time: no.
 */
#include "analysis/sparsing/lag.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/lapack.h"

/* slope := (L - tau Df)^-1 tau f, which is tau x' also where L is singular. */
static wrsim_status make_slope(const wr_pencil *p, double *slope)
{
    const size_t n2 = (size_t)p->n * (size_t)p->n;
    double rcond, *const left = malloc((n2 + 1) * sizeof *left);
    if (!left)
        return WRSIM_E_MEMORY;
    for (size_t e = 0; e < n2; e++)
        left[e] = p->l[e] - p->tau_s * p->df[e];
    const wrsim_status status = wr_lapack_solve(p->n, 1, left, slope, &rcond);
    free(left);
    return status;
}

static wrsim_status make_gain(const wr_pencil *p, double w, double complex *gain)
{
    const size_t n = (size_t)p->n, n2 = n * n;
    double complex *const left = malloc((n2 + 1) * sizeof *left);
    double rcond;
    if (!left)
        return WRSIM_E_MEMORY;
    for (size_t e = 0; e < n2; e++) {
        left[e] = CMPLX(-p->df[e], w * p->l[e]);
        gain[e] = e % (n + 1) == 0;
    }
    const wrsim_status status = wr_lapack_solve_complex(p->n, p->n, left, gain, &rcond);
    free(left);
    return status == WRSIM_OK && !(rcond > DBL_EPSILON) ? WRSIM_E_SOLVER : status;
}

wrsim_status wr_lag_place(wr_arena *arena, const wr_pencil *pencil, const double *f, double w,
                          const wr_lag **ret_lag)
{
    const size_t n = (size_t)pencil->n;
    wr_lag *const r = WR_NEW(arena, wr_lag);
    if (!r)
        return WRSIM_E_MEMORY;
    r->n = pencil->n;
    r->slope = WR_NEW_ARRAY(arena, double, n);
    r->gain = WR_NEW_ARRAY(arena, double complex, n *n);
    if (!r->slope || !r->gain)
        return WRSIM_E_MEMORY;
    for (size_t i = 0; i < n; i++)
        r->slope[i] = pencil->tau_s * f[i] / pencil->row_scale[i];
    WR_TRY(make_slope(pencil, r->slope));
    WR_TRY(make_gain(pencil, w, r->gain));
    *ret_lag = r;
    return WRSIM_OK;
}

/* The largest part of |gain force|. */
static double largest(const wr_lag *r, const double *force, const double *scale, double complex *e,
                      int *ret_state)
{
    const size_t n = (size_t)r->n;
    double worst = 0.0;
    memset(e, 0, n * sizeof *e);
    for (size_t j = 0; j < n; j++) {
        if (!(fabs(force[j]) > 0.0))
            continue;
        for (size_t i = 0; i < n; i++)
            e[i] += r->gain[j * n + i] * force[j];
    }
    for (size_t i = 0; i < n; i++)
        if (cabs(e[i]) > worst * scale[i]) {
            worst = cabs(e[i]) / scale[i];
            if (ret_state)
                *ret_state = (int)i;
        }
    return worst;
}

double wr_lag_error(const wr_lag *lag, const wr_pencil *pencil, const unsigned char *keep,
                    const double *scale, double complex *work, int *ret_state)
{
    const size_t n = (size_t)lag->n;
    double *const force = (double *)(work + n);
    memset(force, 0, n * sizeof *force);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            if (!keep[j * n + i])
                force[i] += pencil->df[j * n + i] * lag->slope[j];
    return largest(lag, force, scale, work, ret_state);
}

double wr_lag_error_of(const wr_lag *lag, const wr_pencil *pencil, const int *entry, int n_entry,
                       const double *scale, double complex *work)
{
    const size_t n = (size_t)lag->n;
    double *const force = (double *)(work + n);
    memset(force, 0, n * sizeof *force);
    for (int k = 0; k < n_entry; k++)
        force[(size_t)entry[k] % n] += pencil->df[entry[k]] * lag->slope[(size_t)entry[k] / n];
    return largest(lag, force, scale, work, NULL);
}
