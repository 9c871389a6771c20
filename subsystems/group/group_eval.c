/* Evaluates a group at a point (group.h). One check covers all outputs of a plan.
 *
 * Thread: one at a time. Real-time: yes, with rt-safe models.
 */
#include "subsystems/group/group.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "subsystems/group/group_fault.h"
#include "subsystems/group/group_graph.h"
#include "subsystems/group/group_loop.h"
#include "subsystems/group/group_plan.h"
#include "subsystems/model_host/guard.h"

/* Marks rare code. Out of line, rare code needs no registers of frequent functions. */
#define COLD __attribute__((noinline, cold))

/* Sums whole aligned blocks. Vector types of gcc and clang add two values at a time, in fewer instructions than plain sums. */
typedef double pair __attribute__((vector_size(16), may_alias));

static inline double sum_of_blocks(const double *value, const double *value_end)
{
    pair a = {0, 0}, b = a, c = a, d = a;
    for (; value < value_end; value += WR_BLOCK) {
        const pair *const at = __builtin_assume_aligned(value, sizeof(pair));
        a += at[0], b += at[1], c += at[2], d += at[3];
        a += at[4], b += at[5], c += at[6], d += at[7];
    }
    a = (a + b) + (c + d);
    return a[0] + a[1];
}

static inline void turn_links(int n, const wr_group_link *link, const double *array)
{
    for (const wr_group_link *const end = link + n; link < end; link += WR_LINKS)
        for (int i = 0; i < WR_LINKS; i++)
            *link[i].to = array + link[i].start;
}

/* Sets all components' points and input blocks to new arrays. */
static void turn_points(wr_group *group, const wr_group_point *point)
{
    wr_group_values *const values = group->values;
    wr_group_point *const at = &values->at;
    wr_caller *const caller = values->caller;
    const wr_group_ports *const ports = &values->ports;
    const int n = group->n_component;
    wr_calling_enter(group);
    if (at->x != point->x) {
        at->x = point->x;
        turn_links(ports->n_x, ports->x, at->x);
    }
    if (at->d != point->d) {
        at->d = point->d;
        for (int c = 0; c < n; c++)
            caller[c].point.d = wr_group_part_of(at->d, group->d_start[c]);
    }
    if (at->mode != point->mode) {
        at->mode = point->mode;
        for (int c = 0; c < n; c++)
            caller[c].point.mode = at->mode ? at->mode + group->z_start[c] : NULL;
    }
    if (at->external != point->external) {
        at->external = point->external;
        turn_links(ports->n_external, ports->external, at->external);
    }
}

/* Sets the points of all components to a point of the group, except the time (wr_group_point_now()). In most calls only the group's
 * time changes. */
static inline void set_points(wr_group *group, const wr_group_point *point)
{
    wr_group_values *const values = group->values;
    wr_group_point *const at = &values->at;
    if (at->x != point->x || at->d != point->d || at->mode != point->mode ||
        at->external != point->external)
        turn_points(group, point);
    at->t_s = point->t_s;
    values->prepared = NULL;
}

/* Invalidates the results of algebra() of the last evaluation. */
static void forget_algebra(wr_group_values *values)
{
    for (int i = 0; i < values->n_with_w; i++)
        values->caller[values->with_w[i]].point.w = NULL;
    values->n_with_w = 0;
    values->with_w_of = NULL;
}

int wr_group_is_prepared_at(const wr_group *group, const wr_group_point *point)
{
    const wr_group_values *const values = group->values;
    const wr_group_point *const at = &values->at;
    return values->prepared && at->x == point->x && at->d == point->d && at->mode == point->mode &&
           memcmp(&at->t_s, &point->t_s, sizeof at->t_s) == 0;
}

void wr_group_turn(wr_group *group, const wr_group_point *point)
{
    set_points(group, point);
    forget_algebra(group->values);
}

/* Sets the fault of the first output in the plan's first n_step steps that is not finite. Returns 0 if all outputs are finite, else 1. */
COLD static int output_fault(wr_group *group, const wr_plan *plan, int n_step, double t_s)
{
    const wr_group_values *const values = group->values;
    const int n_done = n_step > 0 ? plan->step[n_step - 1].done_end : 0;
    for (int i = 0; i < n_done; i++) {
        const int y = plan->done[i], c = wr_group_owner_of_output(group, y);
        if (!(fabs(values->y[y]) <= DBL_MAX))
            return wr_group_set_fault(group, WRSIM_E_NAN, t_s, c, WRSIM_OUTPUT,
                                      y - group->y_start[c], NULL, 1);
    }
    return 0;
}

