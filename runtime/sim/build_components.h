/* Assembly: builds the components of a simulation from its settings. The only place that knows every
 * module.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_BUILD_COMPONENTS_H
#define WR_BUILD_COMPONENTS_H

#include "runtime/sim/assembly.h"

/* Builds everything up to the subsystems. All errors go to diag, without errors that only follow from
 * others. NULL on an error, or if diag had errors before, because refused settings may be incomplete.
 * The settings and the host's models (NULL-terminated, or NULL) outlive the assembly. */
wr_assembly *wr_build_components_create(const wr_settings *settings, const wr_memory *memory,
                                        const wrsim_model *const *host_models, wr_diag *diag);
void wr_build_components_destroy(wr_assembly **assembly);

#endif
