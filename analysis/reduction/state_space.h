/* A reduced system solved for its derivatives, which is what runs:
 *
 *     z' = A z + B (u - u0) + r        y = y0 + C z + D (u - u0)
 *
 * Where C_q is singular some of the equations are algebraic. With C_q = U S W^T (singular values) and z = W (z1, z2), S of z2
 * being zero,
 *
 *     S1 z1' = U1^T (b - G_q W z),   0 = U2^T (b - G_q W z)
 *
 * the second row gives z2 and feedthrough, if it can be solved for z2 (index 1). Time constants shorter than 1e-12 of the
 * longest ones' scale count as zero.
 *
 * Thread: any for reading. Real-time: no.
 */
#ifndef WR_STATE_SPACE_H
#define WR_STATE_SPACE_H

#include <complex.h>

#include "analysis/reduction/reduced.h"

typedef struct wr_state_space {
    int n, n_input, n_output;
    double *A;      /* [n][n], column by column */
    double *B;      /* [n_input][n] */
    double *C;      /* [n][n_output] */
    double *D;      /* [n_input][n_output] */
    double *rate;   /* [n] r */
    double *offset; /* [n_output] what r adds to outputs through algebraic equations */
    double
        *nominal; /* [n] by so much a state moves some unknown of the full system by 1, at most */
    double complex *pole; /* [n] eigenvalues of A */
} wr_state_space;

/* v[q][n] are the vectors onto which was projected. WRSIM_E_SOLVER where the algebraic equations cannot be solved,
 * WRSIM_E_NAN, WRSIM_E_MEMORY. */
wrsim_status wr_state_space_create(const wr_reduced *reduced, const double *v, int n,
                                   wr_state_space **ret);
/* Accepts NULL and nulls the pointer. */
void wr_state_space_destroy(wr_state_space **space);

/* The largest real part of the poles; -INFINITY when there are none. */
double wr_state_space_growth(const wr_state_space *space);

#endif
