/* A reduced system as a component: the state-space file that runs read (subsystems/model_host/linear_model.h), and the config that
 * uses it.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_MODEL_FILE_H
#define WR_MODEL_FILE_H

#include "analysis/reduction/linear_system.h"
#include "analysis/reduction/linearised.h"
#include "analysis/reduction/state_space.h"

/* Writes the state-space file of a model of that name; signals are the system's. about: lines of comment, each "# ...\n".
 * WRSIM_OK, WRSIM_E_IO, WRSIM_E_MEMORY. */
wrsim_status wr_model_file_write(const char *path, const char *model,
                                 const wr_linear_system *system, const wr_state_space *space,
                                 const char *about, wrsim_error *err);

/* Writes what a config needs to use it: the [[plugin]], a [[component]], and its connections (of a linearised system as they
 * are, from_config; NULL: to be filled in). file: as the config names the state-space file. */
wrsim_status wr_model_fragment_write(const char *path, const char *model, const char *file,
                                     const wr_linear_system *system,
                                     const wr_linearised *from_config, wrsim_error *err);

#endif
