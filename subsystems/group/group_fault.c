/* Records faults of evaluations. See group_fault.h. Thread: one at a time. Real-time: yes. */
#include "subsystems/group/group_fault.h"

#include <float.h>
#include <math.h>

#include "subsystems/group/group_values.h"

int wr_group_set_fault(wr_group *group, wrsim_status status, double t_s, int i_component,
                       wrsim_kind kind, int i_variable, const char *message, int rc)
{
    group->fault = (wr_fault){.status = status,
                              .t_s = t_s,
                              .i_component = i_component,
                              .kind = kind,
                              .i_variable = i_variable,
                              .message = message};
    return rc;
}

int wr_group_callback_fault(wr_group *group, int i_component, double t_s, wrsim_kind kind, int rc)
{
    wrsim_instance *const instance = &wr_group_caller(group, i_component)->instance;
    const char *const message = instance->message;
    instance->message = NULL;
    wr_group_set_fault(group, WRSIM_E_CALLBACK, t_s, i_component, kind, -1, message, 0);
    group->fault.returned = rc;
    return rc < 0 ? -1 : 1;
}

int wr_group_nan_fault(wr_group *group, double t_s, wrsim_kind kind, const int *start,
                       const double *value, const char *message)
{
    for (int c = 0; c < group->n_component; c++)
        for (int i = start[c]; i < start[c + 1]; i++)
            if (!(fabs(value[i]) <= DBL_MAX))
                return wr_group_set_fault(group, WRSIM_E_NAN, t_s, c, kind, i - start[c], message,
                                          1);
    return 0;
}
