/* Builds a simulation from settings: subsystems, workers, and checks of all keys. Config handles (wrsim/config.h).
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_BUILD_SIMULATION_H
#define WR_BUILD_SIMULATION_H

#include "runtime/sim/assembly.h"
#include "runtime/sim/simulation.h"
#include "wrsim/config.h"

/* Creates an empty simulation. The settings outlive it. simulation.monolithic = "auto" counts as split. NULL: out of memory. */
wrsim *wr_build_simulation_empty(const wr_settings *settings);

/* Fills an empty simulation. Each step runs even if an earlier step failed, so diag gets all errors. */
void wr_build_simulation_fill(wrsim *sim, wr_diag *diag);

/* Frees a simulation that was never prepared, and sets *sim to NULL. Accepts a pointer to NULL. */
void wr_build_simulation_free(wrsim **sim);

/* Adds the errors that wrsim_create() would find in incomplete settings. */
void wr_build_simulation_check(const wr_settings *settings, wr_diag *diag);

/* Creates a full simulation. It has the memory and the models of the host of `like`, or no host if that is NULL. The settings outlive
 * the simulation; err (may be NULL) gets their first error. The caller destroys the simulation with wrsim_destroy(). */
wrsim_status wr_build_simulation_create(const wr_settings *settings, const wrsim *like,
                                        wrsim **ret_sim, wrsim_error *err);

/* Adds a reference to a config. */
void wr_build_simulation_use_config(wrsim_config *config);

#endif
