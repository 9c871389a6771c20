/* Points of a DAE L x' = f(t, x) of index 1 at which its algebraic equations N^T f = 0 hold (mass.h).
 *
 * x moves in L's null space, x + Q z, so that L x stays constant. Newton's method solves N^T f(t, x + Q z) = 0 with the matrix N^T f_x Q.
 * The method halves a step until the next step is shorter (natural monotonicity: Deuflhard, "Newton Methods for Nonlinear Problems", 2004,
 * 3.3). If the first step is at most 1e-10 of |x| + nominal, x does not change. The work is at most one evaluation of f, and 20 Jacobians
 * with 11 further evaluations of f each.
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
    double *matrix, *z; /* N^T f_x Q and its factors, [m * m]; work, [m]; m = mass->n_algebraic */
    int *pivot;
    double t_s;          /* time of the last Jacobian */
    int i_worst;         /* after WRSIM_E_SOLVER: the state that changes most, or -1 */
    const char *message; /* after WRSIM_E_SOLVER: the reason */
} wr_consistent;

/* Places the object. ode has a mass matrix, and outlives the object. Returns NULL when out of memory. */
wr_consistent *wr_consistent_place(wr_arena *arena, const wr_equations *ode);

/* Makes x[n_x] consistent at t_s. Returns 0, or as a failed callback of ode, or WRSIM_E_SOLVER with message and i_worst if Newton's
 * method fails. After a failure x is unchanged. */
int wr_consistent_solve(wr_consistent *c, wr_integ_stats *stats, double t_s, double *x);

/* Evaluates f_x and the factors of N^T f_x Q at (t, x) for wr_consistent_split(). Returns as wr_consistent_solve(). */
int wr_consistent_prepare(wr_consistent *c, wr_integ_stats *stats, double t_s, const double *x);
/* Finds the first-order effect of a change of f by df[n_x] at the point of wr_consistent_prepare(). ret_shift[n_x] or NULL: immediate
 * change of the algebraic variables. ret_rate[n_x]: change of x' of the other states. ret_shift and ret_rate may be df. */
void wr_consistent_split(wr_consistent *c, const double *df, double *ret_rate, double *ret_shift);

/* Finds x' = S f + Q w at a consistent point, with w such that the algebraic equations stay valid. Returns as wr_consistent_solve(). */
int wr_consistent_slope(wr_consistent *c, wr_integ_stats *stats, double t_s, const double *x,
                        double *ret_dx);

#endif
