/* Files of a reduction: the state-space file for runs (subsystems/model_host/linear_model.h), tables for a config, and a complete config.
 *
 * In the complete config the model of that file replaces a component or subsystem. A single component keeps its name and place. Several
 * components become one component with the subsystem's name and signals COMPONENT_VARIABLE. If another component has this name, the new
 * component has the model's name. Connections, ports, scenarios, recorded signals and relaxation.history.phase get the new names.
 * Paths of files outside of the new config's folder become absolute.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_REDUCTION_FILES_H
#define WR_REDUCTION_FILES_H

#include "offline/reduction/linearised.h"
#include "offline/reduction/reduction.h"

typedef struct wr_replacement {
    const char *config; /* file of the config */
    const char *const *override;
    int n_override; /* number of overrides from the command line */
    const wr_selection *selection;
    const wr_linearised *linearised;
    const char *model, *file; /* name of the new model, and path of its existing file */
    const char *folder;       /* folder of the new config */
} wr_replacement;

/* Writes the config. Returns WRSIM_OK, WRSIM_E_IO, WRSIM_E_DISK, WRSIM_E_MEMORY, or an error of loading the config. */
wrsim_status wr_replaced_write(const wr_replacement *how, const char *path, wrsim_error *err);

/* Writes the state-space file of a model with the signals of the system. about: comment lines, each "# ...\n". Returns WRSIM_OK,
 * WRSIM_E_IO, WRSIM_E_DISK or WRSIM_E_MEMORY. */
wrsim_status wr_model_file_write(const char *path, const char *model,
                                 const wr_linear_system *system, const wr_state_space *space,
                                 const char *about, wrsim_error *err);

/* Writes the tables for a config: a [[plugin]], a [[component]] and its connections. The names of the connections come from from_config. If
 * from_config is NULL, the user completes the tables. file: name of the state-space file in the config. */
wrsim_status wr_model_fragment_write(const char *path, const char *model, const char *file,
                                     const wr_linear_system *system,
                                     const wr_linearised *from_config, wrsim_error *err);

/* ---- Bode diagrams of a full and a reduced system: magnitude, phase and error over the frequency ---- */

/* Draws a column of B: curves of the full system, one per affected output, points of the reduced system, and their difference. Returns
 * WRSIM_OK, WRSIM_E_IO, WRSIM_E_DISK or WRSIM_E_MEMORY. */
wrsim_status wr_bode_write(const char *path, const char *title, const wr_linear_system *system,
                           const wr_reduction *reduction, int i_column, wrsim_error *err);

#endif
