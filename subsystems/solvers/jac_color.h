/* The Jacobian df/dx in the order of its pattern: from the model, or by colours from directional derivatives or
 * differences.
 *
 * Columns that share no row are evaluated together (Curtis, Powell, Reid, "On the estimation of
 * sparse Jacobian matrices", 1974), so a Jacobian costs one evaluation per colour.
 * Increments: sqrt(eps) * max(|x_i|, 0.01 nominal_i) away from zero, or towards zero if f fails there.
 *
 * For a part of the Jacobian, the columns are coloured so that omitted entries do not disturb kept ones
 * (wr_sparsity_colour_partial()): fewer colours, with the same values as in the whole Jacobian.
 *
 * Thread: one at a time. Real-time: evaluation.
 */
#ifndef WR_JAC_COLOR_H
#define WR_JAC_COLOR_H

#include "subsystems/solvers/integrator.h"

typedef struct wr_jac_color {
    const wr_equations *ode;
    const wr_matrix *pattern; /* pattern of the result: ode's, or a part of it */
    double *all; /* [ode->pattern->n_nonzero] a part only: what the ODE's own Jacobian gives, */
    const int *place; /* [pattern->n_nonzero] and where its values are in it */
    int n_colour;
    const int *colour_start;  /* [n_colour + 1] into column */
    const int *column;        /* [n_x] columns by colour */
    double *x, *dx, *inverse; /* [n_x] work: shifted point, its slope, 1 / increment */
    double *change;           /* [n_x] all 0: a direction; NULL without tangent() */
} wr_jac_color;

/* Places the object for ode's pattern; ode outlives it. NULL when out of memory. */
wr_jac_color *wr_jac_color_place(wr_arena *arena, const wr_equations *ode);

/* As wr_jac_color_place() for a part of ode's pattern, which outlives the object, too. NULL also if it is no part. */
wr_jac_color *wr_jac_color_place_part(wr_arena *arena, const wr_equations *ode,
                                      const wr_matrix *part);

/* Writes the values in the order of the pattern's rows; f = f(t, x). Counts. Returns 0, > 0 or < 0
 * as the callbacks of ode. */
int wr_jac_color_eval(wr_jac_color *jac, wr_integ_stats *stats, double t_s, const double *x,
                      const double *f, double *ret_values);

#endif
