/* Inside of making subsystems, shared by the files member*.c, one job each:
 *
 *   member.c          which components, levels, building
 *   member_cut.c      what crosses the cuts
 *   member_history.c  whose waveform a subsystem repeats, and by which phase
 *   member_record.c   what is recorded
 *   member_solver.c   how it is solved
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_MEMBER_WORK_H
#define WR_MEMBER_WORK_H

#include "runtime/sim/member.h"

static inline wrsim_status wr_members_out_of_memory(wr_diag *diag)
{
    return wr_diag_add(diag, WRSIM_E_MEMORY, NULL, "out of memory while subsystems are built");
}

/* The member that a component is in. */
static inline int wr_member_of(const wr_assembly *a, int i_component)
{
    return a->graph->node[i_component].i_subsystem;
}

/* Sorts connections into those inside of members and those between them. */
wrsim_status wr_members_cut(wr_assembly *a, int n_variable, wr_diag *diag);
/* Which signal of the producer's wave an output is; added if it is new. */
int wr_members_publish(const wr_assembly *a, wr_member *producer, int i_component, int i_output);

/* The phase is published even if nobody across a cut reads it. */
wrsim_status wr_members_find_phase(wr_assembly *a, wr_diag *diag);
wrsim_status wr_members_find_siblings(wr_assembly *a, wr_diag *diag);

wrsim_status wr_members_choose_recorded(wr_assembly *a, wr_diag *diag);
void wr_members_check_signals(wr_assembly *a, wr_diag *diag);

void wr_members_choose_solver(wr_assembly *a, int i_member);
/* Also of subsystems that are not used when all is monolithic: a wrong one must not come to light
 * only without that option. */
void wr_members_check_solvers(const wr_assembly *a, wr_diag *diag);

#endif
