/* Chooses points of long curves for a picture: in each of many equal spans of time the first, the last, the lowest and the highest point.
 * A picture of the chosen points looks like a picture of all points if a span is narrower than a pixel. Each chosen point is a point of the
 * curve.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_THIN_H
#define WR_THIN_H

#include <stddef.h>

/* Largest number of points that wr_thin() keeps in a span of one curve: first, last, lowest, highest, and the first point that is not a
 * number. With a second curve: also its lowest and highest point, and the point of the largest difference. */
enum { WR_THIN_SPAN_POINTS = 5, WR_THIN_PAIR_POINTS = 8 };

/* Chooses points of a curve, and the same points of a second curve (NULL: no second curve). t_s[n] are ascending times, s. cap: largest number of
 * chosen points, at least WR_THIN_PAIR_POINTS. If n <= cap, chooses all points. Writes the ascending indices to ret_index[n]. Returns
 * the number of chosen points. */
size_t wr_thin(size_t n, const double *t_s, const double *value, const double *second, size_t cap,
               size_t *ret_index);

#endif
