/* Directional derivatives of a group, by those of its models.
 *
 * Thread: one at a time. Real-time: yes, with models that are.
 */
#ifndef WR_GROUP_TANGENT_H
#define WR_GROUP_TANGENT_H

#include "subsystems/group/group_plan.h"

/* Directional derivatives by the models' tangent(): of f, and of what a plan gives, at the point along x_change[n_x] and
 * external_change[n_external] (NULL: inputs stay). ret_dy[n_y] is written where the plan gives something. Available where all models that are
 * evaluated on the way have them, and no algebraic loop is (plan NULL: of f). Return as evaluations, but no fault is set;
 * nothing is checked to be finite. */
int wr_group_has_tangent(const wr_group *group, const wr_plan *plan);
int wr_group_tangent(wr_group *group, const wr_group_point *point, const double *x_change,
                     const double *external_change, double *ret_dx);
int wr_group_tangent_outputs(wr_group *group, const wr_plan *plan, const wr_group_point *point,
                             const double *x_change, const double *external_change, double *ret_dy);

#endif
