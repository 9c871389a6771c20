/* Piecewise linear tables whose segment is frozen between events, and the indicators of their breaks. Thread: any. Real-time: yes. */
#ifndef ENGINE_TABLE_H
#define ENGINE_TABLE_H

#include <stddef.h>

/* Returns the value at x of the table through (bx[i], by[i]), i = 0 .. n_break + 1. The n_break inner points are the breaks of the table.
 * mode[i] = 1: x is above bx[i + 1]; mode NULL: x selects the segment. The outer segments extend beyond the ends. The value is continuous
 * at the breaks. */
static inline double engine_table(const double *bx, const double *by, int n_break,
                                  const unsigned char *mode, double x)
{
    int k = 0;
    if (mode != NULL)
        for (int i = 0; i < n_break; i++)
            k += mode[i];
    else
        for (int i = 0; i < n_break; i++)
            k += x > bx[i + 1];
    return by[k] + (x - bx[k]) / (bx[k + 1] - bx[k]) * (by[k + 1] - by[k]);
}

/* Writes the indicators of n marks of x, such as a table's breaks. An indicator is positive if x is above the mark. */
static inline void engine_marks(const double *restrict mark, int n, double x, double scale,
                                double *restrict ret_z)
{
    for (int i = 0; i < n; i++)
        ret_z[i] = (x - mark[i]) * scale;
}

#endif
