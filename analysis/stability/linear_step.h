/* Steps of linearly implicit Euler where modes of f_x do not tell about them: with a part of the Jacobian, or with a mass matrix.
 *
 *     L x' = A x:   x1 = x0 + (L / h - J)^-1 A x0 = S x0,   S = (L - h J)^-1 (L - h J + h A)
 *
 * where J has those entries of A that are kept (Schiela and Bornemann (2003), eq. 4). S is the pencil (L + h (A - J), L - h J),
 * solved for x1 (docs/METHODS.md, Linearly implicit Euler). A step is stable if no eigenvalue z of S lies outside
 * of the unit circle, beyond what the fastest growing mode of (A, L) does by itself.
 *
 * In wr_mode, lambda is log(z) / h: what an exact solution would have to be like to do the same.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_LINEAR_STEP_H
#define WR_LINEAR_STEP_H

#include "analysis/stability/modes.h"

typedef struct wr_linear_step {
    int n;
    const double *a, *l;       /* [n * n] column by column; l NULL: the identity */
    const unsigned char *kept; /* [n * n] likewise; NULL: all of A */
} wr_linear_step;

/* The largest real part of a finite eigenvalue of (A, L), 0 at least, 1/s; found by steps of step_s. WRSIM_OK; WRSIM_E_SOLVER
 * also where L - h A is singular. */
wrsim_status wr_linear_step_growth(const wr_linear_step *step, double step_s, double *ret_growth);

/* All n modes of S; nominal[n] > 0, growth as above. WRSIM_OK; WRSIM_E_SOLVER also where L - h J is singular. */
wrsim_status wr_linear_step_modes(const wr_linear_step *step, double step_s, double growth,
                                  double t_s, const double *nominal, wr_mode *ret_mode);

enum { WR_LINEAR_STEP_MOST = 1000 };

/* The largest step with which it and all shorter ones are stable: with a part of the Jacobian looked for from a hundredth to
 * WR_LINEAR_STEP_MOST times step_s, not above most_s. 0: not even the shortest is; INFINITY: all are. */
wrsim_status wr_linear_step_largest(const wr_linear_step *step, double step_s, double growth,
                                    double most_s, double *ret_largest_s);

#endif
