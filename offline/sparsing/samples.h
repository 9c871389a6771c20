/* The linearisations (samples) of a study of sparsing. Each sample has its exact eigenvalues. First-order changes of eigenvalues come from
 * the "kept" samples, which have a spectral resolution. The exact check uses all samples, or the kept samples during a search.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_SAMPLES_H
#define WR_SAMPLES_H

#include <complex.h>

#include "base/check.h"
#include "offline/listener.h"
#include "offline/sparsing/resolution.h"
#include "offline/sparsing/step_pencil.h"

/* Prediction of the error of the trajectory that a pattern causes. A sparsed Jacobian changes neither the fixed
 * points nor the order of the method, but the dropped entries act one step late. With J = Df - dJ, the step
 *
 *     (L - tau J) dx = tau f    is    (L - tau Df) dx = tau (f - dJ dx),
 *
 * which is the full step of a model that lacks dJ tau x'. So the error e of this step obeys L e' = Df e - tau dJ x'. Backward Euler
 * integrates this equation along the samples of a run. The interval H between two samples is usually many steps long:
 *
 *     (L - H Df) e_k = L e_(k-1) - tau dJ (x_k - x_(k-1)),    e_0 = 0.
 *
 * The equation is linear in the dropped entries, so one inverse of each matrix is sufficient for all patterns. The spectrum does not show
 * this error, because a fast state with a wrong input can be wrong although all eigenvalues are right. */
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

/* Prepares the prediction from n_sample >= 2 linearisations with strictly increasing times. x[k][n] are the states at sample k, in the
 * units of the model. nominal[n] are the nominal values that scale the pencils (NULL: all 1). The reference size of a state is its range
 * over all samples, but at least a thousandth of its nominal value. Returns WRSIM_OK, WRSIM_E_SOLVER where L - H Df is singular, so that no
 * prediction is possible, or WRSIM_E_MEMORY. */
wrsim_status wr_lag_place(wr_arena *arena, const wr_step_pencil *const *pencil,
                          const double *const *x, int n_sample, const double *nominal,
                          const wr_lag **ret_lag);

/* Return the largest predicted error of all states and samples, relative to the reference size. The dropped entries are all entries without
 * a mark in keep[n * n], or the listed entries (column * n + row). *ret_sample and *ret_state (may be NULL) receive sample and state of the
 * largest error. work has room for 2 n values. */
double wr_lag_error(const wr_lag *lag, const unsigned char *keep, double *work, int *ret_sample,
                    int *ret_state);
double wr_lag_error_of(const wr_lag *lag, const int *entry, int n_entry, double *work);

/* Returns the late contribution of an entry to its equation in an interval: Df_ij (x_k - x_(k-1))_j. */
double wr_lag_force(const wr_lag *lag, int interval, int entry);

/* The exact check of a pattern compares all eigenvalues of the sparsed step with the eigenvalues of the full step. Each eigenvalue may move
 * by a share of its distance from the unit circle, r_i = | 1 - |lambda_i| |. Stiff eigenvalues need only stability, so their share is
 * larger than the share of other eigenvalues (Schiela and Bornemann (2003), section 3.5: a threshold for each cluster). A share below 1
 * keeps a stable eigenvalue stable, apart from rounding. The check accepts a pattern if a pairing of sparsed and full eigenvalues exists in
 * which no pair exceeds its limit. */
typedef struct wr_shares {
    double stiff_radius; /* largest magnitude of a stiff eigenvalue */
    double stiff;        /* share of r_i by which a stiff eigenvalue may move */
    double other;        /* share of r_i by which any other eigenvalue may move */
} wr_shares;

/* Returns the largest permitted change of an eigenvalue. On the unit circle, where r_i is 0, the result is the size of rounding errors. */
double wr_verdict_limit(const wr_shares *shares, double complex value);

/* Compares the n eigenvalues of the full step and of the sparsed step. Returns 1: accepted, 0: refused, -1: out of memory. */
int wr_verdict(int n, const wr_shares *shares, const double complex *before,
               const double complex *after);

