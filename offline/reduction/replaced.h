/* A complete config with a component or subsystem replaced by a model from a file.
 *
 * A component keeps its name and place. All components of a subsystem become one with the subsystem's name, whose
 * signals are named COMPONENT_VARIABLE. Connections, ports, scenarios and recorded signals follow. Paths become
 * absolute.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_REPLACED_H
#define WR_REPLACED_H

#include "offline/reduction/linearised.h"

typedef struct wr_replacement {
    const char *config; /* file of the config */
    const char *const *override;
    int n_override; /* number of overrides from the command line */
    const wr_selection *selection;
    const wr_linearised *linearised;
    const char *model, *file; /* name of the new model, and its existing file */
    const char *folder;       /* folder of the new config */
} wr_replacement;

/* Writes the config. Returns WRSIM_OK, WRSIM_E_IO, WRSIM_E_MEMORY, or an error of loading the config. */
wrsim_status wr_replaced_write(const wr_replacement *how, const char *path, wrsim_error *err);

#endif
