/* Placement: which task of a batch goes to which worker, the longest first.
 *
 * Of few tasks each goes to the worker that would be done with it first: at most 4/3 - 1/(3 n_worker) times
 * the best possible (R. L. Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17(2),
 * 1969, theorem 2). Of many only those that the others would have to wait for if they came last go first; the
 * rest stay in order, an equal range to each worker, so that it has the same ones, in the order in which they
 * lie in memory, in every batch.
 *
 * Thread: any; one owner of what it is given. Real-time: yes (works in place).
 */
#ifndef WR_PLACEMENT_H
#define WR_PLACEMENT_H

/* Up to so many tasks and workers each task has a preferred worker. */
enum { WR_PLACEMENT_FEW = 16 };

typedef struct wr_placement {
    int n_task, n_worker;
    const double *expected; /* [n_task] time of each task; what is no positive number counts as 0 */
    int *order;             /* [n_task] out: of tasks */
    int *worker;  /* [n_task] in: that had the task last, -1 = none; out: that should have it */
    double *busy; /* [n_worker] scratch */
    int n_first;  /* out: so many at the beginning of order go first, to whoever comes */
    int has_preferred; /* out: all have a preferred worker */
} wr_placement;

/* Places a batch. Equal input gives equal output. */
void wr_placement_make(wr_placement *placement);

/* Tasks that take `least` or longer by falling time, ties by lower number; then all others as they are. Returns
 * how many the former are. */
int wr_placement_order(const double *expected, int n_task, double least, int *ret_order);

/* Gives each of the first n of order[] to the worker that would be done with it first; ties to the lower
 * number. worker[] as in wr_placement, where a task takes longer on a core that did not have it last; NULL: all
 * the same. busy[n_worker] is scratch. Returns when the last worker is done. */
double wr_placement_assign(const double *expected, const int *order, int n, int n_worker,
                           int *worker, double *busy);

#endif
