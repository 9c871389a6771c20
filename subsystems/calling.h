/* What each thread has just called of a model or plug-in, for whoever must tell when that does not return: the program's
 * handlers of signals and of exit(). The library itself only keeps the record, which costs a store or two per call.
 *
 * Thread: each has its own; it is read by the same thread, also in a signal handler. Real-time: yes.
 */
#ifndef WR_CALLING_H
#define WR_CALLING_H

#include <stddef.h>

#include "base/fp_mode.h"

struct wr_call;
struct wr_group;

/* The record. callback, if any, counts before call, and that before what the group calls. */
typedef struct wr_calling {
    const struct wr_group *group; /* the last one entered: its work knows what it has called last */
    const struct wr_call *call;   /* of a plan, by one of several threads; or NULL */
    const char *callback;         /* any other one, or NULL */
    const char *who;              /* of that: the component, or a plug-in's file */
    double t_s;                   /* of that; NaN: of no time */
    wr_fp_mode mode;              /* before it */
} wr_calling;

/* Initial-exec: found without a call, also from within a shared library. */
extern _Thread_local wr_calling wr_calling_now __attribute__((tls_model("initial-exec")));

/* From here on the thread evaluates that group, which keeps what it calls by itself. */
static inline void wr_calling_enter(const struct wr_group *group) { wr_calling_now.group = group; }

/* That group may go away now. */
static inline void wr_calling_leave(const struct wr_group *group)
{
    if (wr_calling_now.group == group)
        wr_calling_now.group = NULL;
}

/* Around a call that is none of a plan. who must outlive it. */
static inline void wr_calling_begin(const char *who, const char *callback, double t_s)
{
    wr_calling_now.who = who;
    wr_calling_now.t_s = t_s;
    wr_calling_now.mode = wr_fp_mode_get();
    wr_calling_now.callback = callback;
}

/* The thread's floating-point mode is what it was before, whatever has been called. */
void wr_calling_set_mode_back(void);

static inline void wr_calling_end(void)
{
    wr_calling_now.callback = NULL;
    if (wr_fp_mode_differs(wr_calling_now.mode))
        wr_calling_set_mode_back();
}

#endif
