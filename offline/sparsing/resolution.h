/* Spectral resolution of a step's pencil: how a change of the Jacobian moves each cluster of eigenvalues, to first
 * order (Schiela and Bornemann, "Sparsing in real time simulation", 2003, section 3).
 *
 * The QZ algorithm finds the eigenvalues of A = L and B = L - tau Df, which form clusters. If cluster k is at the top of the Schur form,
 * the first columns of Z form an orthonormal basis X_k of its right deflating subspace. If cluster k is at the bottom, the last columns of
 * Q are an orthonormal basis Y_k of the left deflating subspace. With
 *
 *     A_k = Y_k^H A X_k,  B_k = Y_k^H B X_k,  U = B_k^-1 Y_k^H,  V = X_k (I - B_k^-1 A_k)                     [eq. 21, 22]
 *
 * dropping the entry (i, j) changes the sum of the cluster's eigenvalues by
 *
 *     tr(U tau dJ V) = tau Df_ij sum_l V_jl U_li                                                               [eq. 23]
 *
 * The magnitude of this change is the criterion c_ij. The indices printed in eq. 25 are exchanged. The factors are complex, so that the two
 * eigenvalues of a conjugate pair can be in different clusters. In a common cluster the imaginary parts of the two changes would cancel. A
 * resolution stores one of two clusters that are conjugate to each other.
 *
 * Thread: any, on different data. Real-time: no. */
#ifndef WR_RESOLUTION_H
#define WR_RESOLUTION_H

#include <complex.h>

#include "offline/sparsing/step_pencil.h"

/* Clusters. A first-order estimate is valid only if eigenvalues that are close together are in the same cluster (Schiela and Bornemann,
 * section 3.4). Eigenvalues that are far apart must be in different clusters, because changes of complex eigenvalues can cancel in the sum
 * over a cluster. Closeness is relative to the distance from 1. An eigenvalue 1 / (1 - tau lambda) near 1 is about 1 + tau lambda, where
 * the relative size of lambda is important. A chain of close neighbours is one cluster. */

/* Returns 1 if the eigenvalues a and b are neighbours: their distance is at most gap times the larger of their distances to 1. If gap is
 * above 0, rounding adds 1e-6 to this limit. */
int wr_cluster_is_close(double complex a, double complex b, double gap);

/* Writes the cluster of each of the n eigenvalues to ret_cluster[n], with numbers from 0 in the order of the first
 * eigenvalue of each cluster. Returns the number of clusters. */
int wr_cluster_make(int n, const double complex *value, double gap, int *ret_cluster);

typedef struct wr_spectral_cluster {
    int n;             /* number of eigenvalues of the cluster */
    int has_conjugate; /* 1: another cluster, which the resolution does not store, is the conjugate cluster */
    double complex *value; /* [n] the eigenvalues */
    double complex *u;     /* factor U, column-major: n rows, one column for each state */
    double complex *v;     /* factor V, transposed, in the layout of u */
    /* Frobenius norm of the oblique projector onto the cluster's subspace; sqrt(n): orthogonal to the subspaces of other clusters */
    double projector;
} wr_spectral_cluster;

typedef struct wr_resolution {
    int n;                        /* number of states */
    double tau_s;                 /* step, s */
    int n_cluster;                /* number of stored clusters */
    wr_spectral_cluster *cluster; /* [n_cluster] the stored clusters */
} wr_resolution;

/* Computes the resolution. gap is the gap between clusters. Returns WRSIM_OK, WRSIM_E_MEMORY, WRSIM_E_NAN, or WRSIM_E_SOLVER.
 * WRSIM_E_SOLVER means that QZ does not converge, or that a cluster is not separable because the pencil is (nearly) defective. In the
 * second case err has an eigenvalue. */
wrsim_status wr_resolution_place(wr_arena *arena, const wr_step_pencil *pencil, double gap,
                                 const wr_resolution **ret_resolution, wrsim_error *err);

/* Returns the first-order change of the sum of a cluster's eigenvalues when J_ij becomes J_ij - value. The cost of a call is proportional
 * to the size of the cluster. */
double complex wr_resolution_shift(const wr_resolution *resolution, int cluster, int i, int j,
                                   double value);

#endif
