/* Guards behind arrays that models write (group_guards.h), and a trial of the callbacks at the start (group.h).
 *
 * Thread: one at a time. Real-time: guards yes, trial no. */
#include "subsystems/group/group.h"

#include <string.h>

#include "subsystems/group/group_fault.h"
#include "subsystems/group/group_guards.h"
#include "subsystems/group/group_plan.h"
#include "subsystems/model_host/guard.h"

#define FEWER ", or write fewer elements"
#define RESULT(callback, array, declare)                                                           \
    {                                                                                              \
        callback,                                                                                  \
            callback "() of its model does not write this value; write each element of " array,    \
            WR_GUARD_TEXT(callback "()", array, declare FEWER)                                     \
    }
#define WRITER(callback)                                                                           \
    {                                                                                              \
        WR_GUARD_MEMORY(callback), WR_GUARD_DATA(callback),                                        \
            WR_GUARD_TEXT(callback, "x", "add a state in describe()" FEWER),                       \
            WR_GUARD_TEXT(callback, "d", "add a discrete state in describe()" FEWER)               \
    }

/* Callbacks with one array of results, and messages about wrong writes, by the kind of the results; WRSIM_KIND_COUNT: w. */
static const struct {
    const char *callback, *unwritten, *beyond;
} results[] = {[WRSIM_OUTPUT] = RESULT("output", "ret_y", "add an output in describe()"),
               [WRSIM_STATE] = RESULT("rhs", "ret_dx", "add a state in describe()"),
               [WRSIM_INDICATOR] = RESULT("indicator", "ret_z", "add an indicator in describe()"),
               [WRSIM_KIND_COUNT] = RESULT("algebra", "ret_w", "raise n_w in describe()")};

static const struct {
    const char *memory, *data, *x, *d;
} writers[] = {[WR_GUARDED_INIT] = WRITER("init()"),
               [WR_GUARDED_FROM_INPUTS] = WRITER("init_from_inputs()"),
               [WR_GUARDED_EVENT] = WRITER("event()"),
               [WR_GUARDED_STEP] = WRITER("step_completed()"),
               [WR_GUARDED_OTHER] = WRITER("a callback")};

static int set_fault(wr_group *group, int c, double t_s, const char *message)
{
    return wr_group_set_fault(group, WRSIM_E_CALLBACK, t_s, c, WRSIM_KIND_COUNT, -1, message, -1);
}

int wr_group_guard_check(wr_group *group, int c, double t_s, wr_guarded_call call)
{
    const wrsim_instance *const instance = &wr_group_caller(group, c)->instance;
    const void *const memory = wr_guard_behind(instance->memory, group->component[c]->memory_bytes);
    const void *const data = wr_guard_behind(instance->data, group->component[c]->data_bytes);
    if (memory && !wr_guard_is_kept(memory))
        return set_fault(group, c, t_s, writers[call].memory);
    if (data && !wr_guard_is_kept(data))
        return set_fault(group, c, t_s, writers[call].data);
    return 0;
}

void wr_group_guard_begin(wr_group *group, int c, const double *x, const double *d)
{
    const int n_x = group->component[c]->n[WRSIM_STATE],
              n_d = group->component[c]->n[WRSIM_DISCRETE];
    if (n_x > 0)
        memcpy(group->values->guarded, x, (size_t)n_x * sizeof *x);
    if (n_d > 0)
        memcpy(group->values->guarded_d, d, (size_t)n_d * sizeof *d);
    wr_guard_set(group->values->guarded + n_x);
    wr_guard_set(group->values->guarded_d + n_d);
}

int wr_group_guard_end(wr_group *group, int c, double t_s, wr_guarded_call call, double *x,
                       double *d)
{
    const int n_x = group->component[c]->n[WRSIM_STATE],
              n_d = group->component[c]->n[WRSIM_DISCRETE];
    if (n_x > 0)
        memcpy(x, group->values->guarded, (size_t)n_x * sizeof *x);
    if (n_d > 0)
        memcpy(d, group->values->guarded_d, (size_t)n_d * sizeof *d);
    if (!wr_guard_is_kept(group->values->guarded + n_x))
        return set_fault(group, c, t_s, writers[call].x);
    if (!wr_guard_is_kept(group->values->guarded_d + n_d))
        return set_fault(group, c, t_s, writers[call].d);
    return wr_group_guard_check(group, c, t_s, call);
}

int wr_group_check_end(wr_group *group, double t_s)
{
    int rc = 0;
    for (int c = 0; c < wr_group_n_started(group) && rc == 0; c++)
        rc = wr_group_guard_check(group, c, t_s, WR_GUARDED_OTHER);
    return rc;
}

/* Calls one callback of component c at the prepared point, and drops the results. Returns 0, or -1 with the fault set. */
static int try_callback(wr_group *group, int c, wrsim_kind kind)
{
    const wr_component *const component = group->component[c];
    const wrsim_model *const model =
        component->model; /* not the caller's model, which counts calls */
    wr_caller *const caller = wr_group_caller(group, c);
    double *const value = group->values->guarded;
    const double t_s = wr_group_time(group);
    int (*const callback)(wrsim_instance *, const wrsim_point *, double *) =
        kind == WRSIM_OUTPUT      ? model->output
        : kind == WRSIM_STATE     ? model->rhs
        : kind == WRSIM_INDICATOR ? model->indicator
                                  : model->algebra;
    const int n = (int)kind == WRSIM_KIND_COUNT ? component->n_w : component->n[kind];
    if (!callback || n == 0)
        return 0;
    wr_unwritten_set(value, (size_t)n);
    wr_guard_set(value + n);
    wr_calling_begin(caller->name, results[kind].callback, t_s);
    const int rc = callback(&caller->instance, wr_group_point_now(group, caller), value);
    wr_calling_end();
    caller->instance.message = NULL;
    if (!wr_guard_is_kept(value + n))
        return set_fault(group, c, t_s, results[kind].beyond);
    /* The run reports a failed call. If rhs() needs a w that algebra() does not write, the derivative is not finite. */
    for (int i = 0; i < n && rc == 0 && (int)kind != WRSIM_KIND_COUNT; i++)
        if (wr_is_unwritten(&value[i]) && !(component->variable[kind][i].flags & WRSIM_IS_STATE))
            return wr_group_set_fault(group, WRSIM_E_CALLBACK, t_s, c, kind, i,
                                      results[kind].unwritten, -1);
    return wr_group_guard_check(group, c, t_s, WR_GUARDED_OTHER);
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
        for (int i = 0; i < calls[k].plan->n_algebra && rc == 0; i++)
            rc = try_callback(group, calls[k].plan->algebra[i], WRSIM_KIND_COUNT);
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
