/* Work of an integration, in evaluations of f: the measure for the choice and comparison of methods. The work consists of counts, not of
 * times, so every machine has the same result.
 *
 * Thread: any. Real-time: yes.
 */
#ifndef WR_COUNTED_WORK_H
#define WR_COUNTED_WORK_H

#include "subsystems/solvers/shifted_matrix.h"

typedef struct wr_counted_work {
    double factor, solve; /* work of one factorisation, of one solve, in evaluations of f */
} wr_counted_work;

/* Returns the work of linear algebra for n states from assumed numbers of operations. An evaluation of f takes 500 + 50 n operations,
 * about as many as the shipped models with inputs and outputs. A sparse factorisation takes 100 operations per entry of the Jacobian, a
 * sparse solve takes 10. */
static inline wr_counted_work wr_counted_work_of(const wr_equations *ode, wr_linear_solver choice)
{
    const double n = (double)ode->n_x, rhs = 500.0 + 50.0 * n,
                 n_nonzero = (double)ode->pattern->n_nonzero;
    const int is_sparse = wr_shifted_is_sparse(choice, ode->n_x);
    return (wr_counted_work){.factor =
                                 (is_sparse ? 100.0 * n_nonzero : 2.0 / 3.0 * n * n * n) / rhs,
                             .solve = (is_sparse ? 10.0 * n_nonzero : 2.0 * n * n) / rhs};
}

/* Returns the work of right-hand sides, also for Jacobians, and of linear algebra. */
static inline double wr_counted_work_sum(const wr_counted_work *work, const wr_integ_stats *stats)
{
    return (double)stats->n_rhs + work->factor * (double)stats->n_factor +
           work->solve * (double)stats->n_solve;
}

#endif
