/* Controls step sizes. See step_control.h. Thread: one at a time. Real-time: yes. */
#include "subsystems/solvers/step_control.h"

#include <float.h>
#include <math.h>

/* Safety factor and bounds of the step ratio (Hairer, Norsett, Wanner, "Solving ODEs I", II.4). */
static const double SAFETY = 0.9, MIN_RATIO = 0.2, MAX_RATIO = 5.0;
/* Step ratio if the model refuses an evaluation, or the result is not finite (assumed). */
static const double FAIL_RATIO = 0.25;
/* Largest factor by which the control stretches a step to a stop (assumed). SAFETY * STRETCH < 1, so the control never stretches a step to
 * a rejected length. */
static const double STRETCH = 1.05;
/* Least step relative to time, and least step at time zero, s (assumed). */
static const double MIN_RELATIVE_STEP = 1e-14, MIN_ABSOLUTE_STEP_S = 1e-30;
/* MIN_ERROR_OLD: least last error in the PI controller (Hairer's DOPRI5). MIN_ERROR: error below which ratio_at_rest applies (assumed). */
static const double MIN_ERROR_OLD = 1e-4, MIN_ERROR = 1e-14;
/* If a stop shortens a step below this share (assumed) of the wanted length, the step's error is no measure of the wanted length. */
static const double MIN_CLIP_RATIO = 0.01;

/* Returns the step ratio for an error, without the factor of the error before. Single precision is faster, and its error of 1e-7 is far
 * below the margin of the safety factor. */
static double ratio_for(const wr_step_control *control, double error)
{
    return SAFETY *
           (double)powf((float)error, (float)(0.75 * control->beta - 1.0 / control->error_order));
}

void wr_step_control_init(wr_step_control *control, const wr_equations *ode,
                          const wr_integ_options *options, double error_order, double beta)
{
    *control = (wr_step_control){.n_x = ode->n_x,
                                 .nominal = ode->nominal,
                                 .factor = ode->tolerance_factor,
                                 .rtol = options->rtol,
                                 .atol_factor = options->atol_factor,
                                 .max_step_s = options->step_s,
                                 .min_step_s = options->min_step_s,
                                 .error_order = error_order,
                                 .beta = beta,
                                 .loosening = 1.0,
                                 .n_rhs_limit = INT64_MAX,
                                 .error_old = MIN_ERROR_OLD};
    control->ratio_at_rest = ratio_for(control, MIN_ERROR);
}

void wr_step_control_forget(wr_step_control *control, double next_s)
{
    control->h_s = next_s;
    control->error_old = MIN_ERROR_OLD;
}

static double tolerance(const wr_step_control *control, int i, double magnitude)
{
    return control->rtol * control->loosening * control->factor[i] *
           (magnitude + control->atol_factor * control->nominal[i]);
}

int wr_step_control_is_finite(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return 0;
    return 1;
}

/* Computes the norm state by state, slowly, after the fast path has found a value that is not finite, or 0 / 0. */
static double careful_norm(const wr_step_control *control, const double *err, const double *x0,
                           const double *x1)
{
    double norm = 0.0;
    for (int i = 0; i < control->n_x; i++) {
        if (!isfinite(x1[i]) || !isfinite(err[i]))
            return (double)NAN;
        if (!(fabs(err[i]) > 0.0))
            continue; /* no 0 / 0 where the tolerance vanishes */
        const double magnitude = wr_max(fabs(x0[i]), fabs(x1[i]));
        norm = wr_max(norm, fabs(err[i]) / tolerance(control, i, magnitude));
    }
    return norm;
}

/* Returns the error norm. The fast path handles two states at a time, without branches. The sum is finite only if all its terms are
 * finite. */
