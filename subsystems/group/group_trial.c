/* Tries the callbacks of a group at the start. See group.h. Thread: one at a time. Real-time: no (start). */
#include "subsystems/group/group.h"

#include "subsystems/group/group_fault.h"
#include "subsystems/group/group_plan.h"
#include "subsystems/model_host/guard.h"

#define UNWRITTEN(callback, array)                                                                 \
    callback "() of its model does not write this value; write each element of " array

/* The callbacks with one array of results, by the kind of the results; WRSIM_KIND_COUNT: w. */
static const struct {
    const char *callback, *unwritten;
} texts[] = {[WRSIM_OUTPUT] = {"output", UNWRITTEN("output", "ret_y")},
             [WRSIM_STATE] = {"rhs", UNWRITTEN("rhs", "ret_dx")},
             [WRSIM_INDICATOR] = {"indicator", UNWRITTEN("indicator", "ret_z")}};

/* Calls one callback of component c at the prepared point, and drops the results. Returns 0, or -1 with the fault set. */
static int try_callback(wr_group *group, int c, wrsim_kind kind)
{
    const wr_component *const component = group->component[c];
    const wrsim_model *const model = component->model; /* not the caller's model, which counts */
    wr_caller *const caller = wr_group_caller(group, c);
    double *const value = group->values->trial;
    int (*const callback)(wrsim_instance *, const wrsim_point *, double *) =
        kind == WRSIM_OUTPUT  ? model->output
        : kind == WRSIM_STATE ? model->rhs
                              : model->indicator;
    const int n = component->n[kind];
    if (!callback || n == 0)
        return 0;
    wr_guard_set(value, (size_t)n);
    wr_calling_begin(caller->name, texts[kind].callback, wr_group_time(group));
    const int rc = callback(&caller->instance, wr_group_point_now(group, caller), value);
    wr_calling_end();
    caller->instance.message = NULL;
    for (int i = 0; i < n && rc == 0; i++)
        if (wr_guard_count(&value[i], 1) > 0 &&
            !(component->variable[kind][i].flags & WRSIM_IS_STATE))
            return wr_group_set_fault(group, WRSIM_E_CALLBACK, wr_group_time(group), c, kind, i,
                                      texts[kind].unwritten, -1);
    return 0; /* the run reports a failed call */
}

/* Tries output() of the components that the evaluated plan calls. */
static int try_outputs(wr_group *group, const wr_plan *plan)
{
    int n, rc = 0;
    const int *const output = wr_group_plan_gives(plan, &n);
    for (int i = 0, c = -1; i < n && rc == 0; i++)
        if (wr_group_owner_of_output(group, output[i]) != c) {
            c = wr_group_owner_of_output(group, output[i]);
            rc = try_callback(group, c, WRSIM_OUTPUT);
        }
    return rc;
}

int wr_group_try(wr_group *group, const wr_group_point *point, int n_plan,
                 const wr_plan *const *plan)
{
    const wr_group_plans *const plans = group->plans;
    const struct {
        const wr_plan *plan;
        wrsim_kind kind;
        int n;
        const wr_call *call;
    } calls[] = {
        {plans->rhs, WRSIM_STATE, plans->n_rhs_call, plans->rhs_call},
        {plans->indicator, WRSIM_INDICATOR, plans->n_indicator_call, plans->indicator_call}};
    int rc = 0;
    for (int k = 0; k < 2 && rc == 0; k++) {
        if (calls[k].n == 0 || wr_group_prepare(group, calls[k].plan, point) != 0)
            continue;
        rc = try_outputs(group, calls[k].plan);
        for (int i = 0; i < calls[k].n && rc == 0; i++)
            rc = try_callback(group, calls[k].call[i].i_component, calls[k].kind);
    }
    for (int k = 0; k < n_plan && rc == 0; k++)
        if (plan[k] && wr_group_evaluate(group, plan[k], point, NULL) == 0)
            rc = try_outputs(group, plan[k]);
    if (rc == 0)
        group->fault = (wr_fault){0};
    wr_group_forget(group);
    wr_group_forget_indicators(group);
    return rc;
}
