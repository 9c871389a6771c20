/* Directional derivatives of a group, from its models' tangent().
 *
 * Thread: one at a time. Real-time: yes, with models that are.
 */
#ifndef WR_GROUP_TANGENT_H
#define WR_GROUP_TANGENT_H

#include "subsystems/group/group_plan.h"

/* Do all models that the plan calls have tangent(), and does the plan solve no algebraic loop? plan NULL: the plan of f. */
int wr_group_has_tangent(const wr_group *group, const wr_plan *plan);
/* Find the derivatives of f, or of the plan's outputs, at the point along x_change[n_x] and external_change[n_external] (NULL: zero).
 * Only the plan's outputs are written to ret_dy[n_y]. Results may be infinite or NaN. Return 0, or 1 without a fault if a model refuses. */
int wr_group_tangent(wr_group *group, const wr_group_point *point, const double *x_change,
                     const double *external_change, double *ret_dx);
int wr_group_tangent_outputs(wr_group *group, const wr_plan *plan, const wr_group_point *point,
                             const double *x_change, const double *external_change, double *ret_dy);

#endif