/* Records the fault of a refused step: an earlier output that is not finite, else the step's own failure. */
COLD static int step_fault(wr_group *group, const wr_plan *plan, int i_step, int rc)
{
    const wr_plan_step *const step = &plan->step[i_step];
    const double t_s = group->values->at.t_s;
    const int earlier = output_fault(group, plan, i_step, t_s);
    if (earlier || step->kind == WR_STEP_LOOP)
        return earlier ? earlier : rc;
    return wr_group_callback_fault(group, step->index, t_s, WRSIM_OUTPUT, rc);
}

static inline int call_now(wr_group_values *values, const wr_call *call, double t_s,
                           double *ret_value)
{
    call->point->t_s = t_s;
    values->calling = call;
    return call->callback(call->instance, call->point, ret_value);
}

/* Makes n calls in order at the prepared point. kind: kind of the results. */
static inline int call_each(wr_group *group, int n, const wr_call *call, wrsim_kind kind,
                            double *ret_value)
{
    wr_group_values *const values = group->values;
    const double t_s = values->at.t_s;
    for (const wr_call *const end = call + n; call < end; call++) {
        const int rc = call_now(values, call, t_s, ret_value + call->start);
        if (rc)
            return wr_group_callback_fault(group, call->i_component, t_s, kind, rc);
    }
    return 0;
}

/* Runs any step: copies, then a loop or a call. */
__attribute__((noinline)) static int run_step(wr_group *group, const wr_plan *plan,
                                              const wr_group_point *point, const wr_plan_step *step)
{
    wr_group_values *const values = group->values;
    wr_copy_all(&step->in, values->y, values->u);
    const int rc = step->kind == WR_STEP_LOOP ? wr_group_solve_loop(group, point, step->index)
                                              : call_now(values, &step->call, point->t_s, step->y);
    if (rc)
        return rc;
    if (step->kind == WR_STEP_PARTIAL)
        for (int k = step->done_start; k < step->done_end; k++)
            values->y[plan->done[k]] = step->y[plan->done[k] - step->call.start];
    return 0;
}

/* Runs the steps of a plan with the copies before and after the steps. Checks all computed outputs at once. */
static int run_steps(wr_group *group, const wr_plan *plan, const wr_group_point *point)
{
    wr_group_values *const values = group->values;
    if (plan->has_first) {
        wr_copy_all(&plan->external, point->external, values->u);
        wr_copy_all(&plan->from_state, point->x, values->u);
    }
    const double t_s = point->t_s;
    const wr_plan_step *step = plan->step;
    for (const wr_plan_step *const end = step + plan->n_plain; step < end; step++) {
        const int rc = call_now(values, &step->call, t_s, step->y);
        if (rc)
            return step_fault(group, plan, (int)(step - plan->step), rc);
    }
    for (const wr_plan_step *const end = plan->step + plan->n_step; step < end; step++) {
        const int rc = run_step(group, plan, point, step);
        if (rc)
            return step_fault(group, plan, (int)(step - plan->step), rc);
    }
    if (!(fabs(sum_of_blocks(plan->y, plan->y_end)) <= DBL_MAX)) {
        const int rc = output_fault(group, plan, plan->n_step, t_s);
        if (rc)
            return rc;
    }
    if (plan->has_last) {
        wr_copy_all(&plan->last, values->y, values->u);
        wr_copy_all(&plan->state_output, point->x, values->y);
    }
    return 0;
}

static inline int run_plan(wr_group *group, const wr_plan *plan, const wr_group_point *point)
{
    wr_group_values *const values = group->values;
    set_points(group, point);
    if (plan->is_idle && plan == values->with_w_of)
        return 0; /* no call reads the old results of algebra() before the next algebra() */
    forget_algebra(values);
    return plan->is_idle ? 0 : run_steps(group, plan, point);
}

