/* Orthonormal bases of block Krylov spaces, from one or several expansion points:
 *
 *     span{ R, K R, K^2 R, ... },   R = (G + s0 C)^{-1} B,   K = (G + s0 C)^{-1} C          (docs/METHODS.md, Reduction)
 *
 * Block Arnoldi with modified Gram-Schmidt, done twice ("twice is enough": Giraud et al., "Rounding error analysis of the
 * classical Gram-Schmidt orthogonalization process", Numer. Math. 101, 2005), and deflation: what a new vector adds to
 * the space is left out where it is noise (Freund, "Krylov-subspace methods for reduced-order modeling in circuit
 * simulation", J. Comput. Appl. Math. 123, 2000). Of several points each has a sequence of its own, block by block in turn, and
 * the space is their sum (Grimme, "Krylov projection methods for model reduction", 1997).
 *
 * Thread: one at a time. Real-time: no.
 */
#ifndef WR_ARNOLDI_H
#define WR_ARNOLDI_H

#include "analysis/reduction/pencil.h"

typedef struct wr_basis {
    int n, n_vector, cap;
    double *v;      /* [n_vector][n] orthonormal */
    int n_deflated; /* vectors left out */
    int n_block; /* blocks whose vectors all are in, of every point: so many moments are matched */
    int *end_of_block; /* [n_block] vectors that the first so many blocks take */
    int is_complete;   /* the space holds no more vectors than these */
} wr_basis;

/* At most max_vector vectors, at the points s0[n_point] (1/s). On failure *ret_i_point says at which point: WRSIM_E_SOLVER
 * where G + s0 C is singular, WRSIM_E_NAN, WRSIM_E_MEMORY. */
wrsim_status wr_basis_create(const wr_linear_system *system, const double *s0, int n_point,
                             int max_vector, wr_basis **ret_basis, int *ret_i_point);
/* Accepts NULL and nulls the pointer. */
void wr_basis_destroy(wr_basis **basis);

#endif
