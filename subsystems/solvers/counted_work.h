/* What an integration has taken, in evaluations of f: the measure that methods are chosen and compared by.
 *
 * It is made of counts, never of times, so it is the same on every machine.
 *
 * Thread: any. Real-time: yes.
 */
#ifndef WR_COUNTED_WORK_H
#define WR_COUNTED_WORK_H

#include "subsystems/solvers/integrator.h"

typedef struct wr_counted_work {
    double factor, solve; /* of one factorisation and one solve */
} wr_counted_work;

/* An evaluation of f is taken to cost 500 + 50 n operations, which is what the models that ship come to, inputs and outputs
 * included; sparse algebra, 100 operations per entry of the Jacobian for its factors and 10 for a solve. */
wr_counted_work wr_counted_work_of(const wr_equations *ode, wr_linear_solver choice);

/* Right-hand sides, those of Jacobians included, and linear algebra. */
static inline double wr_counted_work_sum(const wr_counted_work *work, const wr_integ_stats *stats)
{
    return (double)stats->n_rhs + work->factor * (double)stats->n_factor +
           work->solve * (double)stats->n_solve;
}

#endif
