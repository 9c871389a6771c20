/* The solver of each subsystem: checks of the keys, tolerances, multistep formulas.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_SOLVER_CHOICE_H
#define WR_SOLVER_CHOICE_H

#include "runtime/sim/assembly.h"

/* simulation.rtol, limited to the loosest tolerance at which error estimates hold. */
double wr_solver_choice_rtol(const wr_assembly *a);

/* Fills integrator, options, formula, matrix and bound of a subsystem. */
void wr_solver_choice_make(wr_assembly *a, int i_subsystem);

/* Checks the keys of all solvers, also the solvers of [[subsystem]] in a monolithic run, which does not use them. */
void wr_solver_choice_check(const wr_assembly *a, wr_diag *diag);

#endif
