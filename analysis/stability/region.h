/* A method's region of absolute stability in a box of the plane of q = h lambda, as polygons to be drawn.
 *
 * Row by row the intervals of stable q are found and their ends bisected; those of neighbouring rows that meet one to one are one
 * polygon. So nothing is assumed of the region's shape.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_REGION_H
#define WR_REGION_H

#include "analysis/stability/amplification.h"

typedef struct wr_region {
    double x_low, x_high, y_low, y_high;
    int n_polygon;
    int *n;        /* [n_polygon] points of each */
    double *x, *y; /* all points */
} wr_region;

/* A box in which the region, or its boundary where it has no end, is well seen. */
void wr_region_box(const wr_amplification *a, wr_region *ret_region);

/* Fills in the polygons within the box. WRSIM_OK or WRSIM_E_MEMORY; wr_region_done() frees them. */
wrsim_status wr_region_find(const wr_amplification *a, wr_region *region);
void wr_region_done(wr_region *region);

#endif
