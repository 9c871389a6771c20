/* Links from outputs of components to inputs of components, through the connectors of systems.
 *
 * Thread: one owner. Real-time: no (setup only). */
#ifndef WR_SSP_LINKS_H
#define WR_SSP_LINKS_H

#include "subsystems/model_host/fmi/ssp_parts.h"

/* Adds the links of the system. */
int wr_ssp_links_add(const wr_ssp_flattener *f);
/* Returns whether an output drives a node, after wr_ssp_links_add(). */
int wr_ssp_links_drives(const wr_ssp_flattener *f, int i_node);

#endif
