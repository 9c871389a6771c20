/* Builds a simulation from settings: subsystems, workers, and checks of all keys. Also implements config handles (wrsim/config.h).
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_BUILD_SIMULATION_H
#define WR_BUILD_SIMULATION_H

#include "runtime/sim/assembly.h"
#include "runtime/sim/simulation.h"
#include "wrsim/config.h"

/* Creates an empty simulation. The settings outlive the simulation. simulation.monolithic = "auto" counts as split. Returns NULL when out
 * of memory. */
wrsim *wr_build_simulation_empty(const wr_settings *settings);

/* Fills an empty simulation. After an error the checks of other parts still run, so that diag gets all errors. */
void wr_build_simulation_fill(wrsim *sim, wr_diag *diag);

/* Frees a simulation without recorder, workers and driver, and sets *sim to NULL. Accepts a pointer to NULL. */
void wr_build_simulation_free(wrsim **sim);

/* Adds the errors that wrsim_create() would find in incomplete settings to diag. */
void wr_build_simulation_check(const wr_settings *settings, wr_diag *diag);

/* Creates a full simulation with the memory and the models of the host of `like`. If `like` is NULL, the simulation has no host. The
 * settings outlive the simulation. err (may be NULL) gets the first error of the settings. The caller destroys the simulation with
 * wrsim_destroy(). */
wrsim_status wr_build_simulation_create(const wr_settings *settings, const wrsim *like,
                                        wrsim **ret_sim, wrsim_error *err);

/* Adds a reference to a config. */
void wr_build_simulation_use_config(wrsim_config *config);

#endif
