/* A method's region of absolute stability in a box of the plane q = h lambda, as polygons for drawings.
 *
 * In each row of the box, samples and bisection give intervals of stable q. Intervals of neighbouring rows that
 * overlap one to one form a polygon. So the region may have any shape.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_REGION_H
#define WR_REGION_H

#include "offline/stability/amplification.h"

typedef struct wr_region {
    double x_low, x_high, y_low, y_high;
    int n_polygon;
    int *n;        /* [n_polygon] number of points of each polygon */
    double *x, *y; /* coordinates of all points */
} wr_region;

/* Chooses a box that shows the region. For an unbounded region the box shows the boundary. */
void wr_region_box(const wr_amplification *a, wr_region *ret_region);

/* Finds the polygons within the box. Returns WRSIM_OK or WRSIM_E_MEMORY. wr_region_done() frees the polygons. */
wrsim_status wr_region_find(const wr_amplification *a, wr_region *region);
void wr_region_done(wr_region *region);

#endif
