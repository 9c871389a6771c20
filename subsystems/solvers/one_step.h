/* What our one-step integrators have in common: the point they are at, the slope carried from the
 * last step, the polynomial of the last step, and keeping all that for a rollback.
 *
 * A method embeds wr_one_step as its first member and adds its own work arrays, which hold nothing
 * between two steps. So save and restore are a copy of a few vectors, and the bits that follow
 * depend on nothing else.
 *
 * Thread: one at a time. Real-time: all but place.
 */
#ifndef WR_ONE_STEP_H
#define WR_ONE_STEP_H

#include "subsystems/solvers/dense_poly.h"
#include "subsystems/solvers/step_control.h"

/* What is kept beside the vectors. */
typedef struct wr_one_step_scalars {
    double t_s, h_s, error_old; /* of control */
    int64_t i_grid;
    double t0_grid_s;
    int has_f;
} wr_one_step_scalars;

typedef struct wr_one_step {
    wr_integ_stats stats; /* first: wr_integrator_stats() */
    const wr_equations *ode;
    int n_x;
    wr_step_control control; /* control.t_s is the current time, for fixed steps too */
    double *x, *f;           /* [n_x] current state and its slope, side by side */
    int has_f;               /* f is valid */
    wr_dense_poly dense;
    size_t kept_bytes;
    double *saved_x; /* [2 * n_x] both, as kept */
    wr_one_step_scalars saved;
    wr_step_grid grid; /* fixed steps only */
    double *coarse;    /* [2 n_x] work of wr_one_step_coarse(), with fixed steps only */
} wr_one_step;

/* Checks the options and places the vectors. is_fixed: options->step_s is needed. */
wrsim_status wr_one_step_place(wr_one_step *base, wr_arena *arena, const wr_equations *ode,
                               const wr_integ_options *options, int n_dense_term, int is_fixed);

/* Makes base->f valid. Returns 0, WRSIM_E_CALLBACK, WRSIM_E_NAN, or WRSIM_E_SOLVER when the model
 * cannot be evaluated at the current point, which no smaller step can help. */
wrsim_status wr_one_step_ensure_f(wr_one_step *base);

/* A fixed implicit step reaches a pole, or has crossed it. */
static inline wrsim_status wr_one_step_at_pole(wr_one_step *base)
{
    base->stats.n_pole++;
    return WRSIM_E_SOLVER;
}

/* Evaluates f with counting. */
int wr_one_step_rhs(wr_one_step *base, double t_s, const double *x, double *ret_dx);

/* One accepted step of a method with step control, from where it stands towards t_stop: f, the first
 * step size if there is none, then trials. work: [2 n_x], used before the first trial only. Returns
 * as wr_step_control_run. */
wrsim_status wr_one_step_run(wr_one_step *base, wr_step_trial trial, void *self, double t_stop_s,
                             double *work);

/* The error of a step to (t1, x1) in units of the tolerance: of the states, and where that is small enough of what
 * is computed from them. */
double wr_one_step_error(const wr_one_step *base, double t1_s, const double *error,
                         const double *x1);

/* df/dt at the current point, by a difference over a time that stays inside a step of h, where the
 * inputs are defined; needs base->f. Returns as the right-hand side does. */
int wr_one_step_differ_in_time(wr_one_step *base, double h_s, double *ret_f_t);

/* Takes over a step to (t1, x1) with slope f1: writes the Hermite polynomial, then x and f. f1
 * NULL: the slope there is not known (lines only). */
void wr_one_step_accept(wr_one_step *base, double t0_s, double t1_s, const double *x1,
                        const double *f1);

/* The end of a fixed step to (t1, x1): evaluates the slope there into f1 and takes the step over. Fails where either is not
 * finite. */
wrsim_status wr_one_step_land(wr_one_step *base, double t1_s, const double *x1, double *f1);

/* The status of a failed evaluation in a method that cannot take a smaller step. */
wrsim_status wr_one_step_fault(int code);

/* Members of the ops table that are the same for all. */
int wr_one_step_start(wr_integrator *integrator, double t_s, const double *x, const double *dx);
void wr_one_step_dense(wr_integrator *integrator, double t_s, double *ret_x, double *ret_dx);
void wr_one_step_inputs_changed(wr_integrator *integrator, const double *dx);
void wr_one_step_save(wr_integrator *integrator);
void wr_one_step_restore(wr_integrator *integrator);
void wr_one_step_state(wr_integrator *integrator, wr_state_io *io);
void wr_one_step_loosen(wr_integrator *integrator, double factor);
int wr_one_step_coarse(wr_integrator *integrator, double t_stop_s, double *ret_t_s);
void wr_one_step_limit(wr_integrator *integrator, int64_t n_rhs); /* of those with error control */

/* Those of methods that keep nothing else over windows. */
#define WR_ONE_STEP_KEEP                                                                           \
    .save = wr_one_step_save, .restore = wr_one_step_restore, .state = wr_one_step_state
#define WR_ONE_STEP_OPS                                                                            \
    .start = wr_one_step_start, .dense = wr_one_step_dense,                                        \
    .inputs_changed = wr_one_step_inputs_changed, .loosen = wr_one_step_loosen

static inline wr_one_step *wr_one_step_of(wr_integrator *integrator)
{
    return (wr_one_step *)(void *)integrator;
}

#endif
