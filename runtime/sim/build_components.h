/* Assembly: from settings to subsystems that are ready to be relaxed. The only place that knows
 * every module.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#ifndef WR_BUILD_COMPONENTS_H
#define WR_BUILD_COMPONENTS_H

#include "runtime/sim/lookup.h"

/* Builds everything up to the subsystems. All errors go to diag, but none that only follows from
 * another; NULL if there is any or was before, as settings that were refused may be incomplete. The
 * settings and the host's models (NULL-terminated, or NULL) outlive the assembly. */
wr_assembly *wr_build_components_create(const wr_settings *settings, const wr_memory *memory,
                                        const wrsim_model *const *host_models, wr_diag *diag);
void wr_build_components_destroy(wr_assembly **assembly);

#endif
