/* Reads and checks the description of an FMU. Thread: one owner. Real-time: no (setup only). */
#ifndef WR_DESCRIPTION_READ_H
#define WR_DESCRIPTION_READ_H

#include "subsystems/model_host/fmi/description.h"

/* Reads a description of n_bytes bytes. file: name of the description in messages, which the function does not keep. Returns NULL with
 * the first error in err: WRSIM_E_MODEL with the line, or WRSIM_E_MEMORY. */
wr_description *wr_description_read(const char *file, const char *xml, size_t n_bytes,
                                    wrsim_error *err);

#endif
