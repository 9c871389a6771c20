/* Native plug-ins: shared objects that export models through wrsim_plugin_models.
 *
 * Thread: one owner. Real-time: no (setup only).
 */
#ifndef WR_PLUGIN_H
#define WR_PLUGIN_H

#include "subsystems/model_host/provider.h"

extern const wr_provider wr_provider_native;

#endif
