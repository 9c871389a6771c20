/* All or listed indicators of a group, by event blocks where it has some. Returns as the evaluations of group_eval.h.
 *
 * Thread: one at a time. Real-time: yes, with models that are.
 */
#ifndef WR_GROUP_INDICATORS_H
#define WR_GROUP_INDICATORS_H

#include "subsystems/group/group_layout.h"

int wr_group_indicators(wr_group *group, const wr_group_point *point, double *ret_z);
/* What f and the indicators need of outputs and algebra() at one point is evaluated once where the
 * second comes right after the first: f then indicators where can_follow() says so for the time of
 * that f, indicators_before_rhs() then rhs_after_indicators(). The caller answers for nothing having
 * changed in between, not even in the arrays. The same bits as from separate evaluations. */
int wr_group_can_follow(const wr_group *group, double t_s);
int wr_group_indicators_after_rhs(wr_group *group, double *ret_z);
int wr_group_indicators_before_rhs(wr_group *group, const wr_group_point *point, double *ret_z);
/* The listed indicators (ascending, n > 0) at least, and only some others with them, or all: *ret_is_all. Into their places in
 * z[n_z]; the same bits. */
int wr_group_indicators_listed(wr_group *group, const wr_group_point *point, const int *indicator,
                               int n, double *ret_z, int *ret_is_all);
/* Indicators evaluated so far, each time each. */
int64_t wr_group_indicator_values(const wr_group *group);

#endif
