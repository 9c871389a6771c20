/* Directional derivatives of a group from tangent() and tangent_output() of its models. The calls follow a plan, so the derivatives include
 * direct feedthrough. See group.h.
 *
 * Thread: one at a time. Real-time: yes, with rt-safe models.
 */
#include "subsystems/group/group.h"

#include <string.h>

#include "subsystems/group/group_plan.h"

/* Returns whether the outputs of a component depend on time and discrete states only, so that their directional derivatives are 0. */
static int is_source(const wr_component *component)
{
    return component->n[WRSIM_INPUT] == 0 && component->n[WRSIM_STATE] == 0;
}

static int has_outputs(const wr_group *group, const wr_plan *plan)
{
    for (int i = 0; i < plan->n_step; i++) {
        const wr_component *const component = group->component[plan->step[i].index];
        if (plan->step[i].kind == WR_STEP_LOOP ||
            (!component->model->tangent_output && !is_source(component)))
            return 0;
    }
    return 1;
}

int wr_group_has_tangent(const wr_group *group, const wr_plan *plan)
{
    if (!wr_group_du(group))
        return 0;
    if (plan)
        return has_outputs(group, plan);
    for (int c = 0; c < group->n_component; c++)
        if (group->component[c]->n[WRSIM_STATE] > 0 && !group->component[c]->model->tangent)
            return 0;
    return has_outputs(group, wr_group_rhs_plan(group));
}

/* Drops the text of a refusal, because a refusal is no fault. Returns 1. */
static int refused(wr_caller *caller)
{
    caller->instance.message = NULL;
    return 1;
}

/* Computes the changes of inputs and outputs at the point of the plan's last evaluation. */
static int follow_plan(wr_group *group, const wr_plan *plan, const double *x_change,
                       const double *external_change)
{
    if (group->n_u > 0)
        memset(wr_group_du(group), 0, (size_t)group->n_u * sizeof *wr_group_du(group));
    if (external_change)
        wr_copy_changes(&plan->external, external_change, wr_group_du(group));
    wr_copy_changes(&plan->from_state, x_change, wr_group_du(group));
    for (int i = 0; i < plan->n_step; i++) {
        const wr_plan_step *const step = &plan->step[i];
        const int c = step->index, is_partial = step->kind == WR_STEP_PARTIAL;
        wr_caller *const caller = wr_group_caller(group, c);
        double *const dy =
            is_partial ? wr_group_scratch(group) : wr_group_dy(group) + group->y_start[c];
        if (!caller->model->tangent_output) {
            memset(wr_group_dy(group) + group->y_start[c], 0,
                   (size_t)group->component[c]->n[WRSIM_OUTPUT] * sizeof(double));
            continue;
        }
        wr_copy_changes(&step->in, wr_group_dy(group), wr_group_du(group));
        caller->point.t_s = wr_group_time(group);
        wr_calling_begin(caller->name, "tangent_output", wr_group_time(group));
        const int rc = caller->model->tangent_output(&caller->instance, &caller->point,
                                                     wr_group_part_of(x_change, group->x_start[c]),
                                                     wr_group_du(group) + group->u_start[c], dy);
        wr_calling_end();
        if (rc != 0)
            return refused(caller);
        for (int k = step->done_start; is_partial && k < step->done_end; k++)
            wr_group_dy(group)[plan->done[k]] = dy[plan->done[k] - group->y_start[c]];
    }
    wr_copy_changes(&plan->last, wr_group_dy(group), wr_group_du(group));
    wr_copy_changes(&plan->state_output, x_change, wr_group_dy(group));
    return 0;
}

int wr_group_tangent(wr_group *group, const wr_group_point *point, const double *x_change,
                     const double *external_change, double *ret_dx)
{
    if (wr_group_prepare(group, wr_group_rhs_plan(group), point) != 0 ||
        follow_plan(group, wr_group_rhs_plan(group), x_change, external_change) != 0)
        return 1;
    for (int c = 0; c < group->n_component; c++) {
        wr_caller *const caller = wr_group_caller(group, c);
        if (group->component[c]->n[WRSIM_STATE] == 0)
            continue;
        caller->point.t_s = point->t_s;
        wr_calling_begin(caller->name, "tangent", point->t_s);
        const int rc = caller->model->tangent(
            &caller->instance, &caller->point, x_change + group->x_start[c],
            wr_group_du(group) + group->u_start[c], ret_dx + group->x_start[c]);
        wr_calling_end();
        if (rc != 0)
            return refused(caller);
    }
    return 0;
}

int wr_group_tangent_outputs(wr_group *group, const wr_plan *plan, const wr_group_point *point,
                             const double *x_change, const double *external_change, double *ret_dy)
{
    if (wr_group_evaluate(group, plan, point, NULL) != 0 ||
        follow_plan(group, plan, x_change, external_change) != 0)
        return 1;
    if (group->n_y > 0)
        memcpy(ret_dy, wr_group_dy(group), (size_t)group->n_y * sizeof *ret_dy);
    return 0;
}
