/* Inside of making subsystems, shared by the files setup*.c, one job each:
 *
 *   setup.c          which components, building
 *   setup_components.c, setup_replay.c, setup_port.c (setup_played.c)
 *                    the kinds of subsystems, rows of setup_kinds.c
 *   setup_cut.c      what crosses the cuts
 *   setup_formula.c  the formula of a multistep method
 *   setup_history.c  whose waveform a subsystem repeats, and by which phase
 *   setup_levels.c   when in a sweep each is integrated
 *   setup_record.c   what is recorded
 *   setup_solver.c   how it is solved
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_SETUP_WORK_H
#define WR_SETUP_WORK_H

#include "runtime/sim/setup_room.h"

/* The subsystem that a component is in. */
static inline int wr_setup_of(const wr_assembly *a, int i_component)
{
    return a->graph->node[i_component].i_subsystem;
}

/* Sorts connections into those inside of subsystems and those between them. */
wrsim_status wr_setups_cut(wr_assembly *a, int n_variable, wr_diag *diag);
/* Which signal of the producer's wave an output is; added if it is new. */
int wr_setups_publish(const wr_assembly *a, wr_setup *producer, int i_component, int i_output);

/* The phase is published even if nobody across a cut reads it. */
wrsim_status wr_setups_find_phase(wr_assembly *a, wr_diag *diag);
wrsim_status wr_setups_find_history_sources(wr_assembly *a, wr_diag *diag);

/* Gauss-Seidel levels: as the config has them, or of the graph of subsystems. After wr_setups_cut(). */
wrsim_status wr_setups_set_levels(wr_assembly *a, wr_diag *diag);
/* All subsystems have one, or none; also where they are not used. */
void wr_setups_check_levels(const wr_assembly *a, wr_diag *diag);

wrsim_status wr_setups_choose_recorded(wr_assembly *a, wr_diag *diag);
void wr_setups_check_signals(wr_assembly *a, wr_diag *diag);

/* Is the solver one whose formula the config gives? */
int wr_setup_takes_formula(const wr_set_solver *set);
/* Refuses one that is missing, or does not converge. who: as "subsystem 'a': ", or "". */
void wr_setup_check_formula(const wr_set_solver *set, const char *who, const wr_where *where,
                            wr_diag *diag);
wr_lms wr_setup_formula(const wr_set_solver *set);

/* simulation.rtol, limited to the loosest tolerance at which error estimates hold. */
double wr_setup_rtol(const wr_assembly *a);
void wr_setups_choose_solver(wr_assembly *a, int i_subsystem);
/* Also of subsystems that are not used when all is monolithic: a wrong one must not come to light
 * only without that option. */
void wr_setups_check_solvers(const wr_assembly *a, wr_diag *diag);

#endif
