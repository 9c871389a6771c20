/* The plans that every group has: for right-hand sides, indicators, events, outputs and ends of steps.
 *
 * Thread: one at a time. Real-time: reading yes, placing no.
 */
#ifndef WR_GROUP_PLANS_H
#define WR_GROUP_PLANS_H

#include "subsystems/group/group_plan.h"

typedef struct wr_group_plans {
    const wr_plan *rhs;
    int is_rhs_enough; /* rhs gives all that indicators need, too */
    int n_rhs_call, n_indicator_call;
    const wr_call *rhs_call;       /* of components that have states */
    const wr_call *indicator_call; /* of components that have indicators */
    const wr_plan *indicator, *event, *output;
    const wr_plan **indicator_of; /* [n_component] or NULL: one component's indicators */
    const wr_plan **event_of;     /* the same of its event */
    int n_step_completed;
    const int *step_completed; /* [n_step_completed] components that have step_completed() */
    const wr_plan *step;       /* of these; NULL: there are none */
} wr_group_plans;

/* Fills plans of group->plans, whose calls are placed. 0, or -1 when out of memory. */
int wr_group_plans_place(wr_arena *arena, wr_group *group);

/* A plan for the indicators or the events (WRSIM_DISCRETE) of some components. NULL when out of memory. */
const wr_plan *wr_group_plan_for(wr_arena *arena, const wr_group *group, wrsim_kind what,
                                 const int *component, int n);

/* Sets ret_is_read[n_external] to which external inputs an evaluation of the plan reads; plan NULL: one of
 * the indicators. */
void wr_group_plan_reads(const wr_group *group, const wr_plan *plan, unsigned char *ret_is_read);

#endif
