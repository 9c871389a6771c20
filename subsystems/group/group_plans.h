/* The plans that every group has: for right-hand sides, indicators, events, outputs and ends of steps.
 *
 * Thread: one at a time. Real-time: reading yes, placing no.
 */
#ifndef WR_GROUP_PLANS_H
#define WR_GROUP_PLANS_H

#include "subsystems/group/group_plan.h"

typedef struct wr_group_plans {
    const wr_plan *rhs;
    int is_rhs_enough; /* rhs finds all inputs of the indicators, too */
    int n_rhs_call, n_indicator_call;
    const wr_call *rhs_call;       /* [n_rhs_call] calls of components with states */
    const wr_call *indicator_call; /* [n_indicator_call] calls of components with indicators */
    const wr_plan *indicator, *event, *output;
    const wr_plan **indicator_of; /* [n_component] plans for one component's indicators; or NULL */
    const wr_plan **event_of;     /* [n_component] plans for one component's event; or NULL */
    int n_step_completed;
    const int *step_completed; /* [n_step_completed] components that have step_completed() */
    const wr_plan *step;       /* plan for the calls of step_completed(); NULL: none */
} wr_group_plans;

/* The plan that finds the inputs of right-hand sides. */
WR_GROUP_GET(const wr_plan *, rhs_plan, plans->rhs)

/* Calls of components with states, and with indicators. */
static inline const wr_call *wr_group_rhs_calls(const wr_group *group, int *ret_n)
{
    *ret_n = group->plans->n_rhs_call;
    return group->plans->rhs_call;
}
static inline const wr_call *wr_group_indicator_calls(const wr_group *group, int *ret_n)
{
    *ret_n = group->plans->n_indicator_call;
    return group->plans->indicator_call;
}

/* Fills the plans of group->plans. The calls are placed before. 0, or -1 when out of memory. */
int wr_group_plans_place(wr_arena *arena, wr_group *group);

/* Places a plan for the indicators or the events (WRSIM_DISCRETE) of n components. NULL when out of memory. */
const wr_plan *wr_group_plan_for(wr_arena *arena, const wr_group *group, wrsim_kind what,
                                 const int *component, int n);

/* Flags in ret_is_read[n_external] the external inputs that the plan reads; plan NULL: the plan of the indicators. */
void wr_group_plan_reads(const wr_group *group, const wr_plan *plan, unsigned char *ret_is_read);

#endif
