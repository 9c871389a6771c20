/* Central differences at a view's point: how derivatives of states, outputs and indicators follow one variable.
 *
 * The increment is the cube root of the machine's epsilon times the variable or its nominal value, whichever is larger (Nocedal
 * and Wright, Numerical Optimization, 2006, section 8.1): the error is about 1e-10 of what the function's scale is. What
 * does not depend on the variable differs by exactly 0. Where a model cannot be evaluated on one side the other side is
 * taken, and then a thousandth of the increment.
 *
 * Thread: the view's owner. Real-time: no.
 */
#ifndef WR_DIFFERENCES_H
#define WR_DIFFERENCES_H

#include "analysis/structure/view.h"

/* Results of evaluations, as many as the view has; one block of memory. */
typedef struct wr_values {
    int n_x, n_y, n_z;
    double *dx, *y, *z;
} wr_values;

/* 0, or -1 when out of memory. */
int wr_values_init(wr_values *values, const wr_view *view);
void wr_values_done(wr_values *values);

/* What it needs beside the result. */
typedef struct wr_differences {
    wr_view *view;
    wr_values at, low, high; /* at: at the point itself */
} wr_differences;

/* Evaluates at the view's point. WRSIM_OK, or a negative status with err filled, as what models report there. */
wrsim_status wr_differences_begin(wr_differences *d, wr_view *view, wrsim_error *err);
void wr_differences_done(wr_differences *d);

/* The derivatives by *variable, an element of the view's x, d or u, which has that nominal value, into ret. Returns 0, or 1
 * where the models can be evaluated on neither side. The view is as before. */
int wr_differences_by(wr_differences *d, double *variable, double nominal, wr_values *ret);

#endif
