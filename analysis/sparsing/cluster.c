/* Clusters of eigenvalues. See cluster.h.
 *
 * Thread: any, on different data. Real-time: no.
 */
#include "analysis/sparsing/cluster.h"

#include "base/check.h"

/* Eigenvalues of a Jordan block of two are apart by the root of the machine's epsilon once rounded: those are one. */
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
        /* Whoever is close to a member is one; a pass that finds nobody ends it. */
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
