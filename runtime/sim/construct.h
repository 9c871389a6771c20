/* From settings to a simulation that could be prepared: subsystems, workers, and what is wrong with them.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_CONSTRUCT_H
#define WR_CONSTRUCT_H

#include "runtime/sim/simulation.h"

/* A simulation of settings that outlive it, with nothing in it. What is still to be decided is as [[subsystem]] says.
 * NULL when out of memory. */
wrsim *wr_construct_empty(const wr_settings *settings);

/* Every step is done whatever came before: all errors go to diag. */
void wr_construct_fill(wrsim *sim, wr_diag *diag);

/* Of one that was never prepared; accepts a pointer to NULL, and nulls it. */
void wr_construct_free(wrsim **sim);

/* What wrsim_create() would find wrong with settings that are incomplete. */
void wr_simulation_find_errors(const wr_settings *settings, wr_diag *diag);

/* A simulation of settings that outlive it, in memory of the host (NULL: the system's); what is wrong with them is not said. Where
 * simulation.monolithic is "auto" it is split. To be destroyed with wrsim_destroy. */
wrsim_status wr_simulation_create(const wr_settings *settings, const wr_memory *memory,
                                  wrsim **ret_sim);

#endif
