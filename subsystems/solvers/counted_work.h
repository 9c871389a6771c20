/* Work of an integration, in evaluations of f: the measure for the choice and comparison of methods.
 *
 * It consists of counts, not of times, so it is the same on every machine.
 *
 * Thread: any. Real-time: yes.
 */
#ifndef WR_COUNTED_WORK_H
#define WR_COUNTED_WORK_H

#include "subsystems/solvers/integrator.h"

typedef struct wr_counted_work {
    double factor, solve; /* work of one factorisation, of one solve */
} wr_counted_work;

/* Assumed operations: 500 + 50 n for an evaluation of f, about the cost of the shipped models with inputs and outputs; for sparse
 * algebra 100 per entry of the Jacobian for its factors, and 10 for a solve. */
wr_counted_work wr_counted_work_of(const wr_equations *ode, wr_linear_solver choice);

/* Right-hand sides, also for Jacobians, and linear algebra. */
static inline double wr_counted_work_sum(const wr_counted_work *work, const wr_integ_stats *stats)
{
    return (double)stats->n_rhs + work->factor * (double)stats->n_factor +
           work->solve * (double)stats->n_solve;
}

#endif