double wr_step_control_norm(const wr_step_control *control, const double *err, const double *x0,
                            const double *x1)
{
    enum { LANES = 2 };
    const int n = control->n_x;
    double norm[LANES] = {0.0}, sum[LANES] = {0.0};
    int i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++) {
            const double after = fabs(x1[i + k]);
            const double magnitude = wr_max(fabs(x0[i + k]), after);
            const double ratio = fabs(err[i + k]) / tolerance(control, i + k, magnitude);
            norm[k] = wr_max(norm[k], ratio);
            sum[k] += ratio + after;
        }
    double largest = wr_max(norm[0], norm[1]), total = sum[0] + sum[1];
    for (; i < n; i++) {
        const double after = fabs(x1[i]);
        const double ratio = fabs(err[i]) / tolerance(control, i, wr_max(fabs(x0[i]), after));
        largest = wr_max(largest, ratio);
        total += ratio + after;
    }
    return isfinite(total) ? largest : careful_norm(control, err, x0, x1);
}

double wr_step_control_least(const wr_step_control *control, double t_s)
{
    const double rounded_s = wr_max(MIN_RELATIVE_STEP * fabs(t_s), MIN_ABSOLUTE_STEP_S);
    return wr_max(control->min_step_s, rounded_s);
}

/* Returns the end of a step of the wanted size towards t_stop_s, stretched or shortened before the stop (step_control.h, Stop). */
static double clip(const wr_step_control *control, double wanted_s, double t_stop_s)
{
    const double left_s = t_stop_s - control->t_s;
    const double max_s = control->max_step_s;
    const int may_stretch = !(max_s > 0.0) || left_s <= max_s || wr_time_close(left_s, max_s);
    if (wanted_s >= left_s || (may_stretch && wanted_s * STRETCH >= left_s))
        return t_stop_s;
    return control->t_s + (2.0 * wanted_s > left_s ? 0.5 * left_s : wanted_s);
}

/* Returns the step size after an accepted step. */
static double next_step(const wr_step_control *control, double h_s, double wanted_s, double error,
                        int was_rejected)
{
    /* The error of a step far shorter than the wanted step is rounding, and no measure of the wanted step. */
    if (h_s < MIN_CLIP_RATIO * wanted_s)
        return wanted_s;
    double ratio = error > MIN_ERROR ? ratio_for(control, error) : control->ratio_at_rest;
    if (control->beta > 0.0)
        ratio *= pow(control->error_old, control->beta);
    double next_s = h_s * wr_clamp(ratio, MIN_RATIO, MAX_RATIO);
    if (was_rejected)
        next_s = wr_min(next_s, h_s);
    /* If the stop shortens the step, the error of the step shows whether the control would accept the wanted step. */
    if (next_s < wanted_s)
        next_s = wr_max(next_s, wr_min(wanted_s, h_s * ratio));
    return next_s;
}

wrsim_status wr_step_control_run(wr_step_control *control, wr_integ_stats *stats,
                                 wr_step_trial trial, void *self, double t_stop_s)
{
    wrsim_status cause = WRSIM_E_SOLVER;
    double wanted_s = control->h_s;
    if (control->max_step_s > 0.0)
        wanted_s = wr_min(wanted_s, control->max_step_s);
    if (!(control->t_s + wanted_s >
          control->t_s)) /* far from zero a step below the rounding of t would repeat without end */
        wanted_s = wr_step_control_least(control, control->t_s);
    const int is_spent = stats->n_rhs >= control->n_rhs_limit;
    for (int n_rejected = 0;; n_rejected++) {
        const int is_unchecked = stats->n_rhs >= control->n_rhs_limit;
        const double t_new_s =
            is_spent && n_rejected == 0 ? t_stop_s : clip(control, wanted_s, t_stop_s);
        const double h_s = t_new_s - control->t_s;
        double error = 0.0;
        const int code = trial(self, t_new_s, h_s, &error);
        if (code < 0)
            return WRSIM_E_CALLBACK;
        if (code == 0 && (error <= 1.0 || (is_unchecked && isfinite(error)))) {
            if (error > 1.0) {
                stats->n_unchecked_step++;
                stats->unchecked_error = wr_max(stats->unchecked_error, error);
            }
            control->h_s = next_step(control, h_s, wanted_s, error, n_rejected > 0);
            if (h_s >= wanted_s)
                control->error_old = wr_max(error, MIN_ERROR_OLD);
            control->t_s = t_new_s;
            stats->n_step++;
            return WRSIM_OK;
        }
        stats->n_rejected++;
        const int is_nan = code == 0 && !isfinite(error);
        cause = is_nan ? WRSIM_E_NAN : WRSIM_E_SOLVER;
        wanted_s = code > 0 || is_nan
                       ? h_s * FAIL_RATIO
                       : h_s * wr_max(MIN_RATIO, SAFETY * pow(error, -1.0 / control->error_order));
        if (!(wanted_s >= wr_step_control_least(control, control->t_s)))
            return cause;
    }
}

