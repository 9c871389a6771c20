/* Longest tasks first. See placement.h. Thread: as in placement.h. Real-time: yes. */
#include "scheduler/placement.h"

#include <math.h>
#include <stdint.h>

#include "base/check.h"

/* Least time of a long task, as a share (assumed) of a worker's time for a batch. A shorter task that begins last delays the batch by less
 * than this share. */
static const double LONG_SHARE = 1.0 / 16.0;

/* Time of a task on another core, relative to the time on the task's last core (assumed). */
static const double MOVED = 1.15;

/* Returns the expected time, or 0 for a value that is not positive. */
static double clean(double expected) { return expected > 0.0 ? expected : 0.0; }

/* Returns 1 if task a precedes task b in the order of descending time. */
static int is_before(const double *expected, int a, int b)
{
    const double time_a = clean(expected[a]), time_b = clean(expected[b]);
    return time_a > time_b || (!(time_b > time_a) && a < b);
}

/* Moves the element at i down a heap whose root is the last task in the order. */
static void sift_down(const double *expected, int *heap, int n, int i)
{
    for (int child = 2 * i + 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && is_before(expected, heap[child], heap[child + 1]))
            child++;
        if (!is_before(expected, heap[i], heap[child]))
            return;
        const int swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
        i = child;
    }
}

int wr_placement_order(const double *expected, int n_task, double least, int *ret_order)
{
    WR_ASSERT(n_task >= 0);
    int n_long = 0;
    for (int i = 0; i < n_task; i++)
        n_long += clean(expected[i]) >= least;
    int i_long = 0, i_other = n_long;
    for (int i = 0; i < n_task; i++)
        ret_order[clean(expected[i]) >= least ? i_long++ : i_other++] = i;
    /* Heapsort works in place and takes n log n operations in all cases. */
    for (int i = n_long / 2 - 1; i >= 0; i--)
        sift_down(expected, ret_order, n_long, i);
    for (int last = n_long - 1; last > 0; last--) {
        const int swap = ret_order[0];
        ret_order[0] = ret_order[last];
        ret_order[last] = swap;
        sift_down(expected, ret_order, last, 0);
    }
    return n_long;
}

double wr_placement_assign(const double *expected, const int *order, int n, int n_worker,
                           int *worker, double *busy)
{
    WR_ASSERT(n_worker >= 1);
    double last_end = 0.0;
    for (int w = 0; w < n_worker; w++)
        busy[w] = 0.0;
    for (int k = 0; k < n; k++) {
        const double time = clean(expected[order[k]]);
        const int before = worker ? worker[order[k]] : -1;
        const double moved = before >= 0 ? MOVED * time : time;
        int best = 0;
        double best_end = busy[0] + (before == 0 ? time : moved);
        for (int w = 1; w < n_worker; w++) {
            const double end = busy[w] + (before == w ? time : moved);
            if (end < best_end) {
                best = w;
                best_end = end;
            }
        }
        busy[best] = best_end;
        last_end = wr_max(last_end, best_end);
        if (worker)
            worker[order[k]] = best;
    }
    return last_end;
}

void wr_placement_make(wr_placement *p)
{
    p->has_preferred = p->n_task <= WR_PLACEMENT_FEW && p->n_worker <= WR_PLACEMENT_FEW;
    double sum = 0.0;
    for (int i = 0; i < p->n_task; i++)
        sum += clean(p->expected[i]);
    const double least = p->has_preferred ? 0.0
                         : sum > 0.0      ? LONG_SHARE * sum / p->n_worker
                                          : (double)INFINITY;
    const int n_long = wr_placement_order(p->expected, p->n_task, least, p->order);
    p->n_first = p->has_preferred ? 0 : n_long;
    wr_placement_assign(p->expected, p->order, n_long, p->n_worker, p->worker, p->busy);
    const int64_t n_range = p->n_task - n_long;
    for (int64_t k = 0; k < n_range; k++)
        p->worker[p->order[n_long + k]] = (int)(((k + 1) * p->n_worker - 1) / n_range);
}

enum { MOST_CORES = 16, MANY_TASKS = 512 }; /* limits of wr_placement_add_bound() (assumed) */

const int wr_placement_bound_cores[WR_PLACEMENT_BOUNDS] = {1, 2, 5, MOST_CORES};

void wr_placement_add_bound(double wall_s[WR_PLACEMENT_BOUNDS], int n, const double *task_ns,
                            int weight, int *order)
{
    double total_ns = 0.0, longest_ns = 0.0, busy_ns[MOST_CORES];
    for (int i = 0; i < n; i++) {
        total_ns += task_ns[i];
        longest_ns = wr_max(longest_ns, task_ns[i]);
    }
    if (n <= MANY_TASKS)
        wr_placement_order(task_ns, n, 0.0, order);
    for (int k = 0; k < WR_PLACEMENT_BOUNDS; k++) {
        const int n_core = wr_placement_bound_cores[k];
        /* With a core for each task the order makes no difference; with more than MANY_TASKS tasks the difference is small. */
        const double ns = n_core == 1   ? total_ns
                          : n_core >= n ? longest_ns
                          : n > MANY_TASKS
                              ? wr_max(total_ns / n_core, longest_ns)
                              : wr_placement_assign(task_ns, order, n, n_core, NULL, busy_ns);
        wall_s[k] += 1e-9 * weight * ns;
    }
}
