/* Steps of linearly implicit Euler with an incomplete Jacobian or with a mass matrix. For these steps the eigenvalues of f_x do not
 * decide about stability.
 *
 *     L x' = A x:   x1 = x0 + (L / h - J)^-1 A x0 = S x0,   S = (L - h J)^-1 (L - h J + h A)
 *
 * J has the kept entries of A (Schiela and Bornemann (2003), eq. 4). S belongs to the pencil (L + h (A - J), L - h J) (docs/METHODS.md,
 * Linearly implicit Euler). A step is stable if no eigenvalue z of S is outside the unit circle, apart from growth by the fastest growing
 * mode of (A, L).
 *
 * In wr_mode, lambda is log(z) / h: the exact mode with the same growth.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_LINEAR_STEP_H
#define WR_LINEAR_STEP_H

#include "offline/stability/modes.h"

typedef struct wr_linear_step {
    int n;
    const double *a, *l;       /* [n * n] column by column; l NULL: the identity */
    const unsigned char *kept; /* [n * n] 1: entry of A that is in J; NULL: all */
} wr_linear_step;

/* Finds the largest real part of a finite eigenvalue of (A, L), at least 0, 1/s, from a step of length step_s. Returns WRSIM_OK,
 * WRSIM_E_NAN, WRSIM_E_MEMORY, or WRSIM_E_SOLVER, also if L - h A is singular. */
wrsim_status wr_linear_step_growth(const wr_linear_step *step, double step_s, double *ret_growth);

/* Finds all n modes of S. nominal[n] > 0 are the states' nominal values, and growth is the result of wr_linear_step_growth(). Returns
 * the statuses of wr_linear_step_growth(). */
wrsim_status wr_linear_step_modes(const wr_linear_step *step, double step_s, double growth,
                                  double t_s, const double *nominal, wr_mode *ret_mode);

enum { WR_LINEAR_STEP_MOST = 1000 }; /* largest examined step, in units of step_s (assumed) */

/* Finds the largest step such that the step and all shorter steps are stable. With an incomplete Jacobian the search examines steps from a
 * hundredth to WR_LINEAR_STEP_MOST times step_s, up to most_s. *ret_largest_s is 0 if the shortest step is unstable, and INFINITY if all
 * examined steps are stable or J is the whole Jacobian. Returns WRSIM_OK or WRSIM_E_MEMORY. */
wrsim_status wr_linear_step_largest(const wr_linear_step *step, double step_s, double growth,
                                    double most_s, double *ret_largest_s);

#endif
