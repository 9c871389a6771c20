/* All or listed indicators of a group, by event blocks where it has some. Returns as the evaluations of group_eval.h.
 *
 * Thread: one at a time. Real-time: yes, with models that are.
 */
#ifndef WR_GROUP_INDICATORS_H
#define WR_GROUP_INDICATORS_H

#include "subsystems/group/group_layout.h"

int wr_group_indicators(wr_group *group, const wr_group_point *point, double *ret_z);
/* f and the indicators at one point share the evaluation of outputs and algebra() in two orders: f, then indicators_after_rhs() if
 * wr_group_can_follow() returns 1 for f's time; or indicators_before_rhs(), then wr_group_rhs_after_indicators(). The caller changes neither
 * point nor arrays in between. Results have the same bits as separate evaluations. */
int wr_group_indicators_after_rhs(wr_group *group, double *ret_z);
int wr_group_indicators_before_rhs(wr_group *group, const wr_group_point *point, double *ret_z);
/* Evaluates at least the listed indicators (ascending, n > 0) into their places in z[n_z]; *ret_is_all: it has evaluated all. The same
 * bits as wr_group_indicators(). */
int wr_group_indicators_listed(wr_group *group, const wr_group_point *point, const int *indicator,
                               int n, double *ret_z, int *ret_is_all);

#endif
