/* A record of the model or plug-in function that a thread calls. Handlers of signals and of exit() read the record to report the call that
 * ends the process. A call of a plan costs one or two stores.
 *
 * Thread: each thread has its own record, and also reads the record in a signal handler. Real-time: yes.
 */
#ifndef WR_CALLING_H
#define WR_CALLING_H

#include <stddef.h>

#include "base/fp_mode.h"

struct wr_call;
struct wr_group;

/* The record. The present call is callback if set, else call, else the last call of group. */
typedef struct wr_calling {
    const struct wr_group *group; /* the group that the thread entered last */
    const struct wr_call *call;   /* a call that group_blocks.c makes; NULL: none */
    const char *callback;         /* a call that belongs to no plan; NULL: none */
    const char *owner;            /* owner of callback: the component, or the file of the plug-in */
    double t_s;                   /* time of callback, s; NaN: no simulated time */
    wr_fp_mode mode;              /* the floating-point mode before callback */
} wr_calling;

/* With the thread-local storage model initial-exec, the address needs no function call, also in a shared library. */
extern _Thread_local wr_calling wr_calling_now __attribute__((tls_model("initial-exec")));

/* Records that the thread evaluates a group, whose plan records its calls. */
static inline void wr_calling_enter(const struct wr_group *group) { wr_calling_now.group = group; }

/* Removes a group from the record before the group's destruction. */
static inline void wr_calling_leave(const struct wr_group *group)
{
    if (wr_calling_now.group != group)
        return;
    wr_calling_now.group = NULL;
    wr_calling_now.call = NULL;
}

/* Marks the start of a call that belongs to no plan. owner must outlive the call. */
static inline void wr_calling_begin(const char *owner, const char *callback, double t_s)
{
    wr_calling_now.owner = owner;
    wr_calling_now.t_s = t_s;
    wr_calling_now.mode = wr_fp_mode_get();
    wr_calling_now.callback = callback;
}

/* Restores the floating-point mode of the record. */
void wr_calling_set_mode_back(void);

static inline void wr_calling_end(void)
{
    wr_calling_now.callback = NULL;
    if (wr_fp_mode_differs(wr_calling_now.mode))
        wr_calling_set_mode_back();
}

#endif
