/* Finds the last model call of a thread. See group_called.h. Thread: the calling thread, also in a signal handler. Real-time: yes. */
#include "subsystems/group/group_called.h"

#include <stddef.h>

#include "subsystems/group/group_values.h"

const wr_calling *wr_group_called(wr_calling *ret)
{
    *ret = wr_calling_now;
    if (ret->callback)
        return ret;
    const wr_call *const call = ret->call    ? ret->call
                                : ret->group ? wr_group_calling(ret->group)
                                             : NULL;
    if (!call)
        return NULL;
    const wr_caller *const caller =
        (const void *)((const char *)call->instance - offsetof(wr_caller, instance));
    const wrsim_model *const model = caller->model;
    ret->owner = caller->name;
    ret->callback = call == &caller->algebra          ? "algebra"
                    : call->callback == model->output ? "output"
                    : call->callback == model->rhs    ? "rhs"
                                                      : "indicator";
    ret->t_s = call->point->t_s;
    return ret;
}
