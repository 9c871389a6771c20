/* The Jacobian df/dx in the order of its pattern: from the model, or by colours from directional derivatives or differences.
 *
 * Columns of one colour share no row (Curtis, Powell, Reid, "On the estimation of sparse Jacobian matrices", 1974), so a Jacobian takes one
 * evaluation per colour. The increment of a state is sqrt(eps) max(|x_i|, 0.01 nominal_i) away from zero, or towards zero if f fails.
 *
 * For a part of the Jacobian, wr_sparsity_colour_partial() colours the columns so that omitted entries do not disturb used entries. The
 * part usually needs fewer colours, and has the same values as the whole Jacobian.
 *
 * Thread: one at a time. Real-time: evaluation.
 */
#ifndef WR_JAC_COLOR_H
#define WR_JAC_COLOR_H

#include "subsystems/solvers/integrator.h"

typedef struct wr_jac_color {
    const wr_equations *ode;
    const wr_matrix
        *pattern; /* pattern of the result: the pattern of ode, or a subset of that pattern */
    double *all;  /* [ode->pattern->n_nonzero] the model's Jacobian, if pattern is a subset */
    const int *
        place; /* [pattern->n_nonzero] places of the entries in all; NULL: pattern is the pattern of ode */
    int n_colour;
    const int *colour_start;  /* [n_colour + 1] first index of each colour in column */
    const int *column;        /* [n_x] columns by colour */
    double *x, *dx, *inverse; /* [n_x] work: shifted point, its slope, 1 / increment */
    double *kept;   /* [n_x] work: product of a kept Jacobian and a change of the states */
    double *change; /* [n_x] direction, 0 between evaluations; NULL without tangent() */
} wr_jac_color;

/* Places the object for the pattern of ode; ode outlives the object. Returns NULL when out of memory. */
wr_jac_color *wr_jac_color_place(wr_arena *arena, const wr_equations *ode);

/* Places the object for `part`, a subset of the pattern, like wr_jac_color_place(). part outlives the object. Returns NULL also if part has
 * an entry outside of the pattern. */
wr_jac_color *wr_jac_color_place_part(wr_arena *arena, const wr_equations *ode,
                                      const wr_matrix *part);

/* Writes the values in the order of pattern->row, and counts the evaluations. f = f(t, x). Returns as the callbacks of ode. */
int wr_jac_color_eval(wr_jac_color *jac, wr_integ_stats *stats, double t_s, const double *x,
                      const double *f, double *ret_values);

/* A point at which an earlier Jacobian is tested. */
typedef struct wr_jac_point {
    double t_s;
    const double *x, *f;     /* [n_x] state; f(t, x) */
    const double *tolerance; /* [n_x] > 0, tolerances of the states at a relative tolerance of 1 */
} wr_jac_point;

/* Returns the largest gamma > 0, s, for which values, an earlier Jacobian K, still serves Newton's method with the matrix I - gamma K;
 * INFINITY: no limit. One directional derivative, which counts as an evaluation of f, gives J v and K v at the point. The direction v moves
 * each state by at least the same share of its tolerance. In each component gamma |J v - K v| is at most half of the sum of that share and
 * the smaller of gamma |J v| and gamma |K v|. This bounds the rate of convergence by about a half. Returns 0 if the derivative is not available, or if a new Jacobian
 * takes no more evaluations, and -1 if f fails fatally. For objects of the whole pattern. */
double wr_jac_color_fits(wr_jac_color *jac, wr_integ_stats *stats, const wr_jac_point *at,
                         const double *values);

/* Returns the largest sum over a row of |entry| tolerance[column] / tolerance[row], the norm of a Jacobian in tolerances, 1/s. work: [n_x]. */
double wr_jac_color_norm(const wr_matrix *pattern, const double *values, const double *tolerance,
                         double *work);

#endif
