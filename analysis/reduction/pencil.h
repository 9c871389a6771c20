/* The matrices G + s C of a linear system: solved with, and the transfer function
 *
 *     H(s) = L^T (G + s C)^{-1} B + D
 *
 * Thread: one at a time. Real-time: no.
 */
#ifndef WR_PENCIL_H
#define WR_PENCIL_H

#include <complex.h>

#include "analysis/reduction/linear_system.h"

typedef struct wr_pencil wr_pencil;

/* Of a system that outlives it. WRSIM_OK or WRSIM_E_MEMORY. */
wrsim_status wr_pencil_create(const wr_linear_system *system, wr_pencil **ret_pencil);
/* Accepts NULL and nulls the pointer. */
void wr_pencil_destroy(wr_pencil **pencil);

/* Factorises G + s C, s real. WRSIM_E_SOLVER when it is singular, WRSIM_E_NAN, WRSIM_E_MEMORY. */
wrsim_status wr_pencil_factor(wr_pencil *pencil, double s);
/* With the last factors, b[n * n_b] in columns becomes (G + s C)^{-1} b, or (G + s C)^{-1} C b. */
void wr_pencil_solve(wr_pencil *pencil, int n_b, double *b);
void wr_pencil_power(wr_pencil *pencil, int n_b, double *b);

/* H(s) into ret[column * n_output + output], all columns of B (D has no part of the rate's). The factors of
 * wr_pencil_factor() are lost. Fails as that. */
wrsim_status wr_pencil_transfer(wr_pencil *pencil, double complex s, double complex *ret);

#endif
