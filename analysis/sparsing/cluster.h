/* Clusters of the discrete evolution's eigenvalues: which are to be perturbed together.
 *
 * Close eigenvalues belong into one cluster, or first-order estimates mean nothing (Schiela and Bornemann, section 3.4);
 * oscillatory ones into different ones, or what they do to one another cancels. How close is close is a part of the
 * distance to 1: near 1 an eigenvalue 1 / (1 - tau lambda) is 1 + tau lambda, and lambda's relative size counts. Chains of
 * neighbours are one cluster.
 *
 * Thread: any, on different data. Real-time: no.
 */
#ifndef WR_CLUSTER_H
#define WR_CLUSTER_H

#include <complex.h>

/* Are they neighbours? gap: part of the larger distance to 1. */
int wr_cluster_is_close(double complex a, double complex b, double gap);

/* Numbers clusters from 0 in the order of their first value, into ret_cluster[n]; returns how many. */
int wr_cluster_make(int n, const double complex *value, double gap, int *ret_cluster);

#endif
