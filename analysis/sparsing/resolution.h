/* Spectral resolution of a step's pencil, and what a change of the Jacobian does to each cluster of its eigenvalues, to first
 * order (Schiela and Bornemann, "Sparsing in real time simulation", section 3).
 *
 * QZ of A = L and B = L - tau Df; eigenvalues clustered (cluster.h); for each cluster k orthonormal bases X_k and Y_k of its
 * right and left deflating subspaces by reordering it to the top and to the bottom. With
 *
 *     A_k = Y_k^H A X_k,  B_k = Y_k^H B X_k,  U = B_k^-1 Y_k^H,  V = X_k (I - B_k^-1 A_k)                     [eq. 21, 22]
 *
 * dropping the entry (i, j) moves the sum of the cluster's eigenvalues by
 *
 *     tr(U tau dJ V) = tau Df_ij sum_l V_jl U_li                                                               [eq. 23]
 *
 * whose magnitude is the criterion c_ij; the indices printed in eq. 25 are exchanged. Factors are complex, so that the two of
 * a conjugate pair are clusters of their own: in one, only the real part of what they do would be left. Of two clusters that
 * are conjugate to each other one is kept.
 *
 * Thread: any, on different data. Real-time: no.
 */
#ifndef WR_RESOLUTION_H
#define WR_RESOLUTION_H

#include "analysis/sparsing/step_pencil.h"

typedef struct wr_spectral_cluster {
    int n;                 /* eigenvalues */
    int has_conjugate;     /* another cluster, not kept, is its conjugate */
    double complex *value; /* [n] */
    double complex *u, *v; /* U column-major [n rows, pencil's n columns], V transposed likewise */
    double projector;      /* norm of the projector onto it along all others: 1 when orthogonal */
} wr_spectral_cluster;

typedef struct wr_resolution {
    int n; /* states */
    double tau_s;
    int n_cluster;
    wr_spectral_cluster *cluster; /* [n_cluster] */
} wr_resolution;

/* gap: of clusters. WRSIM_OK; WRSIM_E_SOLVER where eigenvalues of different clusters cannot be told apart, as those of a Jordan
 * block (the pencil is defective, or as good as), err naming them; WRSIM_E_MEMORY. */
wrsim_status wr_resolution_place(wr_arena *arena, const wr_step_pencil *pencil, double gap,
                                 const wr_resolution **ret_resolution, wrsim_error *err);

/* By how much the sum of a cluster's eigenvalues moves, to first order, when J_ij becomes J_ij - value. O(cluster's n). */
double complex wr_resolution_shift(const wr_resolution *resolution, int cluster, int i, int j,
                                   double value);

#endif
