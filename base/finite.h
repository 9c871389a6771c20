/* Tests arrays for values that are not finite. Thread: any. Real-time: yes. */
#ifndef WR_FINITE_H
#define WR_FINITE_H

#include <float.h>
#include <math.h>

/* Returns a sum that contains each of the n values at least once. Independent partial sums shorten the chain of additions; the last
 * block of values overlaps the previous block. */
static inline double sum_of(const double *value, int n)
{
    enum { SUMS = 8 };
    double total = 0;
    if (n < SUMS) {
        for (int i = 0; i < n; i++)
            total += value[i];
        return total;
    }
    double sum[SUMS] = {0};
    for (int i = 0; i < n - SUMS; i += SUMS)
        for (int k = 0; k < SUMS; k++)
            sum[k] += value[i + k];
    for (int k = 0; k < SUMS; k++)
        sum[k] += value[n - SUMS + k];
    for (int k = 0; k < SUMS / 2; k++)
        sum[k] += sum[k + SUMS / 2];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* Returns 0 if all values are finite, else 1. A sum with a value that is not finite is not finite. If a sum of finite values overflows, the
 * function tests each value. */
static inline int wr_has_bad(const double *value, int n)
{
    if (fabs(sum_of(value, n)) <= DBL_MAX)
        return 0;
    for (int i = 0; i < n; i++)
        if (!(fabs(value[i]) <= DBL_MAX))
            return 1;
    return 0;
}

#endif
