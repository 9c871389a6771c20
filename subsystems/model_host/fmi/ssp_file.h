/* Files of SSP 1.0 (System Structure and Parameterization, Modelica Association, 2019): a system (.ssd), values of parameters (.ssv), a
 * mapping of parameters (.ssm). A file owns its texts. The reader checks each file alone.
 *
 * Thread: one owner. Real-time: no (setup only). */
#ifndef WR_SSP_FILE_H
#define WR_SSP_FILE_H

#include <stddef.h>

#include "base/diag.h"
#include "subsystems/model_host/fmi/ssp_elements.h"

enum { WR_SSP_FILE_BYTES = 64 << 20 /* largest file, bytes (assumed) */ };

/* Reads a file of a kind. path: name in messages, copied. Returns NULL with the first error in err: WRSIM_E_MODEL with the line, or
 * WRSIM_E_MEMORY. */
wr_ssp_file *wr_ssp_file_read(wr_ssp_kind kind, const char *path, const char *xml, size_t n_bytes,
                              wrsim_error *err);
void wr_ssp_file_destroy(wr_ssp_file **file);

#endif
