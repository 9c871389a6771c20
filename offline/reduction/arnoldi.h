/* Orthonormal bases of block Krylov spaces, from one or several expansion points:
 *
 *     span{ R, K R, K^2 R, ... },   R = (G + s0 C)^{-1} B,   K = (G + s0 C)^{-1} C          (docs/METHODS.md, Reduction)
 *
 * Block Arnoldi with modified Gram-Schmidt, done twice (L. Giraud et al., "Rounding error analysis of the classical Gram-Schmidt
 * orthogonalization process", Numer. Math. 101, 2005). Deflation omits a vector whose new part is rounding (R. Freund, "Krylov-subspace
 * methods for reduced-order modeling in circuit simulation", J. Comput. Appl. Math. 123, 2000). Each point has a sequence of its own. The
 * basis consists of blocks of all sequences in turn, and its space is the sum of their spaces (E. Grimme, "Krylov projection methods for
 * model reduction", 1997).
 *
 * Thread: one at a time. Real-time: no. */
#ifndef WR_ARNOLDI_H
#define WR_ARNOLDI_H

#include "offline/reduction/pencil.h"

typedef struct wr_basis {
    int n, n_vector, cap;
    double *v;         /* [n_vector][n] orthonormal */
    int n_deflated;    /* number of omitted vectors */
    int n_block;       /* number of complete blocks of every point, and so of matched moments */
    int *end_of_block; /* [n_block] number of vectors up to the end of each block */
    int is_complete;   /* 1: the space has no more vectors */
} wr_basis;

/* Computes at most max_vector vectors at the points s0[n_point] (1/s). Returns WRSIM_OK, WRSIM_E_SOLVER if G + s0 C is singular,
 * WRSIM_E_NAN or WRSIM_E_MEMORY. If a point fails, *ret_i_point is its index. */
wrsim_status wr_basis_create(const wr_linear_system *system, const double *s0, int n_point,
                             int max_vector, wr_basis **ret_basis, int *ret_i_point);
/* Destroys the object and sets the pointer to NULL. Accepts NULL. */
void wr_basis_destroy(wr_basis **basis);

#endif
