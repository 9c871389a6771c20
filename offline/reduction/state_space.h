/* A reduced system in the explicit form that runs use:
 *
 *     z' = A z + B (u - u0) + r        y = y0 + C z + D (u - u0)
 *
 * If C_q is singular, some equations are algebraic. Let b be the right side of the reduced system, C_q = U S W^T (singular values) and
 * z = W (z1, z2), where the singular values of z2 are zero:
 *
 *     S1 z1' = U1^T (b - G_q W z),   0 = U2^T (b - G_q W z)
 *
 * If the matrix of the second row is regular (index 1), this row determines z2 and the feed-through. Singular values below 1e-12 of the
 * largest singular value count as zero.
 *
 * Thread: any for reading. Real-time: no. */
#ifndef WR_STATE_SPACE_H
#define WR_STATE_SPACE_H

#include <complex.h>

#include "base/arena.h"
#include "offline/reduction/reduced.h"

typedef struct wr_state_space {
    wr_arena *arena; /* owner of all arrays */
    int n, n_input, n_output;
    double *A;            /* [n][n], column by column */
    double *B;            /* [n_input][n] */
    double *C;            /* [n][n_output] */
    double *D;            /* [n_input][n_output] direct feed-through from inputs to outputs */
    double *rate;         /* [n] r */
    double *offset;       /* [n_output] contribution of r to outputs through algebraic equations */
    double *nominal;      /* [n] change of a state that changes the most affected unknown by 1 */
    double complex *pole; /* [n] eigenvalues of A */
} wr_state_space;

/* Converts a reduced system; v[q][n] are the projection vectors. Returns WRSIM_OK, WRSIM_E_SOLVER if the algebraic equations are singular,
 * WRSIM_E_NAN, or WRSIM_E_MEMORY. */
wrsim_status wr_state_space_create(const wr_reduced *reduced, const double *v, int n,
                                   wr_state_space **ret);
/* Destroys the object and sets the pointer to NULL. Accepts NULL. */
void wr_state_space_destroy(wr_state_space **space);

/* Returns the largest real part of the poles; -INFINITY without poles. */
double wr_state_space_growth(const wr_state_space *space);

#endif