static int run_algebra(wr_group *group, const wr_plan *plan)
{
    wr_group_values *const values = group->values;
    values->with_w = plan->algebra;
    values->n_with_w = plan->n_algebra;
    values->with_w_of = plan;
    for (int i = 0; i < plan->n_algebra; i++) {
        const int c = plan->algebra[i];
        wr_caller *const caller = &values->caller[c];
        double *const w = values->w + group->w_start[c];
        values->calling = &caller->algebra;
        const int rc =
            caller->model->algebra(&caller->instance, wr_group_point_now(group, caller), w);
        if (rc)
            return wr_group_callback_fault(group, c, values->at.t_s, WRSIM_KIND_COUNT, rc);
        caller->point.w = w;
    }
    return 0;
}

static inline int prepare(wr_group *group, const wr_plan *plan, const wr_group_point *point)
{
    int rc = run_plan(group, plan, point);
    if (rc == 0 && plan->n_algebra > 0)
        rc = run_algebra(group, plan);
    if (rc == 0)
        group->values->prepared = plan;
    return rc;
}

int wr_group_prepare(wr_group *group, const wr_plan *plan, const wr_group_point *point)
{
    return prepare(group, plan, point);
}

/* Evaluates f at the prepared point. */
static inline int call_rhs(wr_group *group, double *ret_dx)
{
    const wr_group_plans *const plans = group->plans;
    const wr_group_values *const values = group->values;
    const int rc = call_each(group, plans->n_rhs_call, plans->rhs_call, WRSIM_STATE, ret_dx);
    if (rc)
        return rc;
    if (wr_has_bad(ret_dx, group->n_x))
        return wr_group_nan_fault(group, values->at.t_s, WRSIM_STATE, group->x_start, ret_dx,
                                  "its derivative is not finite");
    return 0;
}

static inline int check_indicators(wr_group *group, const double *z)
{
    return wr_has_bad(z, group->n_z) ? wr_group_nan_fault(group, group->values->at.t_s,
                                                          WRSIM_INDICATOR, group->z_start, z, NULL)
                                     : 0;
}

int wr_group_check_indicators(wr_group *group, const double *z)
{
    return check_indicators(group, z);
}

int wr_group_call_indicators(wr_group *group, double *ret_z)
{
    wr_group_values *const values = group->values;
    wr_group_plans *const plans = group->plans;
    values->n_indicator_value += group->n_z;
    const int rc =
        call_each(group, plans->n_indicator_call, plans->indicator_call, WRSIM_INDICATOR, ret_z);
    return rc ? rc : check_indicators(group, ret_z);
}

int wr_group_rhs(wr_group *group, const wr_group_point *point, double *ret_dx)
{
    const int rc = prepare(group, group->plans->rhs, point);
    return rc ? rc : call_rhs(group, ret_dx);
}

int wr_group_can_follow(const wr_group *group, double t_s)
{
    const wr_group_plans *const plans = group->plans;
    const wr_group_values *const values = group->values;
    return plans->is_rhs_enough && values->prepared == plans->rhs &&
           memcmp(&values->at.t_s, &t_s, sizeof t_s) == 0;
}

int wr_group_rhs_after_indicators(wr_group *group, const wr_group_point *point, double *ret_dx)
{
    return group->values->prepared == group->plans->rhs ? call_rhs(group, ret_dx)
                                                        : wr_group_rhs(group, point, ret_dx);
}

void wr_group_forget(wr_group *group) { group->values->prepared = NULL; }

int wr_group_indicators_of_some(wr_group *group, const wr_plan *plan, const wr_group_point *point,
                                int n, const int *component, double *ret_z)
{
    const int rc = prepare(group, plan, point);
    for (int i = 0; i < n && rc == 0; i++) {
        const int c = component[i], n_z = group->z_start[c + 1] - group->z_start[c];
        wr_caller *const caller = &group->values->caller[c];
        double *const z = ret_z + group->z_start[c];
        wr_calling_begin(caller->name, "indicator", point->t_s);
        const int rc_c =
            caller->model->indicator(&caller->instance, wr_group_point_now(group, caller), z);
        wr_calling_end();
        if (rc_c)
            return wr_group_callback_fault(group, c, point->t_s, WRSIM_INDICATOR, rc_c);
        for (int k = 0; k < n_z; k++)
            if (!(fabs(z[k]) <= DBL_MAX))
                return wr_group_set_fault(group, WRSIM_E_NAN, point->t_s, c, WRSIM_INDICATOR, k,
                                          NULL, 1);
    }
    return rc;
}

