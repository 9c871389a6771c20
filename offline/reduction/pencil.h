/* Solves with the matrices G + s C of a linear system, and computes the transfer function
 *
 *     H(s) = L^T (G + s C)^{-1} B + D.
 *
 * Thread: one at a time. Real-time: no. */
#ifndef WR_PENCIL_H
#define WR_PENCIL_H

#include <complex.h>

#include "offline/reduction/linear_system.h"

typedef struct wr_pencil wr_pencil;

/* Creates a pencil for a system, which must outlive the pencil. Returns WRSIM_OK or WRSIM_E_MEMORY. */
wrsim_status wr_pencil_create(const wr_linear_system *system, wr_pencil **ret_pencil);
/* Destroys the object and sets the pointer to NULL. Accepts NULL. */
void wr_pencil_destroy(wr_pencil **pencil);

/* Factorises G + s C for real s. Returns WRSIM_OK, WRSIM_E_SOLVER if G + s C is singular, WRSIM_E_NAN, or WRSIM_E_MEMORY. */
wrsim_status wr_pencil_factor(wr_pencil *pencil, double s);
/* Replace the columns of b[n * n_b] by (G + s C)^{-1} b, or by (G + s C)^{-1} C b, with the last factors. */
void wr_pencil_solve(wr_pencil *pencil, int n_b, double *b);
void wr_pencil_power(wr_pencil *pencil, int n_b, double *b);

/* Writes H(s) to ret[column * n_output + output] for all columns of B (D does not apply to the rate). Overwrites the factors of
 * wr_pencil_factor(). Returns the statuses of wr_pencil_factor(). */
wrsim_status wr_pencil_transfer(wr_pencil *pencil, double complex s, double complex *ret);

#endif
