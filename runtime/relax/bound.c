/* Makespans. See bound.h.
 *
 * Thread: serial section of the engine. Real-time: yes.
 */
#include "runtime/relax/bound.h"

#include "runtime/base/check.h"

enum { MOST_CORES = 16, MANY_TASKS = 512 };

const int wr_bound_cores[WR_BOUND_CASES] = {1, 2, 5, MOST_CORES};

/* With very many tasks the order does not matter: the total shared out, or the longest one. */
static double share_out(int n_core, int n, const double *task_s)
{
    double total_s = 0.0, longest_s = 0.0;
    for (int i = 0; i < n; i++) {
        total_s += task_s[i];
        longest_s = wr_max(longest_s, task_s[i]);
    }
    return wr_max(total_s / n_core, longest_s);
}

static double makespan(int n_core, int n, const double *task_s)
{
    double busy_s[MOST_CORES] = {0.0}, last_s = 0.0;
    for (int i = 0; i < n; i++) {
        int free = 0;
        for (int k = 1; k < n_core; k++)
            if (busy_s[k] < busy_s[free])
                free = k;
        busy_s[free] += task_s[i];
        last_s = wr_max(last_s, busy_s[free]);
    }
    return last_s;
}

void wr_bound_add(double wall_s[WR_BOUND_CASES], int n, const double *task_s)
{
    for (int k = 0; k < WR_BOUND_CASES; k++)
        wall_s[k] += n > MANY_TASKS ? share_out(wr_bound_cores[k], n, task_s)
                                    : makespan(wr_bound_cores[k], n, task_s);
}