/* Returns the first guess h0. If x or f vanish, h0 of Hairer, Norsett and Wanner, "Solving ODEs I", II.4, assumes times of order one. In
 * this code a vanishing x may change by one hundredth of its tolerance. If x hardly changes up to the stop, h0 is at most a thousandth of
 * the time to the stop (both assumed). */
static double first_guess(double d0, double d1, double left_s)
{
    const double tiny = 1e-5;
    if (d1 * left_s < tiny)
        return wr_min(1e-3 * left_s, d0 >= tiny && d1 > 0.0 ? 0.01 * d0 / d1 : left_s);
    return wr_min(left_s, 0.01 * (d0 < tiny ? 1.0 : d0) / d1);
}

wrsim_status wr_step_control_first(wr_step_control *control, wr_integ_stats *stats,
                                   const wr_equations *ode, const double *x, const double *f0,
                                   double t_stop_s, double *work)
{
    const int n = control->n_x;
    double *const x1 = work, *const f1 = work + n;
    const double d0 = wr_step_control_norm(control, x, x, x);
    const double d1 = wr_step_control_norm(control, f0, x, x);
    if (!isfinite(d0) || !isfinite(d1))
        return WRSIM_E_NAN;
    const double left_s = t_stop_s - control->t_s;
    double h0_s = first_guess(d0, d1, left_s);
    for (;;) {
        for (int i = 0; i < n; i++)
            x1[i] = x[i] + h0_s * f0[i];
        stats->n_rhs++;
        const int code = ode->rhs(ode->self, control->t_s + h0_s, x1, f1);
        if (code < 0)
            return WRSIM_E_CALLBACK;
        if (code == 0 && wr_step_control_is_finite(n, f1))
            break;
        h0_s *= FAIL_RATIO;
        if (!(h0_s >= wr_step_control_least(control, control->t_s)))
            return code > 0 ? WRSIM_E_SOLVER : WRSIM_E_NAN;
    }
    for (int i = 0; i < n; i++)
        f1[i] -= f0[i];
    /* Hairer, Norsett and Wanner use the larger of x' and x'' for the next derivatives, which depends on the unit of time. In this code the
     * unit is the time in which x changes by its size. For most solutions all derivatives then have about the same size. */
    const double unit_s = 100.0 * h0_s;
    const double d2 = wr_step_control_norm(control, f1, x, x) / h0_s;
    const double largest = wr_max(d1, d2 * unit_s) * unit_s;
    const double h1_s =
        largest > 1e-15 ? unit_s * pow(0.01 / largest, 1.0 / control->error_order) : left_s;
    control->h_s = wr_min(wr_min(unit_s, h1_s), left_s);
    return WRSIM_OK;
}

void wr_step_grid_start(wr_step_grid *grid, double t0_s)
{
    grid->t0_s = t0_s;
    grid->i = 0;
}

double wr_step_grid_next(wr_step_grid *grid, double t_s, double t_stop_s)
{
    double next_s = grid->t0_s + (double)(grid->i + 1) * grid->step_s;
    while (wr_step_control_is_there(t_s, next_s)) {
        grid->i++;
        next_s = grid->t0_s + (double)(grid->i + 1) * grid->step_s;
    }
    return wr_step_control_is_there(next_s, t_stop_s) ? t_stop_s : next_s;
}

double wr_step_grid_length(const wr_step_grid *grid, double t0_s, double t1_s)
{
    const double length_s = t1_s - t0_s;
    const double rounding_s = DBL_EPSILON * (fabs(t0_s) + fabs(t1_s) + fabs(grid->t0_s));
    return fabs(length_s - grid->step_s) <= rounding_s ? grid->step_s : length_s;
}
