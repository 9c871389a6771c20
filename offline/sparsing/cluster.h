/* Clusters of eigenvalues of an integration step. The eigenvalues of a cluster are perturbed together.
 *
 * First-order estimates are only valid when eigenvalues that are close together belong to the same cluster (Schiela
 * and Bornemann, section 3.4). Complex eigenvalues that are far apart must belong to different clusters, because
 * otherwise their changes can cancel in the sum over the cluster. "Close" is measured relative to the distance from
 * 1, because an eigenvalue 1 / (1 - tau lambda) near 1 is about 1 + tau lambda, where the relative size of lambda is
 * important. A chain of close neighbours is one cluster.
 *
 * Thread: any, on different data. Real-time: no. */
#ifndef WR_CLUSTER_H
#define WR_CLUSTER_H

#include <complex.h>

/* Returns 1 if the eigenvalues a and b are neighbours: their distance is at most gap times the larger of their
 * distances to 1. */
int wr_cluster_is_close(double complex a, double complex b, double gap);

/* Assigns each of the n eigenvalues to a cluster. Writes the number of its cluster to ret_cluster[n]; clusters are
 * numbered from 0 in the order of their first eigenvalue. Returns the number of clusters. */
int wr_cluster_make(int n, const double complex *value, double gap, int *ret_cluster);

#endif
