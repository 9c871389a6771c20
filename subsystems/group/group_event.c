/* Calls of a group's components outside of evaluations. See group.h.
 *
 * Thread: one at a time. Real-time: yes, except start and end, with rt-safe models.
 */
#include "subsystems/group/group.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "subsystems/group/deferred_steps.h"
#include "subsystems/group/group_blocks.h"
#include "subsystems/group/group_fault.h"
#include "subsystems/group/group_guards.h"
#include "subsystems/group/group_plan.h"
#include "subsystems/model_host/guard.h"

/* Invalidates evaluations after changes of x, d or own states. Event blocks compare x and d, and not own states. */
static void forget_results(wr_group *group)
{
    wr_group_forget(group);
    if (group->values->has_outside)
        wr_group_forget_indicators(group);
}

int wr_group_event(wr_group *group, const wr_group_point *point, const signed char *fired,
                   const unsigned char *due, int is_initial, double *x, double *d)
{
    /* During a run usually one component has an event at a time. So a small group has a plan per component, and a group with event blocks
     * has a plan per block. At the start all components have an event. If an event may change outputs at once, one plan evaluates the
     * inputs of all events before the first event. */
    const int is_whole = is_initial || group->values->has_outside;
    const wr_plan *const *const plan_of = is_whole ? NULL : group->plans->event_of;
    const wr_plan *prepared = NULL;
    group->values->ended_by = -1;
    for (int c = 0; c < group->n_component; c++) {
        wr_caller *const caller = wr_group_caller(group, c);
        if (!caller->model->event || !(is_initial || due[c]))
            continue;
        const wr_plan *const plan = plan_of                      ? plan_of[c]
                                    : group->blocks && !is_whole ? wr_group_block_event(group, c)
                                                                 : group->plans->event;
        if (plan != prepared) {
            const int rc = wr_group_prepare(group, plan, point);
            if (rc)
                return rc;
            prepared = plan;
        }
        if (!is_initial && wr_group_holds_event(group, c)) {
            (void)wr_group_set_fault(group, WRSIM_E_CALLBACK, point->t_s, c, WRSIM_KIND_COUNT, -1,
                                     "its event would fire in a window that the run may repeat; "
                                     "report this error of wrsim",
                                     -1);
            return -1;
        }
        const wrsim_event event = {.fired = fired ? fired + group->z_start[c] : NULL,
                                   .is_time_event = (due[c] & WR_DUE_TIME) != 0,
                                   .is_initial = is_initial};
        double *const x_c = wr_group_part_to_write(x, group->x_start[c]);
        double *const d_c = wr_group_part_to_write(d, group->d_start[c]);
        if (wr_group_guard_check(group, c, point->t_s, WR_GUARDED_OTHER))
            return -1;
        wr_group_guard_begin(group, c, x_c, d_c);
        wr_calling_begin(caller->name, "event", point->t_s);
        const int rc =
            caller->model->event(&caller->instance, wr_group_point_now(group, caller), &event,
                                 group->values->guarded, group->values->guarded_d);
        wr_calling_end();
        const int is_beyond = wr_group_guard_end(group, c, point->t_s, WR_GUARDED_EVENT, x_c, d_c);
        if (rc == WRSIM_TERMINATE) {
            if (group->values->ended_by < 0)
                group->values->end_message = caller->instance.message;
            group->values->ended_by = group->values->ended_by < 0 ? c : group->values->ended_by;
            caller->instance.message = NULL;
        } else if (rc)
            return wr_group_callback_fault(group, c, point->t_s, WRSIM_DISCRETE, rc);
        if (is_beyond)
            return -1;
        if (wr_has_bad(x_c, group->x_start[c + 1] - group->x_start[c]))
            return wr_group_nan_fault(group, point->t_s, WRSIM_STATE, group->x_start, x,
                                      "an event returns this value");
        if (wr_has_bad(d_c, group->d_start[c + 1] - group->d_start[c]))
            return wr_group_nan_fault(group, point->t_s, WRSIM_DISCRETE, group->d_start, d,
                                      "an event returns this value");
    }
    forget_results(group);
    return 0;
}

