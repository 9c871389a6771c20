/* The equation of an implicit step, c x - f(t, x) + b = 0 with c > 0, by Newton's method.
 *
 * (Simplified Newton iteration and its stopping rule: Hairer, Wanner, "Solving ODEs II", IV.8, eq. 8.10.) The method evaluates the Jacobian
 * and factorises the matrix once, at the guess. If the iteration does not converge, the method evaluates the Jacobian again at the present
 * iterate. So WR_NEWTON_JACOBIANS and WR_NEWTON_ITERATIONS bound the work of a step. The method keeps no data from step to step, so the
 * bits of a result depend only on the step.
 *
 * Thread: one at a time. Real-time: all but place and done.
 */
#ifndef WR_NEWTON_H
#define WR_NEWTON_H

#include "subsystems/solvers/jac_color.h"
#include "subsystems/solvers/one_step.h"
#include "subsystems/solvers/shifted_matrix.h"

enum { WR_NEWTON_JACOBIANS = 3, WR_NEWTON_ITERATIONS = 7 };

typedef struct wr_newton {
    wr_one_step *base; /* ODE, tolerances and statistics */
    wr_jac_color *jac;
    wr_shifted shifted;
    double *jacobian; /* [n_nonzero] */
    double *f, *d;    /* [n_x] */
} wr_newton;

/* Places the memory. Initialise base->control before the call. base outlives the object. */
wrsim_status wr_newton_place(wr_newton *newton, wr_arena *arena, wr_one_step *base,
                             wr_linear_solver linear_solver);
void wr_newton_done(wr_newton *newton);

/* Evaluates f and the Jacobian at (t, x) into newton->f and newton->jacobian. */
wrsim_status wr_newton_linearise(wr_newton *newton, double t_s, const double *x);

/* Solves the equation. x is the guess, and the solution on success. Returns WRSIM_OK, WRSIM_E_NAN, WRSIM_E_CALLBACK or WRSIM_E_SOLVER.
 * WRSIM_E_SOLVER: f refuses a point, the iteration does not converge, the matrix is singular, or the solution is beyond a pole. */
wrsim_status wr_newton_solve(wr_newton *newton, double t_s, double c, const double *b, double *x);

#endif
