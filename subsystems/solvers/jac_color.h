/* The Jacobian df/dx in the order of its pattern: the model's own, or by colour from directional derivatives, or
 * differences where there are none.
 *
 * Columns that share no row are found together (Curtis, Powell, Reid, "On the estimation of
 * sparse Jacobian matrices", 1974), so a Jacobian costs as many evaluations as there are colours.
 * Increments: sqrt(eps) * max(|x_i|, 0.01 nominal_i) away from zero; where f cannot be evaluated
 * there, towards it.
 *
 * Where only a part of the Jacobian is wanted, columns are coloured so that what is left out does not get into what is
 * kept (wr_sparsity_colour_partial()): fewer colours, and exactly the values that the whole Jacobian has there.
 *
 * Thread: one at a time. Real-time: evaluation.
 */
#ifndef WR_JAC_COLOR_H
#define WR_JAC_COLOR_H

#include "subsystems/solvers/integrator.h"

typedef struct wr_jac_color {
    const wr_equations *ode;
    const wr_sparsity *pattern; /* whose values are given: ode's or a part of it */
    double *all; /* [ode->pattern->n_nonzero] a part only: what the ODE's own Jacobian gives, */
    const int *place; /* [pattern->n_nonzero] and where its values are in it */
    int n_colour;
    const int *colour_start;  /* [n_colour + 1] into column */
    const int *column;        /* [n_x] columns by colour */
    double *x, *dx, *inverse; /* [n_x] work: shifted point, its slope, 1 / increment */
    double *change;           /* [n_x] all 0: a direction; NULL without tangent() */
} wr_jac_color;

/* NULL when out of memory. ode outlives it. */
wr_jac_color *wr_jac_color_place(wr_arena *arena, const wr_equations *ode);

/* The same of a part of ode's pattern only, which outlives it too; NULL also where it is no part of it. */
wr_jac_color *wr_jac_color_place_part(wr_arena *arena, const wr_equations *ode,
                                      const wr_sparsity *part);

/* Writes the values in the order of the pattern's rows; f = f(t, x). Counts. Returns 0, > 0 or < 0
 * as the callbacks of ode. */
int wr_jac_color_eval(wr_jac_color *jac, wr_integ_stats *stats, double t_s, const double *x,
                      const double *f, double *ret_values);

#endif
