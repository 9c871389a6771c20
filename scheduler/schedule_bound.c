/* Lower bounds for batches. See schedule_bound.h.
 *
 * Thread: as in schedule_bound.h. Real-time: yes. */
#include "scheduler/schedule_bound.h"

#include "base/check.h"
#include "scheduler/placement.h"

enum { MOST_CORES = 16, MANY_TASKS = 512 };

const int wr_schedule_bound_cores[WR_SCHEDULE_BOUND_CASES] = {1, 2, 5, MOST_CORES};

void wr_schedule_bound_add(double wall_s[WR_SCHEDULE_BOUND_CASES], int n, const double *task_ns,
                           int weight, int *order)
{
    double total_ns = 0.0, longest_ns = 0.0, busy_ns[MOST_CORES];
    for (int i = 0; i < n; i++) {
        total_ns += task_ns[i];
        longest_ns = wr_max(longest_ns, task_ns[i]);
    }
    if (n <= MANY_TASKS)
        wr_placement_order(task_ns, n, 0.0, order);
    for (int k = 0; k < WR_SCHEDULE_BOUND_CASES; k++) {
        const int n_core = wr_schedule_bound_cores[k];
        /* With very many tasks the order makes no difference. */
        const double ns = n_core == 1 ? total_ns
                          : n > MANY_TASKS
                              ? wr_max(total_ns / n_core, longest_ns)
                              : wr_placement_assign(task_ns, order, n, n_core, NULL, busy_ns);
        wall_s[k] += 1e-9 * weight * ns;
    }
}
