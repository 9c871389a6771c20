/* Evaluates all or listed indicators of a group. See group.h. Thread: one at a time. Real-time: yes, with rt-safe models. */
#include "subsystems/group/group.h"

#include <string.h>

#include "subsystems/group/group_blocks.h"
#include "subsystems/group/group_plan.h"

/* Evaluates the indicators at the prepared point, by several workers if possible. After a failure one worker repeats the calls, so that the
 * function reports the first fault. */
static int call_shared_indicators(wr_group *group, double *ret_z)
{
    if (!group->blocks)
        return wr_group_call_indicators(group, ret_z);
    wr_group_blocks_overwrite(group, ret_z);
    return wr_group_n_thread(group) > 1 && wr_group_blocks_prepared(group, ret_z) == 0
               ? wr_group_check_indicators(group, ret_z)
               : wr_group_call_indicators(group, ret_z);
}

/* Evaluates all indicators. The plan finds the inputs of the indicators. */
static int all_indicators(wr_group *group, const wr_plan *plan, const wr_group_point *point,
                          double *ret_z)
{
    const int rc = wr_group_prepare(group, plan, point);
    return rc ? rc : call_shared_indicators(group, ret_z);
}

int wr_group_indicators(wr_group *group, const wr_group_point *point, double *ret_z)
{
    const int rc = group->blocks ? wr_group_blocks_again(group, point, ret_z) : WR_BLOCKS_UNKNOWN;
    return rc != WR_BLOCKS_UNKNOWN ? rc
                                   : all_indicators(group, group->plans->indicator, point, ret_z);
}

int wr_group_indicators_after_rhs(wr_group *group, double *ret_z)
{
    return call_shared_indicators(group, ret_z);
}

int wr_group_indicators_before_rhs(wr_group *group, const wr_group_point *point, double *ret_z)
{
    int rc = group->blocks ? wr_group_blocks_again(group, point, ret_z) : WR_BLOCKS_UNKNOWN;
    if (rc != WR_BLOCKS_UNKNOWN)
        return rc;
    /* If f fails at the point, the indicators alone may succeed, and an event may then change f. */
    if (group->plans->is_rhs_enough && wr_group_prepare(group, group->plans->rhs, point) == 0)
        rc = call_shared_indicators(group, ret_z);
    else
        rc = all_indicators(group, group->plans->indicator, point, ret_z);
    if (rc == 0)
        wr_group_keep_indicators(group, point, ret_z);
    return rc;
}

/* Largest number of components to evaluate singly (assumed). Above this number the evaluation of all components, or of their blocks, is
 * cheaper. */
enum { MOST_SINGLE = 4 };

int wr_group_indicators_listed(wr_group *group, const wr_group_point *point, const int *indicator,
                               int n, double *ret_z, int *ret_is_all)
{
    const wr_plan *const *const plan_of = group->plans->indicator_of;
    int component[MOST_SINGLE], n_single = 0, are_few = 1;
    for (int k = 0; k < n && are_few; k++) {
        const int c = group->owner_z[indicator[k]]; /* components ascend */
        if (n_single > 0 && component[n_single - 1] == c)
            continue;
        are_few = n_single < MOST_SINGLE;
        if (are_few)
            component[n_single++] = c;
    }
    wr_group_blocks_overwrite(group, ret_z);
    *ret_is_all = !are_few && !group->blocks;
    if (group->blocks && !(are_few && plan_of))
        return wr_group_blocks_listed(group, point, indicator, n, ret_z);
    if (!are_few || !plan_of)
        return wr_group_indicators(group, point, ret_z);
    int rc = 0;
    for (int k = 0; k < n_single && rc == 0; k++) {
        const int c = component[k];
        wr_group_count_indicators(group, group->z_start[c + 1] - group->z_start[c]);
        rc = wr_group_indicators_of_some(group, plan_of[c], point, 1, &c, ret_z);
    }
    return rc;
}
