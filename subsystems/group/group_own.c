/* Own states of the models of a group. See group.h. Thread: one at a time. Real-time: yes after placing, with rt-safe models. */
#include <math.h>

#include "subsystems/group/group.h"
#include "subsystems/group/group_fault.h"
#include "subsystems/group/group_values.h"
#include "subsystems/model_host/descriptor.h"

int wr_group_own_place(wr_group *group, wr_arena *arena)
{
    wr_group_values *const values = group->values;
    for (int c = 0; c < group->n_component; c++) {
        const wrsim_model *const model = group->component[c]->model;
        values->n_own += model->own_state != NULL;
        values->has_outside |= model->own_state || (model->caps & WRSIM_CAP_CANNOT_RESTORE);
    }
    values->own = WR_NEW_ARRAY(arena, wr_own_state, values->n_own);
    values->own_of = WR_NEW_ARRAY(arena, int, group->n_component);
    if (!values->own || !values->own_of)
        return -1;
    int n = 0;
    for (int c = 0; c < group->n_component; c++) {
        const wrsim_own_state *const model = group->component[c]->model->own_state;
        values->own_of[c] = model ? n : -1;
        if (model)
            values->own[n++] = (wr_own_state){.model = model,
                                              .name = group->component[c]->name,
                                              .instance = &values->caller[c].instance};
    }
    return 0;
}

int wr_group_has_own(const wr_group *group) { return group->values->has_outside; }

int wr_group_own_has_bytes(const wr_group *group)
{
    int all = 1;
    for (int c = 0; c < group->n_component; c++)
        all &= wr_own_state_is_saved(group->component[c]->model);
    return all;
}

void wr_group_own_keep(wr_group *group, wr_own_slot slot, double t_s)
{
    for (int k = 0; k < group->values->n_own; k++)
        wr_own_state_keep(&group->values->own[k], slot, t_s);
}

void wr_group_own_go_back(wr_group *group, wr_own_slot slot, double t_s)
{
    for (int k = 0; k < group->values->n_own; k++)
        wr_own_state_go_back(&group->values->own[k], slot, t_s);
    if (group->values->n_own == 0)
        return;
    wr_group_forget(group); /* own states act on the prepared results */
    wr_group_forget_indicators(group);
}

void wr_group_own_state(wr_group *group, wr_state_io *io)
{
    for (int k = 0; k < group->values->n_own; k++)
        wr_own_state_pass(&group->values->own[k], io, (double)NAN);
}

int wr_group_own_check(wr_group *group, double t_s)
{
    for (int c = 0; c < group->n_component && group->values->n_own > 0; c++) {
        const int k = group->values->own_of[c];
        if (k < 0 || !group->values->own[k].is_lost)
            continue;
        wr_group_set_fault(group, WRSIM_E_CALLBACK, t_s, c, WRSIM_KIND_COUNT, -1,
                           wr_own_state_message(&group->values->own[k]), -1);
        return -1;
    }
    return 0;
}

void wr_group_advance_once(wr_group *group) { group->values->is_once = 1; }

static int has_held_event(const wrsim_model *model)
{
    return (model->caps & WRSIM_CAP_CANNOT_RESTORE) && model->event;
}

int wr_group_may_hold_events(const wr_group *group)
{
    int any = 0;
    for (int c = 0; c < group->n_component && !group->values->is_once; c++)
        any |= has_held_event(group->component[c]->model);
    return any;
}

void wr_group_hold_events(wr_group *group, int is_holding)
{
    group->values->is_holding = is_holding && wr_group_may_hold_events(group);
}

int wr_group_holds_events(const wr_group *group) { return group->values->is_holding; }

int wr_group_holds_event(const wr_group *group, int i_component)
{
    return group->values->is_holding && has_held_event(group->component[i_component]->model);
}

int wr_group_forbids_probe(const wr_group *group, int c)
{
    const wrsim_model *const model = group->component[c]->model;
    return model->event && !wr_model_may_probe(model);
}

int wr_group_may_probe(const wr_group *group, const unsigned char *due)
{
    int may = 1;
    for (int c = 0; c < group->n_component; c++)
        may &= !due[c] || wr_model_may_probe(group->component[c]->model);
    return may;
}
