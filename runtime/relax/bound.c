/* Makespans. See bound.h.
 *
 * Thread: serial section of the engine. Real-time: yes.
 */
#include "runtime/relax/bound.h"

enum { MOST_CORES = 16, MANY_TASKS = 512 };

const int wr_bound_cores[WR_BOUND_CASES] = {1, 2, 5, MOST_CORES};

/* With very many tasks the order does not matter: the total shared out, or the longest one. So it is
 * with one core, and with one for each task. */
static int64_t share_out(int n_core, int n, const int64_t *task_ns)
{
    int64_t total_ns = 0, longest_ns = 0;
    for (int i = 0; i < n; i++) {
        total_ns += task_ns[i];
        longest_ns = longest_ns > task_ns[i] ? longest_ns : task_ns[i];
    }
    const int64_t share_ns = n_core < n ? total_ns / n_core : 0;
    return share_ns > longest_ns ? share_ns : longest_ns;
}

static int64_t makespan(int n_core, int n, const int64_t *task_ns, const int *order)
{
    int64_t busy_ns[MOST_CORES] = {0}, last_ns = 0;
    for (int i = 0; i < n; i++) {
        int free = 0;
        for (int k = 1; k < n_core; k++)
            if (busy_ns[k] < busy_ns[free])
                free = k;
        busy_ns[free] += task_ns[order[i]];
        last_ns = last_ns > busy_ns[free] ? last_ns : busy_ns[free];
    }
    return last_ns;
}

void wr_bound_add(double wall_s[WR_BOUND_CASES], int n, const int64_t *task_ns, const int *order,
                  int weight)
{
    for (int k = 0; k < WR_BOUND_CASES; k++) {
        const int n_core = wr_bound_cores[k];
        const int is_simple = n > MANY_TASKS || n <= n_core || n_core == 1;
        const int64_t ns =
            is_simple ? share_out(n_core, n, task_ns) : makespan(n_core, n, task_ns, order);
        wall_s[k] += 1e-9 * (double)(weight * ns);
    }
}
