/* Schedule bound: how long the measured tasks would take on k cores without any other cost.
 *
 * Per batch, tasks go longest first to whichever core is free first (list scheduling;
 * Graham, SIAM J. Appl. Math. 17, 1969). For statistics only.
 *
 * Thread: serial section of the engine. Real-time: yes.
 */
#ifndef WR_BOUND_H
#define WR_BOUND_H

#include <stdint.h>

enum { WR_BOUND_CASES = 4 };

/* Cores of each case. */
extern const int wr_bound_cores[WR_BOUND_CASES];

/* Adds the makespan of one batch of n tasks that are offered in this order, `weight` times, to each
 * case. */
void wr_bound_add(double wall_s[WR_BOUND_CASES], int n, const int64_t *task_ns, const int *order,
                  int weight);

#endif
