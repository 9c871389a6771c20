/* Points of a DAE L x' = f(t, x) of index 1 at which its algebraic equations N^T f = 0 hold (mass.h).
 *
 * x is moved along L's null space, x + Q z, so that L x stays: Newton's method on N^T f(t, x + Q z) = 0 with the matrix
 * N^T f_x Q, steps halved as long as the next one does not get shorter (natural monotonicity: Deuflhard, "Newton Methods for
 * Nonlinear Problems", 2004, 3.3). A point at which the first step is below 1e-10 of |x| + nominal is left as it is.
 * Bounded: 20 Jacobians, each with at most 12 evaluations of f.
 *
 * Thread: one at a time. Real-time: all but place.
 */
#ifndef WR_CONSISTENT_H
#define WR_CONSISTENT_H

#include "subsystems/solvers/jac_color.h"

typedef struct wr_consistent {
    const wr_equations *ode;
    wr_jac_color *jac;
    double *jacobian;           /* [n_nonzero] */
    double *f, *x, *move, *sum; /* [n_x] work */
    double *matrix, *z;         /* [m * m] N^T f_x Q and its factors, [m] */
    int *pivot;
    double t_s;          /* of the last prepare() */
    int i_worst;         /* after a failure: the state that moves most, or -1 */
    const char *message; /* and why */
} wr_consistent;

/* ode has a singular mass matrix, and outlives it. NULL when out of memory. */
wr_consistent *wr_consistent_place(wr_arena *arena, const wr_equations *ode);

/* Makes x[n_x] consistent at t. Returns 0, > 0 or < 0 as the callbacks of ode, or WRSIM_E_SOLVER where the equations cannot be
 * solved, with message and i_worst; x is then what it was. */
int wr_consistent_solve(wr_consistent *c, wr_integ_stats *stats, double t_s, double *x);

/* Derivatives at (t, x) for split(): f_x and the factors of N^T f_x Q. Returns as solve(). */
int wr_consistent_prepare(wr_consistent *c, wr_integ_stats *stats, double t_s, const double *x);
/* What a change of f by df[n_x] does at the point of prepare(), to first order: ret_shift[n_x], by which the algebraic
 * variables move at once, and ret_rate[n_x], by how much faster the others move from then on. Both may be df. */
void wr_consistent_split(wr_consistent *c, const double *df, double *ret_rate, double *ret_shift);

/* x' at a consistent point, where the algebraic equations go on to hold: S f + Q w. Returns as solve(). */
int wr_consistent_slope(wr_consistent *c, wr_integ_stats *stats, double t_s, const double *x,
                        double *ret_dx);

#endif
