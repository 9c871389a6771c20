/* Connectors and connections of a system.
 *
 * Thread: one owner. Real-time: no (setup only). */
#ifndef WR_SSP_CONNECTIONS_H
#define WR_SSP_CONNECTIONS_H

#include "subsystems/model_host/fmi/ssp_parts.h"

/* Compares the connectors with the variables of FMUs and with the connectors of nested systems, and sets the units of nodes. */
int wr_ssp_connections_check(const wr_ssp_flattener *f);
/* Sets the driver of each node. */
int wr_ssp_connections_add(const wr_ssp_flattener *f);

#endif
