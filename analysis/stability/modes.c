/* Modes of a linearisation. See modes.h.
 *
 * Thread: any. Real-time: no.
 */
#include "analysis/stability/modes.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/lapack.h"

/* Eigenvalues are known to about so much of the largest one where Jacobians are differenced. */
static const double rest = 1e-9;
/* Of |lambda|: what is damped or grows less swings only, but for rounding. */
static const double undamped = 1e-8;
/* What of the mode's own growth, and of a step, is allowed beside it. */
static const double own_growth = 1.1, rounding = 1e-9;

static void judge(const wr_stepper *stepper, double step_s, double largest, wr_mode *mode)
{
    const double complex q = step_s * mode->lambda;
    mode->radius = wr_amplification_radius(&stepper->amplification, q);
    mode->excess = log(mode->radius) - own_growth * wr_max(creal(q), 0.0);
    if (cabs(mode->lambda) <= rest * largest)
        mode->kind = WR_MODE_AT_REST;
    else if (creal(q) > fabs(cimag(q)))
        mode->kind = WR_MODE_GROWING;
    else
        mode->kind = mode->excess <= rounding ? WR_MODE_STABLE : WR_MODE_UNSTABLE; /* NaN, too */
}

static void find_parts(int n, const double complex *left, const double complex *right,
                       wr_mode *mode)
{
    double sum = 0.0;
    mode->n_part = 0;
    for (int k = 0; k < n; k++) {
        const double share = cabs(left[k]) * cabs(right[k]);
        sum += share;
        int at = mode->n_part < WR_MODE_PARTS ? mode->n_part++ : WR_MODE_PARTS;
        for (; at > 0 && share > mode->part[at - 1].share; at--)
            if (at < WR_MODE_PARTS)
                mode->part[at] = mode->part[at - 1];
        if (at < WR_MODE_PARTS)
            mode->part[at] = (wr_mode_part){k, share};
    }
    for (int i = 0; i < mode->n_part; i++)
        mode->part[i].share /= sum;
}

static double condition_of(int n, const double *nominal, const double complex *left,
                           const double complex *right)
{
    double complex product = 0.0;
    double l = 0.0, r = 0.0;
    for (int k = 0; k < n; k++) {
        product += conj(left[k]) * right[k];
        l = hypot(l, cabs(left[k]) * nominal[k]);
        r = hypot(r, cabs(right[k]) / nominal[k]);
    }
    return l * r / cabs(product);
}

wrsim_status wr_modes_find(const wr_stepper *stepper, double step_s, double t_s, int n, double *a,
                           const double *nominal, wr_mode *ret_mode)
{
    const size_t size = (size_t)n;
    double complex *const value = calloc(size * (2 * size + 1) + 1, sizeof *value);
    if (!value)
        return WRSIM_E_MEMORY;
    double complex *const left = value + size, *const right = left + size * size;
    const wrsim_status status = wr_lapack_eigen(n, a, value, left, right);
    double largest = 0.0;
    for (size_t i = 0; i < size && status == WRSIM_OK; i++)
        largest = wr_max(largest, cabs(value[i]));
    for (size_t i = 0; i < size && status == WRSIM_OK; i++) {
        ret_mode[i] = (wr_mode){.lambda = value[i], .t_s = t_s};
        judge(stepper, step_s, largest, &ret_mode[i]);
        ret_mode[i].condition = condition_of(n, nominal, left + i * size, right + i * size);
        find_parts(n, left + i * size, right + i * size, &ret_mode[i]);
    }
    free(value);
    return status;
}

double wr_mode_largest_step(const wr_stepper *stepper, const wr_mode *mode, double most_s)
{
    const double size = cabs(mode->lambda);
    if (mode->kind == WR_MODE_AT_REST || creal(mode->lambda) > undamped * size)
        return (double)NAN;
    const double angle =
        creal(mode->lambda) > -undamped * size ? 0.5 * M_PI : fabs(carg(mode->lambda));
    return wr_amplification_reach(&stepper->amplification, angle, most_s * size) / size;
}
