/* A config with a component or a subsystem replaced by a model from a file: whole, resolved, and ready to run.
 *
 * A component keeps its name and its place; of a subsystem all components become one of the subsystem's name, whose signals are
 * called COMPONENT_VARIABLE. Connections, ports, scenarios and recorded signals follow. Paths become absolute.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_REPLACED_H
#define WR_REPLACED_H

#include "analysis/reduction/linearised.h"

typedef struct wr_replacement {
    const char *config; /* the config's file ... */
    const char *const *override;
    int n_override; /* ... and what was set on the command line */
    const wr_selection *selection;
    const wr_linearised *linearised;
    const char *model, *file; /* the new model's name, and its file, which is there */
    const char *folder;       /* where the new config will lie */
} wr_replacement;

/* Writes it. WRSIM_OK, WRSIM_E_IO, WRSIM_E_MEMORY, or what loading the config says. */
wrsim_status wr_replaced_write(const wr_replacement *how, const char *path, wrsim_error *err);

#endif
