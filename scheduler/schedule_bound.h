/* Lower bound of the wall time, for statistics: the time that measured tasks would take on k cores without other costs.
 *
 * In each batch the longest task goes first, to the core that is free first (placement.h).
 *
 * Thread: one owner of the data. Real-time: yes. */
#ifndef WR_SCHEDULE_BOUND_H
#define WR_SCHEDULE_BOUND_H

enum { WR_SCHEDULE_BOUND_CASES = 4 };

/* Numbers of cores for which the bound is computed. */
extern const int wr_schedule_bound_cores[WR_SCHEDULE_BOUND_CASES];

/* Adds the time of one batch with n tasks of task_ns[n], `weight` times, to each case. order[n] is workspace. */
void wr_schedule_bound_add(double wall_s[WR_SCHEDULE_BOUND_CASES], int n, const double *task_ns,
                           int weight, int *order);

#endif