int wr_group_ended_by(const wr_group *group, const char **ret_message)
{
    *ret_message = group->values->end_message;
    return group->values->ended_by;
}

int wr_group_n_from_inputs(const wr_group *group) { return group->plans->n_from_inputs; }

int wr_group_init_from_inputs(wr_group *group, const wr_group_point *point, double *x, double *d)
{
    int rc = wr_group_prepare(group, group->plans->initial, point);
    for (int c = 0; c < group->n_component && rc == 0; c++) {
        wr_caller *const caller = wr_group_caller(group, c);
        if (!caller->model->init_from_inputs)
            continue;
        double *const x_c = wr_group_part_to_write(x, group->x_start[c]);
        double *const d_c = wr_group_part_to_write(d, group->d_start[c]);
        wr_group_guard_begin(group, c, x_c, d_c);
        wr_calling_begin(caller->name, "init_from_inputs", point->t_s);
        rc = caller->model->init_from_inputs(&caller->instance, wr_group_point_now(group, caller),
                                             group->values->guarded, group->values->guarded_d);
        wr_calling_end();
        const int is_beyond =
            wr_group_guard_end(group, c, point->t_s, WR_GUARDED_FROM_INPUTS, x_c, d_c);
        if (rc)
            rc = wr_group_callback_fault(group, c, point->t_s, WRSIM_KIND_COUNT, rc);
        else if (is_beyond)
            rc = -1;
        else if (wr_has_bad(x_c, group->x_start[c + 1] - group->x_start[c]))
            rc = wr_group_nan_fault(group, point->t_s, WRSIM_STATE, group->x_start, x,
                                    "the model returns this start value");
        else if (wr_has_bad(d_c, group->d_start[c + 1] - group->d_start[c]))
            rc = wr_group_nan_fault(group, point->t_s, WRSIM_DISCRETE, group->d_start, d,
                                    "the model returns this start value");
    }
    forget_results(group);
    return rc;
}

double wr_group_next_time(wr_group *group, const wr_group_point *point, double *ret_time)
{
    double earliest = (double)INFINITY;
    if (!wr_group_is_prepared_at(group, point))
        wr_group_turn(group, point);
    for (int c = 0; c < group->n_component; c++) {
        wr_caller *const caller = wr_group_caller(group, c);
        ret_time[c] = (double)INFINITY;
        if (!caller->model->next_time)
            continue;
        wr_calling_begin(caller->name, "next_time", point->t_s);
        ret_time[c] =
            caller->model->next_time(&caller->instance, wr_group_point_now(group, caller));
        wr_calling_end();
        /* The negated comparison is also true for NaN. */
        if (!(ret_time[c] > point->t_s)) {
            const char *const message = caller->instance.message;
            caller->instance.message = NULL;
            wr_group_set_fault(group, WRSIM_E_CALLBACK, point->t_s, c, WRSIM_KIND_COUNT, -1,
                               message ? message : WR_FAULT_NEXT_TIME, -1);
            return (double)NAN;
        }
        earliest = wr_min(earliest, ret_time[c]);
    }
    return earliest;
}

void wr_group_share(wr_group *group, int c, const wr_group *from, int c_from)
{
    wr_caller *const caller = wr_group_caller(group, c);
    caller->instance.data = wr_group_caller(from, c_from)->instance.data;
    caller->is_shared = 1;
}

void wr_group_done(wr_group *group)
{
    for (int c = 0; c < wr_group_n_started(group); c++) {
        if (wr_group_caller(group, c)->is_shared)
            continue;
        if (group->values->own_of[c] >= 0)
            wr_own_state_end(&group->values->own[group->values->own_of[c]]);
        if (!group->component[c]->model->done)
            continue;
        wr_calling_begin(group->component[c]->name, "done", (double)NAN);
        group->component[c]->model->done(&wr_group_caller(group, c)->instance);
        wr_calling_end();
    }
    wr_deferred_steps_clear(group);
    wr_group_count_started(group, 0);
    wr_calling_leave(group);
}

int wr_group_has_step_completed(const wr_group *group)
{
    return group->plans->n_step_completed > 0;
}

