/* Builds a simulation from settings: subsystems, workers, and checks of all keys. Config handles (wrsim/config.h).
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_BUILD_SIMULATION_H
#define WR_BUILD_SIMULATION_H

#include "runtime/sim/lookup.h"
#include "runtime/sim/simulation.h"
#include "wrsim/config.h"

/* A simulation of settings that outlive it, with nothing in it. What is still to be decided is as [[subsystem]] says.
 * NULL when out of memory. */
wrsim *wr_build_simulation_empty(const wr_settings *settings);

/* Every step is done whatever came before: all errors go to diag. */
void wr_build_simulation_fill(wrsim *sim, wr_diag *diag);

/* Of one that was never prepared; accepts a pointer to NULL, and nulls it. */
void wr_build_simulation_free(wrsim **sim);

/* What wrsim_create() would find wrong with settings that are incomplete. */
void wr_build_simulation_check(const wr_settings *settings, wr_diag *diag);

/* A simulation of settings that outlive it, in memory of the host (NULL: the system's); what is wrong with them is not said. Where
 * simulation.monolithic is "auto" it is split. To be destroyed with wrsim_destroy. */
wrsim_status wr_build_simulation_create(const wr_settings *settings, const wr_memory *memory,
                                        wrsim **ret_sim);

/* Takes a reference to a config, and gives it back. */
void wr_build_simulation_use_config(wrsim_config *config);

#endif
