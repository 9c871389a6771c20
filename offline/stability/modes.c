/* Modes of a linearisation. See modes.h. Thread: any. Real-time: no. */
#include "offline/stability/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto_free.h"
#include "offline/algebra/lapack.h"

/* Rounding error of an entry of a differenced Jacobian, relative to its row's sum with nominal states: ten times the error in linear.h. */
static const double rest = 1e-9;
/* Largest |Re lambda| / |lambda| of an undamped oscillation: ten times `rest`. */
static const double undamped = 1e-8;
/* own_growth: allowed factor on the growth of the mode itself. rounding: growth per step that rounding can cause. Both are assumed. */
static const double own_growth = 1.1, rounding = 1e-9;

/* Returns the largest change of the eigenvalue by rounding, to first order: sum |l_i| e_ij |r_j| / |l^H r| over non-zero entries (Golub and
 * Van Loan, "Matrix Computations", 4th ed., 7.2.2). The sum uses each entry separately, so that fast states do not worsen the result of a
 * slow mode without shared states. row[n]: sum_j |a_ij| nominal_j. */
static double uncertainty(int n, const double *a, const double *row, const double *nominal,
                          const double complex *left, const double complex *right)
{
    double complex product = 0.0;
    double sum = 0.0;
    for (int j = 0; j < n; j++) {
        product += conj(left[j]) * right[j];
        double column = 0.0;
        for (int i = 0; i < n; i++)
            if (fabs(a[(size_t)j * (size_t)n + (size_t)i]) > 0.0)
                column += cabs(left[i]) * row[i];
        sum += column * cabs(right[j]) / nominal[j];
    }
    return rest * sum / cabs(product);
}

int wr_mode_is_growth_lost(double own, double by_step, double complex turned)
{
    return own > M_LN2 && !(fabs(by_step - own) <= M_LN2 && creal(turned) > 0.0);
}

/* Returns 1 if a real mode stops a run. The start of an implicit multistep formula refuses steps with q above 1/2, half of the pole's q
 * (check() of subsystems/solvers/extrapolation.c). */
static int is_start_beyond_pole(const wr_stepper *stepper, double complex q)
{
    const wr_lms *const formula = stepper->formula;
    return formula && formula->n_step > 1 && fabs(formula->beta[0]) > 0.0 && creal(q) > 0.5 &&
           !(fabs(cimag(q)) > 0.0);
}

void wr_modes_describe(int n, const double *nominal, const double complex *left,
                       const double complex *right, wr_mode *mode)
{
    double complex product = 0.0;
    double sum = 0.0, l = 0.0, r = 0.0;
    mode->n_part = 0;
    for (int k = 0; k < n; k++) {
        product += conj(left[k]) * right[k];
        l = hypot(l, cabs(left[k]) * nominal[k]);
        r = hypot(r, cabs(right[k]) / nominal[k]);
        const double share = cabs(left[k]) * cabs(right[k]);
        sum += share;
        int at = mode->n_part < WR_MODE_PARTS ? mode->n_part++ : WR_MODE_PARTS;
        for (; at > 0 && share > mode->part[at - 1].share; at--)
            if (at < WR_MODE_PARTS)
                mode->part[at] = mode->part[at - 1];
        if (at < WR_MODE_PARTS)
            mode->part[at] = (wr_mode_part){k, share};
    }
    mode->condition = l * r / cabs(product);
    for (int i = 0; i < mode->n_part; i++)
        mode->part[i].share /= sum;
}

wrsim_status wr_modes_find(const wr_stepper *stepper, double step_s, double t_s, int n, double *a,
                           const double *nominal, wr_mode *ret_mode)
{
    const size_t size = (size_t)n;
    WR_AUTO_FREE double complex *const value = calloc(size * (2 * size + 1) + 1, sizeof *value);
    WR_AUTO_FREE double *const was = malloc((size * size + size + 1) * sizeof *was);
    if (!value || !was)
        return WRSIM_E_MEMORY;
    double *const row = was + size * size;
    double complex *const left = value + size, *const right = left + size * size;
    memcpy(was, a, size * size * sizeof *was);
    for (size_t i = 0; i < size; i++) {
        row[i] = 0.0;
        for (size_t j = 0; j < size; j++)
            row[i] += fabs(was[j * size + i]) * nominal[j];
    }
    WR_TRY(wr_lapack_eigen(n, a, value, left, right));
    double largest = 0.0;
    for (size_t i = 0; i < size; i++)
        largest = wr_max(largest, cabs(value[i]));
    for (size_t i = 0; i < size; i++) {
        const double complex *const l = left + i * size, *const r = right + i * size;
        ret_mode[i] = (wr_mode){.lambda = value[i], .t_s = t_s};
        const double rest_at =
            cabs(value[i]) <= rest * largest ? uncertainty(n, was, row, nominal, l, r) : 0.0;
        wr_mode *const mode = &ret_mode[i];
        const double complex q = step_s * mode->lambda;
        const double complex z = wr_amplification_largest(&stepper->amplification, q);
        mode->radius = cabs(z);
        mode->excess = log(mode->radius) - own_growth * wr_max(creal(q), 0.0);
        mode->is_lost =
            wr_mode_is_growth_lost(creal(q), log(mode->radius), z * cexp(CMPLX(0.0, -cimag(q)))) ||
            is_start_beyond_pole(stepper, q);
        if (cabs(mode->lambda) <= rest_at) {
            mode->kind = WR_MODE_AT_REST;
            mode->is_lost = 0; /* the growth is only rounding */
        } else if (creal(q) > fabs(cimag(q)))
            mode->kind = WR_MODE_GROWING;
        else /* NaN counts as unstable */
            mode->kind = mode->excess <= rounding ? WR_MODE_STABLE : WR_MODE_UNSTABLE;
        wr_modes_describe(n, nominal, l, r, &ret_mode[i]);
    }
    return WRSIM_OK;
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
