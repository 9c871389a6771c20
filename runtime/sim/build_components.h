/* Builds the assembly of a simulation from its settings. Thread: one owner. Real-time: no (setup). */
#ifndef WR_BUILD_COMPONENTS_H
#define WR_BUILD_COMPONENTS_H

#include "runtime/sim/assembly.h"

/* Builds plug-ins, components, graph and subsystems. Adds all errors to diag, except errors that only follow from other errors. Returns
 * NULL on an error, or if diag had errors before. Settings, memory functions (NULL: of the system), and the host's models (NULL-terminated,
 * or NULL) outlive the assembly. */
wr_assembly *wr_build_components_create(const wr_settings *settings, const wr_memory *memory,
                                        const wrsim_model *const *host_models, wr_diag *diag);
void wr_build_components_destroy(wr_assembly **assembly);

#endif