/* Returns the largest magnitude of n eigenvalues. */
double wr_verdict_radius(int n, const double complex *value);

typedef struct wr_sample {
    const wr_step_pencil *pencil;    /* the linearised equations and the step */
    const double complex *value;     /* [n] eigenvalues of the full step */
    const wr_resolution *resolution; /* spectral resolution; NULL: the sample is not kept */
    const double *x;                 /* [n] states, in units of the model; NULL: unknown */
} wr_sample;

/* A linearisation to add as a sample. wr_samples_add() copies the arrays. Matrices are column-major, [n * n]. */
typedef struct wr_linearisation {
    double t_s;       /* time of the linearisation, s */
    const double *l;  /* mass matrix L; NULL: the identity */
    const double *df; /* Jacobian Df */
    const double *x;  /* [n] states; NULL: unknown */
} wr_linearisation;

typedef struct wr_samples {
    wr_arena *arena;       /* owner of all memory of the samples */
    int n;                 /* number of states */
    double tau_s;          /* step, s */
    double gap;            /* gap of clusters (wr_cluster_is_close()) */
    wr_shares shares;      /* largest permitted changes of eigenvalues */
    double error;          /* permitted error of a state, relative to its reference size (wr_lag) */
    const wr_lag *lag;     /* prediction of errors along the samples; NULL: not available */
    const double *nominal; /* [n] nominal values of the states; NULL: all 1 */
    int n_sample;          /* number of samples */
    int cap;               /* capacity of sample */
    wr_sample *sample;     /* [cap] the samples */
    int suspect; /* index of the sample that last refused a spectrum; the check begins with this sample */
    int n_check;          /* number of eigenvalue problems that checks have solved */
    wr_listener listener; /* receives progress messages */
} wr_samples;

/* Adds a sample, and keeps the sample if it differs from every kept sample. Two samples differ if the sum of a cluster's eigenvalues
 * changes by more than the permitted change between the samples (dJ = Df_old - Df_new; Schiela and Bornemann (2003), section 3.5). Returns
 * WRSIM_OK, WRSIM_E_MEMORY, or an error of wr_step_pencil_place(), wr_step_pencil_eigen() or wr_resolution_place(). */
wrsim_status wr_samples_add(wr_samples *samples, const wr_linearisation *at, wrsim_error *err);
/* Ends the adding of samples. Prepares the prediction of errors if two or more samples exist, all samples have states, the times increase,
 * and every L - H Df is regular. Returns WRSIM_OK or WRSIM_E_MEMORY. */
wrsim_status wr_samples_close(wr_samples *samples, wrsim_error *err);
void wr_samples_done(wr_samples *samples);

/* Makes sample i a kept sample: computes its spectral resolution if the sample has none. Returns the statuses of wr_resolution_place(). */
wrsim_status wr_samples_keep(wr_samples *samples, int i, wrsim_error *err);
int wr_samples_n_kept(const wr_samples *samples);

/* Returns the criterion for dropping the listed entries (column * n + row) together, to first order; -1 when out of memory. The criterion
 * is the largest ratio to a permitted value. One ratio is the change of the sum of a cluster's eigenvalues at a kept sample. The other
 * ratio is the predicted error of a state at a sample. */
double wr_samples_score(const wr_samples *samples, const int *entry, int n_entry);

/* Returns the largest predicted error of a pattern over all states and samples, relative to the state's reference size (wr_lag). Returns 0
 * without a prediction and -1 when out of memory. With a prediction, *ret_sample and *ret_state (may be NULL) receive sample and state of
 * the error. */
double wr_samples_error(const wr_samples *samples, const unsigned char *keep, int *ret_sample,
                        int *ret_state);

/* Returns 1 if every sample (only_kept: every kept sample) accepts the pattern keep[n * n]: its spectrum by wr_verdict(), and its predicted
 * error. Returns 0 if a sample refuses the spectrum or the error is too large, -1 when out of memory. samples->suspect becomes the sample
 * that refuses the spectrum. */
int wr_samples_accept(wr_samples *samples, const unsigned char *keep, int only_kept);

#endif
