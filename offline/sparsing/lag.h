/* Predicts the error of the trajectory that a pattern causes. A sparsed Jacobian changes neither the fixed points
 * nor the order of the method, but the dropped entries act one step late. With J = Df - dJ, the step
 *
 *     (L - tau J) dx = tau f    is    (L - tau Df) dx = tau (f - dJ dx),
 *
 * which is the full step of a model that lacks dJ tau x'. Its error e therefore obeys L e' = Df e - tau dJ x'. Here
 * this is integrated by backward Euler along the samples of a run; an interval H between two samples is usually many
 * steps long:
 *
 *     (L - H Df) e_k = L e_(k-1) - tau dJ (x_k - x_(k-1)),    e_0 = 0.
 *
 * This is linear in the dropped entries. The matrices are inverted only once, so a pattern costs only products with
 * them. The spectrum does not show this error: a fast state with a wrong input can be completely wrong although all
 * eigenvalues are right.
 *
 * Thread: any, on different data. Real-time: no. */
#ifndef WR_LAG_H
#define WR_LAG_H

#include "offline/sparsing/step_pencil.h"

typedef struct wr_lag {
    int n;          /* number of states */
    int n_interval; /* number of intervals between samples */
    /* [n_interval] linearisation at the end of each interval */
    const wr_step_pencil *const *pencil;
    /* [n_interval * n] change of the states in each interval, x_k - x_(k-1), in scaled units */
    const double *moved;
    const double *back;  /* [n_interval * n * n] inverse of L - H Df of each interval */
    const double *scale; /* [n] reference size of each state's error, in scaled units */
} wr_lag;

/* Prepares the prediction from n_sample >= 2 linearisations with strictly increasing times. x[k][n] are the states
 * at sample k, in the units of the model. nominal[n] are the nominal values by which the pencils are scaled (NULL:
 * all 1). The reference size of a state is its range over all samples, but at least a thousandth of its nominal
 * value. Returns WRSIM_OK, WRSIM_E_SOLVER where L - H Df is singular, so that no prediction is possible, or
 * WRSIM_E_MEMORY. */
wrsim_status wr_lag_place(wr_arena *arena, const wr_step_pencil *const *pencil,
                          const double *const *x, int n_sample, const double *nominal,
                          const wr_lag **ret_lag);

/* Returns the predicted error, relative to the reference size: the largest one of all states and samples. The
 * dropped entries are the entries that keep[n * n] does not mark, or only the listed ones (column * n + row). *ret_sample
 * and *ret_state (may be NULL) receive the place of the largest error. work has room for 2 n values. */
double wr_lag_error(const wr_lag *lag, const unsigned char *keep, double *work, int *ret_sample,
                    int *ret_state);
double wr_lag_error_of(const wr_lag *lag, const int *entry, int n_entry, double *work);

/* Returns the contribution of an entry to the right-hand side of its equation that is one step late in an interval:
 * Df_ij (x_k - x_(k-1))_j. */
double wr_lag_force(const wr_lag *lag, int interval, int entry);

#endif
