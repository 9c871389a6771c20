/* Assigns the tasks of a batch to workers, longest tasks first.
 *
 * In a small batch each task goes to the worker that can finish the task first. If a change of core costs nothing, the batch then takes at
 * most 4/3 - 1/(3 n_worker) times the shortest possible time (R. L. Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl.
 * Math. 17(2), 1969, theorem 2). In a large batch only long tasks are first, because all workers would wait for a long task at the end. The
 * workers get equal ranges of the other tasks, in the order of memory. So a worker has mostly the same short tasks in successive batches.
 *
 * Thread: any; one owner of the data. Real-time: yes (works in place).
 */
#ifndef WR_PLACEMENT_H
#define WR_PLACEMENT_H

/* largest number of tasks, and of workers, for which each task has a preferred worker (assumed) */
enum { WR_PLACEMENT_FEW = 16 };

typedef struct wr_placement {
    int n_task, n_worker;
    /* [n_task] expected time of each task; values that are not positive count as 0 */
    const double *expected;
    int *order;        /* [n_task] out: order of the tasks */
    int *worker;       /* [n_task] in: last worker of the task, -1: none; out: planned worker */
    double *busy;      /* [n_worker] workspace */
    int n_first;       /* out: number of tasks at the beginning of `order` that all workers share */
    int has_preferred; /* out: 1 if all tasks have a preferred worker */
} wr_placement;

/* Places a batch. Equal input gives equal output. */
void wr_placement_make(wr_placement *placement);

/* Orders tasks with a time of at least `least` by descending time, ties by ascending number. All other tasks follow in ascending order.
 * Writes ret_order[n_task]. Returns the number of long tasks. */
int wr_placement_order(const double *expected, int n_task, double least, int *ret_order);

/* Assigns each of the first n tasks of order[] to the worker that can finish the task first, ties to the lower number. worker[]: as in
 * wr_placement; a task takes longer on a core other than its last core. If worker is NULL, all cores are equal. busy[n_worker] is
 * workspace. Returns the finishing time of the last worker. */
double wr_placement_assign(const double *expected, const int *order, int n, int n_worker,
                           int *worker, double *busy);

/* ---- wall time without other costs, for statistics ---- */

enum { WR_PLACEMENT_BOUNDS = 4 };

/* Number of cores of each bound. */
extern const int wr_placement_bound_cores[WR_PLACEMENT_BOUNDS];

/* Adds the wall time of a batch, s, to each bound `weight` times. task_ns[n]: times of the tasks, ns. The longest task is first. Each task
 * goes to the core that is free first. For more than 512 tasks the bound is the mean time per core, or the longest task if longer. order[n]
 * is workspace. */
void wr_placement_add_bound(double wall_s[WR_PLACEMENT_BOUNDS], int n, const double *task_ns,
                            int weight, int *order);

#endif
