/* Evaluates a group at a point: outputs along a plan, right-hand sides, indicators of some components, the Jacobian.
 *
 * Every evaluation returns 0; > 0 if the caller may retry; < 0 if it is fatal. After a failure group->fault has the component and
 * the reason. Results are checked to be finite.
 *
 * Thread: one at a time. Real-time: yes, with models that are.
 */
#ifndef WR_GROUP_EVAL_H
#define WR_GROUP_EVAL_H

#include "subsystems/group/group_plan.h"

int wr_group_rhs(wr_group *group, const wr_group_point *point, double *ret_dx);
/* As wr_group_rhs() right after wr_group_indicators_before_rhs() at the same point: evaluates outputs once for both. */
int wr_group_rhs_after_indicators(wr_group *group, const wr_group_point *point, double *ret_dx);
/* Call this after a value or a mode in the point's arrays has changed: the next evaluation reuses no results. */
void wr_group_forget(wr_group *group);
/* Evaluates all outputs into y[n_y]. */
int wr_group_outputs(wr_group *group, const wr_group_point *point, double *ret_y);
/* Writes the plan's outputs into y[n_y]; the others are unspecified. y NULL: read the outputs from wr_group_evaluated() before the next
 * evaluation of the group. */
int wr_group_evaluate(wr_group *group, const wr_plan *plan, const wr_group_point *point, double *y);
const double *wr_group_evaluated(const wr_group *group);
/* Returns 0 if all states are finite, else 1 with the fault set. */
int wr_group_check_state(wr_group *group, double t_s, const double *x);

/* Evaluates the plan at the point, then algebra(). */
int wr_group_prepare(wr_group *group, const wr_plan *plan, const wr_group_point *point);

/* Points the components' arrays and ports to the point, without an evaluation. */
void wr_group_turn(wr_group *group, const wr_group_point *point);
/* Was the last evaluation at these arrays and this time? */
int wr_group_is_prepared_at(const wr_group *group, const wr_group_point *point);

/* Evaluate the indicators at the prepared point, and check that indicators are finite. */
int wr_group_call_indicators(wr_group *group, double *ret_z);
int wr_group_check_indicators(wr_group *group, const double *z);

/* Can wr_group_indicators_after_rhs() follow f at this time? */
int wr_group_can_follow(const wr_group *group, double t_s);
/* Number of indicator values evaluated so far. */
int64_t wr_group_indicator_values(const wr_group *group);
/* Evaluates the indicators of n components. The plan finds their inputs. */
int wr_group_indicators_of_some(wr_group *group, const wr_plan *plan, const wr_group_point *point,
                                int n, const int *component, double *ret_z);

/* Returns the component whose computed output drives an input (group number), and sets the output's last value. -1: no computed output
 * drives the input. */
int wr_group_driver_of(const wr_group *group, int i_input, double *ret_value);

/* Does every component have a Jacobian, and does no algebraic path exist? */
int wr_group_has_jacobian(const wr_group *group);
/* Values of df/dx in the order of pattern_xx->row. Needs wr_group_has_jacobian(). */
int wr_group_jacobian(wr_group *group, const wr_group_point *point, double *ret_values);

#endif
