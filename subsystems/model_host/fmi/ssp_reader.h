/* Reads a system of SSP 1.0: the system, its parameter sets and mappings, nested systems, and the descriptions of the FMUs.
 *
 * Thread: one owner. Real-time: no (setup only). */
#ifndef WR_SSP_READER_H
#define WR_SSP_READER_H

#include "base/diag.h"
#include "subsystems/model_host/fmi/ssp_system.h"

/* Returns whether a file is an archive with a system. */
int wr_ssp_reader_is_package(const char *path);
/* Reads an .ssp or .ssd file. Returns NULL with the first error in err. */
wr_ssp_system *wr_ssp_reader_read(const char *path, wrsim_error *err);
void wr_ssp_reader_destroy(wr_ssp_system **system);

#endif
