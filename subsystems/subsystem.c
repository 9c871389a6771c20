/* Replaces operations that a kind does not have. See subsystem.h. Thread: one at a time. Real-time: yes, except plan and fault text. */
#include "subsystems/subsystem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"

const wr_output_plan *wr_subsystem_plan(wr_subsystem *s, wr_arena *arena, int i_signal,
                                        int is_whole)
{
    return s->ops->plan ? s->ops->plan(s, arena, i_signal, is_whole)
                        : (const wr_output_plan *)s->ops; /* not NULL; no function reads the plan */
}

void wr_subsystem_plan_gives(const wr_subsystem *s, const wr_output_plan *plan,
                             unsigned char *ret_is_given)
{
    if (s->ops->plan)
        s->ops->plan_gives(s, plan, ret_is_given);
    else
        memset(ret_is_given, 1, (size_t)s->n_published);
}

wrsim_status wr_subsystem_outputs(wr_subsystem *s, const wr_output_plan *plan,
                                  const double *external, double *ret_value)
{
    return s->ops->plan ? s->ops->outputs(s, plan, external, ret_value)
                        : s->ops->published(s, ret_value, NULL);
}

void wr_subsystem_plan_reads(const wr_subsystem *s, const wr_output_plan *plan,
                             unsigned char *ret_is_read)
{
    if (s->ops->plan_reads)
        s->ops->plan_reads(s, plan, ret_is_read);
    else
        memset(ret_is_read, 0, (size_t)s->n_external);
}

double wr_subsystem_next_event(const wr_subsystem *s, double *ret_gap_s)
{
    *ret_gap_s = 0.0;
    return s->ops->next_event ? s->ops->next_event(s, ret_gap_s) : (double)INFINITY;
}

double wr_subsystem_effect(wr_subsystem *s, const double *change, double length_s,
                           const double *output_weight)
{
    return s->ops->effect ? s->ops->effect(s, change, length_s, output_weight) : (double)INFINITY;
}

void wr_subsystem_fault_text(const wr_subsystem *s, wrsim_error *ret_err)
{
    if (!ret_err)
        return;
    if (s->ops->fault_text)
        s->ops->fault_text(s, ret_err);
    else {
        wr_error_set(ret_err, s->fault.status, "at t = %.9g s %s", s->fault.t_s,
                     s->fault.message ? s->fault.message : wrsim_status_text(s->fault.status));
        ret_err->time_s = s->fault.t_s;
    }
    snprintf(ret_err->subsystem, sizeof ret_err->subsystem, "%s", s->name);
}
