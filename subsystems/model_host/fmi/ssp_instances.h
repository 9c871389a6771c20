/* The elements of a system and of its nested systems, and their connectors.
 *
 * Thread: one owner. Real-time: no (setup only). */
#ifndef WR_SSP_INSTANCES_H
#define WR_SSP_INSTANCES_H

#include "subsystems/model_host/fmi/ssp_parts.h"

/* Adds the instances of a system and of all systems below. root: file of the system. */
int wr_ssp_instances_add(const wr_ssp_flattener *f, const wr_ssp_opened *root);
/* Lists the elements and connectors of all instances. */
int wr_ssp_instances_list(const wr_ssp_flattener *f);

#endif
