/* The common code of wrsim's own integrators: current point, slope, polynomial of the last step, save and restore.
 *
 * A method has a wr_one_step as its first member. Most methods add only work arrays, which hold no data between steps. So save and restore
 * copy a few vectors, and later results depend only on these vectors. A method with further data has its own save and restore.
 *
 * Thread: one at a time. Real-time: all but place.
 */
#ifndef WR_ONE_STEP_H
#define WR_ONE_STEP_H

#include "subsystems/solvers/dense_poly.h"
#include "subsystems/solvers/step_control.h"

/* The scalars that wr_one_step_save() copies. */
typedef struct wr_one_step_scalars {
    double t_s, h_s, error_old; /* copies of the members of control */
    int64_t i_grid;
    double t0_grid_s;
    int has_f;
} wr_one_step_scalars;

typedef struct wr_one_step {
    wr_integ_stats stats; /* first, because wr_integrator_stats() casts the instance */
    const wr_equations *ode;
    int n_x;
    wr_step_control control; /* control.t_s is the current time, also of fixed steps */
    double *x, *f;           /* [n_x] current state and its slope, side by side */
    int has_f;               /* f is valid */
    wr_dense_poly dense;
    size_t kept_bytes;
    double *saved_x; /* [2 * n_x] x and f at the last save */
    wr_one_step_scalars saved;
    wr_step_grid grid; /* fixed steps only */
    double *coarse;    /* [2 n_x] work of wr_one_step_coarse(); fixed steps only */
} wr_one_step;

/* Checks the options, and places the vectors. is_fixed: a method of fixed steps, which needs options->step_s. */
wrsim_status wr_one_step_place(wr_one_step *base, wr_arena *arena, const wr_equations *ode,
                               const wr_integ_options *options, int n_dense_term, int is_fixed);

/* Makes base->f valid. Returns 0, WRSIM_E_CALLBACK, WRSIM_E_NAN, or WRSIM_E_SOLVER if the model refuses the current point, where a smaller
 * step cannot help. */
wrsim_status wr_one_step_ensure_f(wr_one_step *base);

/* Counts a fixed implicit step that reaches or crosses a pole, and returns its status. */
static inline wrsim_status wr_one_step_at_pole(wr_one_step *base)
{
    base->stats.n_pole++;
    return WRSIM_E_SOLVER;
}

/* Evaluates f, and counts the evaluation. */
static inline int wr_one_step_rhs(wr_one_step *base, double t_s, const double *x, double *ret_dx)
{
    base->stats.n_rhs++;
    return base->ode->rhs(base->ode->self, t_s, x, ret_dx);
}

/* Makes one accepted step of a method with step control towards t_stop. The function evaluates f, finds a first step size if h_s is 0, then
 * makes trials. work: [2 n_x], used only before the first trial. Returns as wr_step_control_run(). */
wrsim_status wr_one_step_run(wr_one_step *base, wr_step_trial trial, void *self, double t_stop_s,
                             double *work);

/* Returns the error of the states in a step to (t1, x1), in tolerances. If this error is at most 1, returns the larger of this error and
 * the error of outputs computed from states, if known. */
double wr_one_step_error(const wr_one_step *base, double t1_s, const double *error,
                         const double *x1);

/* Finds df/dt at the current point, by a difference over a time inside a step of h, where the inputs are defined. Needs base->f. Returns as
 * the right-hand side. */
int wr_one_step_differ_in_time(wr_one_step *base, double h_s, double *ret_f_t);

/* Sets the Hermite polynomial of a step from t0_s to (t1, x1), then x and f of base. f1: slope at x1; NULL: unknown (lines only). */
void wr_one_step_accept(wr_one_step *base, double t0_s, double t1_s, const double *x1,
                        const double *f1);

/* Makes (t1, x1) the current point after a fixed step, and counts the step. f1: as in wr_one_step_accept(). Fails if x1 is not finite. */
wrsim_status wr_one_step_take(wr_one_step *base, double t1_s, const double *x1, const double *f1);

/* Makes (t1, x1) the current point like wr_one_step_take(), and evaluates the slope at x1 into f1. Fails if x1 or f1 is not finite. */
wrsim_status wr_one_step_land(wr_one_step *base, double t1_s, const double *x1, double *f1);

/* Returns the status of a failed evaluation in a method that cannot make a smaller step. */
wrsim_status wr_one_step_fault(int code);

/* Operations that one-step methods share. */
int wr_one_step_start(wr_integrator *integrator, double t_s, const double *x, const double *dx);
void wr_one_step_dense(wr_integrator *integrator, double t_s, double *ret_x, double *ret_dx);
void wr_one_step_inputs_changed(wr_integrator *integrator, const double *dx);
void wr_one_step_save(wr_integrator *integrator);
void wr_one_step_restore(wr_integrator *integrator);
void wr_one_step_state(wr_integrator *integrator, wr_state_io *io);
void wr_one_step_loosen(wr_integrator *integrator, double factor);
int wr_one_step_coarse(wr_integrator *integrator, double t_stop_s, double *ret_t_s);
void wr_one_step_limit(wr_integrator *integrator, int64_t n_rhs); /* only with error control */

/* WR_ONE_STEP_KEEP: operations of methods whose saved state is the wr_one_step only. WR_ONE_STEP_OPS: further operations that methods
 * share. */
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
