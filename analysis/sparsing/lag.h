/* What a pattern does to the trajectory. A sparsed Jacobian keeps fixed points and order, but what was dropped acts one step
 * late: with J = Df - dJ
 *
 *     (L - tau J) dx = tau f    is    (L - tau Df) dx = tau (f - dJ dx),
 *
 * the unsparsed step of a model that lacks dJ tau x'. Where x moves by x', its error therefore follows
 *
 *     L e' = Df e - tau dJ x',    e = -(i w L - Df)^-1 tau dJ x' in a motion of angular frequency w.
 *
 * That is linear in what is dropped, so a pattern costs a product with a matrix that is made once. The spectrum says
 * nothing of it: fast states that are driven wrongly can be off by all they have, with all modes in their places.
 *
 * Thread: any, on different data. Real-time: no.
 */
#ifndef WR_LAG_H
#define WR_LAG_H

#include "analysis/sparsing/pencil.h"

typedef struct wr_lag {
    int n;
    double *slope;        /* [n] tau x' of the unsparsed step, in the pencil's units */
    double complex *gain; /* [n * n] (i w L - Df)^-1 */
} wr_lag;

/* f[n]: the right-hand side there, in the model's units. WRSIM_OK; WRSIM_E_SOLVER where i w L - Df is singular: nothing is known then; WRSIM_E_MEMORY. */
wrsim_status wr_lag_place(wr_arena *arena, const wr_pencil *pencil, const double *f, double w,
                          const wr_lag **ret_lag);

/* The error that dropping what keep[n * n] does not mark makes, or only the listed entries (column * n + row), in parts of
 * scale[n], which is in the pencil's units: the largest of all states; *ret_state (may be NULL): whose. work: [2 n]. */
double wr_lag_error(const wr_lag *lag, const wr_pencil *pencil, const unsigned char *keep,
                    const double *scale, double complex *work, int *ret_state);
double wr_lag_error_of(const wr_lag *lag, const wr_pencil *pencil, const int *entry, int n_entry,
                       const double *scale, double complex *work);

#endif
