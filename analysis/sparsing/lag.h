/* What a pattern does to the trajectory. A sparsed Jacobian keeps fixed points and order, but the dropped entries act one step
 * late: with J = Df - dJ
 *
 *     (L - tau J) dx = tau f    is    (L - tau Df) dx = tau (f - dJ dx),
 *
 * the unsparsed step of a model that lacks dJ tau x'. Its error e therefore follows L e' = Df e - tau dJ x', here along the
 * samples of a run by backward Euler, whose intervals H are mostly many steps long:
 *
 *     (L - H Df) e_k = L e_(k-1) - tau dJ (x_k - x_(k-1)),    e_0 = 0.
 *
 * That is linear in what is dropped; matrices are inverted once, so a pattern costs products with them. The spectrum says
 * nothing of this: fast states that are driven wrongly can be off by all they have, with all modes in their places.
 *
 * Thread: any, on different data. Real-time: no.
 */
#ifndef WR_LAG_H
#define WR_LAG_H

#include "analysis/sparsing/step_pencil.h"

typedef struct wr_lag {
    int n, n_interval;
    const wr_step_pencil *const *pencil; /* [n_interval] at the intervals' ends */
    const double *moved;                 /* [n_interval * n] x_k - x_(k-1), in the pencils' units */
    const double *back;                  /* [n_interval * n * n] (L - H Df)^-1 */
    const double *scale;                 /* [n] what errors are parts of, in the pencils' units */
} wr_lag;

/* Of n_sample >= 2 linearisations, in the order of time, which lies apart; x[k][n] in the model's units, nominal[n] as the pencils
 * have it (NULL: 1). Scales are the states' ranges over all samples, and at least a thousandth of the nominal value. WRSIM_OK;
 * WRSIM_E_SOLVER where L - H Df is singular: nothing is known then; WRSIM_E_MEMORY. */
wrsim_status wr_lag_place(wr_arena *arena, const wr_step_pencil *const *pencil,
                          const double *const *x, int n_sample, const double *nominal,
                          const wr_lag **ret_lag);

/* The error that dropping what keep[n * n] does not mark makes, or only the listed entries (column * n + row): the largest of
 * all states and samples, in parts of scales; *ret_sample and *ret_state (may be NULL) say where. work: [2 n]. */
double wr_lag_error(const wr_lag *lag, const unsigned char *keep, double *work, int *ret_sample,
                    int *ret_state);
double wr_lag_error_of(const wr_lag *lag, const int *entry, int n_entry, double *work);

/* What an entry makes late in its equation in an interval: Df_ij (x_k - x_(k-1))_j. */
double wr_lag_force(const wr_lag *lag, int interval, int entry);

#endif
