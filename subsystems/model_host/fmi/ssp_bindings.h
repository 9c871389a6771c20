/* Parameter bindings of a system.
 *
 * Thread: one owner. Real-time: no (setup only). */
#ifndef WR_SSP_BINDINGS_H
#define WR_SSP_BINDINGS_H

#include "subsystems/model_host/fmi/ssp_parts.h"

/* Applies the bindings of all instances. */
int wr_ssp_bindings_apply(const wr_ssp_flattener *f);

#endif
