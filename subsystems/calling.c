/* See calling.h.
 *
 * Thread: the record's own. Real-time: yes.
 */
#include "subsystems/calling.h"

#include <fenv.h>

#include "subsystems/group_work.h"

_Thread_local wr_calling wr_calling_now __attribute__((tls_model("initial-exec")));

void wr_calling_set_mode_back(void)
{
    fesetenv(FE_DFL_ENV); /* the x87's as well, which has no part in the mode */
    wr_fp_mode_restore(wr_calling_now.mode);
}

const wr_calling *wr_calling_read(wr_calling *ret)
{
    *ret = wr_calling_now;
    if (ret->callback)
        return ret;
    const wr_call *const call = ret->call    ? ret->call
                                : ret->group ? ret->group->work->calling
                                             : NULL;
    if (!call)
        return NULL;
    const wr_caller *const caller =
        (const void *)((const char *)call->instance - offsetof(wr_caller, instance));
    const wrsim_model *const model = caller->model;
    ret->who = caller->name;
    ret->callback = call == &caller->algebra          ? "algebra"
                    : call->callback == model->output ? "output"
                    : call->callback == model->rhs    ? "rhs"
                                                      : "indicator";
    ret->t_s = call->point->t_s;
    return ret;
}
