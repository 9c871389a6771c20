/* One step of any order up to WR_EXTRAPOLATION_ORDER by extrapolated Euler steps. Multistep methods use extrapolated steps for their start,
 * and where a step is shorter than the steps of their history.
 *
 * The method covers the step with 1, 2, ... p Euler steps. Aitken and Neville's scheme extrapolates the results to infinitely many steps
 * (Deuflhard, "Recent progress in extrapolation methods", SIAM Review 27, 1985; Hairer, Norsett, Wanner, "Solving ODEs I", II.9; "Solving
 * ODEs II", IV.9). Explicit steps are forward Euler. Implicit steps are linearly implicit Euler, which is stable for stiff systems. All
 * implicit steps together take one Jacobian, a factorisation for each number of steps, and one factorisation to find poles.
 *
 * Thread: one at a time. Real-time: all but place.
 */
#ifndef WR_EXTRAPOLATION_H
#define WR_EXTRAPOLATION_H

#include "subsystems/solvers/newton.h"

enum { WR_EXTRAPOLATION_ORDER = 8 };

typedef struct wr_extrapolation {
    wr_one_step *base;
    wr_newton *newton; /* NULL: explicit */
    int order;
    double *row;   /* [order * n_x] last row of the scheme */
    double *x, *d; /* [n_x] */
} wr_extrapolation;

wrsim_status wr_extrapolation_place(wr_extrapolation *to, wr_arena *arena, wr_one_step *base,
                                    wr_newton *newton, int order);

/* Makes the step from base's point to t1_s, into ret_x. An explicit step needs base->f. Returns as wr_newton_solve(). */
wrsim_status wr_extrapolation_step(wr_extrapolation *self, double t1_s, double *ret_x);

#endif
