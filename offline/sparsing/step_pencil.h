/* A linearisation L x' = Df x, and its step by the linearly implicit Euler method with a Jacobian J that lacks some entries, dJ = Df - J
 * (Schiela and Bornemann, "Sparsing in real time simulation", 2003, eqs. 9-12):
 *
 *     (L - tau J) x_(n+1) = (L + tau dJ) x_n          its pencil: (L + tau dJ, L - tau Df + tau dJ)
 *
 * The pencil and the step have equal eigenvalues. The step is stable if no eigenvalue is outside the unit disc.
 *
 * Thread: any, on different data. Real-time: no. */
#ifndef WR_STEP_PENCIL_H
#define WR_STEP_PENCIL_H

#include <complex.h>

#include "base/arena.h"
#include "base/check.h"
#include "wrsim/status.h"

/* The linearised equations and the step. Matrices are column-major, [n * n]. wr_step_pencil_place() makes a copy
 * with scaled rows and columns. */
typedef struct wr_step_pencil {
    int n;                   /* number of states */
    double tau_s;            /* step, s */
    double t_s;              /* time of the linearisation, s */
    const double *l;         /* mass matrix L; NULL: the identity */
    const double *df;        /* Jacobian Df */
    const double *row_scale; /* [n] divisors of the equations; NULL: not scaled */
} wr_step_pencil;

/* Fills the error of a linearisation and returns status. */
wrsim_status wr_step_pencil_refuse(const wr_step_pencil *at, wrsim_status status, wrsim_error *err,
                                   const char *format, ...) WR_PRINTF(4, 5);

/* Makes a scaled copy of a pencil with the same eigenvalues. nominal[n] scales the states (NULL: 1). The scale of an equation makes the
 * largest entry of L - tau Df in its row 1. If L is the identity, the scales are nominal[n], so that L stays the identity. Returns
 * WRSIM_OK; WRSIM_E_NAN if an entry is not finite; WRSIM_E_SOLVER if L - tau Df is singular, because the DAE has a higher index, the pencil
 * is singular, or 1 / tau is an eigenvalue; or WRSIM_E_MEMORY. On failure err has a message. */
wrsim_status wr_step_pencil_place(wr_arena *arena, const wr_step_pencil *from,
                                  const double *nominal, const wr_step_pencil **ret_pencil,
                                  wrsim_error *err);

/* Computes the eigenvalues of the step whose Jacobian has only the entries that keep[n * n] marks (NULL: all entries). The step is the
 * product (L - tau J)^-1 (L + tau dJ). Returns WRSIM_OK; WRSIM_E_SOLVER if L - tau J is singular or the algorithm does not converge; or
 * WRSIM_E_MEMORY. */
wrsim_status wr_step_pencil_eigen(const wr_step_pencil *pencil, const unsigned char *keep,
                                  double complex *ret_value);

/* Computes the eigenvalues of wr_step_pencil_eigen() by the QZ algorithm on the pencil, which needs no inverse. QZ is slower but more
 * accurate, for final results. */
wrsim_status wr_step_pencil_eigen_qz(const wr_step_pencil *pencil, const unsigned char *keep,
                                     double complex *ret_value);

/* Writes M = (L - tau J)^-1 (L + tau dJ) - (L - tau Df)^-1 L, the difference between the sparsed and the full step, to ret[n * n]. The
 * product (L - tau J)^-1 tau dJ (I - (L - tau Df)^-1 L) avoids cancellation. ret_rest[n * n] (may be NULL) receives the last factor of the
 * product. Returns the statuses of wr_step_pencil_eigen(). */
wrsim_status wr_step_pencil_difference(const wr_step_pencil *pencil, const unsigned char *keep,
                                       double *ret, double *ret_rest);

#endif
