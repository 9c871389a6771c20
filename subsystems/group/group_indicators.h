/* Evaluates all or listed indicators of a group, by event blocks if the group has blocks. Returns as the evaluations of group_eval.h.
 *
 * Thread: one at a time. Real-time: yes, with models that are.
 */
#ifndef WR_GROUP_INDICATORS_H
#define WR_GROUP_INDICATORS_H

#include "subsystems/group/group_layout.h"

int wr_group_indicators(wr_group *group, const wr_group_point *point, double *ret_z);
/* f and the indicators at one point share the evaluation of outputs and algebra() in two orders. Either f comes first, then
 * indicators_after_rhs() if wr_group_can_follow() returns 1 for the time of f. Or indicators_before_rhs() comes first, then
 * wr_group_rhs_after_indicators(). The caller changes neither point nor arrays in between. Results have the same bits as separate
 * evaluations. */
int wr_group_indicators_after_rhs(wr_group *group, double *ret_z);
int wr_group_indicators_before_rhs(wr_group *group, const wr_group_point *point, double *ret_z);
/* Evaluates at least the listed indicators (ascending, n > 0) into their places in z[n_z], with the bits of wr_group_indicators().
 * *ret_is_all: all indicators are evaluated. */
int wr_group_indicators_listed(wr_group *group, const wr_group_point *point, const int *indicator,
                               int n, double *ret_z, int *ret_is_all);

#endif
