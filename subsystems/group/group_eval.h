/* Evaluates a group at a point: outputs along a plan, right-hand sides, indicators of some components, the Jacobian.
 *
 * Every evaluation returns 0, > 0 = retry, < 0 = fatal; on non-zero group->fault has the component and the reason. Results
 * are checked to be finite.
 *
 * Thread: one at a time. Real-time: yes, with models that are.
 */
#ifndef WR_GROUP_EVAL_H
#define WR_GROUP_EVAL_H

#include "subsystems/group/group_plan.h"

int wr_group_rhs(wr_group *group, const wr_group_point *point, double *ret_dx);
/* As wr_group_rhs() right after wr_group_indicators_before_rhs() at the same point: evaluates outputs once for both. */
int wr_group_rhs_after_indicators(wr_group *group, const wr_group_point *point, double *ret_dx);
/* A value or a mode has changed at that point: the next evaluation evaluates all. */
void wr_group_forget(wr_group *group);
/* All outputs, y[n_y]. */
int wr_group_outputs(wr_group *group, const wr_group_point *point, double *ret_y);
/* Writes the plan's outputs into y[n_y] and leaves the others as they were or with any value. y NULL: they are to be read
 * where they are, wr_group_evaluated(), until the group evaluates anything else. */
int wr_group_evaluate(wr_group *group, const wr_plan *plan, const wr_group_point *point, double *y);
const double *wr_group_evaluated(const wr_group *group);
/* 0 when all states are finite; else the fault is set and 1 returned. */
int wr_group_check_state(wr_group *group, double t_s, const double *x);

/* All that the plan finds at the point, algebra() after it. */
int wr_group_prepare(wr_group *group, const wr_plan *plan, const wr_group_point *point);

/* Turns components' points and ports to that point: nothing is prepared there. */
void wr_group_turn(wr_group *group, const wr_group_point *point);
/* Whether the last evaluation was at these arrays and this time. */
int wr_group_is_prepared_at(const wr_group *group, const wr_group_point *point);

/* Indicators at the point prepared, and whether such are finite. */
int wr_group_call_indicators(wr_group *group, double *ret_z);
int wr_group_check_indicators(wr_group *group, const double *z);

/* Indicators of some components by a plan that gives what they need. */
int wr_group_indicators_of_some(wr_group *group, const wr_plan *plan, const wr_group_point *point,
                                int n, const int *component, double *ret_z);

/* The component whose computed output drives an input (group number), and its value as last evaluated; -1: it is a state,
 * external, or not connected. */
int wr_group_driver_of(const wr_group *group, int i_input, double *ret_value);

/* Values of df/dx in the order of pattern_xx->row when every component has a Jacobian and no
 * algebraic path exists; is_available tells. */
int wr_group_has_jacobian(const wr_group *group);
int wr_group_jacobian(wr_group *group, const wr_group_point *point, double *ret_values);

#endif
