/* Clusters of eigenvalues. See cluster.h.
 *
 * Thread: any, on different data. Real-time: no.
 */
#include "offline/sparsing/cluster.h"

#include "base/check.h"

/* Distance of eigenvalues, relative to their magnitude, that counts as one eigenvalue. Rounding moves the double
 * eigenvalue of a Jordan block by about the square root of the machine precision, 1.5e-8; this is a multiple of it. */
static const double ROUNDED_APART = 1e-6;

int wr_cluster_is_close(double complex a, double complex b, double gap)
{
    return cabs(a - b) <=
           (gap > 0.0 ? ROUNDED_APART : 0.0) + gap * wr_max(cabs(1.0 - a), cabs(1.0 - b));
}

int wr_cluster_make(int n, const double complex *value, double gap, int *ret_cluster)
{
    int n_cluster = 0;
    for (int i = 0; i < n; i++)
        ret_cluster[i] = -1;
    for (int i = 0; i < n; i++) {
        if (ret_cluster[i] >= 0)
            continue;
        ret_cluster[i] = n_cluster;
        /* Adds eigenvalues that are close to a member, until a pass finds no more. */
        for (int is_growing = 1; is_growing;) {
            is_growing = 0;
            for (int a = i; a < n; a++)
                for (int b = i; b < n && ret_cluster[a] == n_cluster; b++)
                    if (ret_cluster[b] < 0 && wr_cluster_is_close(value[a], value[b], gap)) {
                        ret_cluster[b] = n_cluster;
                        is_growing = 1;
                    }
        }
        n_cluster++;
    }
    return n_cluster;
}
