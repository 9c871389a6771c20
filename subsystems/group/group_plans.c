/* See group_plans.h.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#include "subsystems/group/group_plans.h"

#include <string.h>

/* Requests the inputs that a component's callback reads: the pattern's, or all if it uses algebra() or no pattern is declared. */
static void want_inputs(const wr_group *group, int c, wrsim_pattern pattern,
                        wr_plan_request *request)
{
    const wr_component *const component = group->component[c];
    const wr_incidence *const incidence = &component->pattern[pattern];
    unsigned char *const need = request->need_u + group->u_start[c];
    if (component->n_w > 0)
        request->need_algebra[c] = 1;
    if (component->n_w > 0 || !incidence->is_declared)
        memset(need, 1, (size_t)component->n[WRSIM_INPUT]);
    else
        for (int i = 0; i < incidence->n; i++)
            need[incidence->column[i]] = 1;
}

static void want_all_inputs(const wr_group *group, int c, wr_plan_request *request)
{
    memset(request->need_u + group->u_start[c], 1, (size_t)group->component[c]->n[WRSIM_INPUT]);
    request->need_algebra[c] = group->component[c]->n_w > 0;
}

/* As want_inputs() for some components. what: f, indicators, events, or (WRSIM_KIND_COUNT) ends of steps. */
static void want_for_some(const wr_group *group, wrsim_kind what, const int *some, int n,
                          wr_plan_request *request)
{
    for (int i = 0; i < n; i++) {
        const int c = some ? some[i] : i;
        const wr_component *const component = group->component[c];
        if (what == WRSIM_STATE && component->n[WRSIM_STATE] > 0)
            want_inputs(group, c, WRSIM_U_X, request);
        else if (what == WRSIM_INDICATOR && component->n[WRSIM_INDICATOR] > 0)
            want_inputs(group, c, WRSIM_U_Z, request);
        else if (what == WRSIM_DISCRETE && component->model->event)
            want_all_inputs(group, c, request);
        else if (what == WRSIM_KIND_COUNT && component->model->step_completed)
            want_all_inputs(group, c, request);
    }
}

/* only: a component, or -1 for all. what: as in want_for_some(), or outputs. */
static void want_for(const wr_group *group, wrsim_kind what, int only, wr_plan_request *request)
{
    want_for_some(group, what, only >= 0 ? &only : NULL, only >= 0 ? 1 : group->n_component,
                  request);
    if (what == WRSIM_OUTPUT && group->n_y > 0)
        memset(request->need_y, 1, (size_t)group->n_y);
}

static const wr_plan *plan_for_place(wr_arena *arena, const wr_group *group, wrsim_kind what,
                                     int only)
{
    wr_plan_request request;
    const wr_plan *plan = NULL;
    if (wr_plan_request_init(&request, group) == 0) {
        want_for(group, what, only, &request);
        plan = wr_plan_place(arena, group, &request);
    }
    wr_plan_request_done(&request);
    return plan;
}

const wr_plan *wr_group_plan_for(wr_arena *arena, const wr_group *group, wrsim_kind what,
                                 const int *component, int n)
{
    wr_plan_request request;
    const wr_plan *plan = NULL;
    if (wr_plan_request_init(&request, group) == 0) {
        want_for_some(group, what, component, n, &request);
        plan = wr_plan_place(arena, group, &request);
    }
    wr_plan_request_done(&request);
    return plan;
}

/* If the plan of f finds all inputs of the indicators, or would without further calls, one plan serves both. */
static void share_plan(wr_arena *arena, wr_group *group, wr_plan_request *rhs,
                       const wr_plan_request *indicator)
{
    wr_group_plans *const plans = group->plans;
    plans->is_rhs_enough = wr_plan_request_contains(rhs, indicator, group);
    if (plans->is_rhs_enough || !plans->rhs)
        return;
    wr_plan_request_add(rhs, indicator, group);
    const wr_plan *const both = wr_plan_place(arena, group, rhs);
    plans->is_rhs_enough =
        both && both->n_step == plans->rhs->n_step && both->n_algebra == plans->rhs->n_algebra;
    if (plans->is_rhs_enough)
        plans->rhs = both;
}

static void smooth_plans_place(wr_arena *arena, wr_group *group)
{
    wr_group_plans *const plans = group->plans;
    wr_plan_request rhs, indicator;
    const int rc_rhs = wr_plan_request_init(&rhs, group);
    const int rc_indicator = wr_plan_request_init(&indicator, group);
    if (rc_rhs == 0 && rc_indicator == 0) {
        want_for(group, WRSIM_STATE, -1, &rhs);
        want_for(group, WRSIM_INDICATOR, -1, &indicator);
        plans->rhs = wr_plan_place(arena, group, &rhs);
        wr_arena_cold(arena, group->n_z == 0);
        plans->indicator = wr_plan_place(arena, group, &indicator);
        wr_arena_cold(arena, 0);
        share_plan(arena, group, &rhs, &indicator);
    }
    wr_plan_request_done(&rhs);
    wr_plan_request_done(&indicator);
}

/* Places one plan per component for its indicators or its event, into *ret_plan. Placing takes time and memory in proportion to
 * components times variables, so large groups, and groups of one component, have no such plans. */
enum { MAX_PLAN_SIZE = 200000 };

static int plans_of_components_place(wr_arena *arena, wr_group *group, wrsim_kind what,
                                     const wr_plan ***ret_plan)
{
    const int n = group->n_component;
    if (group->n_z == 0 || n < 2 || group->n_u + group->n_y > MAX_PLAN_SIZE / n)
        return 0;
    const wr_plan **const plan = WR_NEW_ARRAY(arena, const wr_plan *, n);
    if (!plan)
        return -1;
    for (int c = 0; c < n; c++) {
        const wr_component *const component = group->component[c];
        if (what == WRSIM_INDICATOR ? component->n[WRSIM_INDICATOR] == 0 : !component->model->event)
            continue;
        plan[c] = plan_for_place(arena, group, what, c);
        if (!plan[c])
            return -1;
    }
    *ret_plan = plan;
    return 0;
}

int wr_group_plans_place(wr_arena *arena, wr_group *group)
{
    wr_group_plans *const plans = group->plans;
    wr_arena_cold(arena, 0);
    smooth_plans_place(arena, group);
    wr_arena_cold(arena, 1);
    plans->event = plan_for_place(arena, group, WRSIM_DISCRETE, -1);
    plans->output = plan_for_place(arena, group, WRSIM_OUTPUT, -1);
    if (plans->n_step_completed > 0) {
        plans->step = plan_for_place(arena, group, WRSIM_KIND_COUNT, -1);
        if (!plans->step)
            return -1;
    }
    if (!plans->rhs || !plans->indicator || !plans->event || !plans->output)
        return -1;
    const int rc = plans_of_components_place(arena, group, WRSIM_INDICATOR, &plans->indicator_of);
    return rc == 0 ? plans_of_components_place(arena, group, WRSIM_DISCRETE, &plans->event_of) : rc;
}

void wr_group_plan_reads(const wr_group *group, const wr_plan *plan, unsigned char *ret_is_read)
{
    const wr_plan *const read = plan ? plan : group->plans->indicator;
    memset(ret_is_read, 0, (size_t)group->n_external);
    for (int i = 0; i < read->n_read; i++)
        ret_is_read[read->read[i]] = 1;
}
