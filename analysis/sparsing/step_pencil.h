/* One linearisation L x' = Df x and the step that linearly implicit Euler makes of it with a Jacobian J of which entries were
 * dropped, dJ = Df - J (Schiela and Bornemann, "Sparsing in real time simulation", eq. 9-12):
 *
 *     (L - tau J) x_(n+1) = (L + tau dJ) x_n          its pencil: (L + tau dJ, L - tau Df + tau dJ)
 *
 * Its eigenvalues are those of the discrete evolution; the step is stable where none lies outside the unit disc.
 *
 * Thread: any, on different data. Real-time: no.
 */
#ifndef WR_STEP_PENCIL_H
#define WR_STEP_PENCIL_H

#include <complex.h>

#include "base/arena.h"
#include "wrsim/status.h"

/* Matrices are column-major, [n * n]. Scaled: no row and column is much larger than others (wr_step_pencil_place()). */
typedef struct wr_step_pencil {
    int n;
    double tau_s;     /* step */
    double t_s;       /* of the linearisation */
    const double *l;  /* L */
    const double *df; /* Df */
    const double
        *row_scale; /* [n] what equations were divided by; NULL in one that is not placed */
} wr_step_pencil;

/* A scaled copy of L (NULL: the identity) and Df, which changes no eigenvalue: states in units of nominal[n] (NULL: as they
 * are), equations so that the largest entry of L - tau Df in each row is 1 (with L the identity: as the states, so that L stays
 * it). WRSIM_OK; WRSIM_E_NAN where an entry is not finite; WRSIM_E_SOLVER where L - tau Df is singular: the DAE is of
 * higher index, the pencil is singular, or tau hits an eigenvalue; WRSIM_E_MEMORY. err says it in one sentence. */
wrsim_status wr_step_pencil_place(wr_arena *arena, const wr_step_pencil *from,
                                  const double *nominal, const wr_step_pencil **ret_pencil,
                                  wrsim_error *err);

/* Eigenvalues of the step with the Jacobian's entries that keep[n * n] marks (NULL: all), by eigenvalues of the product
 * (L - tau J)^-1 (L + tau dJ). WRSIM_OK; WRSIM_E_SOLVER: L - tau J is singular, or no convergence; WRSIM_E_MEMORY. */
wrsim_status wr_step_pencil_eigen(const wr_step_pencil *pencil, const unsigned char *keep,
                                  double complex *ret_value);

/* The same by QZ of the pencil itself, which forms no inverse: slower, and what is believed in the end. */
wrsim_status wr_step_pencil_eigen_qz(const wr_step_pencil *pencil, const unsigned char *keep,
                                     double complex *ret_value);

/* M = (L - tau J)^-1 (L + tau dJ) - (L - tau Df)^-1 L into ret[n * n]: by how much the step differs, from
 * (L - tau J)^-1 tau dJ (I - (L - tau Df)^-1 L), which does not cancel. Also (I - (L - tau Df)^-1 L) into
 * ret_rest[n * n] if it is not NULL. Returns as wr_step_pencil_eigen(). */
wrsim_status wr_step_pencil_difference(const wr_step_pencil *pencil, const unsigned char *keep,
                                       double *ret, double *ret_rest);

#endif
