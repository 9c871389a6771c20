/* Chooses between Jacobi and Gauss-Seidel sweeps during a run, for a stated number of workers (relaxation.scheme = "auto").
 *
 * The cost of a window is the critical path of its batches, in work units, but at most the work of all batches. The path is the schedule of
 * the stated number of workers (scheduler/placement.h), with a fixed cost per integration and per barrier. A second path is the least path
 * of a Jacobi window, in which each subsystem integrates once. Two ratios give the cost of Gauss-Seidel per cost of Jacobi, 1 / (share
 * repeats):
 *
 *     share = least path / path in windows of Gauss-Seidel,     repeats = path / least path in windows of Jacobi
 *
 * Both paths of a ratio are of the same windows, so a few windows are enough. A run begins with Gauss-Seidel, whose share says how often
 * Jacobi may repeat. If Jacobi with the usual number of repetitions is cheaper, the run changes to Jacobi and measures the repetitions. The
 * usual number is at least the number of repetitions of Gauss-Seidel, because Jacobi contracts no better (Stein and Rosenberg 1948, for
 * iterations without negative factors). Then the cheaper order stays for many windows, without measurements. All costs are counts, so the
 * choice is the same on every number of workers that the run uses.
 *
 * Thread: serial section. Real-time: yes. */
#ifndef WR_SCHEME_CHOICE_H
#define WR_SCHEME_CHOICE_H

#include "base/state_io.h"

typedef enum wr_sweep_order {
    WR_SWEEP_JACOBI,
    WR_SWEEP_GAUSS_SEIDEL,
    WR_SWEEP_ORDERS
} wr_sweep_order;

typedef struct wr_scheme_choice {
    int is_on, n_worker; /* stated number of workers */
    int order;           /* wr_sweep_order of the present window */
    int is_measured;     /* 0: the order stays until n_window reaches wait */
    int n_window;        /* number of windows since the last change of order or is_measured */
    int n_change, n_comparison; /* numbers of changes of the order, and of later comparisons */
    double wait;
    /* critical paths of the present window with rejected attempts: on n_worker workers, and on one worker */
    double path, path_of_one;
    double sum, least;               /* sums over the measured windows: path and least path */
    double sum_of_one, least_of_one; /* the same for one worker */
    double share, repeats;
    /* The last decision: the chosen order, and the estimated cost of Gauss-Seidel per cost of Jacobi. ratio 0: no comparison has ended. */
    int chosen;
    int is_assumed; /* 1: no window of Jacobi since the last windows of Gauss-Seidel has measured `repeats` */
    double ratio;
} wr_scheme_choice;

void wr_scheme_choice_init(wr_scheme_choice *choice, int n_worker);

/* Sets the paths of the present window to 0. */
void wr_scheme_choice_begin_window(wr_scheme_choice *choice);

/* Adds a batch with n integrations of work[n] work units. Sorts work. */
void wr_scheme_choice_add(wr_scheme_choice *choice, double *work, int n);

/* Ends a window, in which n subsystems have integrated. work[n]: work of the first integration of each; the call sorts work. Returns the
 * order of the next window. */
wr_sweep_order wr_scheme_choice_next(wr_scheme_choice *choice, double *work, int n);

/* Visits the state between two runs (base/state_io.h). */
void wr_scheme_choice_state(wr_scheme_choice *choice, wr_state_io *io);

#endif
