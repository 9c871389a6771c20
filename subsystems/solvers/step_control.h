/* Step sizes: error norm, first step, acceptance and rejection, the end at a stop; and the grid of fixed-step methods.
 *
 * Error norm: maximum over the states of |e_i| / (factor_i rtol (max(|x0_i|, |x1_i|) + atol_factor nominal_i)). A hybrid model has one or
 * two fast states among many states at rest, and a mean square would divide their error by sqrt(n_x).
 * Controller: Gustafsson's PI controller in the form of Hairer and Wanner, "Solving ODEs II", IV.2; with beta = 0 the elementary
 * controller.
 * Limit: after n_rhs_limit right-hand sides the control accepts the next trial with a finite error. The first trial of each later step goes
 * to the stop. Statistics count accepted errors above the tolerance.
 * Stop: the control stretches a step by up to 5 % to t_stop. If less than another step would remain, the step is half the remaining time,
 * so that no tiny last step occurs. The next step starts from the size that the error control chose, not from the clipped size.
 *
 * Thread: one at a time. Real-time: yes.
 */
#ifndef WR_STEP_CONTROL_H
#define WR_STEP_CONTROL_H

#include "subsystems/solvers/integrator.h"

typedef struct wr_step_control {
    /* Constant after init. */
    int n_x;
    const double *nominal, *factor;                   /* [n_x] */
    double rtol, atol_factor, max_step_s, min_step_s; /* max_step_s 0: none */
    double error_order;                               /* the error estimate is O(h^error_order) */
    double beta;                                      /* exponent of the PI controller */
    double ratio_at_rest; /* ratio of steps if the error is at most MIN_ERROR */
    /* Set by the subsystem between steps. */
    double loosening;    /* factor on rtol */
    int64_t n_rhs_limit; /* value of stats.n_rhs from which on the control accepts finite errors */
    /* Part of the saved state. */
    double t_s, h_s; /* current time; length of the next step, 0: unknown */
    double error_old;
} wr_step_control;

void wr_step_control_init(wr_step_control *control, const wr_equations *ode,
                          const wr_integ_options *options, double error_order, double beta);

/* Returns the error relative to the tolerance; NaN if err or x1 is not finite. */
double wr_step_control_norm(const wr_step_control *control, const double *err, const double *x0,
                            const double *x1);

/* Tries one step to t_new = t + h. Returns 0 and the error relative to the tolerance (NaN: not finite); > 0: retry with a smaller step;
 * < 0: fatal. */
typedef int (*wr_step_trial)(void *self, double t_new_s, double h_s, double *ret_error);

/* Makes one accepted step towards t_stop, and sets control->t_s to its end. Needs h_s. Counts steps and rejections. Returns 0,
 * WRSIM_E_CALLBACK, WRSIM_E_NAN or WRSIM_E_SOLVER. */
wrsim_status wr_step_control_run(wr_step_control *control, wr_integ_stats *stats,
                                 wr_step_trial trial, void *self, double t_stop_s);

/* Resets the error of the step before. next_s: length of the next trial. */
void wr_step_control_forget(wr_step_control *control, double next_s);

/* Sets h_s to a first step size (Hairer, Norsett, Wanner, "Solving ODEs I", II.4), by evaluations of f not beyond t_stop until one
 * succeeds. f0 = f(t, x); work[2 n_x]. Returns as wr_step_control_run(). */
wrsim_status wr_step_control_first(wr_step_control *control, wr_integ_stats *stats,
                                   const wr_equations *ode, const double *x, const double *f0,
                                   double t_stop_s, double *work);

/* Returns the least length of a step from t, s. A step that needs a shorter length fails. */
double wr_step_control_least(const wr_step_control *control, double t_s);

/* Returns whether t_s has reached t_stop_s, up to rounding. */
static inline int wr_step_control_is_there(double t_s, double t_stop_s)
{
    return t_s >= t_stop_s || wr_time_close(t_s, t_stop_s);
}

/* The grid t0 + i * step of a fixed-step method. */
typedef struct wr_step_grid {
    double t0_s, step_s;
    int64_t i; /* last grid point not after the current time */
} wr_step_grid;

void wr_step_grid_start(wr_step_grid *grid, double t0_s);

/* Returns the end of the next step from t: the earlier of the next grid point and t_stop. */
double wr_step_grid_next(wr_step_grid *grid, double t_s, double t_stop_s);

/* Returns the length of the step from t0 to t1. If this length and the grid's step differ only by rounding of the times, returns the grid's
 * step, so that all full steps have the same matrix. */
double wr_step_grid_length(const wr_step_grid *grid, double t0_s, double t1_s);

int wr_step_control_is_finite(int n, const double *x);

#endif
