/* Choice between Jacobi and Gauss-Seidel. See scheme_choice.h. Thread: serial section. Real-time: yes. */
#include "runtime/relax/scheme_choice.h"

#include <math.h>

#include "base/check.h"
#include "scheduler/placement.h"

/* Windows of a comparison: first windows, in which the rule "work" grows its lengths (YOUNG in window_work.c), and measured windows. */
enum { SETTLE = 16, MEASURED = 16 };
/* Path of a Jacobi window per least path before a measurement: the median of 70 configs (docs/lab/2026-11-27-advice.md). */
static const double USUAL_REPEATS = 1.9;
/* Windows before the second comparison, growth of their number with each comparison, and largest number (docs/lab/2026-11-27-advice.md). */
static const double WAIT = 128.0, WAIT_GROWTH = 2.0, LONGEST_WAIT = 8192.0;
/* Work of wrsim itself per integration and of a barrier, work units of about 60 instructions: 8,000 instructions (null window of five
 * subsystems), and 2 us (docs/lab/2026-11-27-advice.md). */
static const double INTEGRATION = 130.0, BARRIER = 100.0;

void wr_scheme_choice_init(wr_scheme_choice *c, int n_worker)
{
    *c = (wr_scheme_choice){.is_on = 1,
                            .n_worker = n_worker,
                            .order = WR_SWEEP_GAUSS_SEIDEL,
                            .chosen = WR_SWEEP_GAUSS_SEIDEL,
                            .is_measured = 1,
                            .wait = WAIT,
                            .repeats = USUAL_REPEATS};
}

/* Returns the time of n tasks on n_worker workers: the placement of the longest task first, or a lower bound for many tasks or workers.
 * work descends. */
static double path_of(const double *work, int n, int n_worker, double sum)
{
    double busy[WR_PLACEMENT_FEW];
    int order[WR_PLACEMENT_FEW];
    if (n_worker == 1) /* the only number of workers without barriers */
        return sum;
    if (n > WR_PLACEMENT_FEW || n_worker > WR_PLACEMENT_FEW)
        return wr_max(sum / n_worker, work[0]) + BARRIER;
    for (int i = 0; i < n; i++)
        order[i] = i;
    return wr_placement_assign(work, order, n, n_worker, NULL, busy) + BARRIER;
}

/* Adds the path of n tasks on the stated number of workers to *path, and on one worker to *path_of_one. Sorts work. */
static void add_path(const wr_scheme_choice *c, double *work, int n, double *path,
                     double *path_of_one)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const double own = work[i] + INTEGRATION;
        int k = i;
        for (; k > 0 && k < WR_PLACEMENT_FEW && work[k - 1] < own; k--)
            work[k] = work[k - 1];
        work[k] = own;
        work[0] = wr_max(work[0], own); /* many tasks: only the first is the largest */
        sum += own;
    }
    if (n > 0)
        *path += path_of(work, n, c->n_worker, sum);
    *path_of_one += sum;
}

void wr_scheme_choice_begin_window(wr_scheme_choice *c) { c->path = c->path_of_one = 0.0; }

void wr_scheme_choice_add(wr_scheme_choice *c, double *work, int n)
{
    if (c->is_measured && c->n_window >= SETTLE) /* the sums omit the first SETTLE windows */
        add_path(c, work, n, &c->path, &c->path_of_one);
}

static void begin(wr_scheme_choice *c, wr_sweep_order order, int is_measured)
{
    c->n_change += (int)order != c->order;
    c->order = order;
    c->is_measured = is_measured;
    c->n_window = 0;
    c->sum = c->least = c->sum_of_one = c->least_of_one = 0.0;
}

/* Ends the measured windows of an order. */
static void decide(wr_scheme_choice *c)
{
    const int is_jacobi = c->order == WR_SWEEP_JACOBI;
    const double cost = c->sum / c->least;
    c->is_assumed = !is_jacobi;
    if (is_jacobi) {
        c->repeats = cost;
        c->ratio = 1.0 / (c->share * cost);
    } else {
        c->share = 1.0 / cost;
        c->ratio = cost / wr_max(c->repeats, c->sum_of_one / c->least_of_one);
    }
    c->chosen = c->ratio > 1.0 ? WR_SWEEP_JACOBI : WR_SWEEP_GAUSS_SEIDEL;
    begin(c, (wr_sweep_order)c->chosen, c->chosen == WR_SWEEP_JACOBI && !is_jacobi);
}

/* Begins a comparison with Gauss-Seidel. The repetitions of Jacobi become less certain during windows of Gauss-Seidel. The comparison
 * assumes the square root, so a later comparison tries Jacobi again, if Jacobi without repetitions is cheaper. */
static void compare_again(wr_scheme_choice *c)
{
    if (c->order == WR_SWEEP_GAUSS_SEIDEL)
        c->repeats = sqrt(c->repeats);
    begin(c, WR_SWEEP_GAUSS_SEIDEL, 1);
    c->n_comparison++;
    c->wait = wr_min(WAIT_GROWTH * c->wait, LONGEST_WAIT);
}

wr_sweep_order wr_scheme_choice_next(wr_scheme_choice *c, double *work, int n)
{
    c->n_window++;
    if (c->is_measured && c->n_window > SETTLE && n > 0) {
        double least = 0.0, least_of_one = 0.0;
        add_path(c, work, n, &least, &least_of_one);
        /* If barriers cost more than several workers save, the window takes one worker (scheduler.min_work). */
        c->least += wr_min(least, least_of_one);
        c->sum += wr_min(c->path, c->path_of_one);
        c->least_of_one += least_of_one;
        c->sum_of_one += c->path_of_one;
    }
    wr_scheme_choice_begin_window(c);
    if (c->is_measured && c->n_window >= SETTLE + MEASURED && c->sum > 0.0)
        decide(c);
    else if (!c->is_measured && c->n_window >= c->wait)
        compare_again(c);
    return c->order;
}

void wr_scheme_choice_state(wr_scheme_choice *c, wr_state_io *io)
{
    const int order = (int)wr_state_count(io, c->order, WR_SWEEP_ORDERS - 1);
    const int chosen = (int)wr_state_count(io, c->chosen, WR_SWEEP_ORDERS - 1);
    if (wr_state_reads(io)) {
        c->order = order;
        c->chosen = chosen;
    }
    WR_STATE(io, c->is_measured);
    WR_STATE(io, c->n_window);
    WR_STATE(io, c->n_change);
    WR_STATE(io, c->n_comparison);
    WR_STATE(io, c->wait);
    WR_STATE(io, c->sum);
    WR_STATE(io, c->least);
    WR_STATE(io, c->sum_of_one);
    WR_STATE(io, c->least_of_one);
    WR_STATE(io, c->share);
    WR_STATE(io, c->repeats);
    WR_STATE(io, c->is_assumed);
    WR_STATE(io, c->ratio);
}