int wr_group_step_completed(wr_group *group, const wr_group_point *point, unsigned char *ret_asks,
                            int *ret_n_ask)
{
    wr_group_plans *const plans = group->plans;
    *ret_n_ask = 0;
    if (plans->n_step_completed == 0)
        return 0;
    const int is_deferred = wr_group_defers_steps(group);
    const int rc = wr_group_prepare(group, plans->step, point);
    for (int k = 0; k < plans->n_step_completed && rc == 0; k++) {
        const int c = plans->step_completed[k];
        wr_caller *const caller = wr_group_caller(group, c);
        if (is_deferred && (caller->model->caps & WRSIM_CAP_CANNOT_RESTORE))
            continue;
        wr_calling_begin(caller->name, "step_completed", point->t_s);
        const int rc_c =
            caller->model->step_completed(&caller->instance, wr_group_point_now(group, caller));
        wr_calling_end();
        if (rc_c == WRSIM_ENTER_EVENT) {
            ret_asks[c] = 1;
            ++*ret_n_ask;
        } else if (rc_c)
            return wr_group_callback_fault(group, c, point->t_s, WRSIM_KIND_COUNT, rc_c);
        if (wr_group_guard_check(group, c, point->t_s, WR_GUARDED_STEP))
            return -1;
    }
    return rc || !is_deferred ? rc : wr_deferred_steps_note(group);
}

int wr_group_defers_steps(const wr_group *group)
{
    return group->deferred && !group->values->is_once;
}

wrsim_status wr_group_init(wr_group *group, double t_s, double *ret_x, double *ret_d)
{
    wr_group_done(group); /* the call ends the instances of an earlier start */
    group->fp_mode = wr_fp_mode_get();
    wr_group_forget_indicators(group);
    group->values->is_jacobian_tried = 0;
    for (int i = 0; i < group->n_w; i++) /* marks values that algebra() does not write */
        wr_group_w(group)[i] = (double)NAN;
    for (int c = 0; c < group->n_component; c++) {
        wr_component *const component = group->component[c];
        double *const x = wr_group_part_to_write(ret_x, group->x_start[c]);
        double *const d = wr_group_part_to_write(ret_d, group->d_start[c]);
        for (int i = 0; i < component->n[WRSIM_STATE]; i++)
            x[i] = component->variable[WRSIM_STATE][i].start;
        for (int i = 0; i < component->n[WRSIM_DISCRETE]; i++)
            d[i] = component->variable[WRSIM_DISCRETE][i].start;
        wrsim_instance *const instance = &wr_group_caller(group, c)->instance;
        wr_guard_clear(instance->memory, component->memory_bytes);
        if (wr_group_caller(group, c)->is_shared) {
            wr_group_count_started(group, c + 1);
            continue;
        }
        wr_guard_clear(instance->data, component->data_bytes);
        wr_group_guard_begin(group, c, x, d);
        wr_calling_begin(component->name, "init", t_s);
        const int rc = component->model->init
                           ? component->model->init(instance, t_s, group->values->guarded,
                                                    group->values->guarded_d)
                           : 0;
        wr_calling_end();
        const int is_beyond = wr_group_guard_end(group, c, t_s, WR_GUARDED_INIT, x, d);
        if (rc)
            wr_group_callback_fault(group, c, t_s, WRSIM_KIND_COUNT, rc);
        if (rc || is_beyond)
            return WRSIM_E_CALLBACK;
        wr_group_count_started(group, c + 1);
        if (group->values->own_of[c] >= 0)
            wr_own_state_begin(&group->values->own[group->values->own_of[c]]);
        if (wr_has_bad(x, component->n[WRSIM_STATE])) {
            wr_group_nan_fault(group, t_s, WRSIM_STATE, group->x_start, ret_x,
                               "the model returns this start value");
            return WRSIM_E_NAN;
        }
        if (wr_has_bad(d, component->n[WRSIM_DISCRETE])) {
            wr_group_nan_fault(group, t_s, WRSIM_DISCRETE, group->d_start, ret_d,
                               "the model returns this start value");
            return WRSIM_E_NAN;
        }
    }
    return WRSIM_OK;
}
