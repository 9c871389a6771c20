/* See cvode_error.h. Thread: one at a time. Real-time: all but place. */
#include "subsystems/solvers/cvode_error.h"

#include <math.h>

/* CALIBRATION: factor on CVODE's tolerances, so that the global error is near the tolerance, as with the other methods (Soederlind and
 * Wang, "Evaluating numerical ODE/DAE methods, algorithms and software", J. Comput. Appl. Math. 185, 2006). The global error of CVODE is 2
 * to 60 times its tolerance with BDF on the test problems (docs/lab/2026-11-22-tolerances.md). FINEST_RTOL (assumed) keeps the tolerance
 * above rounding. */
static const double CALIBRATION = 0.03, FINEST_RTOL = 1e-13;

/* MOST_COMPUTED: error of published outputs in a step, in tolerances, above which the tolerance falls. AIM_COMPUTED: target of the next
 * steps. LEAST_COMPUTED: error below which the tolerance grows again. LOWER: least factor on the tolerance in a step. RAISE: factor by
 * which the tolerance grows in a step. All values are assumed. */
static const double MOST_COMPUTED = 1.0, AIM_COMPUTED = 0.5, LEAST_COMPUTED = 0.1;
static const double LOWER = 0.1, RAISE = 1.2;
/* Largest error of published outputs in a first step, in tolerances, if each state has an error of one tolerance (assumed). */
static const double MOST_FIRST = 3.0;

/* FIRST_SHARE: length of the first step, as a share of the length that the error control chose for the first step after the last start
 * (docs/lab/2026-11-28-lsoda.md). MOST_FIRST_GROWTH (assumed): largest ratio of this length from one start to the next. ERROR_BIAS: CVODE's
 * factor on the error of a step when it chooses the next length (BIAS2). */
static const double FIRST_SHARE = 0.05, MOST_FIRST_GROWTH = 10.0, ERROR_BIAS = 6.0;

wrsim_status wr_cvode_error_place(wr_cvode_error *control, wr_arena *arena, const wr_equations *ode,
                                  const wr_integ_options *options)
{
    if (!(options->rtol > 0.0) || !(options->atol_factor >= 0.0))
        return WRSIM_E_ARG;
    *control = (wr_cvode_error){
        .ode = ode,
        .rtol = wr_max(CALIBRATION * options->rtol, wr_min(options->rtol, FINEST_RTOL)),
        .atol_factor = options->atol_factor,
        .loosened = 1.0,
        .unit = WR_NEW_ARRAY(arena, double, ode->n_x),
        .now = {.tightened = 1.0}};
    return control->unit ? WRSIM_OK : WRSIM_E_MEMORY;
}

const double *wr_cvode_error_unit(wr_cvode_error *control, const double *x)
{
    const wr_equations *const ode = control->ode;
    for (int i = 0; i < ode->n_x; i++)
        control->unit[i] =
            ode->tolerance_factor[i] * (fabs(x[i]) + control->atol_factor * ode->nominal[i]);
    return control->unit;
}

int wr_cvode_error_weights(const wr_cvode_error *control, const double *x, double *ret_weight)
{
    const wr_equations *const ode = control->ode;
    const double rtol = control->rtol * control->loosened * control->now.tightened;
    for (int i = 0; i < ode->n_x; i++) {
        const double tolerance =
            ode->tolerance_factor[i] *
            (rtol * fabs(x[i]) + rtol * control->atol_factor * ode->nominal[i]);
        if (!(tolerance > 0.0))
            return -1;
        ret_weight[i] = 1.0 / tolerance;
    }
    return 0;
}

double wr_cvode_error_first(const wr_cvode_error *control)
{
    return FIRST_SHARE * control->now.first_step_s;
}

/* Returns the least factor on the tolerances. Below this factor rounding exceeds the tolerance, and CVODE fails. */
static double least_tightened(const wr_cvode_error *control)
{
    return wr_min(FINEST_RTOL / (control->rtol * control->loosened), 1.0);
}

/* Returns the error of published outputs that errors of the states cause, in tolerances; NaN: unknown. */
static double computed_error(const wr_cvode_error *control, double t_s, const double *x,
                             const double *error)
{
    const wr_equations *const ode = control->ode;
    const double units =
        ode->computed_error(ode->self, t_s, x, error) / (control->rtol * control->loosened);
    return isfinite(units) ? units : (double)NAN;
}

void wr_cvode_error_before_first(wr_cvode_error *control, double t_s, const double *x)
{
    const double rtol = control->rtol * control->loosened;
    double *const tightened = &control->now.tightened;
    if (!control->ode->computed_error)
        return;
    (void)wr_cvode_error_unit(control, x);
    for (int i = 0; i < control->ode->n_x; i++)
        control->unit[i] *= rtol;
    const double units = computed_error(control, t_s, x, control->unit);
    if (units > MOST_FIRST)
        *tightened = wr_clamp(AIM_COMPUTED / units, wr_min(least_tightened(control), *tightened),
                              *tightened);
}

/* Returns the root mean square of the errors of states in tolerances; NaN: unknown. */
static double mean_error(wr_cvode_error *control, const double *x, const double *error)
{
    if (!error)
        return (double)NAN;
    const int n = control->ode->n_x;
    const double rtol = control->rtol * control->loosened * control->now.tightened;
    const double *const unit = wr_cvode_error_unit(control, x);
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const double part = error[i] / (rtol * unit[i]);
        sum += part * part;
    }
    return sqrt(sum / n);
}

/* Takes the length that CVODE's error control would have chosen for the step, whose error is O(h^2). A step that a stop has made far shorter
 * is no measure. */
void wr_cvode_error_note_first(wr_cvode_error *control, double h_s, const double *x,
                               const double *error)
{
    double *const first_s = &control->now.first_step_s;
    const double before_s = *first_s > 0.0 ? *first_s : h_s;
    if (h_s * MOST_FIRST_GROWTH < FIRST_SHARE * before_s)
        return;
    const double mean = mean_error(control, x, error);
    const double best_s = h_s / (sqrt(ERROR_BIAS * mean) + 1e-6);
    *first_s = isfinite(mean)
                   ? wr_clamp(best_s, before_s / MOST_FIRST_GROWTH, before_s * MOST_FIRST_GROWTH)
                   : h_s;
}

void wr_cvode_error_after(wr_cvode_error *control, double t_s, const double *x, const double *error)
{
    if (!control->ode->computed_error || !error)
        return;
    double tightened = control->now.tightened;
    const double units = computed_error(control, t_s, x, error);
    if (units > MOST_COMPUTED)
        tightened *= wr_max(AIM_COMPUTED / units, LOWER);
    else if (units < LEAST_COMPUTED)
        tightened *= RAISE;
    control->now.tightened = wr_clamp(tightened, least_tightened(control), 1.0);
}