int wr_group_evaluate(wr_group *group, const wr_plan *plan, const wr_group_point *point, double *y)
{
    const int rc = run_plan(group, plan, point);
    if (rc)
        return rc;
    if (y && group->n_y > 0)
        memcpy(y, group->values->y, (size_t)group->n_y * sizeof *y);
    return 0;
}

const double *wr_group_evaluated(const wr_group *group) { return group->values->y; }

int wr_group_outputs(wr_group *group, const wr_group_point *point, double *ret_y)
{
    return wr_group_evaluate(group, group->plans->output, point, ret_y);
}

int wr_group_check_state(wr_group *group, double t_s, const double *x)
{
    return wr_has_bad(x, group->n_x)
               ? wr_group_nan_fault(group, t_s, WRSIM_STATE, group->x_start, x, NULL)
               : 0;
}

int wr_group_has_jacobian(const wr_group *group) { return group->values->has_jacobian; }

int wr_group_jacobian(wr_group *group, const wr_group_point *point, double *ret_values)
{
    const int rc = prepare(group, group->plans->rhs, point);
    if (rc)
        return rc;
    const wr_matrix *const pattern = group->pattern_xx;
    double *const jac = group->values->scratch_jac;
    for (int c = 0; c < group->n_component; c++) {
        wr_component *const component = group->component[c];
        const int n = component->n[WRSIM_STATE], start = group->x_start[c];
        if (n == 0)
            continue;
        wr_caller *const caller = &group->values->caller[c];
        const wrsim_model *const model = component->model;
        const int is_sparse = model->jacobian_sparse != NULL;
        const size_t n_jac = is_sparse ? (size_t)(pattern->start[start + n] - pattern->start[start])
                                       : (size_t)n * (size_t)n;
        /* The pattern is a NaN, so the test below finds a value that the model does not write. */
        if (!group->values->is_jacobian_tried)
            wr_unwritten_set(jac, n_jac);
        wr_guard_set(jac + n_jac);
        wr_calling_begin(caller->name, is_sparse ? "jacobian_sparse" : "jacobian", point->t_s);
        const int rc_c = (is_sparse ? model->jacobian_sparse : model->jacobian)(
            &caller->instance, wr_group_point_now(group, caller), jac);
        wr_calling_end();
        if (rc_c)
            return wr_group_callback_fault(group, c, point->t_s, WRSIM_STATE, rc_c);
        if (!wr_guard_is_kept(jac + n_jac))
            return wr_group_set_fault(
                group, WRSIM_E_CALLBACK, point->t_s, c, WRSIM_KIND_COUNT, -1,
                is_sparse
                    ? WR_GUARD_TEXT("jacobian_sparse()", "ret_value",
                                    "write one value per declared entry of WRSIM_X_X")
                    : WR_GUARD_TEXT("jacobian()", "ret_jac", "write n_state * n_state values"),
                -1);
        /* Without algebraic paths the columns of the group are the columns of the model. */
        const double *value = jac;
        for (int j = 0; j < n; j++)
            for (int k = pattern->start[start + j]; k < pattern->start[start + j + 1]; k++) {
                const int i = pattern->row[k] - start;
                ret_values[k] = is_sparse ? *value++ : jac[(size_t)j * (size_t)n + (size_t)i];
                if (!(fabs(ret_values[k]) <= DBL_MAX))
                    return wr_group_set_fault(group, WRSIM_E_NAN, point->t_s, c, WRSIM_STATE, i,
                                              "its row of the model's Jacobian is not finite", 1);
            }
    }
    group->values->is_jacobian_tried = 1;
    return 0;
}

int wr_group_driver_of(const wr_group *group, int i_input, double *ret_value)
{
    const int y = wr_group_driver(group, i_input);
    if (y < 0 || group->state_of_output[y] >= 0)
        return -1;
    *ret_value = wr_group_evaluated(group)[y];
    return wr_group_owner_of_output(group, y);
}

int64_t wr_group_count_values(wr_group *group, int64_t by)
{
    return group->values->n_indicator_value += by;
}
