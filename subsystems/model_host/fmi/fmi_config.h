/* A config that runs one FMU. Thread: any. Real-time: no (setup only). */
#ifndef WR_FMI_CONFIG_H
#define WR_FMI_CONFIG_H

#include "base/diag.h"
#include "base/text_buffer.h"
#include "subsystems/model_host/fmi/description.h"

/* Times of a run. */
typedef struct wr_fmi_config_times {
    double start_s, stop_s, step_s; /* step: between communication points */
    double tolerance;               /* NaN: none */
    int is_stop_chosen;             /* 1: the default experiment has no stop time */
} wr_fmi_config_times;

/* Returns the times of a default experiment, with defaults for absent values. A stop that is not after the start remains, so that the
 * config is refused. */
wr_fmi_config_times wr_fmi_config_times_of(const wr_fmi_experiment *experiment);
/* Rounds the times of a run of co-simulation. If the FMU has a fixed internal step, the step gets a whole number of internal steps, and
 * the run a whole number of steps. If the FMU only needs steps of one length, the step changes so that the run has a whole number of
 * steps. */
void wr_fmi_config_fit_steps(wr_fmi_config_times *times, const wr_fmi_interface *cs);
/* Adds a text to a comment, with blanks in place of control characters. */
void wr_fmi_config_put_comment(wr_text_buffer *to, const char *text);
/* Adds [simulation]. */
void wr_fmi_config_put_times(wr_text_buffer *to, const wr_fmi_config_times *times);

/* Returns the config of an FMU as TOML text from malloc, or NULL when out of memory. fmu: path of the FMU in the config. The run has
 * start, stop, tolerance and step of the default experiment, with defaults for absent values. For an FMU without model exchange,
 * wr_fmi_config_fit_steps() rounds the times. Comments list the inputs and parameters with their start values. */
char *wr_fmi_config_text(const wr_description *description, const char *fmu);

/* Opens an FMU, and returns its config as wr_fmi_config_text(), for a config in the folder of the FMU. *ret_is_stop_chosen: 1 if the
 * default experiment has no stop time. Returns NULL with the reason in err, also if wrsim cannot run the FMU. */
char *wr_fmi_config_of_file(const char *path, int *ret_is_stop_chosen, wrsim_error *err);

/* Returns why wrsim cannot run an FMU, with advice; NULL: none. platforms: list of the platforms with a binary. */
const char *wr_fmi_config_obstacle(const wr_description *description, const char *platforms);

/* Returns whether a file begins like an FMU, which is a zip archive. path may lead into an archive. */
int wr_fmi_config_is_fmu(const char *path);
/* Reports why a file is no FMU. otherwise: advice for another file. */
void wr_fmi_config_refuse(const char *path, const char *otherwise, const wr_where *where,
                          wr_diag *diag);

#endif
