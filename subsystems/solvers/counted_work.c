/* Counted work. See counted_work.h.
 *
 * Thread: any. Real-time: yes.
 */
#include "subsystems/solvers/counted_work.h"

#include "subsystems/solvers/shifted.h"

wr_counted_work wr_counted_work_of(const wr_equations *ode, wr_linear_solver choice)
{
    const double n = (double)ode->n_x, rhs = 500.0 + 50.0 * n,
                 n_nonzero = (double)ode->pattern->n_nonzero;
    const int is_sparse = wr_shifted_is_sparse(choice, ode->n_x);
    return (wr_counted_work){.factor =
                                 (is_sparse ? 100.0 * n_nonzero : 2.0 / 3.0 * n * n * n) / rhs,
                             .solve = (is_sparse ? 10.0 * n_nonzero : 2.0 * n * n) / rhs};
}
