/* A linear system projected onto a few vectors V: dense matrices of q states,
 *
 *     G_q = V^T G V,  C_q = V^T C V,  B_q = V^T B,  L_q = V^T L          (docs/METHODS.md, Reduction)
 *
 * A congruence: where G + G^T >= 0 and C = C^T >= 0 the same holds of G_q and C_q, so that nothing passive becomes active or
 * unstable (Odabasioglu, Celik and Pileggi, "PRIMA", IEEE Trans. CAD 17, 1998).
 *
 * Thread: any for reading. Real-time: no.
 */
#ifndef WR_REDUCED_H
#define WR_REDUCED_H

#include <complex.h>

#include "analysis/reduction/linear_system.h"

typedef struct wr_reduced {
    int q, n_input, n_column, n_output; /* n_column: with the rate's */
    double *G, *C;                      /* [q][q], column by column */
    double *B;                          /* [n_column][q] */
    double *L;                          /* [n_output][q] */
    double *D;                          /* [n_input][n_output] */
} wr_reduced;

/* v[q][n] in any number and of any kind. NULL when out of memory. */
wr_reduced *wr_reduced_project(const wr_linear_system *system, const double *v, int q);
/* The projection onto the first q of the vectors; q <= reduced->q. NULL when out of memory. */
wr_reduced *wr_reduced_leading(const wr_reduced *reduced, int q);
/* Accepts NULL and nulls the pointer. */
void wr_reduced_destroy(wr_reduced **reduced);

/* H_q(s), as wr_pencil_transfer() gives H. WRSIM_E_SOLVER when G_q + s C_q is singular, WRSIM_E_NAN, WRSIM_E_MEMORY. */
wrsim_status wr_reduced_transfer(const wr_reduced *reduced, double complex s, double complex *ret);

#endif
