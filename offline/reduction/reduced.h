/* A linear system projected onto vectors V: dense matrices of q states,
 *
 *     G_q = V^T G V,  C_q = V^T C V,  B_q = V^T B,  L_q = V^T L          (docs/METHODS.md, Reduction)
 *
 * The projection is a congruence. If G + G^T >= 0 and C = C^T >= 0, the same holds for G_q and C_q. Passive systems then stay passive and
 * stable (A. Odabasioglu, M. Celik, L. Pileggi, "PRIMA", IEEE Trans. CAD 17, 1998).
 *
 * Thread: any for reading. Real-time: no. */
#ifndef WR_REDUCED_H
#define WR_REDUCED_H

#include <complex.h>

#include "offline/reduction/linear_system.h"

typedef struct wr_reduced {
    int q, n_input, n_column, n_output; /* n_column: number of inputs, and the column of the rate */
    double *G, *C;                      /* [q][q], column by column */
    double *B;                          /* [n_column][q] */
    double *L;                          /* [n_output][q] */
    double *D;                          /* [n_input][n_output] */
} wr_reduced;

/* Computes ret[n_b][n_a] = a^T b for a[n_a][n] and b[n_b][n], column by column. */
void wr_times(const double *a, int n_a, const double *b, int n_b, size_t n, double *ret);

/* Returns the projection onto any vectors v[q][n]; NULL when out of memory. */
wr_reduced *wr_reduced_project(const wr_linear_system *system, const double *v, int q);
/* Returns the projection onto the first q vectors; q <= reduced->q. NULL when out of memory. */
wr_reduced *wr_reduced_leading(const wr_reduced *reduced, int q);
/* Destroys the object and sets the pointer to NULL. Accepts NULL. */
void wr_reduced_destroy(wr_reduced **reduced);

/* Computes H_q(s), in the layout of wr_pencil_transfer(). Returns WRSIM_OK, WRSIM_E_SOLVER if G_q + s C_q is singular, WRSIM_E_NAN, or
 * WRSIM_E_MEMORY. */
wrsim_status wr_reduced_transfer(const wr_reduced *reduced, double complex s, double complex *ret);

#endif
