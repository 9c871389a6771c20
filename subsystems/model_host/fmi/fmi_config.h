/* A config that runs one FMU. Thread: any. Real-time: no (setup only). */
#ifndef WR_FMI_CONFIG_H
#define WR_FMI_CONFIG_H

#include "subsystems/model_host/fmi/description.h"

/* Returns the config of an FMU as TOML text from malloc, or NULL when out of memory. fmu: path of the FMU in the config. The run has start,
 * stop, tolerance and step of the default experiment. If the FMU needs steps of one length, stop and step are rounded to such steps. Comments list the inputs and parameters with their start values. */
char *wr_fmi_config_text(const wr_description *description, const char *fmu);

/* Opens an FMU, and returns its config as wr_fmi_config_text(), for a config in the folder of the FMU. Returns NULL with the reason in err. */
char *wr_fmi_config_of_file(const char *path, wrsim_error *err);

/* Returns whether a file begins like an FMU. */
int wr_fmi_config_is_fmu(const char *path);

#endif
