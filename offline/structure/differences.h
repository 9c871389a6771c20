/* Central differences at a view's point: derivatives of state derivatives, outputs and indicators by one variable.
 *
 * The increment is the cube root of DBL_EPSILON times the larger one of variable and nominal value (J. Nocedal and
 * S. Wright, "Numerical Optimization", 2006, section 8.1). The error is about 1e-10 of the function's scale. If a
 * function does not depend on the variable, the difference is exactly 0. If a model refuses
 * one side, the difference takes the other side. If a model refuses both sides, the increment becomes a thousandth.
 *
 * Thread: the view's owner. Real-time: no. */
#ifndef WR_DIFFERENCES_H
#define WR_DIFFERENCES_H

#include "offline/structure/view.h"

/* Results of an evaluation, with the sizes of the view; one block of memory. */
typedef struct wr_values {
    int n_x, n_y, n_z;
    double *dx, *y, *z;
} wr_values;

/* Returns 0, or -1 when out of memory. */
int wr_values_init(wr_values *values, const wr_view *view);
void wr_values_done(wr_values *values);

/* Workspace of the differences. */
typedef struct wr_differences {
    wr_view *view;
    wr_values at, low, high; /* results at the point itself, and on both sides */
} wr_differences;

/* Evaluates at the view's point. Returns WRSIM_OK, or a negative status with err, such as an error of a model. */
wrsim_status wr_differences_begin(wr_differences *d, wr_view *view, wrsim_error *err);
void wr_differences_done(wr_differences *d);

/* Writes the derivatives by *variable, an element of the view's x, d or u with the given nominal value. Returns 0,
 * or 1 if the models can be evaluated on neither side. Restores the view. */
int wr_differences_by(wr_differences *d, double *variable, double nominal, wr_values *ret);

#endif
