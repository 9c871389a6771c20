/* Chooses the solver of each subsystem: checks of keys, tolerances, multistep formulas.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_SOLVER_CHOICE_H
#define WR_SOLVER_CHOICE_H

#include "runtime/sim/assembly.h"

/* simulation.rtol, or the loosest tolerance at which error estimates hold if that is smaller. */
double wr_solver_choice_rtol(const wr_assembly *a);

/* Fills the solver's part of `ode`, and the formula, of a subsystem. */
void wr_solver_choice_make(wr_assembly *a, int i_subsystem);

/* Checks the keys of all solvers, even those of [[subsystem]] in a monolithic run. */
void wr_solver_choice_check(const wr_assembly *a, wr_diag *diag);

#endif
