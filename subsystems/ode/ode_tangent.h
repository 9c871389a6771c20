/* Directional derivatives of the right-hand side and of published outputs, and the effect of a change of inputs on a window.
 *
 * Thread: one at a time. Real-time: yes after creation.
 */
#ifndef WR_ODE_TANGENT_H
#define WR_ODE_TANGENT_H

#include "subsystems/ode/ode_parts.h"

int wr_ode_tangent(wr_subsystem *s, const double *x_change, const double *u_change, double *ret_dx);
int wr_ode_tangent_outputs(wr_subsystem *s, const double *x_change, const double *u_change,
                           double *ret_dy);
int wr_ode_tangent_discrete(wr_subsystem *s, const double *d_change, double *ret_dx,
                            double *ret_dy);
const wr_matrix *wr_ode_pattern(const wr_subsystem *s, wr_arena *arena);
double wr_ode_effect(wr_subsystem *s, const double *change, double length_s,
                     const double *output_weight);

#endif
