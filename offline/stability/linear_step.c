/* Steps with an incomplete Jacobian or a mass matrix. See linear_step.h. Thread: any. Real-time: no. */
#include "offline/stability/linear_step.h"

#include <math.h>
#include <stdlib.h>

#include "base/auto_free.h"
#include "offline/algebra/lapack.h"

/* own_growth: allowed factor on the growth of the subsystem itself. rounding: growth per step that rounding of differenced Jacobians can
 * cause. Both are assumed. */
static const double own_growth = 1.1, rounding = 1e-7;
/* Largest |z| of infinite eigenvalues, because of rounding (assumed). */
static const double infinite = 1e-6;
/* Largest reciprocal condition with which L - h J counts as singular (assumed). */
static const double singular = 1e-15;
/* Range of examined steps in units of step_s, ratio of successive steps before bisection, and number of bisections (assumed). */
static const double scan_from = 1e-2, scan_to = WR_LINEAR_STEP_MOST, scan_growth = 1.1;
enum { HALVINGS = 30 };

/* Writes S to ret_s[n * n]. work[n * n] is workspace. Returns the statuses of wr_lapack_solve(): WRSIM_E_SOLVER if L - h J is singular. */
static wrsim_status make_map(const wr_linear_step *step, double h_s, double *work, double *ret_s)
{
    const size_t n = (size_t)step->n;
    double rcond;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            const size_t k = j * n + i;
            const double kept = !step->kept || step->kept[k] ? step->a[k] : 0.0;
            work[k] = (step->l ? step->l[j * (size_t)step->n + i] : (double)(i == j)) - h_s * kept;
            ret_s[k] = work[k] + h_s * step->a[k];
        }
    const wrsim_status status = wr_lapack_solve(step->n, step->n, work, ret_s, &rcond);
    return status == WRSIM_OK && !(rcond > singular) ? WRSIM_E_SOLVER : status;
}

/* If J is the whole Jacobian, an eigenvalue lambda gives z = 1 / (1 - h lambda), which is 0 for an infinite lambda. */
wrsim_status wr_linear_step_growth(const wr_linear_step *step, double step_s, double *ret_growth)
{
    const size_t n = (size_t)step->n;
    const wr_linear_step whole = {.n = step->n, .a = step->a, .l = step->l};
    WR_AUTO_FREE double *const s = malloc((2 * n * n + 1) * sizeof *s);
    WR_AUTO_FREE double complex *const value = malloc((n + 1) * sizeof *value);
    double growth = 0.0;
    if (!s || !value)
        return WRSIM_E_MEMORY;
    WR_TRY(make_map(&whole, step_s, s + n * n, s));
    WR_TRY(wr_lapack_eigen(step->n, s, value, NULL, NULL));
    for (size_t i = 0; i < n; i++)
        if (cabs(value[i]) > infinite)
            growth = wr_max(growth, creal(1.0 - 1.0 / value[i]) / step_s);
    *ret_growth = growth;
    return WRSIM_OK;
}

static double allowed(double growth, double h_s) { return own_growth * growth * h_s + rounding; }

wrsim_status wr_linear_step_modes(const wr_linear_step *step, double step_s, double growth,
                                  double t_s, const double *nominal, wr_mode *ret_mode)
{
    const size_t n = (size_t)step->n;
    WR_AUTO_FREE double *const s = malloc((2 * n * n + 1) * sizeof *s);
    WR_AUTO_FREE double complex *const value = malloc((n * (2 * n + 1) + 1) * sizeof *value);
    if (!s || !value)
        return WRSIM_E_MEMORY;
    double complex *const left = value + n, *const right = left + n * n;
    WR_TRY(make_map(step, step_s, s + n * n, s));
    WR_TRY(wr_lapack_eigen(step->n, s, value, left, right));
    size_t largest = 0;
    for (size_t i = 0; i < n; i++) {
        wr_mode *const mode = &ret_mode[i];
        *mode = (wr_mode){.lambda = clog(value[i]) / step_s, .t_s = t_s, .radius = cabs(value[i])};
        mode->excess = log(mode->radius) - allowed(growth, step_s);
        /* NaN counts as unstable */
        mode->kind = mode->excess <= 0.0 ? WR_MODE_STABLE : WR_MODE_UNSTABLE;
        wr_modes_describe(step->n, nominal, left + i * n, right + i * n, mode);
        largest = mode->radius > ret_mode[largest].radius ? i : largest;
    }
    if (n > 0)
        ret_mode[largest].is_lost =
            wr_mode_is_growth_lost(growth * step_s, log(ret_mode[largest].radius), value[largest]);
    return WRSIM_OK;
}

/* Returns 1 if the step is stable; 0 if the step is unstable or the map is not computable. */
static int is_stable(const wr_linear_step *step, double h_s, double growth, double *work,
                     double complex *value)
{
    const size_t n = (size_t)step->n;
    double radius = 0.0;
    if (make_map(step, h_s, work + n * n, work) < 0 ||
        wr_lapack_eigen(step->n, work, value, NULL, NULL) < 0)
        return 0;
    for (size_t i = 0; i < n; i++)
        radius = wr_max(radius, cabs(value[i]));
    return log(radius) <= allowed(growth, h_s);
}

wrsim_status wr_linear_step_largest(const wr_linear_step *step, double step_s, double growth,
                                    double most_s, double *ret_largest_s)
{
    const size_t n = (size_t)step->n;
    /* If J is the whole Jacobian, 1 / (1 - h lambda) is inside the circle for every h and every decaying mode. */
    if (!step->kept) {
        *ret_largest_s = (double)INFINITY;
        return WRSIM_OK;
    }
    const double to_s = wr_min(scan_to * step_s, most_s);
    double low_s = 0.0, high_s = wr_min(scan_from * step_s, to_s);
    WR_AUTO_FREE double *const work = malloc((2 * n * n + 1) * sizeof *work);
    WR_AUTO_FREE double complex *const value = malloc((n + 1) * sizeof *value);
    if (!work || !value)
        return WRSIM_E_MEMORY;
    while (low_s < to_s && is_stable(step, high_s, growth, work, value)) {
        low_s = high_s;
        high_s = wr_min(scan_growth * high_s, to_s);
    }
    for (int i = 0; i < HALVINGS && low_s > 0.0 && low_s < to_s; i++) {
        const double middle_s = 0.5 * (low_s + high_s);
        if (is_stable(step, middle_s, growth, work, value))
            low_s = middle_s;
        else
            high_s = middle_s;
    }
    *ret_largest_s = low_s >= to_s ? (double)INFINITY : low_s;
    return WRSIM_OK;
}
