/* Schedule bound: how long measured tasks would take on k cores without any other cost.
 *
 * Per batch, tasks go longest first to whichever core is free first (placement.h). For statistics only.
 *
 * Thread: one owner of what it is given. Real-time: yes.
 */
#ifndef WR_SCHEDULE_BOUND_H
#define WR_SCHEDULE_BOUND_H

enum { WR_SCHEDULE_BOUND_CASES = 4 };

/* Cores of each case. */
extern const int wr_schedule_bound_cores[WR_SCHEDULE_BOUND_CASES];

/* Adds the length of one batch of n tasks that took so long, ns, `weight` times to each case. order[n] is
 * scratch. */
void wr_schedule_bound_add(double wall_s[WR_SCHEDULE_BOUND_CASES], int n, const double *task_ns,
                           int weight, int *order);

#endif
