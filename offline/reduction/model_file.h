/* A reduced system as a component: the state-space file for runs (subsystems/model_host/linear_model.h), and a fragment of a
 * config.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_MODEL_FILE_H
#define WR_MODEL_FILE_H

#include "offline/reduction/linear_system.h"
#include "offline/reduction/linearised.h"
#include "offline/reduction/state_space.h"

/* Writes the state-space file of a model with the signals of the system. about: comment lines, each "# ...\n".
 * Returns WRSIM_OK, WRSIM_E_IO, WRSIM_E_MEMORY. */
wrsim_status wr_model_file_write(const char *path, const char *model,
                                 const wr_linear_system *system, const wr_state_space *space,
                                 const char *about, wrsim_error *err);

/* Writes the tables for a config: a [[plugin]], a [[component]] and its connections (from from_config; NULL: to be
 * completed). file: name of the state-space file in the config. */
wrsim_status wr_model_fragment_write(const char *path, const char *model, const char *file,
                                     const wr_linear_system *system,
                                     const wr_linearised *from_config, wrsim_error *err);

#endif
