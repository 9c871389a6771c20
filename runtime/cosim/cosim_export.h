/* Exports a config as an FMU of co-simulation: description, binary of wrsim, config, and the files of the config.
 *
 * The binary is the file wrsim_cosim.so in the folder of the modules, which links libc and libm only. A config with a solver of CVODE also
 * gets the module wrsim_cosim_sundials.so. Before the call writes the archive, the call starts the new FMU once, in this process, so a
 * config that the FMU cannot run is refused.
 *
 * Thread: one owner. Real-time: no (setup). */
#ifndef WR_COSIM_EXPORT_H
#define WR_COSIM_EXPORT_H

#include "wrsim/sim.h"

/* Content of a new FMU. */
typedef struct wr_cosim_content {
    int n_input, n_output; /* ports */
    int n_tunable;         /* tunable parameters, and signals of scenarios that a host triggers */
    int n_parameter, n_signal;
    int n_file;         /* files of the config */
    int can_save;       /* 1: the FMU saves and restores its state */
    char refusal[512];  /* can_save 0: message of the FMU for its state */
    int can_vary_steps; /* 1: steps may have any length */
    int has_realtime;   /* 1: the FMU omits the table [realtime] of the config */
} wr_cosim_content;

/* Exports the config of a created simulation to the file `path`. version: 2 or 3, of FMI. Replaces only an FMU of wrsim. ret: content.
 * Returns WRSIM_OK; WRSIM_E_CONFIG or _E_PLUGIN: the config or a file cannot be exported, and err names the key; WRSIM_E_ARG: the
 * path has another extension than .fmu; WRSIM_E_IO, _E_DISK or _E_MEMORY. */
wrsim_status wr_cosim_export(const wrsim *sim, int version, const char *path, wr_cosim_content *ret,
                             wrsim_error *err);

#endif
