/* Chooses the solver of each subsystem: checks of keys, tolerances, multistep formulas. Thread: one owner. Real-time: no (setup). */
#ifndef WR_SOLVER_CHOICE_H
#define WR_SOLVER_CHOICE_H

#include "runtime/sim/assembly.h"

/* Returns simulation.rtol, limited to the loosest tolerance at which error estimates hold. Several subsystems keep a simulation.rtol of
 * up to LOOSEST_GIVEN (solver_choice.c). */
double wr_solver_choice_rtol(const wr_assembly *a);

/* Fills the members of `ode` that describe the solver, and the formula, of a subsystem. */
void wr_solver_choice_make(wr_assembly *a, int i_subsystem);

/* Checks relaxation.window.control and the keys of all solvers. A monolithic run skips only the bounds of work of [[subsystem]]. */
void wr_solver_choice_check(const wr_assembly *a, wr_diag *diag);

#endif
