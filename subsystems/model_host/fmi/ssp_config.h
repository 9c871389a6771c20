/* A config that runs a system of SSP. Thread: any. Real-time: no (setup only). */
#ifndef WR_SSP_CONFIG_H
#define WR_SSP_CONFIG_H

#include "base/diag.h"
#include "subsystems/model_host/fmi/ssp_system.h"

/* Returns whether a file has the ending of a system (.ssp, .ssd). */
int wr_ssp_config_is_system(const char *path);

/* Returns the config of a system as TOML text from malloc, or NULL when out of memory. folder: the beginning of the paths of FMUs, which
 * the config replaces by new_folder. Each component is a subsystem. In a system with FMUs of co-simulation, all FMUs of model exchange share
 * one subsystem if one of them may have events and cannot restore its state. If an FMU of co-simulation drives another and neither can restore its state, the
 * scheme is "slack". */
char *wr_ssp_config_text(const wr_ssp_system *system, const char *folder, const char *new_folder);

/* Opens an FMU or a system, and returns its config, for a config in the folder of the file. *ret_is_stop_chosen: as for
 * wr_fmi_config_of_file(). Adds the notes of a system to warnings. Returns NULL with the reason in err. */
char *wr_ssp_config_of_file(const char *path, int *ret_is_stop_chosen, wr_diag *warnings,
                            wrsim_error *err);

#endif
