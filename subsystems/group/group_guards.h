/* Guards (model_host/guard.h) behind the arrays that callbacks write outside of evaluations.
 *
 * Thread: one at a time. Real-time: yes.
 */
#ifndef WR_GROUP_GUARDS_H
#define WR_GROUP_GUARDS_H

#include "subsystems/group/group_values.h"

/* Calls that may change memory; WR_GUARDED_OTHER: any other call since the last check. */
typedef enum wr_guarded_call {
    WR_GUARDED_INIT,
    WR_GUARDED_FROM_INPUTS,
    WR_GUARDED_EVENT,
    WR_GUARDED_STEP,
    WR_GUARDED_OTHER
} wr_guarded_call;

/* Copies x and d of component c to the group's guarded arrays, for a call that changes x and d. */
void wr_group_guard_begin(wr_group *group, int c, const double *x, const double *d);
/* Copies the guarded arrays back after the call. Returns 0, or -1 with the fault set if the call has written beyond x, d, memory or
 * data. */
int wr_group_guard_end(wr_group *group, int c, double t_s, wr_guarded_call call, double *x,
                       double *d);
/* Returns 0, or -1 with the fault set if the guard of memory or data of component c has changed. */
int wr_group_guard_check(wr_group *group, int c, double t_s, wr_guarded_call call);

#endif
